/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * State and reference implementation of the test handler `lines` on TCP sockets, which capitalizes the first letter of each line (lines.h).
 * Called by tests/sockets/streams_are_whole.c, segments_in_any_order.c and streams_begin_at_their_first_byte.c, and by
 * tests/unit/swap_finds_its_counters.c. Failures end the test.
 */
#include <unistd.h>

#include "tests/common/net/lines.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"
#include <spin/libspin.h>

#define WAIT_MS 4000

struct lines *lines__state(struct spin_ctx *ctx)
{
	void *addr;
	size_t bytes;

	if (spin_ctx__symbol(ctx, "spin_state", &addr, &bytes) || bytes != sizeof(struct lines))
		die("no state of `lines`: %s", spin_strerror_last());
	return addr;
}

uint32_t lines__load(const uint32_t *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

void lines__wait_for(const char *what, const uint32_t *at, uint32_t value)
{
	for (int ms = 0; lines__load(at) != value; ms++) {
		if (ms == WAIT_MS)
			die("%s: %u, and not %u", what, lines__load(at), value);
		usleep(1000);
	}
}

const struct lines_connection *lines__only_one(const struct lines *lines)
{
	const struct lines_connection *found = NULL;

	for (unsigned i = 0; i < LINES_CONNECTIONS; i++)
		if (lines__load(&lines->connection[i].begun)) {
			if (found)
				die("there are two connections");
			found = &lines->connection[i];
		}
	if (!found)
		die("no connection had handlers");
	return found;
}

void lines__fill(uint64_t *seed, uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = random_below(seed, 9) ? (uint8_t)('a' + random_below(seed, 26)) : '\n';
}

uint32_t lines__transform(uint8_t *bytes, size_t count)
{
	uint32_t hash = 0x811c9dc5;
	int inside_line = 0;

	for (size_t i = 0; i < count; i++) {
		hash = (hash ^ bytes[i]) * 0x01000193;
		if (!inside_line && bytes[i] >= 'a' && bytes[i] <= 'z')
			bytes[i] -= 32;
		inside_line = bytes[i] != '\n';
	}
	return hash;
}
