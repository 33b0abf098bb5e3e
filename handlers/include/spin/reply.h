/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_REPLY_H
#define SPIN_REPLY_H

/*
 * Replies that a handler builds in a separate buffer, so that they may be longer than the request: a packet cannot grow
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
 * SPIN_REPLY(bytes), before the first handler: the size of the buffer, a power of two from 64 to SPIN_REPLY_BYTES_MAX. With this limit
 * a reply and its headers fit every link that IPv6 can use. Like SPIN_BUFFER() it is private to the HPU while a handler runs,
 * and its contents when a handler begins are undefined.
 */
#define SPIN_REPLY_BYTES_MAX 1024u

/* The buffer, an array uint32_t[bytes / 4]. */
#define SPIN_REPLY_OF(p) SPIN_REPLY_OF_((p)->packet)

/*
 * Like spin_reply(), with the first `bytes` bytes of the buffer as payload, which the handler must have written. UDP only: SPIN_SEGV for
 * other packets, and for more bytes than the buffer has. `return spin_reply_from_buffer(p, n);`
 *
 * If the received frame has no room for the reply, the packet goes to the host instead, as if SPIN_SUCCESS had been returned. Most drivers
 * leave the rest of a buffer after the frame. veth and generic XDP have what the sender's skb leaves; the dispatcher provides 192 bytes
 * for frames of up to 2048 in any case (bpf/room.h). Multi-buffer jumbo frames have no room.
 */
#define spin_reply_from_buffer(p, bytes_) spin_reply_from_buffer_((p)->packet, (bytes_))

#define SPIN_NO_REPLY    0xffffffffu /* value of struct spin_packet's reply_bytes */
#define SPIN_REPLY_MADE_ 0x10000u    /* flag in it */

#define SPIN_REPLY(bytes_)                                                                                       \
	_Static_assert((bytes_) >= 64 && (bytes_) <= SPIN_REPLY_BYTES_MAX, "SPIN_REPLY: from 64 to 1024 bytes"); \
	_Static_assert(((bytes_) & ((bytes_)-1)) == 0, "SPIN_REPLY: a power of two");                            \
	static const uint32_t spin_reply_size_ = (bytes_);                                                       \
	SPIN_REPLY_BUFFER_(bytes_)

#endif
