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
	uint64_t smoothed_ns; /* round trip; 0: none was measured */
	uint64_t variation_ns;
	uint64_t measured_ns; /* when it was, the last time */
	unsigned backoff;     /* waits are doubled so many times until a round trip is measured again (Karn) */
};

/* A round trip of a packet that was sent once. */
void send_timer__measured(struct send_timer *t, uint64_t round_trip_ns, uint64_t now_ns);
/* A packet was acknowledged that had waited in vain so many times. */
void send_timer__late(struct send_timer *t, unsigned waits, uint64_t now_ns);
/* How long a packet waits that has waited in vain so many times. */
uint64_t send_timer__wait_ns(const struct send_timer *t, unsigned waits);

/* --- socket.c: whether packets may be sent with others, as one (UDP_SEGMENT) --- */

struct send_trains {
	enum { SEND_TRAINS_UNKNOWN, SEND_TRAINS_TRIED, SEND_TRAINS_PROVEN } state;
	unsigned wait; /* packets until they are tried again */
	unsigned lost; /* packets of trains since one was acknowledged */
};

/* A message begins. */
void send_trains__start(struct send_trains *t);
/*
 * How many of the next packets are to go in trains, where `space` may be sent: two at least; 0: the next one goes alone.
 * is_open: the message's first packet was acknowledged.
 */
unsigned send_trains__next(struct send_trains *t, int is_open, unsigned space);
/* A packet of a train was acknowledged, or is thought to be lost; both the first time. */
void send_trains__acknowledged(struct send_trains *t);
void send_trains__lost(struct send_trains *t);

/* --- window.c: which packets are under way, and which is to be sent next --- */

#define SEND_WAITS 16u /* kinds of packets by how often they waited in vain; the last one is for all above, too */
#define SEND_LATER 3u  /* so many packets sent later were acknowledged: it is lost */

/* A packet under way; in the ring at its number modulo SPIN_WINDOW. */
struct send_slot {
	uint64_t sent_ns;        /* the last time */
	uint64_t order;          /* of sending: the count of datagrams before */
	uint16_t next, previous; /* in the list of those that waited as often */
	uint8_t waits;
	uint8_t again;    /* 1: sent more than once */
	uint8_t early;    /* 1: the last time because later ones were acknowledged */
	uint8_t done;     /* acknowledged, or in no need of it */
	uint8_t in_train; /* 1: the first time it was sent with others, as one */
};

struct send_list {
	uint16_t first, last;
};

struct send_window {
	struct send_slot slot[SPIN_WINDOW];
	struct send_list list[SEND_WAITS]; /* each in order of sending */
	uint64_t lowest;                   /* packet; all below are done */
	uint64_t next;                     /* the first one that was not sent yet */
	uint64_t total;                    /* packets of the message */
	uint64_t order;                    /* datagrams sent */
	uint64_t later[SEND_LATER];        /* the highest `order` that were acknowledged, the highest first */
	uint64_t later_ns[SEND_LATER];     /* when they had been sent */
	uint64_t reorder_ns;               /* so much later it must have been sent: grows where packets overtake one another */
	unsigned limit;                    /* unacknowledged packets at most, as the caller has it */
	int cautious;                      /* 1: one of them until the receiver has acknowledged the first packet; stays for all messages */
	unsigned waiting;                  /* that are there */
	/* how many the path is thought to take, as TCP does (RFC 5681): */
	unsigned room;
	unsigned threshold;    /* up to here it grows by one with each acknowledgement, then with each `room` of them */
	unsigned credit;       /* acknowledgements since it grew the last time */
	unsigned room_before;  /* the last loss */
	unsigned least;        /* `room` is not halved below this */
	unsigned lost;         /* of the datagrams since `counted_from` */
	uint64_t counted_from; /* `order` */
	uint64_t recovered;    /* `order`: what was sent before this and is lost was lost with the last loss */
	struct send_trains trains;
};

void send_window__start(struct send_window *w, uint64_t packets, unsigned limit);
/* So many packets may be sent, from w->next on. */
unsigned send_window__space(const struct send_window *w);
/* It is sent now; `wanted` 0: without asking for an acknowledgement. */
void send_window__sent(struct send_window *w, uint64_t now_ns, int wanted, int in_train);
/* A packet that is to be sent again now, if there is one: 1 and *packet. It counts as sent. */
int send_window__lost(struct send_window *w, const struct send_timer *t, uint64_t now_ns, uint64_t *packet);
/* When the next one is; UINT64_MAX: none is under way. */
uint64_t send_window__due_ns(const struct send_window *w, const struct send_timer *t);
/* 1: it waits for its acknowledgement. */
int send_window__waits(const struct send_window *w, uint64_t packet);
/* 1: it was waited for; 0: it is not under way. */
int send_window__acknowledged(struct send_window *w, struct send_timer *t, uint64_t packet, uint64_t now_ns);

/* --- socket.c: the socket, connected --- */

/* Opens the socket; names the other end in `peer`. */
int send_socket__open(const char *host, const char *port, const char *source, int *fd, char *peer, size_t bytes);
/* Bytes of UDP payload that fit into one packet on the way, as far as is known. Negative: -errno. */
int send_socket__room(int fd);
/* Forgets what came for the last message. */
void send_socket__clear(int fd);

/* --- socket.c: datagrams, many per system call --- */

#define SEND_BATCH   88u /* two trains of packets as long as Ethernet's */
#define SEND_ANSWERS 64u /* read at once, each of up to 64 datagrams that were joined */

struct send_datagram {
	struct spin_slmp header;
	struct iovec part[3];
	unsigned parts;
	uint32_t bytes;
	int alone; /* 1: in no train */
};

/* The two messages beside the data; both have room for an int. */
struct send_control {
	struct cmsghdr header;
	uint8_t value[CMSG_SPACE(sizeof(int)) - CMSG_LEN(0)];
};

struct send_batch {
	struct send_datagram datagram[SEND_BATCH];
	unsigned count, gone; /* the first `gone` of them were sent */
	int plain;            /* 1: the kernel or the way takes no UDP_SEGMENT; asked again for each message */
	/* as they go to the kernel */
	struct mmsghdr message[SEND_BATCH];
	struct send_control control[SEND_BATCH];
	struct iovec part[3 * SEND_BATCH];
	/* as they come from it */
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

/* There must be room. `alone` 0: it may go in a train with those before and behind it. */
void send_batch__add(struct send_batch *b, const struct send_message *m, uint64_t packet, int alone);
/* Sends and counts them; then it is empty. -EAGAIN: the socket is full, the rest is still there. Else another -errno. */
int send_batch__flush(struct send_batch *b, int fd, uint64_t *sent);
enum send_answer { SEND_NOTHING, SEND_TAKEN, SEND_REFUSED, SEND_AGAIN };

/* Acknowledgements with one flag more: the receiver has no room for this packet, and never will; or has ended the message. */
#define SEND_REFUSED_FLAGS (SPIN_SLMP_ACK | SPIN_SLMP_REFUSED)
#define SEND_AGAIN_FLAGS   (SPIN_SLMP_ACK | SPIN_SLMP_AGAIN)

/* Calls fn for each answer to a packet of this message that is there. How many datagrams there were, or -errno. */
int send_batch__receive(struct send_batch *b, int fd, const struct send_message *m,
			void (*fn)(void *arg, enum send_answer answer, uint64_t packet), void *arg);

/* --- send.c: options, checked --- */

/* Fills in what is not told. */
int send_opts__read(const struct spin_send_opts *opts, struct spin_send_opts *out);
/* Payload of all packets but the last, where `room` bytes fit into a datagram. 0: not even 8 do, or what is asked for does not. */
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
int send_why(const struct spin_sender *s, const struct send_message *m, const struct spin_send_report *report, int err);

#endif
