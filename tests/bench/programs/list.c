/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Benchmark program: walks a shuffled linked list, so every load waits for the one before. Run by iss.sh, which compares the speed of the
 * modelled core with qemu; the result must be the same on both.
 */
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 60000
#endif
enum { N = 4096 };

static struct node {
	struct node *next;
	uint32_t key;
} node[N];

int main(void)
{
	uint32_t at = 0, sum = 0;

	for (uint32_t i = 0; i < N; i++) {
		uint32_t to = (at + 1667) % N;

		node[at].next = &node[to];
		node[at].key = at * 2654435761u;
		at = to;
	}
	for (int r = 0; r < ROUNDS; r++) {
		struct node *p = &node[r % N];

		for (int i = 0; i < N; i++) {
			sum += p->key & 0x100 ? p->key : 1;
			p = p->next;
		}
	}
	return (int)sum;
}
