/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef MEMCACHED_PARSER_H
#define MEMCACHED_PARSER_H

/*
 * States of the parser by which handlers/memcached.c, which alone includes this, follows memcached's commands through the pieces of a
 * connection, or through a datagram: the values of `state`, `command` and `seen` of struct mc_parser (<memcached.h>).
 */

/* What the next step of mc_parse() does: one thing per step, so that the verifier does not combine paths of different steps. */
enum mc_state { MC_START, MC_LINE, MC_COMMAND_ENDS, MC_WORD_ENDS, MC_FLAG_ENDS, MC_LINE_ENDS, MC_DATA, MC_BINARY, MC_BINARY_ACTS, MC_LOST };

enum mc_command {
	MC_NONE,
	MC_READ,  /* changes nothing */
	MC_KEYED, /* its first word is a key */
	MC_GAT,   /* its second word and all that follow are keys */
	MC_STORE, /* KEY FLAGS EXPTIME BYTES [noreply], and data */
	MC_CAS,   /* the same with a number after BYTES */
	MC_META_GET,
	MC_META_SET, /* KEY BYTES FLAGS*, and data */
	MC_FLUSH,
	MC_UNKNOWN,
};

/* Bits of struct mc_parser's `seen`. */
enum {
	MC_CR = 1,        /* the previous byte was a CR */
	MC_NO_NUMBER = 2, /* the current word is not a number, */
	MC_TOO_LARGE = 4, /* or one of more than 32 bits */
	MC_BASE64 = 8,    /* flag b: the key is encoded in base64, so its hash is not known */
	MC_TOUCHES = 16,  /* a flag that changes something, or is not known */
	MC_WRONG = 32,    /* a number is invalid: memcached may or may not read what follows as data */
	MC_LF = 64,       /* the current word is the last one of its line */
};

#endif
