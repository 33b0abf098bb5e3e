/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Our handlers against twins written by hand for PsPIN (twins/), same flags,
 * same packets: the same frames, and at most 5 cycles more for the wrapper.
 */
#include <kvstore.h>

#include "packet.h"
#include "rig.h"

#define WRAPPER_CYCLES_MAX 5

static int failures;

struct pair {
	const char *name;
	struct pspin *ours, *twin;
};

static struct pspin *open_image(struct rig_file file, const struct spin_meta *meta)
{
	struct spin_rule any = {0};
	struct pspin *nic;
	char err[128];

	if (pspin__open(&nic, pspin_target__find("pspin-rtl"), meta, file.data, file.bytes, &any,
			err, sizeof(err))) {
		printf("FAIL open: %s\n", err);
		exit(1);
	}
	free(file.data);
	return nic;
}

static struct pair pair__open(const char *name, const char *folder, uint32_t bytes_in_l1)
{
	struct spin_meta meta = {.magic = SPIN_META_MAGIC,
				 .api_version = SPIN_API_VERSION,
				 .registration = {.payload = 1, .bytes_in_l1 = bytes_in_l1}};
	struct pair pair = {.name = name};
	char sources[256], elf[64];

	snprintf(sources, sizeof(sources),
		 "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"%s/%s.c\"'", folder, name);
	snprintf(elf, sizeof(elf), "ours_%s", name);
	pair.ours = open_image(rig__build(elf, sources), &meta);
	snprintf(sources, sizeof(sources), "tests/model/twins/%s.c", name);
	snprintf(elf, sizeof(elf), "twin_%s", name);
	pair.twin = open_image(rig__build(elf, sources), &meta);
	return pair;
}

static void pair__close(struct pair *pair)
{
	pspin__close(pair->ours);
	pspin__close(pair->twin);
}

/* Writes to an object of both images. */
static void pair__write(struct pair *pair, const char *object, uint32_t off, const void *data,
			size_t bytes)
{
	uint32_t addr;

	if (pspin__symbol(pair->ours, object, &addr, NULL) ||
	    pspin__write(pair->ours, addr + off, data, bytes) ||
	    pspin__symbol(pair->twin, object, &addr, NULL) ||
	    pspin__write(pair->twin, addr + off, data, bytes)) {
		printf("FAIL %s: no %s\n", pair->name, object);
		exit(1);
	}
}

static void compare(struct pair *pair, const char *what, const uint8_t *frame, size_t bytes)
{
	struct pspin_result ours, twin;
	long long extra;

	if (pspin__packet(pair->ours, frame, bytes, &ours) ||
	    pspin__packet(pair->twin, frame, bytes, &twin) || ours.task_count != 1 ||
	    twin.task_count != 1 || ours.tasks[0].error || twin.tasks[0].error) {
		printf("FAIL %s, %s: a task is missing or failed\n", pair->name, what);
		failures++;
		return;
	}
	extra = (long long)ours.tasks[0].body_cycles - (long long)twin.tasks[0].body_cycles;
	printf("%-10s %-12s ours %4llu twin %4llu cycles, wrapper %+lld\n", pair->name, what,
	       (unsigned long long)ours.tasks[0].body_cycles,
	       (unsigned long long)twin.tasks[0].body_cycles, extra);
	if (extra > WRAPPER_CYCLES_MAX) {
		printf("FAIL %s, %s: %lld cycles more than the twin\n", pair->name, what, extra);
		failures++;
	}
	if (ours.reason != twin.reason || ours.frame_bytes != twin.frame_bytes ||
	    (ours.frame_bytes && memcmp(ours.frame, twin.frame, ours.frame_bytes))) {
		printf("FAIL %s, %s: another result than the twin's\n", pair->name, what);
		failures++;
	}
}

static void same_object(struct pair *pair, const char *object, size_t bytes)
{
	uint8_t *a = malloc(bytes), *b = malloc(bytes);
	uint32_t ours, twin;

	if (!a || !b || pspin__symbol(pair->ours, object, &ours, NULL) ||
	    pspin__read(pair->ours, ours, a, bytes) ||
	    pspin__symbol(pair->twin, object, &twin, NULL) ||
	    pspin__read(pair->twin, twin, b, bytes) || memcmp(a, b, bytes)) {
		printf("FAIL %s: %s differs from the twin's\n", pair->name, object);
		failures++;
	}
	free(a);
	free(b);
}

static void simple(const char *name)
{
	struct pair pair = pair__open(name, "tests/handlers", SPIN_WHOLE_PACKET);
	uint8_t frame[1600], payload[1024];

	for (unsigned i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)(i * 7);
	compare(&pair, "64 B", frame, packet__make(frame, 0x0100000a, payload, 64));
	compare(&pair, "1024 B", frame, packet__make(frame, 0x0100000a, payload, 1024));
	if (!strcmp(name, "sum"))
		same_object(&pair, "spin_state", 4);
	pair__close(&pair);
}

static void filtering(void)
{
	struct {
		uint32_t src;
		uint16_t port, unused;
		uint32_t packets;
	} route = {0x0100000a, spin_hton16(7000), 0, 0};
	struct pair pair = pair__open("filtering", "handlers", SPIN_HEADERS_ONLY);
	uint32_t home = route.src * 2654435769u >> 16;
	uint8_t frame[1600], payload[256] = {1, 2, 3};

	pair__write(&pair, "routes", home * sizeof(route), &route, sizeof(route));
	compare(&pair, "hit", frame, packet__make(frame, route.src, payload, 64));
	compare(&pair, "miss", frame, packet__make(frame, 0x0500000a, payload, 64));
	compare(&pair, "hit 256 B", frame, packet__make(frame, route.src, payload, 256));
	same_object(&pair, "routes", 65536 * sizeof(route));
	pair__close(&pair);
}

static void kvstore(void)
{
	struct pair pair = pair__open("kvstore", "handlers", SPIN_WHOLE_PACKET);
	struct kv_message m = {.op = spin_hton16(KV_GET),
			       .key = spin_hton32(7),
			       .value = {1, 2, 3, 4, 5, 6, 7, 8}};
	struct kv_line line = {.tag = 4 | KV_VALID, .key = 7, .value = {9, 8, 7, 6, 5, 4, 3, 2}};
	uint32_t at = 7 * sizeof(struct kv_set) + offsetof(struct kv_set, line);
	uint8_t frame[1600];

	compare(&pair, "GET miss", frame, packet__make(frame, 0x0100000a, &m, sizeof(m)));
	pair__write(&pair, "spin_state", at, &line, sizeof(line));
	compare(&pair, "GET hit", frame, packet__make(frame, 0x0100000a, &m, sizeof(m)));
	compare(&pair, "GET hit 2", frame, packet__make(frame, 0x0100000a, &m, sizeof(m)));
	m.op = spin_hton16(KV_SET);
	compare(&pair, "SET", frame, packet__make(frame, 0x0100000a, &m, sizeof(m)));
	m.key = spin_hton32(7 + KV_SETS);
	compare(&pair, "SET new key", frame, packet__make(frame, 0x0100000a, &m, sizeof(m)));
	compare(&pair, "no request", frame, packet__make(frame, 0x0100000a, &m, 20));
	same_object(&pair, "spin_state", sizeof(struct kv_cache));
	pair__close(&pair);
}

int main(void)
{
	simple("empty");
	simple("sum");
	filtering();
	kvstore();
	return failures != 0;
}
