/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_LEAK_CHECK_H
#define TESTS_COMMON_LEAK_CHECK_H

/*
 * Finds what killed processes left in the kernel: BPF maps, programs, links, pins, namespaces. Called by tests in tests/live,
 * tests/transfer, tests/sockets and tests/stress, which must leave nothing.
 */
#include <stdint.h>
#include <sys/types.h>

/*
 * Returns a number below 2^15 that identifies this run. Another concurrent run on this machine has the same one with
 * probability 1/30,000.
 */
uint32_t leak_check__own_number(void);
/* Returns the number of maps on the machine with values of this size. A size made from the test's own number identifies its maps. */
unsigned leak_check__maps(uint32_t value_bytes);
/* Returns 1 if an interface of the thread's namespace has an XDP program. */
int leak_check__program(const char *dev);

/* Kernel objects that outlive a process if something holds a reference. */
enum leak_kind { LEAK_MAP, LEAK_PROGRAM, LEAK_LINK, LEAK_KINDS };

struct leak_check {
	unsigned pins, namespaces; /* pinned objects and named namespaces at the start */
	unsigned *id[LEAK_KINDS];  /* ids that the noted processes held */
	unsigned ids[LEAK_KINDS];
};

/* Must be called before a test begins. */
void leak_check__begin(struct leak_check *l);
/* Adds what a process holds now, from the text of its fdinfo: opening an object would keep it alive. */
void leak_check__note(struct leak_check *l, pid_t pid);
/*
 * Adds all programs on the machine whose names begin with one of `prefixes`, whoever made them, and their links. No maps: a descriptor of a
 * program array that is opened and closed while its owner ends can leave the array in the kernel for ever (prog_array_map_clear() takes a
 * reference for work that is queued already, Linux 6.18).
 */
void leak_check__note_names(struct leak_check *l, const char *const *prefixes, unsigned count);
/*
 * Forgets what is no longer in the kernel. Returns NULL, or a description of something that was noted, is left, and is not noted in `owned`
 * (NULL: nothing is), or of more pins than before; the next call overwrites the description.
 */
const char *leak_check__left(struct leak_check *l, const struct leak_check *owned);
void leak_check__free(struct leak_check *l);
/*
 * Call when everything is closed and killed; frees *l. Returns NULL if what was noted disappears within five seconds, there
 * are as many pins and named namespaces as before, and this process has no children.
 */
const char *leak_check__end(struct leak_check *l);

#endif
