/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Attaches handlers that put messages (send them into the memory of another context) and the context that takes these, starts a client that
 * triggers the puts, and checks what arrived against the handlers' counts (put_test.h). Called by tests/stress/stress.c.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <spin/libspin_send.h>
#include "tests/common/net/slow.h"
#include "tests/common/built.h"
#include "tests/common/net/lossy.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/put_test.h"
#include "tests/handlers/sending/fan_out.h"

#define PUT_PORT    9333
#define MESSAGE     4000u /* bytes sent to the putter */
#define SMALL       8u
#define HOST_BYTES  (32u << 10) /* put for each message */
#define TAKEN_BYTES (2u << 20)  /* small puts go after the first 1 MiB */
#define MARK        99u         /* match bits of puts from host memory */
#define PAUSE_US    1000
#define PAUSES_MAX  (15000u * slow_factor()) /* number of pauses */

static const char *attach(struct spin_nic *nic, const char *handler, const char *text, enum spin_hpus hpus,
			  const struct spin_message_opts *message, struct spin_ctx **ctx)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .hpus = hpus, .message = *message };
	struct spin_object *object = NULL;
	struct spin_rule rule;
	char path[512];
	int err;

	if (built_object(handler, path, sizeof(path)))
		return engine_error();
	err = spin_object__open(path, &object) || spin_rule__parse(text, &rule) || spin_ctx__create_opts(nic, object, &rule, &opts, ctx) ||
	      spin_ctx__attach(*ctx);
	spin_object__close(object);
	return err ? spin_strerror_last() : NULL;
}

static const char *open_taker(struct put_test *p)
{
	const struct spin_message_opts message = {
		.host_bytes = TAKEN_BYTES, .put = 1, .idle_ms = LOSSY_TOMBSTONE_MS, .tombstone_ms = LOSSY_TOMBSTONE_MS
	};
	struct spin_nic *nic;
	const char *reason;

	if (spin_nic__open(NEAR_DEV, &nic))
		return spin_strerror_last();
	reason = attach(nic, "msg_default", "udp dport 9333", SPIN_HPUS_CPU, &message, &p->taker);
	spin_nic__close(nic); /* the context holds a reference */
	return reason;
}

const char *put_test__open(struct put_test *p, struct spin_nic *nic, enum spin_hpus hpus, int near_ns)
{
	/* the events of this context are not read */
	const struct spin_message_opts message = {
		.host_bytes = HOST_BYTES, .lose_events = 1, .idle_ms = LOSSY_TOMBSTONE_MS, .tombstone_ms = LOSSY_TOMBSTONE_MS
	};
	const char *reason = attach(nic, "msg_fan", "udp dport 9332", hpus, &message, &p->putter);
	void *memory, *state;
	size_t bytes;

	if (reason)
		return reason;
	if (spin_ctx__symbol(p->putter, "spin_state", &state, &bytes) || bytes != sizeof(struct fan_out) ||
	    spin_ctx__host_memory(p->putter, &memory, &bytes))
		return spin_strerror_last();
	*(struct fan_out *)state = (struct fan_out){ .count = 1, .bytes = SMALL, .host_bytes = HOST_BYTES, .port = htons(PUT_PORT) };
	for (uint32_t i = 0; i < HOST_BYTES; i++)
		((uint8_t *)memory)[i] = (uint8_t)(i * 2654435761u >> 13);
	p->near_ns = near_ns;
	return NULL;
}

static void on_taken(void *arg, const struct spin_event *e)
{
	struct put_test *p = arg;

	if (e->type != SPIN_EVENT_MESSAGE)
		return;
	if (e->match_bits == MARK && e->length == HOST_BYTES && e->hdr_data == 7)
		p->large++;
	else if (e->match_bits == 0 && e->length == SMALL)
		p->small++;
	else
		p->reason = "a message was put that no handler has put";
}

/* Waits until each completed message has one put from host memory that was delivered or reported as failed. */
static void wait_for_puts(struct put_test *p)
{
	struct spin_message_stats messages;
	struct spin_put_stats stats;

	for (unsigned i = 0; i < PAUSES_MAX && !p->reason; i++) {
		spin_ctx__events(p->taker, on_taken, p);
		if (spin_ctx__put_stats(p->putter, &stats) || spin_ctx__message_stats(p->putter, &messages))
			p->reason = "there are no figures of puts";
		else if (stats.puts + stats.puts_failed + stats.lost_queue >= messages.completed && messages.completed >= p->messages)
			return;
		usleep(PAUSE_US);
	}
	if (!p->reason)
		p->reason = "a put from host memory is neither delivered nor reported as failed";
}

static void *run_client(void *arg)
{
	static const uint8_t data[MESSAGE];
	const struct spin_send_opts opts = { .bytes = sizeof(opts), .timeout_ms = LOSSY_TOMBSTONE_MS - 5000 };
	struct spin_sender *sender;
	struct put_test *p = arg;

	netns_enter(p->near_ns);
	p->reason = open_taker(p);
	if (p->reason)
		return NULL;
	if (spin_sender__open(FAR_ADDR, "9332", &opts, &sender)) {
		p->reason = "a sender cannot be opened";
		return NULL;
	}
	while (!*p->stop && !p->reason) {
		if (!spin_sender__send(sender, data, sizeof(data), NULL, NULL)) /* failed: the sender gave up */
			p->messages++;
		wait_for_puts(p);
	}
	spin_sender__close(sender);
	return NULL;
}

const char *put_test__start(struct put_test *p, volatile int *stop)
{
	p->stop = stop;
	return pthread_create(&p->thread, NULL, run_client, p) ? "no thread" : NULL;
}

void put_test__join(struct put_test *p)
{
	pthread_join(p->thread, NULL);
}

uint64_t put_test__runs(const struct put_test *p)
{
	uint64_t packets[SPIN_REASON_COUNT];
	struct spin_message_stats stats = { 0 };

	spin_ctx__counters(p->putter, packets);
	spin_ctx__message_stats(p->putter, &stats); /* the payload handler of parked packets ran later */
	return packets[SPIN_REASON_SUCCESS] + stats.replayed;
}

const char *put_test__check(struct put_test *p)
{
	const uint64_t runs = put_test__runs(p);
	struct spin_put_stats stats;
	static char text[200];
	void *from, *to;
	size_t bytes;

	if (p->reason)
		return p->reason;
	spin_ctx__events(p->taker, on_taken, p);
	if (spin_ctx__put_stats(p->putter, &stats) || spin_ctx__host_memory(p->putter, &from, &bytes) ||
	    spin_ctx__host_memory(p->taker, &to, &bytes))
		return spin_strerror_last();
	if (!p->messages || !stats.puts)
		return "hardly anything was put: give it more time";
	if (memcmp(from, to, HOST_BYTES))
		return "what was put from host memory is not what it holds";
	/* a put reported as failed may have arrived, if only its acknowledgements were lost */
	if (p->large >= stats.puts && p->large <= stats.puts + stats.puts_failed && p->small <= runs && p->small >= runs / 2)
		return NULL;
	snprintf(text, sizeof(text), "%llu puts from host memory were delivered, %llu failed, but %llu came; of %llu small ones %llu",
		 (unsigned long long)stats.puts, (unsigned long long)stats.puts_failed, (unsigned long long)p->large,
		 (unsigned long long)runs, (unsigned long long)p->small);
	return text;
}

void put_test__close(struct put_test *p)
{
	spin_ctx__destroy(p->putter);
	spin_ctx__destroy(p->taker);
	p->putter = p->taker = NULL;
}
