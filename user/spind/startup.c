/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Contexts of the configuration (startup.h). The front process asks a holder for them as a client of root's would. An interface may come
 * later, as may an object; a context that the spind before has added is there already.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <spin/libspin.h>

#include "user/spind/facts.h"
#include "user/spind/holders.h"
#include "user/spind/startup.h"

#define ANSWER_MS 300000

/* The object in a file that nobody can change any more, or a negative errno. */
static int seal(const char *path)
{
	int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("spin_object", MFD_CLOEXEC | MFD_ALLOW_SEALING), err = 0;
	char part[65536];
	ssize_t got = 0;

	if (from < 0 || to < 0)
		err = -errno;
	while (!err && (got = read(from, part, sizeof(part))) > 0)
		if (write(to, part, (size_t)got) != got)
			err = -EIO;
	if (!err && (got < 0 || fcntl(to, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)))
		err = -errno;
	if (from >= 0)
		close(from);
	if (err && to >= 0)
		close(to);
	return err ? err : to;
}

/* Waits for the holder's answer to the request. 0, or a negative errno with the reason in `text`. */
static int wait_answer(int connection, char *text, size_t bytes)
{
	struct pollfd wait = { .fd = connection, .events = POLLIN };
	struct broker_answer answer;
	int fds[BROKER_FDS];
	unsigned count = 0;

	if (poll(&wait, 1, ANSWER_MS) <= 0 || broker__receive(connection, &answer, sizeof(answer), fds, &count, 0) != sizeof(answer)) {
		snprintf(text, bytes, "spind's process for the namespace does not answer");
		return -ETIMEDOUT;
	}
	broker__close(fds, count);
	answer.text[sizeof(answer.text) - 1] = '\0';
	snprintf(text, bytes, "%s", answer.text);
	return answer.error;
}

static int ask(const struct settings_context *context, int ns, uint64_t netns, int object, char *text, size_t bytes)
{
	struct order order = {
		.request = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = BROKER_ADD, .class = SPIN_CLASS_TRUSTED },
		.netns = netns,
		.pid = (uint32_t)getpid(),
		.trusted = 1
	};
	struct receipt receipt = { 0 };
	int pair[2], fds[3], err;

	memcpy(order.request.name, context->name, sizeof(context->name));
	memcpy(order.request.interface, context->interface, sizeof(context->interface));
	memcpy(order.request.rule, context->rule, sizeof(context->rule));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	fds[0] = pair[1];
	fds[1] = ns;
	fds[2] = object;
	err = holders__give(netns, ns, &order, fds, 3, &receipt);
	close(pair[1]);
	if (!err)
		err = receipt.taken ? wait_answer(pair[0], text, bytes) : -EAGAIN;
	close(pair[0]);
	return err;
}

/* 1: root has a context of this name, which a spind before has added. */
static int is_there(const struct settings_context *context)
{
	const struct order order = { .request = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = BROKER_LIST } };
	struct broker_answer answer;
	struct receipt sum;
	int pair[2], fds[BROKER_FDS], found = 0;
	unsigned count;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return 0;
	setsockopt(pair[1], SOL_SOCKET, SO_SNDBUFFORCE, &(int){ 8 << 20 }, sizeof(int));
	holders__give_all(&order, &pair[1], 1, &sum);
	close(pair[1]);
	while (broker__receive(pair[0], &answer, sizeof(answer), fds, &count, MSG_DONTWAIT) == sizeof(answer)) {
		broker__close(fds, count);
		answer.name[sizeof(answer.name) - 1] = '\0';
		found |= !answer.uid && !strcmp(answer.name, context->name);
	}
	close(pair[0]);
	return found;
}

static int add(const struct settings_context *context, char *text, size_t bytes)
{
	int ns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), object = seal(context->file), err;
	uint64_t netns;

	text[0] = '\0';
	err = ns < 0 ? -errno : object < 0 ? object : 0;
	if (!err) {
		int copy = facts__open_namespace(ns, &netns, text, bytes);

		err = copy < 0 ? copy : ask(context, ns, netns, object, text, bytes);
		if (copy >= 0)
			close(copy);
	}
	if (err && !text[0])
		snprintf(text, bytes, "%s: %s", context->file, strerror(-err));
	if (ns >= 0)
		close(ns);
	if (object >= 0)
		close(object);
	return err;
}

unsigned startup__add(struct settings *settings)
{
	static int told[SETTINGS_CONTEXTS_MAX];
	unsigned missing = 0;
	char text[1024];

	for (unsigned i = 0; i < settings->named; i++) {
		struct settings_context *context = &settings->context[i];
		int err = context->added || is_there(context) ? 0 : add(context, text, sizeof(text));

		context->added = !err;
		if (err && !told[i]++)
			fprintf(stderr, "spind: context %s of the configuration is not added yet: %s\n", context->name, text);
		missing += !context->added;
	}
	return missing;
}
