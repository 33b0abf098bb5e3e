/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loads the dispatcher and small handlers of each kind and class, which are inside the
 * program (trial/), through the library. Called once by `spinctl doctor`. Nothing is
 * attached and nothing stays loaded.
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
#include "user/spinctl/spinctl.h"

extern const char trial_datagram[], trial_datagram_end[], trial_message[], trial_message_end[], trial_sender[], trial_sender_end[];

static const struct {
	const char *image, *end; /* NULL: the dispatcher */
	enum spin_class class;
	int essential;
} rows[TRIALS] = {
	[TRIAL_DISPATCHER] = { NULL, NULL, SPIN_CLASS_TRUSTED, 1 },
	[TRIAL_DATAGRAM] = { trial_datagram, trial_datagram_end, SPIN_CLASS_TRUSTED, 1 },
	[TRIAL_MESSAGE] = { trial_message, trial_message_end, SPIN_CLASS_TRUSTED, 0 },
	[TRIAL_SENDER] = { trial_sender, trial_sender_end, SPIN_CLASS_TRUSTED, 0 },
	[TRIAL_DISPATCHER_ISOLATED] = { NULL, NULL, SPIN_CLASS_ISOLATED, 1 },
	[TRIAL_DATAGRAM_ISOLATED] = { trial_datagram, trial_datagram_end, SPIN_CLASS_ISOLATED, 1 },
	[TRIAL_SENDER_ISOLATED] = { trial_sender, trial_sender_end, SPIN_CLASS_ISOLATED, 0 },
};

/* The library opens files: the image as one that has no name. */
static int open_image(const char *image, const char *end, struct spin_object **out)
{
	int fd = memfd_create("trial.spin", MFD_CLOEXEC), err = -EIO;
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

static int load_handler(const char *image, const char *end, enum spin_class class)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };
	struct spin_object *object;
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;
	int err = open_image(image, end, &object);

	if (!err)
		err = spin_rule__parse("udp", &rule);
	if (!err)
		err = spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx);
	spin_ctx__destroy(ctx);
	spin_object__close(object);
	return err;
}

/* Without CAP_PERFMON the library takes the dispatcher that copies headers; as for a context, the class is probed first. */
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
		err = kernel_caps__become_stranger(&saved);
		if (err)
			return err;
		err = root__load(&root, NULL);
		kernel_caps__restore(saved);
	}
	root__free(root);
	return err;
}

/* The message without the name of a file that nobody knows. */
static void take_message(struct trial *trial)
{
	const char *message = spin_strerror_last(), *own = "/proc/self/fd/";

	if (!strncmp(message, own, strlen(own))) {
		message += strlen(own);
		message += strspn(message, "0123456789");
		message += strspn(message, ": ");
	}
	snprintf(trial->message, sizeof(trial->message), "%s", message);
}

void doctor_load__try(struct trial *trials, int all)
{
	int may_trust = kernel_probe__privileged(), may_isolate = kernel_probe__privileged_isolated();

	memset(trials, 0, TRIALS * sizeof(*trials));
	for (unsigned i = 0; i < TRIALS; i++) {
		struct trial *trial = &trials[i];

		if (!(rows[i].class == SPIN_CLASS_TRUSTED ? may_trust : may_isolate) || !(all || rows[i].essential))
			continue;
		trial->tried = 1;
		trial->err = rows[i].image ? load_handler(rows[i].image, rows[i].end, rows[i].class) : load_dispatcher(rows[i].class);
		if (trial->err)
			take_message(trial);
	}
}

int doctor_load__has(const struct trial *trials, enum spin_class class)
{
	int isolated = class == SPIN_CLASS_ISOLATED;
	const struct trial *dispatcher = &trials[isolated ? TRIAL_DISPATCHER_ISOLATED : TRIAL_DISPATCHER];
	const struct trial *datagram = &trials[isolated ? TRIAL_DATAGRAM_ISOLATED : TRIAL_DATAGRAM];

	return dispatcher->tried && !dispatcher->err && datagram->tried && !datagram->err;
}
