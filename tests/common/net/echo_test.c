/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Attaches the handlers pingpong and fan_out, which send packets, starts clients for them in another namespace (echo_clients.h), and
 * compares what came back with the handlers' counts (echo_test.h). Called by tests/stress/stress.c.
 */
#include <stdio.h>

#include "tests/common/net/echo_clients.h"
#include "tests/common/net/lossy.h"
#include "tests/common/built.h"
#include "tests/handlers/sending/fan_out.h"

#define PACKETS ECHO_PACKETS
#define EACH    ECHO_EACH

static const char *attach(struct spin_nic *nic, const char *handler, const char *text, enum spin_hpus hpus, struct spin_ctx **ctx)
{
	struct spin_ctx_opts opts = { .bytes = sizeof(opts), .hpus = hpus };
	struct spin_object *object = NULL;
	struct spin_rule rule;
	char path[512];
	int err;

	if (built_object(handler, path, sizeof(path)))
		return engine_error();
	err = spin_object__open(path, &object) || spin_rule__parse(text, &rule);
	/* no test reads the events: without lose_events a context stops after about 10,000 messages */
	if (!err && spin_object__meta(object)->registration.delivery == SPIN_DELIVER_ME) {
		opts.message.lose_events = 1;
		opts.message.tombstone_ms = LOSSY_TOMBSTONE_MS;
	}
	err = err || spin_ctx__create_opts(nic, object, &rule, &opts, ctx);
	spin_object__close(object);
	return err ? spin_strerror_last() : NULL;
}

const char *echo_test__open(struct echo_test *a, struct spin_nic *nic, enum spin_hpus hpus)
{
	const char *reason = attach(nic, "pingpong", "udp dport 9331", hpus, &a->pings);
	size_t bytes;
	void *state;

	if (!reason)
		reason = attach(nic, "fan_out", "udp dport 9001", hpus, &a->fans);
	if (reason)
		return reason;
	if (spin_ctx__symbol(a->fans, "spin_state", &state, &bytes) || bytes != sizeof(struct fan_out))
		return spin_strerror_last();
	*(struct fan_out *)state = (struct fan_out){ .count = EACH, .bytes = 8, .answer = FAN_OUT_REPLY };
	return spin_ctx__attach(a->pings) || spin_ctx__attach(a->fans) ? spin_strerror_last() : NULL;
}

const char *echo_test__start(struct echo_test *a, int near_ns, volatile int *stop)
{
	a->near_ns = near_ns;
	a->stop = stop;
	return pthread_create(&a->thread[0], NULL, echo_test__ping, a) || pthread_create(&a->thread[1], NULL, echo_test__fan, a)
		       ? "no thread"
		       : NULL;
}

void echo_test__join(struct echo_test *a)
{
	pthread_join(a->thread[0], NULL);
	pthread_join(a->thread[1], NULL);
}

uint64_t echo_test__runs(const struct echo_test *a, int fans)
{
	uint64_t packets[SPIN_REASON_COUNT];
	struct spin_message_stats stats = { 0 };

	spin_ctx__counters(fans ? a->fans : a->pings, packets);
	if (fans)
		return packets[SPIN_REASON_REPLIED];
	spin_ctx__message_stats(a->pings, &stats); /* the payload handler of parked packets ran later */
	return packets[SPIN_REASON_SUCCESS] + stats.replayed;
}

static const char *check_between(const char *what, uint64_t is, uint64_t least, uint64_t most)
{
	static char text[160];

	if (is >= least && is <= most)
		return NULL;
	snprintf(text, sizeof(text), "%s: %llu, not %llu to %llu", what, (unsigned long long)is, (unsigned long long)least,
		 (unsigned long long)most);
	return text;
}

static uint64_t sent_or_lost(const struct spin_put_stats *s)
{
	return s->returned + s->copied + s->sent + s->lost_queue + s->lost_copy + s->lost_way;
}

const char *echo_test__check(struct echo_test *a)
{
	uint64_t pings = echo_test__runs(a, 0), fans = echo_test__runs(a, 1);
	struct spin_message_stats stats;
	struct spin_put_stats ping_puts, fan_puts;
	const char *reason = a->reason;

	if (!reason && (spin_ctx__message_stats(a->pings, &stats) || spin_ctx__put_stats(a->pings, &ping_puts) ||
			spin_ctx__put_stats(a->fans, &fan_puts)))
		reason = spin_strerror_last();
	/*
	 * Acknowledgements and replies are sent after the handlers' packets and are counted with them. If a message was evicted, its
	 * handlers run again when its packets are retransmitted.
	 */
	if (!reason)
		reason = check_between("runs of pingpong", pings, PACKETS * a->messages, PACKETS * (a->messages + stats.evicted));
	if (!reason)
		reason = check_between("packets that pingpong sent or that are reported as lost", sent_or_lost(&ping_puts), pings,
				       2 * pings);
	if (!reason)
		reason = check_between("packets that came back from pingpong", a->came[ECHO_FORWARD], pings / 2, 2 * pings);
	if (!reason)
		reason = check_between("packets that fan_out sent or that are reported as lost", sent_or_lost(&fan_puts), (EACH + 1) * fans,
				       (EACH + 1) * fans);
	if (!reason)
		reason = check_between("packets that came from fan_out", a->came[ECHO_PUT], EACH * fans / 2, 2 * EACH * fans);
	if (!reason)
		reason = check_between("replies of fan_out", a->came[ECHO_REPLY], fans / 2, 2 * fans);
	return reason ? reason : check_between("messages and datagrams that were answered", a->messages && fans, 1, 1);
}

void echo_test__close(struct echo_test *a)
{
	spin_ctx__destroy(a->pings);
	spin_ctx__destroy(a->fans);
	a->pings = a->fans = NULL;
}
