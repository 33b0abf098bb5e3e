/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the cases on netdevsim are made of. Descriptors that these functions return are held for the case, and closed by
 * drop_all; -errno is handed through, so that a step on what another failed to get is refused, too. One thread.
 */
#ifndef KERNEL_GUEST_OFFLOAD_STEPS_H
#define KERNEL_GUEST_OFFLOAD_STEPS_H

#include <linux/bpf.h>
#include <stddef.h>

#include <bpf/bpf.h>

extern int device;            /* interface index of netdevsim's */
extern const char *debugfs;   /* its directory */
extern const char *this_case; /* for the lines */

/* Prints a line of a step that went well, with what was found; `format` may be NULL. */
__attribute__((format(printf, 2, 3))) void found(const char *step, const char *format, ...);

/* Prints a step's result: `result` is 0 or a descriptor, or -errno, which is printed with its name. Returns `result`. */
int step(const char *name, int result);

/* Closes a descriptor before its case ends. */
void release(int fd);

/* Loads a program, for the interface or for the host (0). Flags are the kernel's BPF_F_. */
int load(const struct bpf_insn *insns, size_t bytes, enum bpf_prog_type type, int ifindex, unsigned flags);
int load_pass(int ifindex);
int load_lookup(int ifindex, int map); /* in a map with keys of 4 bytes */

/* A map of keys of 4 and values of 8 bytes. */
int make_map(enum bpf_map_type type, int ifindex, unsigned entries, unsigned flags);

/* By netlink; flags are XDP_FLAGS_. */
int attach(int ifindex, int program, unsigned flags);
int detach(int ifindex, unsigned flags);

/* By a link, to the device, in hardware mode. */
int attach_link(int program);

/* All zero if it cannot be had. */
struct bpf_prog_info info_of(int program);

/* "Y" or "N" into a file of `debugfs`; ends the process if it cannot. */
void set_gate(const char *name, const char *value);

/* Prints how the interface has a program, and whether it and the device's own is `program`; -1: none is right. */
void query(const char *name, int ifindex, int program);

/* Remembers what is there now; report_left waits for what a case had to be freed, and prints a line of what is not. */
void count_before(void);
void report_left(void);

void drop_all(void);

#endif
