/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Packets given to CPUs (SPIN_HPUS_SPREAD). The programs that handle packets are for the kernel's CPU maps
 * then: they cannot be handed over to by the interface's program, nor run on given packets, and an array of programs takes
 * either those or others. So the interface's program hands over to spin_spread, and the sweep has a program
 * of its own for parked packets.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "user/libspin/hpus.h"
#include "kernel/cpus.h"
#include "kernel/textfile.h"

#define STUCK_MS 2000 /* nothing is finished any more */

/* The map and the programs that CPUs have. */
static const char *const of_cpus[] = { "spin_xdp",        "spin_copied", "spin_icmp",   "spin_icmp_copy", "spin_ether",
				       "spin_ether_copy", "spin_begin",  "spin_opened", "spin_replay",    "spin_send" };

static int is_online(unsigned cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	return textfile__number(AT_FDCWD, path, 1) == 1; /* one that cannot be taken away has no such file */
}

/* The first ones that are there. */
static int choose_cpus(const struct spin_ctx *ctx, struct spin_spread_config *to)
{
	unsigned possible = (unsigned)kernel_cpus__possible();

	for (unsigned cpu = 0; cpu < possible && (!ctx->hpu_wanted || to->hpus < ctx->hpu_wanted); cpu++)
		if (is_online(cpu))
			to->cpu[to->hpus++] = (uint16_t)cpu;
	return to->hpus < ctx->hpu_wanted ? -EINVAL : 0; /* one has gone since they were counted */
}

static int configure(struct spin_ctx *ctx)
{
	struct bpf_map *map = section__map(ctx->bpf, ".rodata");
	struct spin_memory mem = { 0 };
	struct spin_spread_config *to;

	mem.addr = map ? (char *)bpf_map__initial_value(map, &mem.bytes) : NULL;
	to = section__variable(ctx->bpf, ".rodata", &mem, "spin_spread_config", sizeof(*to));
	return to ? choose_cpus(ctx, to) : -ENOENT;
}

int spread__prepare(struct spin_ctx *ctx)
{
	struct bpf_map *cpus = bpf_object__find_map_by_name(ctx->bpf, "spin_cpus");
	struct bpf_program *spread = bpf_object__find_program_by_name(ctx->bpf, "spin_spread"), *prog;
	struct bpf_program *swept = bpf_object__find_program_by_name(ctx->bpf, "spin_replay_swept");
	struct bpf_program *send_swept = bpf_object__find_program_by_name(ctx->bpf, "spin_send_swept");
	int on = ctx->hpus == SPIN_HPUS_SPREAD;

	if (!cpus || !spread || !swept || !send_swept)
		return -ENOENT;
	bpf_program__set_autoload(spread, on);
	bpf_program__set_autoload(swept, on && ctx->messages);
	bpf_program__set_autoload(send_swept, on && ctx->messages && ctx->requests);
	bpf_map__set_autocreate(cpus, on);
	if (!on)
		return 0;
	bpf_map__set_max_entries(cpus, (uint32_t)kernel_cpus__possible());
	for (unsigned i = 0; i < sizeof(of_cpus) / sizeof(of_cpus[0]); i++) {
		prog = bpf_object__find_program_by_name(ctx->bpf, of_cpus[i]);
		if (prog)
			bpf_program__set_expected_attach_type(prog, BPF_XDP_CPUMAP);
	}
	return configure(ctx);
}

static int fill(struct spin_ctx *ctx, const struct spin_spread_config *config, int prog_fd)
{
	const struct bpf_cpumap_val value = { .qsize = SPIN_SPREAD_QUEUE, .bpf_prog.fd = prog_fd };
	int cpus_fd = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_cpus");

	for (unsigned i = 0; i < config->hpus; i++) {
		uint32_t cpu = config->cpu[i];

		if (bpf_map_update_elem(cpus_fd, &cpu, &value, BPF_ANY))
			return spin_fail(-errno, "the kernel does not give packets of %s to CPU %u: %s", ctx->name, cpu, strerror(errno));
	}
	return 0;
}

int spread__open(struct spin_ctx *ctx)
{
	const struct bpf_program *spread = bpf_object__find_program_by_name(ctx->bpf, "spin_spread");
	struct bpf_map *map = section__map(ctx->bpf, ".rodata");
	const struct spin_spread_config *config;
	struct spin_memory mem = { 0 };
	int err;

	if (ctx->hpus != SPIN_HPUS_SPREAD)
		return 0;
	mem.addr = map ? (char *)bpf_map__initial_value(map, &mem.bytes) : NULL;
	config = section__variable(ctx->bpf, ".rodata", &mem, "spin_spread_config", sizeof(*config));
	ctx->loads = section__variable(ctx->bpf, ".bss", &ctx->bss, "spin_loads", sizeof(struct spin_load) * SPIN_HPUS_MAX);
	if (!config || !ctx->loads)
		return spin_fail(-EINVAL, "%s cannot be spread over CPUs; compile it again with spincc", ctx->name);
	err = fill(ctx, config, ctx->prog_fd);
	if (!err)
		ctx->prog_fd = bpf_program__fd(spread);
	return err;
}

/* Given and not finished; *finished: how many ever were. */
static uint32_t under_way(const struct spin_ctx *ctx, uint32_t *finished)
{
	uint32_t held = 0;

	*finished = 0;
	for (unsigned cpu = 0; cpu < SPIN_HPUS_MAX; cpu++) {
		uint32_t done = __atomic_load_n(&ctx->loads[cpu].finished, __ATOMIC_ACQUIRE);

		held += __atomic_load_n(&ctx->loads[cpu].given, __ATOMIC_RELAXED) - done;
		*finished += done;
	}
	return held;
}

void spread__drain(const struct spin_ctx *ctx)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	uint32_t finished, before = 0;

	for (unsigned waited = 0; waited < STUCK_MS && under_way(ctx, &finished); waited++) {
		if (finished != before)
			waited = 0;
		before = finished;
		nanosleep(&ms, NULL);
	}
}
