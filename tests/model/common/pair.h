/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_PAIR_H
#define TESTS_MODEL_PAIR_H

/*
 * Runs one of our handlers and its hand-written PsPIN baseline (tests/model/baselines), each on its own modelled NIC, and compares cycles:
 * ours may take at most WRAPPER_CYCLES_MAX more. Used by wrapper_costs_at_most_5.c and message_wrapper_costs_at_most_5.c.
 */
#include "tests/model/common/rig.h"

#define WRAPPER_CYCLES_MAX 5

static int failures;

struct pair {
	const char *name;
	struct pspin *ours, *baseline;
};

static inline struct pspin *open_image(struct rig_file file, const struct spin_meta *meta)
{
	struct spin_rule any = { 0 };
	struct pspin *nic;
	char err[128];

	if (pspin__open(&nic, pspin_target__find("pspin-rtl"), meta, file.data, file.bytes, &any, err, sizeof(err))) {
		printf("FAIL open: %s\n", err);
		exit(1);
	}
	free(file.data);
	return nic;
}

static inline struct pair pair__open(const char *name, const char *directory, struct spin_registration registration)
{
	struct spin_meta meta = { .magic = SPIN_META_MAGIC, .api_version = SPIN_API_VERSION, .registration = registration };
	struct pair pair = { .name = name };
	char sources[256], elf[64];

	snprintf(sources, sizeof(sources), "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"%s/%s.c\"'", directory, name);
	snprintf(elf, sizeof(elf), "ours_%s", name);
	pair.ours = open_image(rig__build(elf, sources), &meta);
	snprintf(sources, sizeof(sources), "tests/model/baselines/%s.c%s", name, strcmp(name, "kvstore") ? "" : " -DHPU_HAS_EXCLUSIVE");
	snprintf(elf, sizeof(elf), "baseline_%s", name);
	pair.baseline = open_image(rig__build(elf, sources), &meta);
	return pair;
}

static inline void pair__close(struct pair *pair)
{
	pspin__close(pair->ours);
	pspin__close(pair->baseline);
}

/* Writes to an object in both images. */
static inline void pair__write(struct pair *pair, const char *object, uint32_t off, const void *data, size_t bytes)
{
	uint32_t addr;

	if (pspin__symbol(pair->ours, object, &addr, NULL) || pspin__write(pair->ours, addr + off, data, bytes) ||
	    pspin__symbol(pair->baseline, object, &addr, NULL) || pspin__write(pair->baseline, addr + off, data, bytes)) {
		printf("FAIL %s: no %s\n", pair->name, object);
		exit(1);
	}
}

/* Fails if our handler takes more than WRAPPER_CYCLES_MAX cycles longer than the baseline. */
static inline void pair__cycles(const struct pair *pair, const char *what, const struct pspin_task *ours, const struct pspin_task *baseline)
{
	long long extra = (long long)ours->body_cycles - (long long)baseline->body_cycles;

	printf("%-12s %-12s ours %4llu baseline %4llu cycles, wrapper %+lld\n", pair->name, what, (unsigned long long)ours->body_cycles,
	       (unsigned long long)baseline->body_cycles, extra);
	if (extra > WRAPPER_CYCLES_MAX) {
		printf("FAIL %s, %s: %lld cycles more than the baseline\n", pair->name, what, extra);
		failures++;
	}
}

static inline void same_object(struct pair *pair, const char *object, size_t bytes)
{
	uint8_t *a = malloc(bytes), *b = malloc(bytes);
	uint32_t ours, baseline;

	if (!a || !b || pspin__symbol(pair->ours, object, &ours, NULL) || pspin__read(pair->ours, ours, a, bytes) ||
	    pspin__symbol(pair->baseline, object, &baseline, NULL) || pspin__read(pair->baseline, baseline, b, bytes) ||
	    memcmp(a, b, bytes)) {
		printf("FAIL %s: %s differs from the baseline's\n", pair->name, object);
		failures++;
	}
	free(a);
	free(b);
}

#endif
