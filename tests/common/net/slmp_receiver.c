/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A receiver of SLMP messages (a message protocol over UDP) in plain C that loses, delays and duplicates packets and acknowledgements, for
 * tests of libspin's sender: tests/unit/sender_delivers_over_a_bad_link.c and sender_keeps_its_limits.c. It reports whatever the protocol
 * does not allow.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/random.h"
#include "tests/common/net/slmp_receiver.h"

#define EOM          0x8000
#define SYN          0x4000
#define ACK          0x2000
#define PUT          0x1000
#define REFUSED      0x0800
#define AGAIN        0x0400
#define HEADER_BYTES 10
#define PUT_BYTES    32
#define HELD         32
#define NARROW_BYTES 400000

struct datagram {
	uint8_t bytes[2048];
	size_t length;
	struct sockaddr_storage from;
	socklen_t from_bytes;
};

struct held {
	struct datagram d;
	unsigned wait; /* number of datagrams until it is delivered; 0: the entry is free */
};

static void report_violation(struct slmp_receiver *r, const char *what, uint32_t offset)
{
	if (!r->complaint[0])
		snprintf(r->complaint, sizeof(r->complaint), "%s, at offset %u", what, offset);
}

static int percent(struct slmp_receiver *r, unsigned of)
{
	return of && random_below(&r->seed, 100) < of;
}

static struct slmp_message *find_or_add_message(struct slmp_receiver *r, uint32_t id)
{
	unsigned n = atomic_load(&r->messages);
	struct slmp_message *m = &r->message[n];

	for (unsigned i = 0; i < n; i++)
		if (r->message[i].id == id)
			return &r->message[i];
	if (n == SLMP_MESSAGES)
		return NULL;
	m->id = id;
	m->expect_bytes = r->expect_bytes;
	m->data = calloc(1, r->bytes_max + 1u);
	m->have = calloc(1, r->bytes_max + 1u);
	if (!m->data || !m->have)
		return NULL;
	atomic_store(&r->messages, n + 1);
	return m;
}

static void send_ack(const struct datagram *d, int fd, uint16_t flags, uint32_t id, uint32_t offset, size_t bytes)
{
	uint8_t ack[16] = { 0 };

	flags = htons(flags), id = htonl(id), offset = htonl(offset);
	memcpy(ack, &flags, 2);
	memcpy(ack + 2, &id, 4);
	memcpy(ack + 6, &offset, 4);
	sendto(fd, ack, bytes, 0, (const struct sockaddr *)&d->from, d->from_bytes);
}

/* Sends packets that a sender must not accept as acknowledgements. Each names a packet that was not handled. */
static void send_forged_acks(struct slmp_receiver *r, const struct datagram *d, uint32_t id, uint32_t offset)
{
	uint32_t next = offset + (r->stride ? r->stride : 8);

	send_ack(d, r->fd, ACK | SYN, id, next, HEADER_BYTES);
	send_ack(d, r->fd, ACK | 1, id, next, HEADER_BYTES);
	send_ack(d, r->fd, 0, id, next, HEADER_BYTES);
	send_ack(d, r->fd, REFUSED, id, offset, HEADER_BYTES);
	send_ack(d, r->fd, ACK | REFUSED | 1, id, offset, HEADER_BYTES);
	send_ack(d, r->fd, ACK | REFUSED, id - 1, offset, HEADER_BYTES);
	send_ack(d, r->fd, ACK | REFUSED, id, 0xfffffff8u, HEADER_BYTES);
	send_ack(d, r->other_fd, ACK | REFUSED, id, offset, HEADER_BYTES);
	send_ack(d, r->fd, AGAIN, id, offset, HEADER_BYTES);
	send_ack(d, r->fd, ACK | REFUSED | AGAIN, id, offset, HEADER_BYTES);
	send_ack(d, r->fd, ACK | AGAIN, id - 1, offset, HEADER_BYTES);
	send_ack(d, r->fd, ACK | AGAIN, id, 0xfffffff8u, HEADER_BYTES);
	send_ack(d, r->other_fd, ACK | AGAIN, id, offset, HEADER_BYTES);
	send_ack(d, r->fd, ACK, id - 1, next, HEADER_BYTES);
	send_ack(d, r->fd, ACK, id + 1000000, next, HEADER_BYTES); /* not the next id, which may be in use by then */
	send_ack(d, r->fd, ACK, id, next + 1, HEADER_BYTES);
	send_ack(d, r->fd, ACK, id, 0xfffffff8u, HEADER_BYTES);
	send_ack(d, r->fd, ACK, id, next, HEADER_BYTES + 1);
	send_ack(d, r->fd, ACK, id, next, HEADER_BYTES - 1);
	send_ack(d, r->fd, ACK, id, next, 0);
	send_ack(d, r->other_fd, ACK, id, next, HEADER_BYTES);
}

static void check_packet(struct slmp_receiver *r, const struct slmp_message *m, uint16_t flags, uint32_t offset, uint32_t bytes)
{
	int last = offset + bytes == m->expect_bytes;

	if (flags & ~(SYN | EOM | PUT))
		report_violation(r, "an unknown flag", offset);
	if (!!(flags & EOM) != last)
		report_violation(r, last ? "the last packet does not say so" : "EOM, and it is not the last packet", offset);
	if (!(flags & SYN) && (!offset || last || r->every))
		report_violation(r, "no acknowledgement is asked for", offset);
	if ((flags & SYN) && offset && !last && !r->every)
		report_violation(r, "an acknowledgement is asked for", offset);
	if (!!(flags & PUT) != (r->take_put && !offset))
		report_violation(r, "PUT is not where it belongs", offset);
	if (!r->stride && !last)
		r->stride = bytes;
	if (r->stride && (offset % r->stride || (!last && bytes != r->stride) || bytes > r->stride))
		report_violation(r, "packets are not equally long", offset);
	if ((uint64_t)offset + bytes > m->expect_bytes)
		report_violation(r, "more than the message has", offset);
}

static void store_packet(struct slmp_receiver *r, struct slmp_message *m, uint16_t flags, uint32_t offset, const uint8_t *data,
			 uint32_t bytes)
{
	if ((uint64_t)offset + bytes > r->bytes_max)
		return;
	if (!offset)
		m->first_came++;
	if (offset > m->highest)
		m->highest = offset;
	if (flags & EOM)
		m->bytes = offset + bytes;
	if (m->have[offset])
		return;
	m->packets++;
	memcpy(m->data + offset, data, bytes);
	m->have[offset] = 1;
	m->came_bytes += bytes;
	m->whole = m->bytes == m->expect_bytes && m->came_bytes == m->expect_bytes;
}

static void process_packet(struct slmp_receiver *r, const struct datagram *d)
{
	const uint8_t *payload = d->bytes + HEADER_BYTES;
	uint32_t id, offset, bytes = (uint32_t)d->length - HEADER_BYTES;
	struct slmp_message *m;
	uint16_t flags;

	r->datagrams++;
	if (d->length < HEADER_BYTES) {
		report_violation(r, "no whole header", 0);
		return;
	}
	memcpy(&flags, d->bytes, 2);
	memcpy(&id, d->bytes + 2, 4);
	memcpy(&offset, d->bytes + 6, 4);
	flags = ntohs(flags), id = ntohl(id), offset = ntohl(offset);
	m = find_or_add_message(r, id);
	if (!m) {
		report_violation(r, "too many messages", offset);
		return;
	}
	if ((flags & PUT) && bytes >= PUT_BYTES) {
		memcpy(m->put, payload, PUT_BYTES);
		payload += PUT_BYTES;
		bytes -= PUT_BYTES;
	}
	check_packet(r, m, flags, offset, bytes);
	store_packet(r, m, flags, offset, payload, bytes);
	if (percent(r, r->link.junk))
		send_forged_acks(r, d, id, offset);
	if (!(flags & SYN) || r->mute || offset == r->mute_offset)
		return;
	if (r->room && offset + bytes > r->room) {
		send_ack(d, r->fd, ACK | REFUSED, id, offset, HEADER_BYTES);
		return;
	}
	if (m - r->message < (long)r->end_messages && m->packets > r->end_packets) {
		send_ack(d, r->fd, ACK | AGAIN, id, offset, HEADER_BYTES);
		return;
	}
	for (int n = percent(r, r->link.lose_ack) ? 0 : percent(r, r->link.twice_ack) ? 2 : 1; n; n--)
		send_ack(d, r->fd, ACK, id, offset, HEADER_BYTES);
}

static void release(struct slmp_receiver *r, struct held *held, int all)
{
	for (unsigned i = 0; i < HELD; i++) {
		if (!held[i].wait || (--held[i].wait && !all))
			continue;
		held[i].wait = 0;
		process_packet(r, &held[i].d);
	}
}

static void receive_datagram(struct slmp_receiver *r, struct held *held, const struct datagram *d)
{
	unsigned at = (unsigned)random_below(&r->seed, HELD);

	if (percent(r, r->link.lose))
		return;
	if (percent(r, r->link.hold) && !held[at].wait) {
		held[at].d = *d;
		held[at].wait = 1 + (unsigned)random_below(&r->seed, 40);
		return;
	}
	process_packet(r, d);
	if (percent(r, r->link.twice))
		process_packet(r, d);
}

/* Receives a GRO train and splits it again. Returns 0 if there is none. */
static int receive_train(struct slmp_receiver *r, struct held *held)
{
	static uint8_t train[65536];
	uint8_t control[CMSG_SPACE(sizeof(int))];
	struct datagram d = { .from_bytes = sizeof(d.from) };
	struct iovec part = { train, sizeof(train) };
	struct msghdr h = { .msg_name = &d.from,
			    .msg_namelen = sizeof(d.from),
			    .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = sizeof(control) };
	ssize_t got = recvmsg(r->fd, &h, MSG_DONTWAIT);
	const struct cmsghdr *c = CMSG_FIRSTHDR(&h);
	int each = (int)got;

	if (got < 0)
		return 0;
	d.from_bytes = h.msg_namelen;
	if (c && c->cmsg_type == UDP_GRO)
		memcpy(&each, CMSG_DATA(c), sizeof(each));
	r->trains += each < got;
	for (ssize_t at = 0; at < got && (each == got || r->link.joined == 1); at += each) {
		d.length = (size_t)(got - at < each ? got - at : each);
		memcpy(d.bytes, train + at, d.length);
		receive_datagram(r, held, &d);
		release(r, held, 0);
	}
	return 1;
}

static void *receive(void *arg)
{
	struct slmp_receiver *r = arg;
	struct held *held = calloc(HELD, sizeof(*held));
	struct pollfd fd = { .fd = r->fd, .events = POLLIN };
	struct datagram d;
	unsigned passed = 0;

	while (held && !atomic_load(&r->stopping)) {
		ssize_t got;

		if (poll(&fd, 1, 3) == 0)
			release(r, held, 1);
		if (r->link.joined) {
			while (receive_train(r, held))
				;
			continue;
		}
		d.from_bytes = sizeof(d.from);
		got = recvfrom(r->fd, d.bytes, sizeof(d.bytes), MSG_DONTWAIT, (struct sockaddr *)&d.from, &d.from_bytes);
		if (got < 0)
			continue;
		d.length = (size_t)got;
		if (r->link.narrow && ++passed % 16 == 0)
			usleep(1000);
		receive_datagram(r, held, &d);
		release(r, held, 0);
	}
	free(held);
	return NULL;
}

int slmp_receiver__start(struct slmp_receiver *r)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
	struct sockaddr_in *a4 = (struct sockaddr_in *)&a;
	socklen_t bytes = r->family == AF_INET ? sizeof(*a4) : sizeof(a);
	int room = 16 << 20;

	if (r->family == AF_INET)
		*a4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	r->fd = socket(r->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	r->other_fd = socket(r->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (r->fd < 0 || r->other_fd < 0 || bind(r->fd, (struct sockaddr *)&a, bytes) || getsockname(r->fd, (struct sockaddr *)&a, &bytes))
		return -errno;
	if (r->link.joined && setsockopt(r->fd, IPPROTO_UDP, UDP_GRO, &r->link.joined, sizeof(r->link.joined)))
		return -errno;
	r->port = ntohs(r->family == AF_INET ? a4->sin_port : a.sin6_port);
	if (r->link.narrow)
		room = NARROW_BYTES;
	setsockopt(r->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	return -pthread_create(&r->thread, NULL, receive, r);
}

void slmp_receiver__stop(struct slmp_receiver *r)
{
	atomic_store(&r->stopping, 1);
	pthread_join(r->thread, NULL);
	close(r->fd);
	close(r->other_fd);
}

void slmp_receiver__free(struct slmp_receiver *r)
{
	for (unsigned i = 0; i < atomic_load(&r->messages); i++) {
		free(r->message[i].data);
		free(r->message[i].have);
	}
}
