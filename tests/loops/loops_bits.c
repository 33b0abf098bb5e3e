/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loops_bits - loops over a datagram's payload with operations on bits: the number of ones, the parity, the most ones of a byte, and a CRC.
 * All engines (host, kernel, model) must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

static void ones(struct spin_payload *p, struct loops *s)
{
	uint32_t count = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		uint32_t v = *w;

		v -= v >> 1 & 0x55555555;
		v = (v & 0x33333333) + (v >> 2 & 0x33333333);
		count += ((v + (v >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
	}
	s->result[0] = count;
}

static void parity(struct spin_payload *p, struct loops *s)
{
	uint32_t all = 0;

	SPIN_FOR_EACH(p, uint32_t, w)
		all ^= *w;
	all ^= all >> 16;
	all ^= all >> 8;
	all ^= all >> 4;
	s->result[1] = 0x6996 >> (all & 15) & 1;
}

static void most_ones(struct spin_payload *p, struct loops *s)
{
	uint32_t most = 0;

	SPIN_FOR_EACH(p, uint8_t, b) {
		uint32_t v = *b, count = 0;

		for (int i = 0; i < 8; i++)
			count += v >> i & 1;
		if (count > most)
			most = count;
	}
	s->result[2] = most;
}

static void crc(struct spin_payload *p, struct loops *s)
{
	uint32_t crc = 0xffff;

	SPIN_FOR_EACH(p, uint16_t, h) {
		crc ^= *h;
		for (int i = 0; i < 4; i++)
			crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
	}
	s->result[3] = crc;
}

static enum spin_payload_rc loops_bits_payload(struct spin_payload *p, struct loops *s)
{
	ones(p, s);
	parity(p, s);
	most_ones(p, s);
	crc(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loops_bits, .payload = loops_bits_payload);
