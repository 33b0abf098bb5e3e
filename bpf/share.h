/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_SHARE_H
#define BPF_SHARE_H

/*
 * The limits `hpu-time` and `events` of spind (abi/guard.h) on handlers of sockets. Time is cut into windows. In each, the time that
 * handlers may take of a CPU is divided among the active contexts. What a context overspends it owes, and pays from its next shares. The
 * guards (guard.h), which run before a socket's handlers, drop its packets as long as it owes, and streams.bpf.c its TCP segments with
 * payload. Of programs that interrupt one another on a CPU, one may be counted for a little less.
 */
#include <spin/bytes.h>

#include "bpf/abi/guard.h"

/* Begins a new window if the current one is over. */
SPIN_INLINE void spin_share_window_(struct spin_guard_cpu *cpu, uint64_t now_ns)
{
	const uint64_t window = now_ns / SPIN_GUARD_WINDOW_NS;
	const _Bool is_next = window == cpu->window + 1;

	if (window == cpu->window)
		return;
	cpu->used_before_ns = is_next ? cpu->used_ns : 0;
	cpu->active_before = is_next ? cpu->active : 0;
	cpu->used_ns = 0;
	cpu->active = 0;
	cpu->window = window;
}

/* Returns the context's share of this window: an equal part, or what the others left unused in the previous one. */
SPIN_INLINE uint64_t spin_share_ns_(const struct spin_guard_cpu *cpu, const struct spin_guard_counts *own, uint32_t percent)
{
	const uint64_t all_ns = SPIN_GUARD_WINDOW_NS / 100 * percent;
	const uint64_t active = cpu->active > cpu->active_before ? cpu->active : cpu->active_before;
	const uint64_t others_ns = cpu->used_before_ns > own->used_before_ns ? cpu->used_before_ns - own->used_before_ns : 0;
	const uint64_t part_ns = all_ns / (active ? active : 1);

	return all_ns > others_ns && all_ns - others_ns > part_ns ? all_ns - others_ns : part_ns;
}

/* Returns 1 if the context has used up its share of the window, or owes it. percent: struct spin_guard_share. */
SPIN_INLINE _Bool spin_share_is_over_(struct spin_guard_cpu *cpu, struct spin_guard_counts *own, uint32_t percent)
{
	const uint32_t windows = (uint32_t)cpu->window - own->window;
	uint64_t share_ns, paid_ns;

	if (windows) {
		own->owed_ns += own->used_ns;
		own->used_before_ns = windows > 1 || !cpu->active_before ? 0
				      : own->used_ns < UINT32_MAX        ? (uint32_t)own->used_ns
									 : UINT32_MAX;
		own->used_ns = 0;
		own->window = (uint32_t)cpu->window;
		cpu->active++;
	}
	share_ns = spin_share_ns_(cpu, own, percent);
	paid_ns = windows * share_ns;
	own->owed_ns = own->owed_ns > paid_ns ? own->owed_ns - paid_ns : 0;
	return own->owed_ns + own->used_ns >= share_ns;
}

/* A run of handlers: when it began, and what all handlers had spent on this CPU by then. */
struct spin_share_run {
	uint64_t start_ns, spent_ns;
};

SPIN_INLINE struct spin_share_run spin_share_begin_(const struct spin_guard_cpu *cpu)
{
	return (struct spin_share_run){ bpf_ktime_get_ns(), cpu->spent_ns };
}

/* Adds the time of a run, without that of handlers of others which have interrupted it. */
SPIN_INLINE void spin_share_spend_(struct spin_guard_cpu *cpu, struct spin_guard_counts *own, const struct spin_share_run *run)
{
	const uint64_t all_ns = bpf_ktime_get_ns() - run->start_ns, others_ns = cpu->spent_ns - run->spent_ns;
	const uint64_t ns = all_ns > others_ns ? all_ns - others_ns : 0;

	own->busy_ns += ns;
	own->used_ns += ns;
	cpu->used_ns += ns;
	cpu->spent_ns += ns;
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
