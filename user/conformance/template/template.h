/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_TEMPLATE_TEMPLATE_H
#define USER_CONFORMANCE_TEMPLATE_TEMPLATE_H

/*
 * Frames from text, a line per header; tests/vectors/README.md has the syntax.
 * Lengths, types and checksums that a line leaves out are set at the end.
 */
#include <stdint.h>

#include "user/conformance/engine.h"

struct template
{
	uint8_t frame[ENGINE_FRAME_MAX];
	uint32_t bytes;
	int type_at;                         /* offset of the field that gives the next header's type; -1: none */
	int ip_at, udp_at, icmp_at, slmp_at; /* -1: none */
	int ip_version;
	uint32_t ip_header_bytes;
	uint32_t datagram_end; /* 0: at the frame's end */
	int ip_length_given, ip_sum_given, ip_protocol_given, udp_length_given;
	enum { SUM_RIGHT, SUM_NONE, SUM_PARTIAL, SUM_WRONG, SUM_GIVEN } ip_sum, udp_sum, icmp_sum;
	int slmp_flags_given;
	uint16_t udp_sum_value;
	uint32_t cut; /* 0: not cut */
};

void template_start(struct template *t);
/* 1: the line was a template line; 0: it was not; negative: it was a wrong one, see engine_error(). */
int template_line(struct template *t, const char *line);
int template_finish(struct template *t);

/* Appends bytes to the frame; from NULL: zeros. */
int template_append(struct template *t, const void *from, uint32_t bytes);
/* Lines of SLMP. */
int template_slmp(struct template *t, char **word, int words);
int template_put(struct template *t, char **word, int words);

/* Ones' complement sum over bytes as they lie in memory, folded. */
uint16_t template_sum(const uint8_t *at, uint32_t bytes, uint32_t start);

#endif
