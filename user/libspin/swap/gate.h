/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_SWAP_GATE_H
#define USER_LIBSPIN_SWAP_GATE_H

/*
 * The gate of a context (bpf/abi/gate.h), for migrate.c: it stands before the context's handlers, counts which of them run, and can keep
 * packets waiting for a moment. It must not be freed while a dispatcher calls it: the kernel empties its program arrays when their last
 * descriptor is closed, and packets then pass without handlers.
 *
 * Functions return 0 or a negative errno with a reason.
 */
#include <stdint.h>

struct gate;

/* For a context with this entry (-1: spin_gate_choose) and these two programs. Not shared: frames of several pieces come through, too. */
int gate__new(int entry_fd, int old_fd, int new_fd, int is_shared, struct gate **out);
void gate__free(struct gate *gate);

/* What the dispatcher calls. */
int gate__entry_fd(const struct gate *gate);
/* What stands in the place of the context's program. */
int gate__choose_fd(const struct gate *gate);

/*
 * Shuts it for at most wait_ns, and waits until no handler runs. 0; -EAGAIN, without a reason: a packet could not wait, or a handler did
 * not end, and it is open again. The calling thread is on one CPU until gate__open_new() or gate__open_old(), on another one in each try.
 */
int gate__shut(struct gate *gate, unsigned try, uint64_t wait_ns);
/* Opens it to the new handlers. 0; -EAGAIN: the time was over before, packets have had the old handlers, and it is open to these. */
int gate__open_new(struct gate *gate);
/* How long it was shut when gate__open_new() opened it. */
uint64_t gate__shut_ns(const struct gate *gate);
/* Opens it to the old handlers. */
void gate__open_old(struct gate *gate);

#endif
