/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_SLMP_RECEIVER_H
#define TESTS_COMMON_SLMP_RECEIVER_H

/*
 * A plain receiver of SLMP messages (a message protocol over UDP) in user space, written from the protocol's description, behind a link
 * that may be bad: for the tests of libspin's sender, tests/unit/sender_*.c. It is a thread with a UDP socket. It reports packets that the
 * protocol does not allow.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/socket.h>

/* Percentages, per datagram. */
struct slmp_link {
	unsigned lose, twice, hold; /* hold: it arrives after a few others, or a few ms later */
	unsigned lose_ack, twice_ack;
	unsigned junk; /* a packet that resembles an acknowledgement precedes it */
	int joined;    /* 1: datagrams sent as one train arrive as one and are counted; 2: same, and the train is lost as a whole */
	int narrow;    /* 1: passes about 16 datagrams per ms, and queues about 100 */
};

#define SLMP_MESSAGES  64
#define SLMP_NO_PACKET 0xffffffffu

struct slmp_message {
	uint32_t id, bytes; /* bytes: known when the last packet has arrived */
	uint32_t came_bytes, expect_bytes;
	uint64_t put[4];           /* the 32 bytes of the put header as received */
	uint32_t packets, highest; /* distinct packets received; the highest offset */
	uint32_t first_came;       /* how many times the first packet arrived */
	int whole;
	uint8_t *data, *have; /* have: 1 at the offset of each received packet */
};

struct slmp_receiver {
	/* set before the start */
	int family; /* AF_INET or AF_INET6: bound to localhost, any port */
	struct slmp_link link;
	uint64_t seed;
	uint32_t bytes_max;    /* of a message */
	uint32_t expect_bytes; /* of the next message */
	uint32_t stride;       /* payload bytes of all packets except the last; 0: those of the first packet */
	int every;             /* 1: all packets request an acknowledgement; 0: the first and the last */
	int take_put;
	int mute;              /* 1: never acknowledges */
	uint32_t mute_offset;  /* the packet at this offset is not acknowledged; SLMP_NO_PACKET: none */
	uint32_t room;         /* packets that end beyond it are refused; 0: no limit */
	unsigned end_messages; /* this many messages are evicted, each after end_packets of its packets */
	unsigned end_packets;
	/* result; read it after slmp_receiver__stop(), or when a message is complete */
	uint16_t port;
	uint64_t datagrams, trains;
	char complaint[160]; /* the first violation of the protocol; "": none */
	struct slmp_message message[SLMP_MESSAGES];
	atomic_uint messages;
	/* private */
	int fd, other_fd;
	atomic_int stopping;
	pthread_t thread;
};

/* Returns 0 or -errno. */
int slmp_receiver__start(struct slmp_receiver *r);
void slmp_receiver__stop(struct slmp_receiver *r);
void slmp_receiver__free(struct slmp_receiver *r);

#endif
