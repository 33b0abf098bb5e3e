/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef LIBSPIN_SEND_H
#define LIBSPIN_SEND_H

/*
 * Sends messages by SLMP (<spin/slmp.h>) from an ordinary UDP socket: with a window
 * of unacknowledged packets, and resending. Needs no privileges.
 *
 *	spin_sender__open("192.0.2.1", NULL, NULL, &sender);
 *	spin_sender__send(sender, data, bytes, NULL, &report);
 *	spin_sender__close(sender);
 *
 * A sender belongs to one thread at a time; several may send at once. Functions
 * return 0 or a negative errno; spin_strerror_last() has the reason.
 */
#include <stddef.h>
#include <stdint.h>

struct spin_sender;

struct spin_send_opts {
	size_t bytes; /* sizeof(struct spin_send_opts); fields beyond it count as zero */
	/*
	 * Maximum number of unacknowledged packets, up to 1,024; 0: 1,024. Below it the window adapts to the path: it starts at 64, grows
	 * with acknowledgements, and is halved on loss, to 64 at least or, if more than a third is lost, to 8.
	 */
	unsigned window;
	unsigned payload_bytes; /* per packet, at most 1,462; 0: what the path's MTU allows, a multiple of 8 */
	/*
	 * Without any acknowledgement for this time the message is given up, and nothing more of it is sent; 0: 1,800. It should be
	 * below the receiver's tombstone_ms (2,000 by default): if all acknowledgements are lost, a
	 * message that is sent again later than that is delivered twice.
	 */
	unsigned timeout_ms;
	unsigned resend_ms; /* first retransmission timeout, doubled each time; 0: adapts to the round trip */
	const char *source; /* local address or ADDR:PORT; NULL: the kernel's choice */
	int put;            /* 1: the first packet has struct spin_slmp_put; the receiver must enable it */
	/*
	 * 1: SYN only on the first and last packet, as with window 0 of the reference sender: the packets in between are sent
	 * when the first is acknowledged, and are not retransmitted; losing one is not reported.
	 */
	int no_acknowledgements;
};

/* Resolves host and port (NULL: 9330) and opens the socket. -EINVAL, -ENOENT (no such host), -EMSGSIZE. */
int spin_sender__open(const char *host, const char *port, const struct spin_send_opts *opts, struct spin_sender **out);
void spin_sender__close(struct spin_sender *sender);

/* Additional fields of a put; all zero if omitted. Only for senders with `put`. */
struct spin_send_put {
	uint64_t match_bits, hdr_data, offset;
};

struct spin_send_report {
	uint32_t message_id; /* of the last time that the message was started */
	uint64_t packets;    /* of the message */
	uint64_t sent;       /* datagrams, including retransmitted ones */
	uint64_t resent;
	uint64_t acknowledged;  /* packets */
	uint64_t bytes;         /* payload bytes acknowledged from the start without a gap */
	uint64_t round_trip_us; /* smoothed */
	uint64_t elapsed_us;
	uint32_t begun_again; /* times that the message was restarted, because the receiver had evicted it */
};

/*
 * Sends one message of up to 2^32 - 1 bytes and returns when all of it is
 * acknowledged: the receiver has accepted it. Results of its handlers must be read at the receiver.
 * put and report may be NULL; *report is filled in on failure as well.
 * -ETIMEDOUT: no acknowledgement for timeout_ms; the reason says how far it came. -ECONNREFUSED: the other
 * host has neither a context nor a socket there. -EFBIG: the receiver has refused the message because it is longer than its matching
 * entry (SPIN_ME_NO_TRUNCATE); it would be refused again. -EMSGSIZE: more bytes than the maximum.
 * A message that the receiver evicts before it is complete (<spin/message.h>) is started again with another id, as long as each attempt
 * gets further than before within timeout_ms.
 * Message ids start at random and are not reused within ten minutes.
 */
int spin_sender__send(struct spin_sender *sender, const void *data, size_t bytes, const struct spin_send_put *put,
		      struct spin_send_report *report);

/* Called by spin_sender__send() about ten times a second; non-zero ends it with -ECANCELED. */
void spin_sender__on_progress(struct spin_sender *sender, int (*fn)(void *arg, const struct spin_send_report *so_far), void *arg);

#endif
