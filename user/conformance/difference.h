/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_DIFFERENCE_H
#define USER_CONFORMANCE_DIFFERENCE_H

/*
 * A list of differences between expected and actual results, field by field, as text. Filled when vectors (tests as text) and recorded
 * traffic (spinctl replay) are run, and printed by their commands.
 */
#include <stdio.h>

#include "user/conformance/types.h"

/* One field that differs. */
struct difference {
	char *what; /* "verdict", "IPv4 source", "payload +0x0010", "routes[5].packets" */
	char *got, *expected;
	int is_bytes; /* 1: got and expected are hex, two digits per byte, printed one above the other */
};

/* A list of differences, which keeps only the first ones. */
struct differences {
	struct difference *list;
	unsigned count;
	unsigned left_out; /* further differences that are not listed */
};

/* Adds a difference. The texts are copied. If memory is exhausted, only left_out is incremented. */
void differences_add(struct differences *d, const char *what, const char *got, const char *expected);
void differences_frame(struct differences *d, const uint8_t *want, uint32_t want_bytes, const uint8_t *got, uint32_t got_bytes);
/* Adds the differing rows of 16 bytes, named by offset: "host memory +0x0010". */
void differences_bytes(struct differences *d, const char *what, const uint8_t *want, size_t want_bytes, const uint8_t *got,
		       size_t got_bytes);
void differences_memory(struct differences *d, const struct types *t, const struct image *want, const struct image *got);
/* Returns 1 if the same fields differ with the same actual values. Expected values are not compared. */
int differences_same(const struct differences *a, const struct differences *b);
/* Prints one line per field. other: the name of the second value ("expected"). */
void differences_print(const struct differences *d, const char *indent, const char *other, FILE *to);
void differences_free(struct differences *d);

#endif
