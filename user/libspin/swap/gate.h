/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_SWAP_GATE_H
#define USER_LIBSPIN_SWAP_GATE_H

/*
 * The gate of a context (bpf/abi/gate.h), a BPF program in front of its handlers, for migrate.c, which replaces them. It counts which of
 * them run, and can briefly make packets wait. It must not be freed while a dispatcher calls it: the kernel empties its program arrays when
 * their last descriptor is closed, and packets then pass without handlers.
 *
 * Functions return 0 or a negative errno with a reason.
 */
#include <stdint.h>

struct gate;

/*
 * Creates the gate of a context with this entry program (-1: spin_gate_choose) and these two programs. is_shared 0: accepts frames in
 * several buffers.
 */
int gate__new(int entry_fd, int old_fd, int new_fd, int is_shared, struct gate **out);
void gate__free(struct gate *gate);

/* Returns the program that the dispatcher calls. */
int gate__entry_fd(const struct gate *gate);
/* Returns the program that stands in for the context's program. */
int gate__choose_fd(const struct gate *gate);

/*
 * Shuts the gate for at most wait_ns, and waits until no handler runs. Returns 0; or -EAGAIN, without a reason, with the gate open again: a
 * packet could not wait, or a handler did not end. The calling thread is pinned to a CPU until gate__open_new() or gate__open_old(); each
 * try uses another CPU.
 */
int gate__shut(struct gate *gate, unsigned try, uint64_t wait_ns);
/*
 * Opens the gate to the new handlers. Returns 0; -EAGAIN: the time had expired, packets have had the old handlers, and the gate is open to
 * these.
 */
int gate__open_new(struct gate *gate);
/* Returns how long the gate had been shut when gate__open_new() opened it. */
uint64_t gate__shut_ns(const struct gate *gate);
/* Opens the gate to the old handlers. */
void gate__open_old(struct gate *gate);

#endif
