/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_LEFTOVER_H
#define TESTS_COMMON_LEFTOVER_H

/* What killed processes may have left in the kernel. */
#include <stdint.h>
#include <sys/types.h>

/* A number below 2^15 that other runs of the test on this machine do not have at the same time, but once in 30,000. */
uint32_t leftover__own_number(void);
/* Maps with values of so many bytes, on the whole machine: a size made with the test's own number tells its maps apart. */
unsigned leftover__maps(uint32_t value_bytes);
/* 1: an interface of the thread's namespace has an XDP program. */
int leftover__program(const char *dev);

/* Everything that outlives a process if somebody holds on to it. */
enum leftover_kind { LEFTOVER_MAP, LEFTOVER_PROGRAM, LEFTOVER_LINK, LEFTOVER_KINDS };

struct leftover {
	unsigned pins, namespaces;    /* named ones, before */
	unsigned *id[LEFTOVER_KINDS]; /* that the noted processes held */
	unsigned ids[LEFTOVER_KINDS];
};

/* To be asked before a test begins. */
void leftover__begin(struct leftover *l);
/* Adds what a process holds now, by the text in its fdinfo: to open one would keep it. */
void leftover__note(struct leftover *l, pid_t pid);
/*
 * When all is closed and killed; frees *l. NULL: what was noted is gone, within five seconds, there are as many pins and named
 * namespaces as before, and this process has no children.
 */
const char *leftover__end(struct leftover *l);

#endif
