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
	size_t bytes; /* sizeof(struct spin_send_opts); fields behind it count as zero */
	/*
	 * Unacknowledged packets at most, up to 1,024; 0: 1,024. Within that it follows the path: it begins with 64, grows as
	 * they are acknowledged, and is halved where some are lost, to 64 at least or, if more than a third is lost, to 8.
	 */
	unsigned window;
	unsigned payload_bytes; /* per packet, at most 1,462; 0: what the way's MTU takes, a multiple of 8 */
	/*
	 * Without any acknowledgement, then the message is given up, and nothing of it is sent any more; 0: 1,800. Keep it
	 * below the receiver's tombstone_ms (2,000 unless told otherwise): if all acknowledgements are lost, a
	 * message that is sent again later than that is delivered twice.
	 */
	unsigned timeout_ms;
	unsigned resend_ms; /* first wait before a packet is sent again, doubled each time; 0: adapts to the round trip */
	const char *source; /* local address or ADDR:PORT; NULL: the kernel's choice */
	int put;            /* 1: the first packet has struct spin_slmp_put; the receiver must ask for it */
	/*
	 * 1: SYN on the first and last packet only, as window 0 of the reference sender: those in between are sent
	 * once the first is acknowledged, and not again; if one is lost nobody is told.
	 */
	int no_acknowledgements;
};

/* Resolves host and port (NULL: 9330) and opens the socket. -EINVAL, -ENOENT (no such host), -EMSGSIZE. */
int spin_sender__open(const char *host, const char *port, const struct spin_send_opts *opts, struct spin_sender **out);
void spin_sender__close(struct spin_sender *sender);

/* What a put states in addition to its data; all zero without it. Only for senders with `put`. */
struct spin_send_put {
	uint64_t match_bits, hdr_data, offset;
};

struct spin_send_report {
	uint32_t message_id; /* of the last time that it was begun */
	uint64_t packets;    /* of the message */
	uint64_t sent;       /* datagrams, resent ones too */
	uint64_t resent;
	uint64_t acknowledged;  /* packets */
	uint64_t bytes;         /* of payload, acknowledged from the start on without a gap */
	uint64_t round_trip_us; /* smoothed */
	uint64_t elapsed_us;
	uint32_t begun_again; /* times: the receiver had ended it for another message, under pressure */
};

/*
 * Sends one message of up to 2^32 - 1 bytes and returns when all of it is
 * acknowledged: the receiver has taken it; what its handlers did with it they tell there.
 * put and report may be NULL; *report is filled on failure, too.
 * -ETIMEDOUT: no acknowledgement for timeout_ms; the reason says how far it came. -ECONNREFUSED: the other
 * host has neither a context nor a socket there. -EFBIG: the receiver has refused it: it is longer than the matching
 * entry has room for (SPIN_ME_NO_TRUNCATE); the same message would be refused again. -EMSGSIZE: more bytes than that.
 * A message that the receiver ends for another one, under pressure (<spin/message.h>), is begun again under another id,
 * as long as that comes further than before within timeout_ms.
 * Message ids start at random and are not used again within ten minutes.
 */
int spin_sender__send(struct spin_sender *sender, const void *data, size_t bytes, const struct spin_send_put *put,
		      struct spin_send_report *report);

/* Called by spin_sender__send() about ten times a second; non-zero ends it with -ECANCELED. */
void spin_sender__on_progress(struct spin_sender *sender, int (*fn)(void *arg, const struct spin_send_report *so_far), void *arg);

#endif
