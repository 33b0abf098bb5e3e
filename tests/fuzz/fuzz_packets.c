/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs random and mutated packets in the kernel, in both load classes, and in the host build, and the first --model of them (default: a
 * million) also on the model of the card: verdict, reason, frame and memory must agree byte for byte. Run by tests/run and, longer, by
 * `make fuzz`.
 *
 *	fuzz_packets [--packets N] [--model N] [--seed N] [--handler NAME]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvstore.h>

#include "tests/common/built.h"
#include "tests/common/net/packets.h"
#include "tests/common/net/slow.h"
#include "user/conformance/types.h"
#include <spin/libspin.h>

#define MEMORY_EVERY 1000
#define COMMIT_EVERY 64

static const struct {
	const char *handler, *rule; /* some traffic does not match, so that the rule is tested */
} runs[] = {
	{ "filtering", "udp dport 9000" },
	{ "kvstore", "udp dport 9000" },
	{ "mix", "udp dport 9000" },
	{ "filtering", "udp not sport 2,5-9 dport 8000-9000,9002 not vlan 1,9 not dscp 1-3,ef not ttl 1-9" },
	{ "filtering", "udp not src 10.0.0.0/29" },
	{ "ping", "icmp" },
	{ "ping", "icmp6" },
	{ "mix", "icmp" },
	{ "mix", "icmp6" },
	{ "mix", "ether 0x88b5" },
	{ "mix", "u32 7/0xff=0-0x7f or 9/0x10000=0x10000 or 12/0xff=0-0x3f" },
	{ "mix", "ether 0x88b5 u32 3/0xf=0-7 and 4/0x80=0" },
};
#define RUNS (sizeof(runs) / sizeof(runs[0]))

struct run {
	const char *handler, *words;
	struct spin_rule rule;
	struct built built;
	struct types types;
	struct engine *engine[ENGINE_OF_ALL];
	struct image image[ENGINE_OF_ALL];
	uint64_t reasons[SPIN_REASON_COUNT];
};

/* The engine that this kernel is too old for, and the reason. */
static char too_old[256];

static int start(struct run *r, int with_bpf)
{
	int err = built_handler(r->handler, &r->built);

	if (!err)
		err = types_open(r->built.object, &r->types);
	if (!err && spin_rule__parse(r->words, &r->rule))
		err = engine_fail(-EINVAL, "%s", spin_strerror_last());
	for (int kind = 0; kind < ENGINE_OF_ALL && !err; kind++) {
		if ((kind == ENGINE_BPF || kind == ENGINE_ISOLATED) && !with_bpf)
			continue;
		err = engine_open((enum engine_kind)kind, &r->built.handler, &(struct engine_context){ .rule = r->rule }, &r->engine[kind]);
		if (err == -ENOSYS && (kind == ENGINE_BPF || kind == ENGINE_ISOLATED)) {
			snprintf(too_old, sizeof(too_old), "%s: %s", engine_name((enum engine_kind)kind), engine_error());
			r->engine[kind] = NULL;
			err = 0;
			continue;
		}
		if (!err)
			err = image_alloc(&r->types, &r->image[kind]);
	}
	if (!err)
		err = image_read(&r->types, &r->image[ENGINE_HOST], r->engine[ENGINE_HOST]);
	if (!err)
		packets_fill_tables(&r->types, &r->image[ENGINE_HOST]);
	for (int kind = 0; kind < ENGINE_OF_ALL && !err; kind++)
		if (r->engine[kind])
			err = image_write(&r->types, &r->image[ENGINE_HOST], r->engine[kind]);
	return err;
}

static void stop(struct run *r)
{
	for (int kind = 0; kind < ENGINE_OF_ALL; kind++) {
		engine_close(r->engine[kind]);
		image_free(&r->image[kind]);
	}
	types_close(&r->types);
}

static void print_hex(const char *word, const uint8_t *at, uint32_t bytes)
{
	printf("  %s ", word);
	for (uint32_t i = 0; i < bytes; i++)
		printf("%02x", at[i]);
	putchar('\n');
}

/* Prints the changes of memory that restore the state before a packet. */
struct setter {
	int left;
};

static int print_field(void *arg, const struct spin_field *field)
{
	struct setter *s = arg;

	if (!strstr(field->path, "packets"))
		printf("set %s=%llu\n", field->path, (unsigned long long)field->value);
	return --s->left <= 0;
}

static void print_vector(const struct run *r, const struct image *before, const uint8_t *frame, uint32_t bytes,
			 const struct engine_out *host)
{
	struct setter s = { 2000 };

	printf("# the vector, with the host build's result as the expectation:\nhandler %s\nrule %s\n", r->handler, r->words);
	for (unsigned i = 0; i < r->types.count && r->types.var[i].bytes < 65536; i++)
		layout__walk(r->types.btf, &r->types.var[i], before->bytes[i], 1, print_field, &s);
	printf("packet\n");
	print_hex("raw", frame, bytes);
	printf("expect %s %s\n", spin_verdict_name(host->verdict), spin_reason_name(host->reason));
	if (host->frame_bytes)
		print_hex("raw", host->frame, host->frame_bytes);
}

static int same(const struct engine_out *a, const struct engine_out *b)
{
	return a->verdict == b->verdict && a->reason == b->reason && a->event == b->event &&
	       (!a->event || a->event_handler == b->event_handler) && a->frame_bytes == b->frame_bytes &&
	       !memcmp(a->frame, b->frame, a->frame_bytes);
}

static int memory_agrees(struct run *r, const char *what)
{
	unsigned symbol;
	size_t offset;
	char path[256];

	if (image_read(&r->types, &r->image[ENGINE_HOST], r->engine[ENGINE_HOST]))
		return 0;
	for (int kind = ENGINE_BPF; kind < ENGINE_OF_ALL; kind++) {
		if (!r->engine[kind])
			continue;
		if (image_read(&r->types, &r->image[kind], r->engine[kind]))
			return 0;
		if (!image_differ(&r->types, &r->image[ENGINE_HOST], &r->image[kind], &symbol, &offset))
			continue;
		types_path(&r->types, symbol, offset, path, sizeof(path));
		printf("FAIL  %s: %s: memory of host and %s differs at %s: %02x, %02x\n", r->handler, what,
		       engine_name((enum engine_kind)kind), path, r->image[ENGINE_HOST].bytes[symbol][offset],
		       r->image[kind].bytes[symbol][offset]);
		return 0;
	}
	return 1;
}

/* Does what the server does: staged or pending lines become readable, on every engine. */
static int commit(struct run *r)
{
	struct image *host = &r->image[ENGINE_HOST];
	struct kv_cache *cache = (struct kv_cache *)host->bytes[0];
	int err = image_read(&r->types, host, r->engine[ENGINE_HOST]);

	for (unsigned s = 0; s < KV_SETS; s++)
		for (unsigned w = 0; w < KV_WAYS; w++)
			if (cache->set[s].line[w].tag)
				cache->set[s].line[w].tag |= KV_VALID;
	for (int kind = 0; kind < ENGINE_OF_ALL && !err; kind++)
		if (r->engine[kind])
			err = image_write(&r->types, host, r->engine[kind]);
	return err;
}

/* Returns 0 if all agree. The model stops after its share, when its memory has been compared. */
static int fuzz(struct run *r, uint64_t seed, uint64_t count, uint64_t model_count)
{
	struct packets p;
	struct image before = { 0 };
	int err = image_alloc(&r->types, &before);

	packets_start(&p, seed, r->handler);
	packets_of_protocol(&p, r->rule.protocol);
	p.ether_type = r->rule.ether_type;
	for (uint64_t n = 0; n < count && !err; n++) {
		uint8_t frame[ENGINE_FRAME_MAX];
		uint32_t bytes = packets_next(&p, frame);
		struct engine_out out[ENGINE_OF_ALL];
		char what[64];

		snprintf(what, sizeof(what), "seed %llu, packet %llu", (unsigned long long)seed, (unsigned long long)n);
		if (n == model_count && r->engine[ENGINE_MODEL]) {
			if (!memory_agrees(r, what))
				err = 1;
			engine_close(r->engine[ENGINE_MODEL]);
			r->engine[ENGINE_MODEL] = NULL;
		}
		/* keep a copy of a small memory before each packet, to print a vector if there is a difference */
		if (r->types.count == 1 && !err)
			err = image_read(&r->types, &before, r->engine[ENGINE_HOST]);
		for (int kind = 0; kind < ENGINE_OF_ALL && !err; kind++)
			if (r->engine[kind])
				err = r->engine[kind]->ops->packet(r->engine[kind], frame, bytes, &out[kind]);
		if (err < 0)
			printf("FAIL  %s: %s: %s\n", r->handler, what, engine_error());
		for (int kind = ENGINE_BPF; kind < ENGINE_OF_ALL && !err; kind++) {
			if (!r->engine[kind] || same(&out[ENGINE_HOST], &out[kind]))
				continue;
			printf("FAIL  %s: %s: host says %s, event %u, %u bytes; %s says %s, event %u, %u bytes\n", r->handler, what,
			       spin_reason_name(out[ENGINE_HOST].reason), out[ENGINE_HOST].event, out[ENGINE_HOST].frame_bytes,
			       engine_name((enum engine_kind)kind), spin_reason_name(out[kind].reason), out[kind].event,
			       out[kind].frame_bytes);
			if (out[kind].frame_bytes)
				print_hex("# its frame:", out[kind].frame, out[kind].frame_bytes);
			print_vector(r, &before, frame, bytes, &out[ENGINE_HOST]);
			err = 1;
		}
		if (err)
			break;
		r->reasons[out[ENGINE_HOST].reason]++;
		if (n % COMMIT_EVERY == 0 && !strcmp(r->handler, "kvstore"))
			err = commit(r);
		if (!err && (n % MEMORY_EVERY == 0 || n + 1 == count) && !memory_agrees(r, what))
			err = 1;
	}
	image_free(&before);
	return err;
}

/* Checks that enough packets reached the handlers, so that not only the parser was tested. */
static int check_share(const struct run *r, uint64_t count)
{
	uint64_t handled = 0;

	printf("%s, %s:", r->handler, r->words);
	for (int i = 0; i < SPIN_REASON_COUNT; i++) {
		if (r->reasons[i])
			printf(" %s %llu", spin_reason_name((enum spin_reason)i), (unsigned long long)r->reasons[i]);
		if (i >= SPIN_REASON_SUCCESS)
			handled += r->reasons[i];
	}
	putchar('\n');
	if (handled * 3 >= count)
		return 0;
	printf("FAIL  only %llu of %llu packets reached the handlers\n", (unsigned long long)handled, (unsigned long long)count);
	return 1;
}

static int one_run(unsigned i, uint64_t seed, uint64_t count, uint64_t model, int with_bpf)
{
	struct run r = { .handler = runs[i].handler, .words = runs[i].rule };
	int err = start(&r, with_bpf);

	if (err)
		printf("FAIL  %s: %s\n", r.handler, engine_error());
	else
		err = fuzz(&r, seed, count, model);
	if (!err)
		err = check_share(&r, count);
	stop(&r);
	return err;
}

int main(int argc, char **argv)
{
	uint64_t packets = slow_rounds(1000000), model = slow_rounds(1000000), seed = 1;
	const char *only = NULL;
	struct engine *probe;
	struct built first;
	struct spin_rule any = { .protocol = 17 };
	unsigned of = RUNS, at = 0;
	int with_bpf, err, failed = 0;

	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (value && !strcmp(argv[i], "--packets")) {
			packets = strtoull(value, NULL, 0);
		} else if (value && !strcmp(argv[i], "--model")) {
			model = strtoull(value, NULL, 0);
		} else if (value && !strcmp(argv[i], "--seed")) {
			seed = strtoull(value, NULL, 0);
		} else if (value && !strcmp(argv[i], "--handler")) {
			only = value;
		} else {
			fprintf(stderr, "usage: fuzz_packets [--packets N] [--model N] [--seed N] [--handler NAME]\n");
			return 2;
		}
	}
	if (built_handler(runs[0].handler, &first)) {
		printf("FAIL  %s\n", engine_error());
		return 1;
	}
	err = engine_open(ENGINE_BPF, &first.handler, &(struct engine_context){ .rule = any }, &probe);
	with_bpf = err != -EPERM;
	if (!err)
		engine_close(probe);
	if (!with_bpf)
		packets = model; /* host and model only */
	for (unsigned i = 0; only && i < RUNS; i++)
		of -= strcmp(only, runs[i].handler) != 0;
	for (unsigned i = 0; i < RUNS; i++) {
		if (only && strcmp(only, runs[i].handler))
			continue;
		failed |= one_run(i, seed + i, (packets + of - 1 - at) / of, (model + of - 1 - at) / of, with_bpf) != 0;
		at++;
	}
	printf("%llu packets, %llu of them on the model\n", (unsigned long long)packets,
	       (unsigned long long)(model < packets ? model : packets));
	if (!with_bpf)
		printf("skip: bpf: PROG_TEST_RUN needs root\n");
	if (*too_old)
		printf("skip: %s\n", too_old);
	return failed ? 1 : with_bpf && !*too_old ? 0 : 77;
}
