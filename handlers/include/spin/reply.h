/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_REPLY_H
#define SPIN_REPLY_H

/*
 * Replies that a handler makes in a buffer of its own, so that they may be longer than what they answer: a packet cannot grow
 * while a handler has pointers to it.
 *
 *	SPIN_REPLY(1024);
 *
 *	uint32_t *out = SPIN_REPLY_OF(p);
 *
 *	out[0] = *spin_request;
 *	spin_copy(p, &out[1], line->text, 512);
 *	return spin_reply_from_buffer(p, 516);
 *
 * SPIN_REPLY(bytes), before the first handler: the buffer has so many, a power of two from 64 to SPIN_REPLY_BYTES_MAX. A reply has
 * no more, so that with its headers it fits every link that IPv6 can use. As SPIN_BUFFER() it is the HPU's own while a handler runs,
 * and what it holds when one begins is undefined.
 */
#define SPIN_REPLY_BYTES_MAX 1024u

/* The buffer, an array uint32_t[bytes / 4]. */
#define SPIN_REPLY_OF(p) SPIN_REPLY_OF_((p)->packet)

/*
 * As spin_reply(), with the first `bytes` bytes of the buffer as payload, which the handler has written. UDP alone: SPIN_SEGV of others, and for
 * more than the buffer has. `return spin_reply_from_buffer(p, n);`
 *
 * Where the frame that came has no room for it, the packet goes to the host instead, as if SPIN_SUCCESS had been returned. Most drivers have
 * the rest of a buffer behind the frame. veth and generic XDP have what the sender's skb leaves there; behind a dispatcher 192 bytes
 * in any case, for frames of up to 256 (bpf/room.h). Jumbo frames in several buffers have no room.
 */
#define spin_reply_from_buffer(p, bytes_) spin_reply_from_buffer_((p)->packet, (bytes_))

#define SPIN_REPLY_MADE_ 0x10000u /* of struct spin_packet's reply_bytes */

#define SPIN_REPLY(bytes_)                                                                                       \
	_Static_assert((bytes_) >= 64 && (bytes_) <= SPIN_REPLY_BYTES_MAX, "SPIN_REPLY: from 64 to 1024 bytes"); \
	_Static_assert(((bytes_) & ((bytes_)-1)) == 0, "SPIN_REPLY: a power of two");                            \
	static const uint32_t spin_reply_size_ = (bytes_);                                                       \
	SPIN_REPLY_BUFFER_(bytes_)

#endif
