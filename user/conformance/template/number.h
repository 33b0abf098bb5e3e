/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_TEMPLATE_NUMBER_H
#define USER_CONFORMANCE_TEMPLATE_NUMBER_H

/*
 * Numbers in lines that describe a packet's headers, checked against the width of their field. Called by template.c and the parsers of
 * vectors (tests as text). Functions return 0, or -EINVAL with engine_error().
 */
#include <stdint.h>

/* Parses a number from 0 to max. `what` names it in the reason: "70000 is not a valid port: 0 to 65535". */
int template_number(const char *word, const char *what, uint64_t max, uint64_t *out);

/* A field of a header: its position and width in bits from the start of the header, in network order. */
struct template_field {
	const char *name;
	unsigned at_bit, bits;
};
extern const struct template_field template_ip4_fields[], template_ip6_fields[], template_tcp_fields[], template_slmp_fields[],
	template_put_fields[];
/* Parses `word` and stores it in the named field; header: its name in the error for an unknown field. */
int template_store(const struct template_field *fields, const char *header, const char *name, const char *word, uint8_t *to);

#endif
