/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_CLOCK_H
#define SPIN_CLOCK_H

/*
 * The time, for handlers: nanoseconds since an origin that is the same for all HPUs (processors of handlers) and fixed while the context
 * lives. It is for measuring intervals and is not the time of day. It needs no packet, so all three kinds of handlers may call it.
 *
 *	uint64_t now = spin_clock_ns();
 *
 *	                  spin_clock_ns()                          spin_clock_coarse_ns()
 *	kernel            CLOCK_MONOTONIC (bpf_ktime_get_ns)       CLOCK_MONOTONIC_COARSE: a step each timer tick, 1 to 10 ms
 *	  cost            a helper that reads the TSC              a helper that reads memory
 *	HPU model         the NIC's cycles, in ns (1 at 1 GHz)     the same
 *	  cost            two loads, of a cycle each               the same
 *	tests (vectors)   what `clock` lines say, 0 at the start   the same
 *
 * Monotonic: on one HPU it never goes backwards. Between HPUs it may lag by as much as the kernel's clock may when it is
 * adjusted (bpf_ktime_get_ns: some ns); the coarse clock does not lag; in the model all HPUs read one counter. So a value that one
 * HPU has stored may be ahead of what another reads: use signed differences, or allow for it. The two clocks have the same origin, and
 * the coarse one is never ahead. Compare only times of the same kind.
 *
 * PsPIN has no clock that a handler may read: reading its cycle counters is illegal in user mode. The model's NIC has one as an
 * extension, a register of the HPU driver (HPU_CLOCK_* in hwmodel/include/hwmodel/registers.h); PsPIN's own RTL does not
 * have it and answers with the last word of another register, so a handler that needs the time does not work there.
 */
#define spin_clock_ns()        spin_clock_ns_()
#define spin_clock_coarse_ns() spin_clock_coarse_ns_()

#endif
