/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_CARD_CARD_H
#define USER_LIBSPIN_CARD_CARD_H

/*
 * A context (loaded packet handlers) whose program and maps are on a card (<spin/offload.h>): bound to an interface with hardware XDP or,
 * in tests, the same program loaded as an ordinary one. Called by ctx.c, attach.c, memory.c and tests. Memory is accessed only by system
 * calls, one for each entry.
 *
 * Functions return 0 or a negative errno, with a reason for spin_strerror_last().
 */
#include "user/libspin/internal.h"
#include "user/libspin/object/layout.h"

struct card;

/* How a context on a card is created. */
struct card_options {
	const char *name; /* of the context */
	const char *ifname;
	int ifindex;        /* 0: load an ordinary program, for card__program_fd() */
	int uncounted;      /* as in struct spin_ctx_opts */
	int accept_partial; /* accept a local sender's partial checksum; only for ordinary programs */
};

/* Fails with -EOPNOTSUPP: a context on a card does not have `what`. */
int card__cannot(const struct spin_ctx *ctx, const char *what);

/*
 * contract.c: checks the object's program for a card against its contract. -EPERM: it has something foreign, which the reason names;
 * -EINVAL: it does not fit the object.
 */
int card__check(const struct spin_object *obj);

/* program.c: returns 0 if a card can match the rule, else -EOPNOTSUPP with a reason that names what to leave out. */
int card__takes_rule(const struct spin_rule *rule);
/*
 * program.c: copies the object's program for a card, obj->card_bytes long, with the rule in it. The caller frees *elf. -ENODATA: the object
 * has none; -EOPNOTSUPP: a card cannot match the rule.
 */
int card__program(const struct spin_object *obj, const struct spin_rule *rule, int accept_partial, int counted, uint8_t **elf);

/*
 * Loads the program, with the state's initial value and empty tables; does not attach it. Fails like card__program(), or if the kernel or
 * the device refuses the program.
 */
int card__open(const struct spin_object *obj, const struct spin_rule *rule, const struct card_options *options, struct card **out);
void card__close(struct card *card); /* detaches; NULL: does nothing */

/* -EBUSY: the interface has another program, which the reason names, or another context of this library. */
int card__attach(struct card *card);
void card__detach(struct card *card);
int card__is_attached(const struct card *card); /* also if its interface is gone */
/* Like spin_ctx__alive(). */
int card__alive(const struct card *card);
int card__program_fd(const struct card *card);

/* Reads the packets by reason, counted over all that the interface received. packets has SPIN_REASON_COUNT elements. */
int card__counters(const struct card *card, uint64_t *packets);

/*
 * Like the spin_ctx__...() functions of the same names. If the card updates a count in an entry while the host writes the entry, the update
 * is lost.
 */
int card__set(const struct card *card, const char *assignment);
int card__insert(const struct card *card, const char *table, const char *fields);
int card__delete(const struct card *card, const char *table, const char *key);
/* Reads a variable in its memory layout; entries of a hash are contiguous, in no particular order. The caller frees *image. */
int card__image(const struct card *card, const char *name, struct layout_variable *var, void **image);

/* Read or write one entry by key or index; the state has index 0. -ENOENT: no such variable or entry. */
int card__read_entry(const struct card *card, const char *name, uint32_t key, void *entry);
int card__write_entry(const struct card *card, const char *name, uint32_t key, const void *entry);
/* Removes all entries of a hash. */
int card__clear(const struct card *card, const char *name);
/* Returns 1 if the table is a hash. */
int card__is_hash(const struct card *card, const char *name);

/* The card's state, for the other files of this directory. */
struct card {
	char name[16], ifname[IF_NAMESIZE];
	int ifindex, link_fd;
	struct spin_object *object;
	struct bpf_object *bpf;
	const struct btf *btf; /* the object's: layout of state and tables */
};

/* Returns the card's map of a variable and sets *var to its layout; NULL with a reason. */
struct bpf_map *card__map(const struct card *card, const char *name, struct layout_variable *var);

#endif
