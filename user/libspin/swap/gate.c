/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loads the gate of a context, a BPF program that briefly makes packets wait while handlers are replaced, and shuts and opens it (gate.h).
 * Called by migrate.c. While shut it is owned by one thread, pinned to a CPU: packets on that CPU interrupt the thread, so they must not
 * wait for it.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bpf/bpf.h>

#include <spin/hpu.h>

#include "bpf/abi/gate.h"
#include "kernel/cpus.h"
#include "kernel/probe.h"
#include "user/libspin/internal.h"
#include "user/libspin/load/failure.h"
#include "user/libspin/swap/gate.h"

extern const char gate_image[], gate_image_end[];

struct gate {
	struct bpf_object *bpf;
	struct spin_memory bss;
	struct spin_gate_state *state;
	const struct spin_gate_inside *inside;
	int entry_fd, choose_fd;
	cpu_set_t cpus; /* the thread's affinity mask while the gate is shut */
	int is_pinned;
	uint64_t shut_since_ns, shut_ns;
};

static int load(struct gate *gate, int is_shared)
{
	char *log = calloc(1, VERIFIER_LOG_BYTES);
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "spin_gate", .kernel_log_buf = log, .kernel_log_size = VERIFIER_LOG_BYTES);
	int err;

	if (!log)
		return spin_fail(-ENOMEM, "no memory for the gate of a context");
	gate->bpf = bpf_object__open_mem(gate_image, (size_t)(gate_image_end - gate_image), &opts);
	if (!gate->bpf) {
		err = spin_fail(-EINVAL, "cannot prepare the gate of a context");
	} else {
		if (!is_shared)
			class__take_fragments(gate->bpf);
		err = load_failure__load_own(gate->bpf, log, kernel_probe__privileged() ? SPIN_CLASS_TRUSTED : SPIN_CLASS_ISOLATED,
					     "the gate of a context");
	}
	free(log);
	return err ? err : section__open(gate->bpf, ".bss", "the gate of a context", &gate->bss);
}

static int set_program(const struct bpf_object *bpf, const char *map, uint32_t entry, int prog_fd)
{
	const int fd = bpf_object__find_map_fd_by_name(bpf, map);

	return fd < 0 ? -EINVAL : bpf_map_update_elem(fd, &entry, &prog_fd, BPF_ANY) ? -errno : 0;
}

static int program_fd(const struct bpf_object *bpf, const char *name)
{
	const struct bpf_program *prog = bpf_object__find_program_by_name(bpf, name);

	return prog ? bpf_program__fd(prog) : -1;
}

int gate__new(int entry_fd, int old_fd, int new_fd, int is_shared, struct gate **out)
{
	struct gate *gate = calloc(1, sizeof(*gate));
	int err;

	*out = NULL;
	if (!gate)
		return spin_fail(-ENOMEM, "no memory for the gate of a context");
	err = load(gate, is_shared);
	if (err)
		goto free_gate;
	gate->state = section__variable(gate->bpf, ".bss", &gate->bss, "spin_gate_state", sizeof(*gate->state));
	gate->inside = section__variable(gate->bpf, ".bss", &gate->bss, "spin_gate_inside", sizeof(*gate->inside) * SPIN_HPUS_MAX);
	gate->entry_fd = program_fd(gate->bpf, "spin_gate");
	gate->choose_fd = program_fd(gate->bpf, "spin_gate_choose");
	if (!gate->state || !gate->inside || gate->entry_fd < 0 || gate->choose_fd < 0) {
		err = spin_fail(-EINVAL, "the gate of a context is of another version: build libspin again");
		goto free_gate;
	}
	err = set_program(gate->bpf, "spin_gate_next", 0, entry_fd < 0 ? gate->choose_fd : entry_fd);
	if (!err)
		err = set_program(gate->bpf, "spin_gate_old_or_new", 0, old_fd);
	if (!err)
		err = set_program(gate->bpf, "spin_gate_old_or_new", 1, new_fd);
	if (err) {
		spin_fail(err, "the gate of a context cannot take its programs: %s", strerror(-err));
		goto free_gate;
	}
	*out = gate;
	return 0;

free_gate:
	gate__free(gate);
	return err;
}

void gate__free(struct gate *gate)
{
	if (!gate)
		return;
	section__close(&gate->bss);
	bpf_object__close(gate->bpf);
	free(gate);
}

int gate__entry_fd(const struct gate *gate)
{
	return gate->entry_fd;
}

int gate__choose_fd(const struct gate *gate)
{
	return gate->choose_fd;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Returns the CPU `steps` after this one among those that the thread may use. */
static int cpu_after(const cpu_set_t *cpus, int cpu, unsigned steps)
{
	for (steps %= (unsigned)CPU_COUNT(cpus); steps; steps--)
		do
			cpu = (cpu + 1) % CPU_SETSIZE;
		while (!CPU_ISSET(cpu, cpus));
	return cpu;
}

/*
 * Pins the thread to one CPU: packets that arrive on that CPU interrupt the thread, so they cannot wait for it. If pinning fails and the
 * thread moves, packets on its new CPU wait in vain until until_ns.
 */
static uint32_t pin(struct gate *gate, unsigned try)
{
	int cpu = sched_getcpu();
	cpu_set_t one;

	if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(gate->cpus), &gate->cpus) || !CPU_ISSET(cpu, &gate->cpus))
		return cpu < 0 ? 0 : (uint32_t)cpu;
	cpu = cpu_after(&gate->cpus, cpu, try);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	gate->is_pinned = !sched_setaffinity(0, sizeof(one), &one);
	return (uint32_t)sched_getcpu();
}

static void unpin(struct gate *gate)
{
	if (gate->is_pinned)
		sched_setaffinity(0, sizeof(gate->cpus), &gate->cpus);
	gate->is_pinned = 0;
}

static int has_running_handlers(const struct gate *gate)
{
	const int cpus = kernel_cpus__possible();

	for (int cpu = 0; cpu < cpus && cpu < SPIN_HPUS_MAX; cpu++)
		if (__atomic_load_n(&gate->inside[cpu].runs, __ATOMIC_SEQ_CST))
			return 1;
	return 0;
}

/* Returns 1 if the state was `expected` and has been changed to `next`. */
static int change_state(struct gate *gate, uint32_t expected, uint32_t next)
{
	return __atomic_compare_exchange_n(&gate->state->is, &expected, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

int gate__shut(struct gate *gate, unsigned try, uint64_t wait_ns)
{
	gate->state->cpu = pin(gate, try);
	gate->shut_since_ns = now_ns();
	__atomic_store_n(&gate->state->until_ns, gate->shut_since_ns + wait_ns, __ATOMIC_SEQ_CST);
	change_state(gate, SPIN_GATE_OLD, SPIN_GATE_SHUT);
	while (has_running_handlers(gate))
		if (now_ns() > gate->state->until_ns || __atomic_load_n(&gate->state->is, __ATOMIC_RELAXED) != SPIN_GATE_SHUT) {
			gate__open_old(gate);
			return -EAGAIN;
		}
	return 0;
}

int gate__open_new(struct gate *gate)
{
	const int opened = change_state(gate, SPIN_GATE_SHUT, SPIN_GATE_NEW);

	gate->shut_ns = now_ns() - gate->shut_since_ns;
	unpin(gate);
	return opened ? 0 : -EAGAIN;
}

uint64_t gate__shut_ns(const struct gate *gate)
{
	return gate->shut_ns;
}

void gate__open_old(struct gate *gate)
{
	change_state(gate, SPIN_GATE_SHUT, SPIN_GATE_OLD);
	unpin(gate);
}
