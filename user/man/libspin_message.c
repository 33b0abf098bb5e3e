/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Example of libspin(3): receives one message into posted memory (a matching entry). Compiled and run by tests/install/page_examples.sh. */
#include <poll.h>
#include <stdio.h>

#include <spin/libspin.h>
#include <spin/libspin_message.h>

struct taker {
	struct spin_ctx *ctx;
	const unsigned char *memory;
	int status; /* 1: wait for the message; 0: it was written to stdout; 2: it is damaged */
};

/* The entry is for one message, so nobody writes to it any more. */
static void on_event(void *arg, const struct spin_event *event)
{
	struct taker *t = arg;
	struct spin_me me;

	if (event->type == SPIN_EVENT_TIMEOUT)
		fprintf(stderr, "message %u stopped halfway\n", event->message_id);
	if (event->type != SPIN_EVENT_MESSAGE)
		return;
	if (event->flags & (SPIN_EVENT_FAILED | SPIN_EVENT_DROPPED) || spin_ctx__me_get(t->ctx, event->me, &me) ||
	    event->length > me.length)
		t->status = 2;
	else
		t->status = fwrite(t->memory + me.start, 1, event->length, stdout) != event->length ? 2 : 0;
}

static int take(struct spin_nic *nic, struct spin_object *obj)
{
	struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message = { .host_bytes = 64 << 20, .no_entry = 1 } };
	struct spin_me_opts entry = { .bytes = sizeof(entry), .ignore_bits = UINT64_MAX, .options = SPIN_ME_USE_ONCE };
	struct taker t = { .status = 1 };
	struct spin_rule rule;
	struct pollfd fd = { .events = POLLIN };
	size_t bytes;
	unsigned me;
	void *memory;
	int err;

	err = spin_rule__parse("udp dport 9330", &rule);
	if (!err)
		err = spin_ctx__create_opts(nic, obj, &rule, &opts, &t.ctx);
	if (!err)
		err = spin_ctx__host_memory(t.ctx, &memory, &bytes);
	if (!err)
		err = spin_ctx__me_append(t.ctx, &entry, &me);
	if (!err)
		err = spin_ctx__attach(t.ctx);
	if (!err) {
		t.memory = memory;
		fd.fd = spin_ctx__event_fd(t.ctx);
	}
	while (err >= 0 && t.status == 1) {
		if (poll(&fd, 1, -1) < 0)
			break; /* a signal */
		err = spin_ctx__events(t.ctx, on_event, &t);
	}
	if (t.status == 2)
		fprintf(stderr, "take: the message is not whole\n");
	spin_ctx__destroy(t.ctx);
	return err < 0 ? err : t.status;
}

int main(int argc, char **argv)
{
	struct spin_object *obj = NULL;
	struct spin_nic *nic = NULL;
	int err;

	if (argc != 3) {
		fprintf(stderr, "usage: take FILE.spin IF >MESSAGE\n");
		return 2;
	}
	err = spin_object__open(argv[1], &obj);
	if (!err)
		err = spin_nic__open(argv[2], &nic);
	if (!err)
		err = take(nic, obj);
	if (err < 0)
		fprintf(stderr, "take: %s\n", spin_strerror_last());
	spin_nic__close(nic);
	spin_object__close(obj);
	return err != 0;
}
