/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCC_CARD_H
#define USER_SPINCC_CARD_H

/*
 * spincc --target nfp: checks for what a program on a Netronome card cannot have, in three steps, called by build.c. All functions return
 * 0, or -1 after a message with the handler's line.
 */
#include "user/spincc/spincc.h"

/*
 * Checks the IR of the handler's file, before the program for the card is compiled: registration, calls, sizes. Adds the macros
 * that <spin/target/nfp.h> needs to the compiler's command line.
 */
int check__card(const struct spincc *s, const char *ir, struct command *defines);
/* Checks the optimised IR of the program for the card: it must not store to map values. */
int check__card_stores(const struct spincc *s, const char *ir);
/* Checks the object of that program, which has its debug information: instructions and sections. */
int check__card_object(struct spincc *s, const char *object);

#endif
