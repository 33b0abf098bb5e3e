/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_CARD_CARD_H
#define USER_LIBSPIN_CARD_CARD_H

/*
 * A context whose program and maps are a card's (<spin/offload.h>): bound to an interface with hardware XDP, or, for tests, the same
 * program loaded as an ordinary one. Memory is reached by system calls alone; each function does as many as it has entries to look at.
 *
 * Functions return 0 or a negative errno, with a reason for spin_strerror_last().
 */
#include "user/libspin/internal.h"
#include "user/libspin/object/layout.h"

struct card;

struct card_options {
	const char *name; /* of the context */
	const char *ifname;
	int ifindex;        /* 0: an ordinary program, for card__program_fd() */
	int uncounted;      /* as in struct spin_ctx_opts */
	int accept_partial; /* a local sender's partial checksum is right: of ordinary programs only */
};

/* -EOPNOTSUPP with a reason: a context on a card does not have `what`. */
int card__cannot(const struct spin_ctx *ctx, const char *what);

/* contract.c: the program for a card of an object against its contract. -EPERM names what is foreign, -EINVAL what does not fit the object. */
int card__check(const struct spin_object *obj);

/* program.c: 0 if a card can match the rule, else -EOPNOTSUPP with what to leave out. */
int card__takes_rule(const struct spin_rule *rule);
/*
 * program.c: a copy of the object's program for a card, obj->card_bytes long, with the rule in it. *elf is the caller's to free. -ENODATA:
 * the object has none; -EOPNOTSUPP: the rule is not one that a card matches.
 */
int card__program(const struct spin_object *obj, const struct spin_rule *rule, int accept_partial, int counted, uint8_t **elf);

/*
 * Loads it, with the state's initial value and empty tables; not attached. Errors are those of card__program(), or why the kernel or the
 * device refuses.
 */
int card__open(const struct spin_object *obj, const struct spin_rule *rule, const struct card_options *options, struct card **out);
void card__close(struct card *card); /* detaches; NULL: does nothing */

/* -EBUSY: the interface has another program, which is named, or another context of ours. */
int card__attach(struct card *card);
void card__detach(struct card *card);
int card__is_attached(const struct card *card); /* also when its interface has gone */
/* As spin_ctx__alive(). */
int card__alive(const struct card *card);
int card__program_fd(const struct card *card);

/* Packets by reason, of all that the interface received. SPIN_REASON_COUNT of them. */
int card__counters(const struct card *card, uint64_t *packets);

/* As the functions spin_ctx__...() of the same names. What the card counts in an entry while the host writes it is lost. */
int card__set(const struct card *card, const char *assignment);
int card__insert(const struct card *card, const char *table, const char *fields);
int card__delete(const struct card *card, const char *table, const char *key);
/* A variable as it would lie in memory: the entries of a hash one behind the other, in no order. *image is the caller's to free. */
int card__image(const struct card *card, const char *name, struct layout_variable *var, void **image);

/* One entry by its key, or index; of the state index 0. -ENOENT: no such variable, or no such entry. */
int card__read_entry(const struct card *card, const char *name, uint32_t key, void *entry);
int card__write_entry(const struct card *card, const char *name, uint32_t key, const void *entry);
/* Removes all entries of a hash. */
int card__clear(const struct card *card, const char *name);
/* 1: the table is a hash. */
int card__is_hash(const struct card *card, const char *name);

/* The libbpf object and its object's types, for the other files of this directory. */
struct card {
	char name[16], ifname[IF_NAMESIZE];
	int ifindex, link_fd;
	struct spin_object *object;
	struct bpf_object *bpf;
	const struct btf *btf; /* of the object: the layout of state and tables */
};

/* The card's map of a variable, with its layout; NULL with a reason. */
struct bpf_map *card__map(const struct card *card, const char *name, struct layout_variable *var);

#endif
