/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_TEMPLATE_TEMPLATE_H
#define USER_CONFORMANCE_TEMPLATE_TEMPLATE_H

/*
 * Builds Ethernet frames from text, one line per header. Called by tests and by the parsers of vectors (tests as text);
 * tests/vectors/README.md describes the syntax. Lengths, types and checksums that a line omits are set at the end.
 */
#include <stdint.h>

#include "user/conformance/engine.h"

struct template
{
	uint8_t frame[ENGINE_FRAME_MAX];
	uint32_t bytes;
	int type_at;                                 /* offset of the field that gives the next header's type; -1: none */
	int ip_at, udp_at, tcp_at, icmp_at, slmp_at; /* -1: none */
	int ip_version;
	uint32_t ip_header_bytes;
	uint32_t datagram_end; /* offset; 0: the end of the frame */
	int ip_length_given, ip_sum_given, ip_protocol_given, udp_length_given, tcp_words_given;
	enum { SUM_RIGHT, SUM_NONE, SUM_PARTIAL, SUM_WRONG, SUM_GIVEN } ip_sum, udp_sum, tcp_sum, icmp_sum;
	int slmp_flags_given;
	uint32_t cut; /* truncated length; 0: not truncated */
};

void template_start(struct template *t);
/* Returns 1 if the line was a template line, 0 if it was not, or a negative errno with engine_error() if it was invalid. */
int template_line(struct template *t, const char *line);
int template_finish(struct template *t);

/* Appends bytes to the frame. from NULL: zeros. */
int template_append(struct template *t, const void *from, uint32_t bytes);
/* Appends bytes given in hex. */
int template_hex(struct template *t, const char *word);
/* Stores the next header's protocol in the IP header, unless the line of that gives one. */
void template_set_protocol(struct template *t, uint8_t ip4, uint8_t ip6);
/* Parses the value of `sum`, and stores a given number in the field. Returns the mode, or -EINVAL. */
int template_parse_sum(const char *word, uint8_t *field);
/* Stores the right sum in the field, or a wrong one if the mode is SUM_WRONG. */
void template_put_sum(uint8_t *field, int mode, unsigned sum);
/* Parses the line `tcp`; sets the checksum of the segment that ends at `end`. */
int template_tcp(struct template *t, char **word, int words);
void template_finish_tcp(struct template *t, uint32_t end);
/* Parse the lines `slmp` and `put`. */
int template_slmp(struct template *t, char **word, int words);
int template_put(struct template *t, char **word, int words);

/* Returns the folded ones' complement sum over the bytes as big-endian words, added to start. */
uint16_t template_sum(const uint8_t *at, uint32_t bytes, uint32_t start);

#endif
