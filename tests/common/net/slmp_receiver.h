/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_SLMP_RECEIVER_H
#define TESTS_COMMON_SLMP_RECEIVER_H

/*
 * A plain receiver of SLMP messages in user space, written from the protocol alone, behind a link that can
 * be bad: for tests of senders. It is a thread with a UDP socket; it complains of packets that the
 * protocol does not allow.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/socket.h>

/* In percent, of each datagram. */
struct slmp_link {
	unsigned lose, twice, hold; /* hold: it comes after a few others, or a few ms later */
	unsigned lose_ack, twice_ack;
	unsigned junk; /* before an acknowledgement comes something that looks like one */
	int joined;    /* 1: what was sent as one comes as one, and is counted; 2: and is lost then */
	int narrow;    /* 1: takes some 16 datagrams a millisecond, and has room for some 100 that wait */
};

#define SLMP_MESSAGES  64
#define SLMP_NO_PACKET 0xffffffffu

struct slmp_message {
	uint32_t id, bytes; /* bytes: known when the last packet came */
	uint32_t came_bytes, expect_bytes;
	uint64_t put[4];           /* the put's 32 bytes as they came */
	uint32_t packets, highest; /* different ones that came; the highest offset */
	uint32_t first_came;       /* times that the first packet came */
	int whole;
	uint8_t *data, *have; /* have: 1 at the offset of each packet that came */
};

struct slmp_receiver {
	/* set before it starts */
	int family; /* AF_INET, AF_INET6: bound to localhost, any port */
	struct slmp_link link;
	uint64_t seed;
	uint32_t bytes_max;    /* of a message */
	uint32_t expect_bytes; /* of the message that comes next */
	uint32_t stride;       /* payload of all but the last; 0: whatever the first one has */
	int every;             /* 1: all packets ask for an acknowledgement; 0: the first and the last */
	int take_put;
	int mute;              /* 1: acknowledges nothing */
	uint32_t mute_offset;  /* not this one; SLMP_NO_PACKET: none */
	uint32_t room;         /* packets that end beyond it are refused; 0: none */
	unsigned end_messages; /* the first so many are ended for others when more than end_packets of theirs have come */
	unsigned end_packets;
	/* result; to be looked at after slmp_receiver__stop(), or when a message is whole */
	uint16_t port;
	uint64_t datagrams, trains;
	char complaint[160]; /* "": none */
	struct slmp_message message[SLMP_MESSAGES];
	atomic_uint messages;
	/* private */
	int fd, other_fd;
	atomic_int stopping;
	pthread_t thread;
};

/* 0, or -errno. */
int slmp_receiver__start(struct slmp_receiver *r);
void slmp_receiver__stop(struct slmp_receiver *r);
void slmp_receiver__free(struct slmp_receiver *r);

#endif
