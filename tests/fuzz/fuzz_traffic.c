/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs random packets at line rate on the model of the whole NIC, with all HPUs (cores that run handlers) busy, compared with the host
 * build, which takes them one after the other. The handlers are those for which the order does not matter: each packet's verdict, reason
 * and frame must agree, and the final memory. 1, 2 and 4 such NICs at once, each in a thread, must write identical records of packets,
 * tasks and events. Run by tests/run and, longer, by `make fuzz`.
 *
 *	fuzz_traffic [--packets N] [--seed N]
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/message_trace.h"
#include "tests/common/net/packets.h"
#include "tests/common/net/slow.h"
#include "user/conformance/types.h"
#include <hwmodel/traffic.h>
#include <spin/libspin.h>

#define PACKETS_PER_MESSAGE 8     /* average, in a trace */
#define HOST_BYTES          16384 /* bytes of host memory that are compared: all that these handlers write */
#define THREADS_MAX         4

static const char *const handlers[] = { "filtering", "counter", "histogram", "reduce" };

struct result {
	enum spin_verdict verdict;
	enum spin_reason reason;
	uint64_t frame;
};

struct run {
	const char *handler;
	struct built built;
	struct types types;
	struct spin_object *object;
	struct spin_rule rule;
	struct image start, host_end;
	uint8_t host_memory[HOST_BYTES];
	uint64_t seed, packets; /* packets: as many as the trace has */
	uint32_t messages;      /* in the trace */
	struct result *expected;
	uint8_t **frame;
	uint32_t *frame_bytes;
};

/* One NIC's run. */
struct nic_run {
	const struct run *run;
	struct pspin *nic;
	uint64_t hash, packets;
	int failed;
};

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3ull;
	return hash;
}

/* Writes the trace's next packet and returns its length; 0 at the end. */
static uint32_t generate(const struct run *run, struct packets *packets, struct message_trace *messages, uint8_t *to)
{
	const uint8_t *frame;
	uint32_t bytes;

	if (!run->types.messages)
		return packets_next(packets, to);
	frame = message_trace_next(messages, &bytes);
	if (!frame)
		return 0;
	memcpy(to, frame, bytes);
	return bytes;
}

/* Runs the packets one after the other on the host build and keeps each result; sets run->packets to their number. */
static int run_on_host(struct run *run, struct engine *host)
{
	struct message_trace *messages = malloc(sizeof(*messages));
	struct engine_out *out = malloc(sizeof(*out));
	struct packets packets;
	uint8_t frame[ENGINE_FRAME_MAX];
	uint32_t bytes;
	uint64_t n = 0;
	int err = messages && out ? 0 : -ENOMEM;

	packets_start(&packets, run->seed, run->handler);
	if (!err)
		message_trace_start(messages, run->seed, run->messages);
	while (!err && n < run->packets && (bytes = generate(run, &packets, messages, frame))) {
		err = host->ops->packet(host, frame, bytes, out);
		run->expected[n] = (struct result){ out->verdict, out->reason, hash_bytes(0, out->frame, out->frame_bytes) };
		run->frame[n] = malloc(bytes);
		run->frame_bytes[n] = bytes;
		if (run->frame[n])
			memcpy(run->frame[n++], frame, bytes);
		else
			err = -ENOMEM;
	}
	run->packets = n;
	if (!err)
		err = image_read(&run->types, &run->host_end, host);
	if (!err && run->types.messages)
		err = host->ops->host_read(host, 0, run->host_memory, HOST_BYTES);
	free(messages);
	free(out);
	return err;
}

static void on_packet(void *arg, const struct pspin_packet_record *r)
{
	struct nic_run *nic_run = arg;
	struct result got = { r->verdict, r->reason, hash_bytes(0, r->frame, r->frame_bytes) };
	const struct result *want = &nic_run->run->expected[r->packet];
	uint64_t times[] = { r->packet, r->arrived_ps, r->stored_ps, r->her_ps, r->feedback_ps, r->left_ps, r->message_id };

	nic_run->packets++;
	nic_run->hash = hash_bytes(hash_bytes(nic_run->hash, times, sizeof(times)), &got.frame, sizeof(got.frame));
	if (got.verdict == want->verdict && got.reason == want->reason && got.frame == want->frame)
		return;
	if (!nic_run->failed)
		printf("FAIL  %s: packet %llu: the NIC says %s, the host build %s%s\n", nic_run->run->handler,
		       (unsigned long long)r->packet, spin_reason_name(got.reason), spin_reason_name(want->reason),
		       got.frame != want->frame ? "; another frame" : "");
	nic_run->failed = 1;
}

static void on_task(void *arg, const struct pspin_task_record *r)
{
	struct nic_run *nic_run = arg;
	uint64_t times[] = { r->packet,        r->cluster,     r->hpu,        (uint64_t)r->is_cold, r->ready_ps,
			     r->dispatched_ps, r->copied_ps,   r->started_ps, r->first_ps,          r->returned_ps,
			     r->doorbell_ps,   r->feedback_ps, r->task->error };

	nic_run->hash = hash_bytes(hash_bytes(nic_run->hash, times, sizeof(times)), r->task->cycles, sizeof(r->task->cycles));
}

static void on_event(void *arg, uint64_t at_ps, const struct spin_event *event)
{
	struct nic_run *nic_run = arg;

	nic_run->hash = hash_bytes(hash_bytes(nic_run->hash, &at_ps, sizeof(at_ps)), event, sizeof(*event));
}

static int memory_agrees(const struct run *run, struct pspin *nic)
{
	struct image end = { 0 };
	uint8_t host[HOST_BYTES];
	unsigned symbol;
	size_t offset;
	int err = image_alloc(&run->types, &end);
	uint32_t at;
	char path[256];

	for (unsigned i = 0; i < run->types.count && !err; i++)
		err = pspin__symbol(nic, run->types.var[i].name, &at, NULL) || pspin__read(nic, at, end.bytes[i], run->types.var[i].bytes);
	if (!err && image_differ(&run->types, &run->host_end, &end, &symbol, &offset)) {
		types_path(&run->types, symbol, offset, path, sizeof(path));
		printf("FAIL  %s: memory differs at %s: %02x, on the NIC %02x\n", run->handler, path, run->host_end.bytes[symbol][offset],
		       end.bytes[symbol][offset]);
		err = 1;
	}
	if (!err && run->types.messages && (pspin__host_read(nic, 0, host, HOST_BYTES) || memcmp(host, run->host_memory, HOST_BYTES))) {
		printf("FAIL  %s: host memory differs\n", run->handler);
		err = 1;
	}
	image_free(&end);
	return !err;
}

static int open_nic(const struct run *run, struct nic_run *nic_run)
{
	size_t bytes;
	const void *image = spin_object__image(run->object, &bytes);
	uint32_t at;
	char err[256] = "";
	int rc = pspin__open(&nic_run->nic, pspin_target__find("pspin-rtl"), spin_object__meta(run->object), image, bytes, &run->rule, err,
			     sizeof(err));

	if (rc)
		printf("FAIL  %s: %s\n", run->handler, err);
	for (unsigned i = 0; i < run->types.count && !rc; i++)
		rc = pspin__symbol(nic_run->nic, run->types.var[i].name, &at, NULL) ||
		     pspin__write(nic_run->nic, at, run->start.bytes[i], run->types.var[i].bytes);
	return rc;
}

static void *run_nic(void *arg)
{
	struct nic_run *nic_run = arg;
	struct pspin_observer observer = { nic_run, .packet = on_packet, .task = on_task, .event = on_event };
	int rc = open_nic(nic_run->run, nic_run);

	if (!rc)
		pspin__observe(nic_run->nic, &observer);
	for (uint64_t i = 0; i < nic_run->run->packets && !rc; i++)
		rc = pspin__offer(nic_run->nic,
				  &(struct pspin_offer){ .frame = nic_run->run->frame[i], .frame_bytes = nic_run->run->frame_bytes[i] });
	if (!rc)
		rc = pspin__run(nic_run->nic, UINT64_MAX);
	if (rc || nic_run->packets != nic_run->run->packets || !memory_agrees(nic_run->run, nic_run->nic)) {
		printf("FAIL  %s: %llu of %llu packets came through (%d) %s\n", nic_run->run->handler, (unsigned long long)nic_run->packets,
		       (unsigned long long)nic_run->run->packets, rc, nic_run->nic ? pspin__stuck(nic_run->nic) : "");
		nic_run->failed = 1;
	}
	if (nic_run->nic)
		pspin__close(nic_run->nic);
	return NULL;
}

/* Runs `threads` NICs at the same time. Returns the hash of their records, or 0 if they differ or one failed. */
static uint64_t run_in_threads(const struct run *run, unsigned threads)
{
	struct nic_run nic_run[THREADS_MAX] = { { 0 } };
	pthread_t thread[THREADS_MAX];
	int failed = 0;

	for (unsigned i = 0; i < threads; i++) {
		nic_run[i].run = run;
		if (pthread_create(&thread[i], NULL, run_nic, &nic_run[i]))
			return 0;
	}
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(thread[i], NULL);
		failed |= nic_run[i].failed || nic_run[i].hash != nic_run[0].hash;
	}
	return failed ? 0 : nic_run[0].hash;
}

/* Does the application's part: fills tables, and sets the number of messages in a set. */
static void prepare(struct run *run)
{
	const struct layout_variable *state = types_find(&run->types, "spin_state");
	char count[64];

	packets_fill_tables(&run->types, &run->start);
	if (!run->types.messages || !state)
		return;
	snprintf(count, sizeof(count), ".messages=%u", run->messages);
	layout__set(run->types.btf, state, run->start.bytes[state - run->types.var], count);
}

static int open_run(struct run *run, const char *name, uint64_t seed, uint64_t packets)
{
	int err;

	run->handler = name;
	run->seed = seed;
	run->packets = packets;
	run->messages = (uint32_t)(packets / PACKETS_PER_MESSAGE);
	run->expected = calloc(packets, sizeof(*run->expected));
	run->frame = calloc(packets, sizeof(*run->frame));
	run->frame_bytes = calloc(packets, sizeof(*run->frame_bytes));
	if (!run->expected || !run->frame || !run->frame_bytes)
		return engine_fail(-ENOMEM, "no memory");
	err = built_handler(name, &run->built);
	if (!err)
		err = types_open(run->built.object, &run->types);
	if (!err && spin_object__open(run->built.object, &run->object))
		err = engine_fail(-EINVAL, "%s", spin_strerror_last());
	if (!err && !run->types.messages && spin_rule__parse("udp dport 9000", &run->rule)) /* some traffic does not match */
		err = engine_fail(-EINVAL, "%s", spin_strerror_last());
	if (!err)
		err = image_alloc(&run->types, &run->start);
	return err ? err : image_alloc(&run->types, &run->host_end);
}

static void close_run(struct run *run, uint64_t packets)
{
	for (uint64_t i = 0; run->frame && i < packets; i++)
		free(run->frame[i]);
	free(run->frame);
	free(run->frame_bytes);
	free(run->expected);
	spin_object__close(run->object);
	types_close(&run->types);
	image_free(&run->start);
	image_free(&run->host_end);
	free(run);
}

static int compare_nics(const struct run *run)
{
	uint64_t first = run_in_threads(run, 1), hash = first;

	for (unsigned threads = 2; threads <= THREADS_MAX && hash && hash == first; threads *= 2)
		hash = run_in_threads(run, threads);
	if (hash && hash == first)
		return 0;
	printf("FAIL  %s: what NICs tell at the same time is not what one tells\n", run->handler);
	return 1;
}

static int one_handler(const char *name, uint64_t seed, uint64_t packets)
{
	struct run *run = calloc(1, sizeof(*run));
	struct engine *host = NULL;
	int err = run ? open_run(run, name, seed, packets) : -ENOMEM;

	if (!err)
		err = engine_open(ENGINE_HOST, &run->built.handler, &(struct engine_context){ .rule = run->rule }, &host);
	if (!err)
		err = image_read(&run->types, &run->start, host);
	if (!err) {
		prepare(run);
		err = image_write(&run->types, &run->start, host);
	}
	if (!err)
		err = run_on_host(run, host);
	engine_close(host);
	if (err)
		printf("FAIL  %s: %s\n", name, engine_error());
	else
		err = compare_nics(run);
	if (!err)
		printf("%s: %llu packets, all HPUs at once\n", name, (unsigned long long)run->packets);
	if (run)
		close_run(run, packets);
	return err != 0;
}

int main(int argc, char **argv)
{
	uint64_t packets = slow_rounds(8000), seed = 1;
	int failed = 0;

	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (value && !strcmp(argv[i], "--packets")) {
			packets = strtoull(value, NULL, 0);
		} else if (value && !strcmp(argv[i], "--seed")) {
			seed = strtoull(value, NULL, 0);
		} else {
			fprintf(stderr, "usage: fuzz_traffic [--packets N] [--seed N]\n");
			return 2;
		}
	}
	for (unsigned i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
		failed |= one_handler(handlers[i], seed + i, packets);
	return failed;
}
