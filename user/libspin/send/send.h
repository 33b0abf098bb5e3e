/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_SEND_SEND_H
#define USER_LIBSPIN_SEND_SEND_H

/* The parts of the sender of messages. Times are of the monotonic clock, in ns. */
#include <sys/socket.h>

#include <spin/message.h>
#include <spin/slmp.h>

#include "user/libspin/internal.h"

#pragma GCC visibility push(default)
#include <spin/libspin_send.h>
#pragma GCC visibility pop

uint64_t send_now_ns(void);

/* --- window.c: how long to wait for an acknowledgement (RFC 6298, with limits for a LAN) --- */

struct send_timer {
	uint64_t fixed_ns;    /* 0: it adapts */
	uint64_t smoothed_ns; /* smoothed round trip; 0: not measured yet */
	uint64_t variation_ns;
	uint64_t measured_ns; /* when it was last measured */
	unsigned backoff;     /* timeouts are doubled so many times, until a round trip is measured again (Karn) */
};

/* Adds the round trip of a packet that was sent once. */
void send_timer__measured(struct send_timer *t, uint64_t round_trip_ns, uint64_t now_ns);
/* A packet was acknowledged after so many timeouts. */
void send_timer__late(struct send_timer *t, unsigned waits, uint64_t now_ns);
/* The timeout of a packet that has timed out so many times. */
uint64_t send_timer__wait_ns(const struct send_timer *t, unsigned waits);

/* --- socket.c: whether packets may be sent with others, as one (UDP_SEGMENT) --- */

struct send_trains {
	enum { SEND_TRAINS_UNKNOWN, SEND_TRAINS_TRIED, SEND_TRAINS_PROVEN } state;
	unsigned wait; /* packets until trains are tried again */
	unsigned lost; /* packets sent in trains since one was acknowledged */
};

/* Called when a message begins. */
void send_trains__start(struct send_trains *t);
/*
 * How many of the next packets are to go in trains, where `space` may be sent: two at least; 0: the next one goes alone.
 * is_open: the message's first packet was acknowledged.
 */
unsigned send_trains__next(struct send_trains *t, int is_open, unsigned space);
/* A packet of a train was acknowledged, or is considered lost, the first time that it was sent. */
void send_trains__acknowledged(struct send_trains *t);
void send_trains__lost(struct send_trains *t);

/* --- window.c: which packets are under way, and which is to be sent next --- */

#define SEND_WAITS 16u /* lists of packets by number of timeouts; the last one also holds all with more */
#define SEND_LATER 3u  /* a packet is lost when so many sent later were acknowledged */

/* A packet in flight, in the ring at its number modulo SPIN_WINDOW. */
struct send_slot {
	uint64_t sent_ns;        /* when it was last sent */
	uint64_t order;          /* its place in the order of sending: datagrams sent before it */
	uint16_t next, previous; /* in the list of packets with as many timeouts */
	uint8_t waits;
	uint8_t again;    /* 1: sent more than once */
	uint8_t early;    /* 1: it was sent again because later packets were acknowledged */
	uint8_t done;     /* acknowledged, or needs no acknowledgement */
	uint8_t in_train; /* 1: it was first sent in a train */
};

struct send_list {
	uint16_t first, last;
};

struct send_window {
	struct send_slot slot[SPIN_WINDOW];
	struct send_list list[SEND_WAITS]; /* each in order of sending */
	uint64_t lowest;                   /* the lowest packet that is not done */
	uint64_t next;                     /* the first packet that was not sent yet */
	uint64_t total;                    /* packets of the message */
	uint64_t order;                    /* datagrams sent */
	uint64_t later[SEND_LATER];        /* the highest values of `order` that were acknowledged, descending */
	uint64_t later_ns[SEND_LATER];     /* when those were sent */
	uint64_t reorder_ns;               /* by how much later a packet must have been sent to show a loss; grows on paths that reorder */
	unsigned limit;                    /* the caller's limit of unacknowledged packets */
	int cautious;     /* 1: at most one until the receiver has acknowledged the first packet; kept for later messages */
	unsigned waiting; /* unacknowledged packets */
	/* congestion window, as in TCP (RFC 5681): */
	unsigned room;
	unsigned threshold;    /* slow start up to here: +1 per acknowledgement; beyond, +1 per `room` acknowledgements */
	unsigned credit;       /* acknowledgements since it last grew */
	unsigned room_before;  /* when the last loss was */
	unsigned least;        /* `room` is not halved below this */
	unsigned lost;         /* lost datagrams since `counted_from` */
	uint64_t counted_from; /* `order` */
	uint64_t recovered;    /* `order`: losses of datagrams sent before this belong to the last loss */
	struct send_trains trains;
};

void send_window__start(struct send_window *w, uint64_t packets, unsigned limit);
/* How many packets may be sent, from w->next on. */
unsigned send_window__space(const struct send_window *w);
/* Notes that the packet is sent now. wanted: 1 if it asks for an acknowledgement. */
void send_window__sent(struct send_window *w, uint64_t now_ns, int wanted, int in_train);
/* 1 with *packet: this packet must be sent again now, and counts as sent. 0: there is none. */
int send_window__lost(struct send_window *w, const struct send_timer *t, uint64_t now_ns, uint64_t *packet);
/* When the next packet is due; UINT64_MAX: none is in flight. */
uint64_t send_window__due_ns(const struct send_window *w, const struct send_timer *t);
/* 1 if the packet waits for its acknowledgement. */
int send_window__waits(const struct send_window *w, uint64_t packet);
/* Notes an acknowledgement. Returns 1 if the packet was waiting for it, 0 if it is not in flight. */
int send_window__acknowledged(struct send_window *w, struct send_timer *t, uint64_t packet, uint64_t now_ns);

/* --- socket.c: the socket, connected --- */

/* Opens the socket; names the other end in `peer`. */
int send_socket__open(const char *host, const char *port, const char *source, int *fd, char *peer, size_t bytes);
/* Bytes of UDP payload that fit into one packet on the path, by the known path MTU. Negative: -errno. */
int send_socket__room(int fd);
/* Discards pending errors and answers of the last message. */
void send_socket__clear(int fd);

/* --- socket.c: datagrams, many per system call --- */

#define SEND_BATCH   88u /* two trains of packets as long as Ethernet's */
#define SEND_ANSWERS 64u /* read at once, each of up to 64 datagrams that were joined */

struct send_datagram {
	struct spin_slmp header;
	struct iovec part[3];
	unsigned parts;
	uint32_t bytes;
	int alone; /* 1: must not go in a train */
};

/* The two control messages; both have room for an int. */
struct send_control {
	struct cmsghdr header;
	uint8_t value[CMSG_SPACE(sizeof(int)) - CMSG_LEN(0)];
};

struct send_batch {
	struct send_datagram datagram[SEND_BATCH];
	unsigned count, gone; /* `gone` of them were sent, from the first on */
	int plain;            /* 1: the kernel or the path takes no UDP_SEGMENT; tried again for each message */
	/* as passed to sendmmsg() */
	struct mmsghdr message[SEND_BATCH];
	struct send_control control[SEND_BATCH];
	struct iovec part[3 * SEND_BATCH];
	/* as filled by recvmmsg() */
	uint8_t answer[SEND_ANSWERS][1024];
	struct send_control answer_control[SEND_ANSWERS];
};

struct send_message {
	const uint8_t *data;
	uint32_t bytes, id;
	uint32_t stride;
	uint64_t packets;
	const struct spin_slmp_put *put; /* NULL: none */
	int every;                       /* 1: every packet asks for an acknowledgement */
};

/* Adds a datagram; there must be room. alone: 1 if it must not go in a train with its neighbours. */
void send_batch__add(struct send_batch *b, const struct send_message *m, uint64_t packet, int alone);
/* Sends all datagrams and counts them. -EAGAIN: the socket is full, and the rest stays in the batch. Else another -errno. */
int send_batch__flush(struct send_batch *b, int fd, uint64_t *sent);
enum send_answer { SEND_NOTHING, SEND_TAKEN, SEND_REFUSED, SEND_AGAIN };

/* Flags of a negative acknowledgement: the receiver will never have room for this packet, or has ended the message. */
#define SEND_REFUSED_FLAGS (SPIN_SLMP_ACK | SPIN_SLMP_REFUSED)
#define SEND_AGAIN_FLAGS   (SPIN_SLMP_ACK | SPIN_SLMP_AGAIN)

/* Calls fn for each pending answer to a packet of this message. Returns the number of datagrams read, or -errno. */
int send_batch__receive(struct send_batch *b, int fd, const struct send_message *m,
			void (*fn)(void *arg, enum send_answer answer, uint64_t packet), void *arg);

/* --- send.c: options, checked --- */

/* Fills in defaults and checks the options. */
int send_opts__read(const struct spin_send_opts *opts, struct spin_send_opts *out);
/* The stride: payload of all packets but the last, if `room` bytes fit into a datagram. 0: fewer than 8 do, or fewer than were asked for. */
uint32_t send_opts__stride(const struct spin_send_opts *opts, unsigned room);

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
 * Before a message to who may not want it, or not be there: what it is sent unasked is one packet, and that again, until it
 * acknowledges that.
 */
void send__begin_cautiously(struct spin_sender *sender);

/* --- send.c: why a message was given up, as a reason; err is given back --- */
int send_error(const struct spin_sender *s, const struct send_message *m, const struct spin_send_report *report, int err);

#endif
