/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl doctor: loads the dispatcher (an interface's XDP program, which finds a packet's handlers) and small handlers of each kind and
 * class, which are embedded in spinctl (test_load/), through libspin. Called once by exam.c. Nothing is attached and nothing stays loaded.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "user/spinctl/doctor/load.h"
#include "kernel/caps.h"
#include "kernel/probe.h"
#include "user/libspin/internal.h"
#include "user/libspin/root.h"
#include "user/libspin/streams/streams.h"
#include "user/spinctl/spinctl.h"

extern const char test_load_datagram[], test_load_datagram_end[], test_load_message[], test_load_message_end[], test_load_sender[],
	test_load_sender_end[], test_load_segment[], test_load_segment_end[];

static const struct {
	const char *image, *end; /* NULL: the dispatcher */
	enum spin_class class;
	int essential;
	const char *rule; /* NULL: streams of a TCP socket, which have none */
} rows[TEST_LOADS] = {
	[TEST_LOAD_DISPATCHER] = { NULL, NULL, SPIN_CLASS_TRUSTED, 1 },
	[TEST_LOAD_DATAGRAM] = { test_load_datagram, test_load_datagram_end, SPIN_CLASS_TRUSTED, 1, "udp" },
	[TEST_LOAD_MESSAGE] = { test_load_message, test_load_message_end, SPIN_CLASS_TRUSTED, 0, "udp" },
	[TEST_LOAD_SENDER] = { test_load_sender, test_load_sender_end, SPIN_CLASS_TRUSTED, 0, "udp" },
	[TEST_LOAD_SEGMENT] = { test_load_segment, test_load_segment_end, SPIN_CLASS_TRUSTED, 0, "tcp" },
	[TEST_LOAD_DISPATCHER_ISOLATED] = { NULL, NULL, SPIN_CLASS_ISOLATED, 1 },
	[TEST_LOAD_DATAGRAM_ISOLATED] = { test_load_datagram, test_load_datagram_end, SPIN_CLASS_ISOLATED, 1, "udp" },
	[TEST_LOAD_SENDER_ISOLATED] = { test_load_sender, test_load_sender_end, SPIN_CLASS_ISOLATED, 0, "udp" },
	[TEST_LOAD_SEGMENT_ISOLATED] = { test_load_segment, test_load_segment_end, SPIN_CLASS_ISOLATED, 0, "tcp" },
	[TEST_LOAD_STREAM_ISOLATED] = { test_load_datagram, test_load_datagram_end, SPIN_CLASS_ISOLATED, 0, NULL },
};

/* libspin opens objects by path, so the image is written to an unnamed file. */
static int open_image(const char *image, const char *end, struct spin_object **out)
{
	int fd = memfd_create("test_load.spin", MFD_CLOEXEC), err = -EIO;
	size_t bytes = (size_t)(end - image);
	char path[40];

	*out = NULL;
	if (fd < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, image, bytes) == (ssize_t)bytes)
		err = spin_object__open(path, out);
	close(fd);
	return err;
}

static int load_handler(unsigned row)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = rows[row].class };
	const char *const of_streams = "udp dport 1"; /* matches nothing: a socket's port */
	struct spin_object *object;
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;
	int err = open_image(rows[row].image, rows[row].end, &object);

	if (!err)
		err = spin_rule__parse(rows[row].rule ? rows[row].rule : of_streams, &rule);
	if (!err)
		err = rows[row].rule ? spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx)
				     : spin_streams__create(object, &rule, &opts, NULL, &ctx);
	spin_ctx__destroy(ctx);
	spin_object__close(object);
	return err;
}

/* Without CAP_PERFMON libspin loads the dispatcher that copies headers. The class is probed first, as for a context. */
static int load_dispatcher(enum spin_class class)
{
	char reason[SPIN_ERROR_BYTES];
	struct root *root = NULL;
	uint64_t saved;
	int err = class__probe(class, reason, sizeof(reason));

	if (err)
		return spin_fail(err, "%s", reason);
	if (class == SPIN_CLASS_TRUSTED) {
		err = root__load(&root, NULL);
	} else {
		err = kernel_caps__drop_for_isolated(&saved);
		if (err)
			return err;
		err = root__load(&root, NULL);
		kernel_caps__restore(saved);
	}
	root__free(root);
	return err;
}

/* Copies libspin's message without the path of the unnamed file. */
static void copy_message(struct test_load *load)
{
	const char *message = spin_strerror_last(), *own = "/proc/self/fd/";

	if (!strncmp(message, own, strlen(own))) {
		message += strlen(own);
		message += strspn(message, "0123456789");
		message += strspn(message, ": ");
	}
	snprintf(load->message, sizeof(load->message), "%s", message);
}

void doctor_load__try(struct test_load *test_loads, int all)
{
	int may_trust = kernel_probe__privileged(), may_isolate = kernel_probe__privileged_isolated();

	memset(test_loads, 0, TEST_LOADS * sizeof(*test_loads));
	for (unsigned i = 0; i < TEST_LOADS; i++) {
		struct test_load *load = &test_loads[i];

		if (!(rows[i].class == SPIN_CLASS_TRUSTED ? may_trust : may_isolate) || !(all || rows[i].essential))
			continue;
		load->tried = 1;
		load->err = rows[i].image ? load_handler(i) : load_dispatcher(rows[i].class);
		if (load->err)
			copy_message(load);
	}
}

int doctor_load__has(const struct test_load *test_loads, enum spin_class class)
{
	int isolated = class == SPIN_CLASS_ISOLATED;
	const struct test_load *dispatcher = &test_loads[isolated ? TEST_LOAD_DISPATCHER_ISOLATED : TEST_LOAD_DISPATCHER];
	const struct test_load *datagram = &test_loads[isolated ? TEST_LOAD_DATAGRAM_ISOLATED : TEST_LOAD_DATAGRAM];

	return dispatcher->tried && !dispatcher->err && datagram->tried && !datagram->err;
}
