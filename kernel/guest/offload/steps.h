/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Steps of the tests of offload (cases.c) on netdevsim, the kernel's simulated device: load a program, create a map, attach. Descriptors
 * that these functions return belong to the case and are closed by drop_all. -errno is passed on, so a step that uses the result of a
 * failed step is also refused. Single-threaded.
 */
#ifndef KERNEL_GUEST_OFFLOAD_STEPS_H
#define KERNEL_GUEST_OFFLOAD_STEPS_H

#include <linux/bpf.h>
#include <stddef.h>

#include <bpf/bpf.h>

extern int device;            /* interface index of the netdevsim interface */
extern const char *debugfs;   /* its directory */
extern const char *this_case; /* printed in each line */

/* Prints the line of a step that succeeded, with what was found; `format` may be NULL. */
__attribute__((format(printf, 2, 3))) void found(const char *step, const char *format, ...);

/* Prints a step's result: 0, a descriptor, or -errno, which is printed by name. Returns `result`. */
int step(const char *name, int result);

/* Closes a descriptor before its case ends. */
void release(int fd);

/* Loads a program for the interface, or for the host if ifindex is 0. Flags are the kernel's BPF_F_*. */
int load(const struct bpf_insn *insns, size_t bytes, enum bpf_prog_type type, int ifindex, unsigned flags);
int load_pass(int ifindex);
int load_lookup(int ifindex, int map); /* looks up in a map with keys of 4 bytes */

/* Creates a map with keys of 4 and values of 8 bytes. */
int make_map(enum bpf_map_type type, int ifindex, unsigned entries, unsigned flags);

/* Attach and detach by netlink; flags are XDP_FLAGS_*. */
int attach(int ifindex, int program, unsigned flags);
int detach(int ifindex, unsigned flags);

/* Attaches to the device by a link, in hardware mode. */
int attach_link(int program);

/* All zero if it is not available. */
struct bpf_prog_info info_of(int program);

/* Writes "Y" or "N" to a file of `debugfs`; ends the process if it cannot. */
void set_gate(const char *name, const char *value);

/* Prints the interface's XDP mode, and whether its program and the device's own are `program`; -1: no program is right. */
void query(const char *name, int ifindex, int program);

/* count_before() counts what exists now. report_left() waits until what a case had is freed, and prints a line of what is not. */
void count_before(void);
void report_left(void);

void drop_all(void);

#endif
