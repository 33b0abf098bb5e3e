/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_ACT_BUFFER_H
#define TESTS_HANDLERS_ACT_BUFFER_H

/*
 * Handlers that fill two buffers of the HPU that runs them from each packet's payload, then copy or send a part of `buf` as the payload
 * says (struct act_buffer_ask, little-endian): act_buffer for messages, act_buffer_d for datagrams. `first` gets the inverted words and
 * lies next to `buf`, so a copy beyond the end of either shows. For tests/vectors/actions_memory.
 */
#include <stdint.h>

enum act_buffer_op {
	ACT_BUFFER_TO_HOST,    /* buffer bytes [off, off + bytes) to host offset `at` */
	ACT_BUFFER_FROM_HOST,  /* the reverse, and then the first 64 bytes of the buffer to `to` */
	ACT_BUFFER_TO_HOST_NB, /* same as the above, non-blocking, then wait */
	ACT_BUFFER_FROM_HOST_NB,
	ACT_BUFFER_PUT, /* sends them to the packet's source; act_buffer only */
};

struct act_buffer_ask {
	uint8_t op;
	uint8_t space; /* enum spin_host_space */
	uint8_t unused[2];
	uint32_t at, off, bytes, to;
};

#ifdef SPIN_SPIN_H
SPIN_BUFFER(uint32_t, first, 16); /* 64 bytes: the smallest possible, adjacent to the other */
SPIN_BUFFER(uint32_t, buf, 512);

SPIN_INLINE void act_buffer_fill(struct spin_payload *p)
{
	SPIN_FOR_EACH_WITH(p, uint32_t, w, SPIN_BUFFER_OF(p, first), 0, f)
		*f = ~*w;
	SPIN_FOR_EACH_WITH(p, uint32_t, w, SPIN_BUFFER_OF(p, buf), 0, b)
		*b = *w;
}

SPIN_INLINE int act_buffer(struct spin_payload *p, const struct act_buffer_ask *ask)
{
	enum spin_host_space space = (enum spin_host_space)ask->space;
	uint32_t at = ask->at, off = ask->off, bytes = ask->bytes, to = ask->to;
	struct spin_dma dma;
	int rc;

	switch (ask->op) {
	case ACT_BUFFER_TO_HOST:
		return spin_buffer_to_host(p, space, at, buf, off, bytes);
	case ACT_BUFFER_FROM_HOST:
		return spin_buffer_from_host(p, space, at, buf, off, bytes) || spin_buffer_to_host(p, space, to, buf, 0, 64);
	case ACT_BUFFER_TO_HOST_NB:
		rc = spin_buffer_to_host_nb(p, space, at, buf, off, bytes, &dma);
		spin_dma_wait(p, &dma);
		return rc;
	case ACT_BUFFER_FROM_HOST_NB:
		rc = spin_buffer_from_host_nb(p, space, at, buf, off, bytes, &dma);
		if (rc)
			return rc;
		spin_dma_wait(p, &dma);
		return spin_buffer_to_host(p, space, to, buf, 0, 64);
	}
	return 0;
}
#endif

#endif
