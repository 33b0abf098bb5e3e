/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that the payload that a ring (AF_XDP, by which handlers deliver packets to a program) reports to its reader is inside the frame,
 * whatever the frame's headers say. Frames are random bytes after plausible headers, each at the end of a mapping, so that a read beyond
 * the frame crashes the test. Run by tests/run.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/common/expect.h"
#include "tests/common/net/slow.h"
#include "tests/common/random.h"
#include "user/libspin/ring/packet.h"

#define ROUNDS 300000

static const struct start {
	const char *bytes; /* from the EtherType on */
	unsigned count;
} starts[] = {
	{ "\x08\x00\x45", 3 },
	{ "\x08\x00\x4f", 3 },
	{ "\x08\x00\x44", 3 }, /* IHL of 4 words: shorter than a header */
	{ "\x86\xdd\x60", 3 },
	{ "\x81\x00\x00\x05\x08\x00\x45", 7 },
	{ "\x88\xa8\x00\x05\x81\x00\x00\x06\x86\xdd\x60", 11 },
	{ "\x81\x00\x00\x05\x81\x00\x00\x06\x81\x00", 10 },
	{ "", 0 },
};

int main(void)
{
	const long page = sysconf(_SC_PAGESIZE);
	uint8_t *memory = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t rounds = slow_rounds(ROUNDS);
	uint64_t random = 77, with_ip = 0, whole = 0;

	if (memory == MAP_FAILED || mprotect(memory + page, (size_t)page, PROT_NONE))
		fail("memory");
	for (uint64_t i = 0; i < rounds; i++) {
		const struct start *start = &starts[i % (sizeof(starts) / sizeof(starts[0]))];
		const uint32_t bytes = (uint32_t)(i / 7 % 140);
		uint8_t *frame = memory + page - bytes;
		struct spin_ring_packet p;

		random_fill(&random, frame, bytes);
		if (bytes >= 12 + start->count)
			memcpy(frame + 12, start->bytes, start->count);
		if (bytes > 24 && i % 3) /* a length that may be correct */
			frame[12 + start->count + 1] = 0;
		ring_packet__read(&p, frame, bytes);
		if (p.frame != frame || p.frame_bytes != bytes || p.payload_at > bytes || p.payload_bytes > bytes - p.payload_at)
			fail("a payload is not inside of its frame");
		if (p.ip_version == 4 && p.payload_at < 14 + 20)
			fail("a payload begins inside of its IP header");
		with_ip += p.ip_version != 0;
		whole += p.src_port != 0;
	}
	if (with_ip < rounds / 50 || (rounds == ROUNDS && !whole))
		fail("hardly a frame had headers");
	printf("%llu with IP, %llu with ports\n", (unsigned long long)with_ip, (unsigned long long)whole);
	return 0;
}
