/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_ROOT_H
#define USER_LIBSPIN_ROOT_H

/*
 * An interface's own program, loaded: <spin/root.h> has what it does. Callers hold
 * the lock of the interface. Functions return 0 or a negative errno with a reason.
 */
#include <spin/root.h>

struct bpf_object;
struct root;

/* Another way to load the object than bpf_object__load(): that of libxdp, which loads what it attaches. log: the verifier's. */
struct root_loader {
	int (*load)(void *arg, struct bpf_object *bpf, const char *program, const char *log);
	void *arg;
};

/* What messages call it. */
#define ROOT_WHAT "the dispatcher, its program for the interface,"

/* loader NULL: bpf_object__load(). */
int root__load(struct root **out, const struct root_loader *loader);
void root__free(struct root *root);
/*
 * 0 if libxdp's dispatcher takes the program here; it is attached to nothing. -EOPNOTSUPP or another errno with a reason. For the
 * doctor; root_attach.c.
 */
int root_attach__try_share(void);
int root__program_fd(const struct root *root);
const struct spin_counters *root__counters(const struct root *root);

/* Gives a slot to a program and its rule. Packets that match go to it from now on. */
int root__add(struct root *root, unsigned slot, const struct spin_rule *rule, int prog_fd, int is_roomy);
/* Another program for a slot: a packet goes to the old one or to the new one. */
int root__replace(struct root *root, unsigned slot, int prog_fd);
/* 1: its packets get room for a reply that is longer (bpf/room.h). */
void root__set_roomy(struct root *root, unsigned slot, int is_roomy);
/* Removes the slot's program. When this returns, no HPU runs it any more. */
void root__remove(struct root *root, unsigned slot);

/* Waits until every program that is running now, of any context, has ended. */
void root__wait(const struct root *root);

/*
 * One in `every` of the slot's packets is copied to a ring buffer from now on; -1: no more, and no HPU writes to it
 * when it returns.
 */
int root__tap(struct root *root, unsigned slot, int ring_fd, uint32_t every);
/* Packets of a slot for which a tap's ring was full, since the program was loaded. */
uint64_t root__tap_lost(const struct root *root, unsigned slot);

/* 1 if the rule tests no words, or an entry for them is free. */
int match__has_room(const struct spin_match *match, const struct spin_rule *rule);
/* Sets or clears all bits of a slot except `active`. */
void match__set(struct spin_match *match, unsigned slot, const struct spin_rule *rule);
void match__clear(struct spin_match *match, unsigned slot);

#endif
