/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_DELIVER_H
#define SPIN_DELIVER_H

/*
 * Datagrams that reach the host's socket shorter or longer than they arrived (PsPIN 3.4.2). For a payload handler of UDP datagrams:
 *
 *	return spin_deliver(p, 100);
 *
 * delivers the first 100 bytes of its payload, as they are now, and
 *
 *	SPIN_REPLY(1024);
 *
 *	uint32_t *out = SPIN_REPLY_OF(p);
 *
 *	out[0] = sequence;
 *	spin_copy(p, &out[1], line->text, 512);
 *	return spin_deliver_from_buffer(p, 516);
 *
 * delivers a payload that it has built in the buffer of <spin/reply.h>. Addresses and ports stay; lengths and checksums are set when the
 * handler has returned. A user header (<spin/meta.h>) stays in front of what spin_deliver() delivers, and is no part of what
 * spin_deliver_from_buffer() does.
 *
 * Both return SPIN_SUCCESS, to be returned by the handler: any other code has its usual effect, and SPIN_SUCCESS without such a call
 * delivers the datagram in its own length. The last call counts. They return SPIN_SEGV, and change nothing, for other packets than
 * datagrams of UDP, and if `bytes` is more than the payload or the buffer has.
 *
 * If the received frame has no room for a longer payload (<spin/reply.h> says when), the datagram is dropped as after SPIN_SEGV: its
 * reader would else get bytes that no handler meant for it. The completion handler has run by then.
 *
 * Programs of the same host that send with UDP_SEGMENT (ip-udp segmentation, udp(7)) over lo or generic XDP give handlers several datagrams
 * as one long one. The kernel may drop it without a trace when its length changes.
 */
#define spin_deliver(p, bytes_)             spin_deliver_((p)->packet, (p)->packet->bytes, (bytes_))
#define spin_deliver_from_buffer(p, bytes_) spin_deliver_from_buffer_((p)->packet, (bytes_))

#endif
