/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_SHARE_H
#define BPF_SHARE_H

/*
 * Limits on the CPU time and the events of contexts on sockets (abi/guard.h says which): whether a context has used up its share, and what it
 * has used. Included by the guards (guard.h), which drop such packets, and by streams.bpf.c, which drops such segments before TCP has them.
 * Per-CPU structs: programs that interrupt one another on a CPU may lose a little of the time of one of them.
 */
#include "bpf/abi/guard.h"

/* Begins a new window if the current one is over. */
SPIN_INLINE void spin_share_window_(struct spin_guard_cpu *cpu, uint64_t now_ns)
{
	const uint64_t age_ns = now_ns - cpu->start_ns;

	if (age_ns < SPIN_GUARD_WINDOW_NS)
		return;
	cpu->used_before_ns = age_ns < 2 * SPIN_GUARD_WINDOW_NS ? cpu->used_ns : 0;
	cpu->active_before = age_ns < 2 * SPIN_GUARD_WINDOW_NS ? cpu->active : 0;
	cpu->used_ns = 0;
	cpu->active = 0;
	cpu->window++;
	cpu->start_ns = now_ns;
}

/* Returns 1 if the context has used up its share of the window. percent: struct spin_guard_share. */
SPIN_INLINE _Bool spin_share_is_over_(struct spin_guard_cpu *cpu, struct spin_guard_counts *own, uint32_t percent)
{
	const uint64_t all_ns = SPIN_GUARD_WINDOW_NS / 100 * percent;
	uint64_t active, others_ns, part_ns;

	if (own->window != cpu->window) {
		own->used_before_ns = own->window + 1 == cpu->window && cpu->active_before ? own->used_ns : 0;
		own->used_ns = 0;
		own->window = cpu->window;
		cpu->active++;
	}
	active = cpu->active > cpu->active_before ? cpu->active : cpu->active_before;
	part_ns = all_ns / (active ? active : 1);
	others_ns = cpu->used_before_ns > own->used_before_ns ? cpu->used_before_ns - own->used_before_ns : 0;
	if (all_ns > others_ns && all_ns - others_ns > part_ns)
		part_ns = all_ns - others_ns;
	return own->used_ns >= part_ns;
}

/* Adds the run time of handlers. */
SPIN_INLINE void spin_share_spend_(struct spin_guard_cpu *cpu, struct spin_guard_counts *own, uint64_t ns)
{
	own->busy_ns += ns;
	own->used_ns += ns;
	cpu->used_ns += ns;
}

/*
 * Returns 1 if the handlers have written their events of this window. at: the queue's producer position. CPUs that begin a window at the
 * same time write the same one.
 */
SPIN_INLINE _Bool spin_events_are_over_(struct spin_guard_events_window *window, uint64_t at, uint64_t event_bytes)
{
	const uint64_t now_ns = bpf_ktime_get_ns();

	if ((int64_t)(now_ns - *(volatile uint64_t *)&window->start_ns) < (int64_t)SPIN_GUARD_EVENTS_NS)
		return at - *(volatile uint64_t *)&window->start_at >= event_bytes;
	window->start_at = at;
	window->start_ns = now_ns;
	return 0;
}

#endif
