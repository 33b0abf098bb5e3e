/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sets up a context's HPUs, the logical processors that run its handlers: the CPUs, receive queues with a NAPI thread each, or CPUs that
 * get packets through a cpumap. Called by ctx.c and attach.c.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernel/cpus.h"
#include "kernel/textfile.h"
#include "kernel/threaded.h"
#include "user/libspin/hpu/hpus.h"

static const char *const names[] = { "cpu", "queue", "spread" };

const char *spin_hpus_name(enum spin_hpus hpus)
{
	return (unsigned)hpus < sizeof(names) / sizeof(names[0]) ? names[hpus] : NULL;
}

static int has_interface(const struct spin_ctx *ctx)
{
	return ctx->nic && ctx->nic->ifindex;
}

/* Offline, packets arrive on queue 0, one at a time, so a given count needs no extra HPU for the progress program. */
static int choose_queues(struct spin_ctx *ctx, uint32_t count)
{
	int err;

	ctx->num_hpus = 1;
	if (has_interface(ctx)) {
		if (count)
			return spin_fail(-EINVAL, "hpu_count is not for the queues of %s: there are as many as it has", ctx->nic->name);
		err = queues__count(ctx->nic, &ctx->num_hpus);
		if (err)
			return err;
	} else if (count) {
		ctx->num_hpus = count;
		return 0;
	}
	if (ctx->num_hpus >= SPIN_HPUS_MAX)
		return spin_fail(-E2BIG,
				 "%s can have %u receive queues, and a context counts on fewer than %d HPUs: "
				 "take CPUs as HPUs",
				 ctx->nic->name, ctx->num_hpus, SPIN_HPUS_MAX);
	ctx->num_hpus += ctx->messages != NULL; /* one more for the progress program, which runs on no queue */
	return 0;
}

int hpus__choose(struct spin_ctx *ctx, const struct spin_ctx_opts *opts)
{
	ctx->hpus = opts->hpus;
	ctx->hpu_wanted = opts->hpu_count;
	ctx->num_hpus = (uint32_t)kernel_cpus__possible();
	if (opts->hpus == SPIN_HPUS_CPU && opts->hpu_count)
		ctx->num_hpus = opts->hpu_count;
	if (!spin_hpus_name(opts->hpus))
		return spin_fail(-EINVAL, "there are no HPUs of kind %d", (int)opts->hpus);
	if (opts->hpus == SPIN_HPUS_QUEUE)
		return choose_queues(ctx, opts->hpu_count);
	if (opts->hpus == SPIN_HPUS_CPU)
		return 0;
	if (!has_interface(ctx))
		return spin_fail(-EINVAL, "%s has no interface whose packets could be spread: take CPUs as HPUs", ctx->name);
	if (opts->hpu_count > (uint32_t)sysconf(_SC_NPROCESSORS_ONLN))
		return spin_fail(-EINVAL, "packets of %s cannot be spread over %u CPUs: this machine has %ld", ctx->name, opts->hpu_count,
				 sysconf(_SC_NPROCESSORS_ONLN));
	if (ctx->class == SPIN_CLASS_ISOLATED)
		return spin_fail(-EOPNOTSUPP, "%s is isolated, and packets are spread over CPUs in the trusted class only", ctx->name);
	return 0;
}

/* Receive queues as HPUs (SPIN_HPUS_QUEUE): a kernel thread polls each queue until the last context that needs it is gone. */

int queues__count(const struct spin_nic *nic, uint32_t *count)
{
	int threaded, err = kernel_threaded__read(nic->ifindex, count, &threaded);

	if (err)
		return spin_fail(err, "the receive queues of %s cannot be told: %s", nic->name, strerror(-err));
	return 0;
}

int queues__thread(struct spin_nic *nic)
{
	uint32_t queues;
	int threaded, err;

	if (nic->used == SPIN_MODE_GENERIC)
		return spin_fail(-EOPNOTSUPP, "%s runs handlers in generic mode, behind its queues: take CPUs as HPUs", nic->name);
	if (nic->queue_contexts++)
		return 0;
	err = kernel_threaded__read(nic->ifindex, &queues, &threaded);
	if (!err && threaded <= 0)
		err = kernel_threaded__enable(nic->ifindex, &nic->threads);
	if (err) {
		nic->queue_contexts--;
		return spin_fail(err,
				 "%s gets no threads for its queues (%s): do `echo 1 >/sys/class/net/%s/threaded`, "
				 "or take CPUs as HPUs",
				 nic->name, strerror(-err), nic->name);
	}
	nic->threads_are_ours = !threaded;
	return 0;
}

void queues__unthread(struct spin_nic *nic)
{
	if (--nic->queue_contexts || !nic->threads_are_ours)
		return;
	kernel_threaded__disable(&nic->threads);
	nic->threads_are_ours = 0;
}

/*
 * Packets spread over CPUs (SPIN_HPUS_SPREAD). The programs that handle packets are then loaded for the kernel's CPU map. The dispatcher
 * cannot tail-call such programs, they cannot run on given packets, and a program array must not mix them with others. So the dispatcher
 * tail-calls spin_spread, and the progress program has programs of its own for parked packets.
 */

#define DRAIN_TIMEOUT_MS 2000 /* no progress for so long: give up waiting */

/* The programs that run on a CPU of the CPU map. */
static const char *const cpumap_programs[] = { "spin_xdp",        "spin_copied", "spin_icmp",   "spin_icmp_copy", "spin_ether",
					       "spin_ether_copy", "spin_begin",  "spin_opened", "spin_replay",    "spin_send" };

static int is_online(unsigned cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	return textfile__number(AT_FDCWD, path, 1) == 1; /* a CPU that cannot go offline has no such file */
}

/* Chooses the first CPUs that are online. */
static int choose_cpus(const struct spin_ctx *ctx, struct spin_spread_config *to)
{
	unsigned possible = (unsigned)kernel_cpus__possible();

	for (unsigned cpu = 0; cpu < possible && (!ctx->hpu_wanted || to->hpus < ctx->hpu_wanted); cpu++)
		if (is_online(cpu))
			to->cpu[to->hpus++] = (uint16_t)cpu;
	return to->hpus < ctx->hpu_wanted ? -EINVAL : 0; /* a CPU went offline after they were counted */
}

static int configure_spread(struct spin_ctx *ctx)
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
	for (unsigned i = 0; i < sizeof(cpumap_programs) / sizeof(cpumap_programs[0]); i++) {
		prog = bpf_object__find_program_by_name(ctx->bpf, cpumap_programs[i]);
		if (prog)
			bpf_program__set_expected_attach_type(prog, BPF_XDP_CPUMAP);
	}
	return configure_spread(ctx);
}

static int fill_cpumap(struct spin_ctx *ctx, const struct spin_spread_config *config, int prog_fd)
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
	ctx->loads = section__variable(ctx->bpf, ".bss", &ctx->bss, "spin_cpu_loads", sizeof(struct spin_cpu_load) * SPIN_HPUS_MAX);
	if (!config || !ctx->loads)
		return spin_fail(-EINVAL, "%s cannot be spread over CPUs; compile it again with spincc", ctx->name);
	err = fill_cpumap(ctx, config, ctx->prog_fd);
	if (!err)
		ctx->prog_fd = bpf_program__fd(spread);
	return err;
}

/* Returns the packets that were given to CPUs and are not finished; *finished counts all finished ones. */
static uint32_t count_pending(const struct spin_ctx *ctx, uint32_t *finished)
{
	uint32_t pending = 0;

	*finished = 0;
	for (unsigned cpu = 0; cpu < SPIN_HPUS_MAX; cpu++) {
		uint32_t done = __atomic_load_n(&ctx->loads[cpu].finished, __ATOMIC_ACQUIRE);

		pending += __atomic_load_n(&ctx->loads[cpu].given, __ATOMIC_RELAXED) - done;
		*finished += done;
	}
	return pending;
}

void spread__drain(const struct spin_ctx *ctx)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	uint32_t finished, before = 0;

	for (unsigned waited = 0; waited < DRAIN_TIMEOUT_MS && count_pending(ctx, &finished); waited++) {
		if (finished != before)
			waited = 0;
		before = finished;
		nanosleep(&ms, NULL);
	}
}
