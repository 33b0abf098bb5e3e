/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCC_CARD_H
#define USER_SPINCC_CARD_H

/* What a card's program cannot have, in three steps. All functions return 0, or -1 after a message with the handler's line. */
#include "user/spincc/spincc.h"

/*
 * The IR of the handler's file, before the program for the card is compiled: registration, calls, sizes. Adds the macros that
 * <spin/target/nfp.h> asks for to the compiler's command line.
 */
int check__card(const struct spincc *s, const char *ir, struct command *defines);
/* The optimised IR of the program for the card: stores to map values. */
int check__card_stores(const struct spincc *s, const char *ir);
/* The object of that program, with its debug information: instructions and sections. */
int check__card_object(struct spincc *s, const char *object);

#endif
