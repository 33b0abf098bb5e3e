/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Benchmark program: table-driven CRC-32 over a buffer (byte loads, shifts, a dependent chain). Run by iss.sh, which compares the speed of
 * the modelled core with qemu; the result must be the same on both.
 */
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 9000
#endif

static uint32_t table[256];
static uint8_t buffer[16384];

int main(void)
{
	uint32_t crc = ~0u;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
		table[i] = c;
	}
	for (uint32_t i = 0; i < sizeof(buffer); i++)
		buffer[i] = (uint8_t)(i * 7 + (i >> 8));
	for (int r = 0; r < ROUNDS; r++) {
		for (uint32_t i = 0; i < sizeof(buffer); i++)
			crc = table[(crc ^ buffer[i]) & 255] ^ crc >> 8;
	}
	return (int)~crc;
}
