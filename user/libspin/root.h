/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_ROOT_H
#define USER_LIBSPIN_ROOT_H

/*
 * The dispatcher of an interface, loaded: the XDP program that finds a packet's context and tail-calls its handlers; <spin/root.h>
 * describes it. A slot is its place for one context's program and match rule. Called by attach.c and the files that replace handlers.
 * Callers hold the interface's lock. Functions return 0 or a negative errno with a reason.
 */
#include <spin/root.h>

struct bpf_object;
struct root;

/* Replaces bpf_object__load(): libxdp loads what it attaches. log: the verifier's. */
struct root_loader {
	int (*load)(void *arg, struct bpf_object *bpf, const char *program, const char *log);
	void *arg;
};

/* Its name in messages. */
#define ROOT_WHAT "the dispatcher, its program for the interface,"

/* loader NULL: bpf_object__load(). */
int root__load(struct root **out, const struct root_loader *loader);
void root__free(struct root *root);
/*
 * Returns 0 if libxdp's dispatcher accepts the program on this machine, without attaching it; otherwise -EOPNOTSUPP or another errno with a
 * reason. For spinctl's doctor; implemented in root_attach.c.
 */
int root_attach__try_share(void);
int root__program_fd(const struct root *root);
const struct spin_counters *root__counters(const struct root *root);

/* Assigns a program and its rule to a slot. From now on matching packets go to it. */
int root__add(struct root *root, unsigned slot, const struct spin_rule *rule, int prog_fd, int needs_tailroom);
/* Replaces the program of a slot: each packet goes to the old or the new one. */
int root__replace(struct root *root, unsigned slot, int prog_fd);
/* needs_tailroom 1: its packets get room for longer replies (bpf/room.h). */
void root__set_tailroom(struct root *root, unsigned slot, int needs_tailroom);
/* Called when the dispatcher is on an interface: from now on it drops contexts' datagrams whose UDP length is less than IP's. */
void root__drop_short(struct root *root);
/* Removes the slot's program. When this returns, no HPU runs it any more. */
void root__remove(struct root *root, unsigned slot);

/* Waits until every program that is running now, of any context, has ended. */
void root__wait(const struct root *root);

/*
 * From now on one in `every` of the slot's packets is copied to a ring buffer. ring_fd -1: ends this; on return, no HPU writes to the ring
 * buffer any more.
 */
int root__tap(struct root *root, unsigned slot, int ring_fd, uint32_t every);
/* Returns the packets of a slot that found a tap's ring full since the program was loaded. */
uint64_t root__tap_lost(const struct root *root, unsigned slot);

/* Returns 1 if the rule tests no words, or if an entry for them is free. */
int match__has_room(const struct spin_match *match, const struct spin_rule *rule);
/* Set and clear all bits of a slot except those of `active` and `tcp_active`. */
void match__set(struct spin_match *match, unsigned slot, const struct spin_rule *rule);
void match__clear(struct spin_match *match, unsigned slot);

#endif
