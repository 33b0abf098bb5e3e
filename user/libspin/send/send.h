/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_SEND_SEND_H
#define USER_LIBSPIN_SEND_SEND_H

/*
 * The parts of the sender of messages over UDP (SLMP, sPIN's message protocol): send.c has the loop, window.c packets in flight and
 * timeouts, socket.c the socket. Times are in ns of CLOCK_MONOTONIC.
 */
#include <sys/socket.h>

#include <spin/message.h>
#include <spin/slmp.h>

#include "user/libspin/internal.h"

#pragma GCC visibility push(default)
#include <spin/libspin_send.h>
#pragma GCC visibility pop

uint64_t send_now_ns(void);

/* --- window.c: how long to wait for an acknowledgement (RFC 6298, with limits for a LAN) --- */

/* The estimate of the path's round trip, from which timeouts follow. */
struct send_timer {
	uint64_t fixed_ns;    /* 0: adaptive */
	uint64_t smoothed_ns; /* smoothed round trip; 0: not measured yet */
	uint64_t variation_ns;
	uint64_t measured_ns; /* when it was last measured */
	unsigned backoff;     /* timeouts are doubled this many times, until a round trip is measured again (Karn) */
};

/* Adds a round-trip sample of a packet that was sent once. */
void send_timer__measured(struct send_timer *t, uint64_t round_trip_ns, uint64_t now_ns);
/* Called when a packet was acknowledged after this many timeouts. */
void send_timer__late(struct send_timer *t, unsigned waits, uint64_t now_ns);
/* Returns the timeout of a packet that has timed out this many times. */
uint64_t send_timer__wait_ns(const struct send_timer *t, unsigned waits);

/* --- socket.c: trains: whether packets may be passed to the kernel as one datagram (UDP_SEGMENT) --- */

/* Whether the path takes trains: not tried yet, tried with two packets, or proven by an acknowledgement. */
struct send_trains {
	enum { SEND_TRAINS_UNKNOWN, SEND_TRAINS_TRIED, SEND_TRAINS_PROVEN } state;
	unsigned wait; /* packets until trains are tried again */
	unsigned lost; /* packets sent in trains since one was acknowledged */
};

/* Called when a message begins. */
void send_trains__start(struct send_trains *t);
/*
 * Returns how many of the next packets to send as a train, out of the `space` that may be sent: at least two; 0: send the next one alone.
 * is_open: the message's first packet was acknowledged.
 */
unsigned send_trains__next(struct send_trains *t, int is_open, unsigned space);
/* Called when a packet that was first sent in a train is acknowledged, or is considered lost for the first time. */
void send_trains__acknowledged(struct send_trains *t);
void send_trains__lost(struct send_trains *t);

/* --- window.c: which packets are in flight, and which to send next --- */

#define SEND_WAITS 16u /* lists of packets by number of timeouts; the last list also holds packets with more */
#define SEND_LATER 3u  /* a packet is lost when this many packets sent later were acknowledged */

/* A packet in flight, in slot packet % SPIN_WINDOW. */
struct send_slot {
	uint64_t sent_ns;        /* when it was last sent */
	uint64_t order;          /* sequence number of its last transmission, over all datagrams sent */
	uint16_t next, previous; /* in the list of packets with the same number of timeouts */
	uint8_t waits;
	uint8_t again;    /* 1: sent more than once */
	uint8_t early;    /* 1: retransmitted because later packets were acknowledged */
	uint8_t done;     /* acknowledged, or needs no acknowledgement */
	uint8_t in_train; /* 1: first sent in a train */
};

/* A list of slots, linked by index. */
struct send_list {
	uint16_t first, last;
};

/* The packets in flight of one message, and the congestion window, which outlives the message. */
struct send_window {
	struct send_slot slot[SPIN_WINDOW];
	struct send_list list[SEND_WAITS]; /* each in order of sending */
	uint64_t lowest;                   /* the lowest packet that is not done */
	uint64_t next;                     /* the first packet that was not sent yet */
	uint64_t total;                    /* packets of the message */
	uint64_t order;                    /* datagrams sent */
	uint64_t later[SEND_LATER];        /* the highest values of `order` that were acknowledged, descending */
	uint64_t later_ns[SEND_LATER];     /* when those were sent */
	uint64_t reorder_ns;               /* how much later a packet must have been sent to indicate a loss; grows on paths that reorder */
	unsigned limit;                    /* the caller's limit of unacknowledged packets */
	int cautious;     /* 1: only one packet in flight until the receiver has acknowledged the first one; kept for later messages */
	unsigned waiting; /* unacknowledged packets */
	/* congestion window, as in TCP (RFC 5681): */
	unsigned room;
	unsigned threshold;    /* slow start up to here: +1 per acknowledgement; beyond, +1 per `room` acknowledgements */
	unsigned credit;       /* acknowledgements since it last grew */
	unsigned room_before;  /* `room` before the last loss */
	unsigned least;        /* `room` is not halved below this */
	unsigned lost;         /* lost datagrams since `counted_from` */
	uint64_t counted_from; /* `order` */
	uint64_t recovered;    /* `order`: losses of datagrams sent before this belong to the last loss event */
	struct send_trains trains;
};

void send_window__start(struct send_window *w, uint64_t packets, unsigned limit);
/* Returns how many packets may be sent, from w->next on. */
unsigned send_window__space(const struct send_window *w);
/* Records that the packet is sent now. wanted: 1 if it asks for an acknowledgement. */
void send_window__sent(struct send_window *w, uint64_t now_ns, int wanted, int in_train);
/* Returns 1 and *packet if a packet must be sent again now, and records it as sent; 0: there is none. */
int send_window__lost(struct send_window *w, const struct send_timer *t, uint64_t now_ns, uint64_t *packet);
/* Returns when the next packet is due; UINT64_MAX: none is in flight. */
uint64_t send_window__due_ns(const struct send_window *w, const struct send_timer *t);
/* Returns 1 if the packet waits for its acknowledgement. */
int send_window__waits(const struct send_window *w, uint64_t packet);
/* Records an acknowledgement. Returns 1 if the packet was waiting for it, 0 if it is not in flight. */
int send_window__acknowledged(struct send_window *w, struct send_timer *t, uint64_t packet, uint64_t now_ns);

/* --- socket.c: the connected socket --- */

/* Opens the socket, and writes the peer's name to `peer`. */
int send_socket__open(const char *host, const char *port, const char *source, int *fd, char *peer, size_t bytes);
/* Returns the bytes of UDP payload that fit into one packet, by the known path MTU, or -errno. */
int send_socket__room(int fd);
/* Discards pending errors and answers of the last message. */
void send_socket__clear(int fd);

/* --- socket.c: datagrams, many per system call --- */

#define SEND_BATCH   88u /* two trains of full-sized Ethernet packets */
#define SEND_ANSWERS 64u /* read at once, each of up to 64 coalesced datagrams */

/* A datagram to send: its headers and its parts of the caller's memory. */
struct send_datagram {
	struct spin_slmp header;
	struct iovec part[3];
	unsigned parts;
	uint32_t bytes;
	int alone; /* 1: must not be sent in a train */
};

/* A control message with room for an int. */
struct send_control {
	struct cmsghdr header;
	uint8_t value[CMSG_SPACE(sizeof(int)) - CMSG_LEN(0)];
};

/* Datagrams that one system call sends, and the buffers of sendmmsg() and recvmmsg(). */
struct send_batch {
	struct send_datagram datagram[SEND_BATCH];
	unsigned count, gone; /* the first `gone` of them were sent */
	int plain;            /* 1: the kernel or the path does not support UDP_SEGMENT; reset for each message */
	/* as passed to sendmmsg() */
	struct mmsghdr message[SEND_BATCH];
	struct send_control control[SEND_BATCH];
	struct iovec part[3 * SEND_BATCH];
	/* as filled by recvmmsg() */
	uint8_t answer[SEND_ANSWERS][1024];
	struct send_control answer_control[SEND_ANSWERS];
};

/* A message to send. */
struct send_message {
	const uint8_t *data;
	uint32_t bytes, id;
	uint32_t stride;
	uint64_t packets;
	const struct spin_slmp_put *put; /* NULL: none */
	int every;                       /* 1: every packet asks for an acknowledgement */
};

/* Adds a datagram; there must be room. alone: 1 if it must not be sent in a train. */
void send_batch__add(struct send_batch *b, const struct send_message *m, uint64_t packet, int alone);
/* Sends all datagrams and counts them. -EAGAIN: the socket is full, and the rest stays in the batch; or another -errno. */
int send_batch__flush(struct send_batch *b, int fd, uint64_t *sent);
/* What a datagram from the receiver says of a packet: nothing, arrived, refused for good, or the message must be restarted. */
enum send_answer { SEND_NOTHING, SEND_TAKEN, SEND_REFUSED, SEND_AGAIN };

/* Flags of a negative acknowledgement: the packet will never fit at the receiver, or the receiver has ended the message. */
#define SEND_REFUSED_FLAGS (SPIN_SLMP_ACK | SPIN_SLMP_REFUSED)
#define SEND_AGAIN_FLAGS   (SPIN_SLMP_ACK | SPIN_SLMP_AGAIN)

/* Calls fn for each pending answer to a packet of this message. Returns the number of datagrams read, or -errno. */
int send_batch__receive(struct send_batch *b, int fd, const struct send_message *m,
			void (*fn)(void *arg, enum send_answer answer, uint64_t packet), void *arg);

/* --- send.c: options --- */

/* Fills in defaults and checks the options. */
int send_opts__read(const struct spin_send_opts *opts, struct spin_send_opts *out);
/*
 * Returns the stride: payload bytes of all packets but the last, if `room` bytes fit into a datagram; 0: less than 8 fit, or less than
 * requested.
 */
uint32_t send_opts__stride(const struct spin_send_opts *opts, unsigned room);

/* A sender: its socket, and the state that is kept from message to message. */
struct spin_sender {
	int fd;
	char peer[96];
	struct spin_send_opts opts;
	struct send_timer timer;
	struct send_window window;
	struct send_batch batch;
	int (*on_progress)(void *arg, const struct spin_send_report *so_far);
	void *on_progress_arg;
};

/*
 * For a message to a host that may not want it or may not exist: until the host acknowledges the first packet, only that packet
 * is sent, and retransmitted.
 */
void send__begin_cautiously(struct spin_sender *sender);

/* --- send.c: sets the reason why a message was given up, and returns err --- */
int send_error(const struct spin_sender *s, const struct send_message *m, const struct spin_send_report *report, int err);

#endif
