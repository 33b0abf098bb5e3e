/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_DIFFERENCE_H
#define USER_CONFORMANCE_DIFFERENCE_H

/* What is not as expected, field by field and as text. */
#include <stdio.h>

#include "user/conformance/types.h"

struct difference {
	char *what; /* "verdict", "IPv4 source", "payload +0x0010", "routes[5].packets" */
	char *got, *expected;
	int is_bytes; /* got and expected are hex, two digits a byte: shown one above the other */
};

struct differences {
	struct difference *list;
	unsigned count;
	unsigned left_out; /* more of them, not listed */
};

/* The values are copied. What there is no memory for counts as left out. */
void differences_add(struct differences *d, const char *what, const char *got, const char *expected);
void differences_frame(struct differences *d, const uint8_t *want, uint32_t want_bytes, const uint8_t *got, uint32_t got_bytes);
/* Rows of 16 bytes, by their place: "host memory +0x0010". */
void differences_bytes(struct differences *d, const char *what, const uint8_t *want, size_t want_bytes, const uint8_t *got,
		       size_t got_bytes);
void differences_memory(struct differences *d, const struct types *t, const struct image *want, const struct image *got);
/* 1 if the same fields differ and have the same values; what was expected of them does not count. */
int differences_same(const struct differences *a, const struct differences *b);
/* A line per field; `other` is how the second value is called: "expected". */
void differences_print(const struct differences *d, const char *indent, const char *other, FILE *to);
void differences_free(struct differences *d);

#endif
