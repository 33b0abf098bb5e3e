/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Datagrams of the sender, many per system call. Equally long ones go to the kernel as one, which it cuts again where
 * the packet leaves (UDP_SEGMENT, Linux 4.18): sockets, routes and filters are passed once for all of them.
 * Acknowledgements come joined likewise (UDP_GRO, Linux 5.0). Both are done without where they are not there.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>

#include "user/libspin/send.h"

#define TRAIN_PACKETS 64u    /* UDP_MAX_SEGMENTS before Linux 6.9 */
#define TRAIN_BYTES   65000u /* IP and UDP headers come to it: 65,535 in all */

static uint32_t payload_bytes(const struct send_message *m, uint64_t packet)
{
	return packet + 1 == m->packets ? (uint32_t)(m->bytes - packet * m->stride) : m->stride;
}

static uint16_t flags_of(const struct send_message *m, uint64_t packet)
{
	int first = !packet, last = packet + 1 == m->packets;

	return (uint16_t)((m->every || first || last ? SPIN_SLMP_SYN : 0) | (last ? SPIN_SLMP_EOM : 0) |
			  (first && m->put ? SPIN_SLMP_PUT : 0));
}

void send_batch__add(struct send_batch *b, const struct send_message *m, uint64_t packet, int alone)
{
	struct send_datagram *d = &b->datagram[b->count++];
	uint32_t offset = (uint32_t)(packet * m->stride), payload = payload_bytes(m, packet);

	d->header.flags = spin_hton16(flags_of(m, packet));
	d->header.message_id = spin_hton32(m->id);
	d->header.offset = spin_hton32(offset);
	d->bytes = (uint32_t)sizeof(d->header) + payload;
	d->alone = alone;
	d->parts = 0;
	d->part[d->parts++] = (struct iovec){ &d->header, sizeof(d->header) };
	if (!packet && m->put) {
		d->part[d->parts++] = (struct iovec){ (void *)m->put, sizeof(*m->put) };
		d->bytes += sizeof(*m->put);
	}
	d->part[d->parts++] = (struct iovec){ (void *)(m->data + offset), payload };
}

/* So many of the datagrams from `first` on go as one: all have its length, the last one may be shorter. */
static unsigned train_from(const struct send_batch *b, unsigned first)
{
	const struct send_datagram *d = b->datagram;
	unsigned n = 1, bytes = d[first].bytes;

	while (!b->plain && !d[first].alone && first + n < b->count && !d[first + n].alone && n < TRAIN_PACKETS &&
	       d[first + n - 1].bytes == d[first].bytes && d[first + n].bytes <= d[first].bytes &&
	       bytes + d[first + n].bytes <= TRAIN_BYTES)
		bytes += d[first + n++].bytes;
	return n;
}

/* Makes one message of the datagrams. */
static unsigned couple(struct send_batch *b, struct mmsghdr *message, struct send_control *control, struct iovec *part, unsigned first,
		       unsigned packets)
{
	struct msghdr *h = &message->msg_hdr;
	unsigned parts = 0;

	for (unsigned i = first; i < first + packets; i++)
		for (unsigned k = 0; k < b->datagram[i].parts; k++)
			part[parts++] = b->datagram[i].part[k];
	*h = (struct msghdr){ .msg_iov = part, .msg_iovlen = parts };
	if (packets == 1)
		return parts;
	control->header = (struct cmsghdr){ .cmsg_level = IPPROTO_UDP, .cmsg_type = UDP_SEGMENT, .cmsg_len = CMSG_LEN(sizeof(uint16_t)) };
	*(uint16_t *)CMSG_DATA(&control->header) = (uint16_t)b->datagram[first].bytes;
	h->msg_control = control;
	h->msg_controllen = sizeof(*control);
	return parts;
}

/* All that is left, as trains. How many trains. */
static unsigned make_up(struct send_batch *b, unsigned *packets)
{
	unsigned trains = 0, parts = 0;

	for (unsigned at = b->gone; at < b->count; trains++) {
		packets[trains] = train_from(b, at);
		parts += couple(b, &b->message[trains], &b->control[trains], &b->part[parts], at, packets[trains]);
		at += packets[trains];
	}
	return trains;
}

/* 1: the kernel or the device does not take trains; without them it says what is wrong with a packet, if anything is. */
static int takes_no_trains(struct send_batch *b, unsigned packets, int err)
{
	if (packets == 1 || (err != EINVAL && err != EIO && err != EMSGSIZE && err != EOPNOTSUPP && err != ENOPROTOOPT))
		return 0;
	b->plain = 1;
	return 1;
}

int send_batch__flush(struct send_batch *b, int fd, uint64_t *sent)
{
	unsigned packets[SEND_BATCH], trains = make_up(b, packets), at = 0;

	while (at < trains) {
		int n = sendmmsg(fd, &b->message[at], trains - at, MSG_DONTWAIT), err = errno;

		if (n < 0 && (err == EAGAIN || err == EWOULDBLOCK))
			return -EAGAIN;
		if (n < 0 && takes_no_trains(b, packets[at], err)) {
			trains = make_up(b, packets);
			at = 0;
			continue;
		}
		if (n < 0 && err != ENOBUFS)
			return -err;
		if (n < 0)
			n = 1; /* a queue on the way out was full: lost, as anywhere else */
		for (; n; n--, at++) {
			b->gone += packets[at];
			*sent += packets[at];
		}
	}
	b->gone = b->count = 0;
	return 0;
}

/* What is no answer to a packet of this message is none of our business. */
static enum send_answer read_answer(const struct send_message *m, const struct spin_slmp *h, uint64_t *packet)
{
	uint32_t offset = spin_ntoh32(h->offset);
	uint16_t flags = spin_ntoh16(h->flags);

	if (spin_ntoh32(h->message_id) != m->id || offset % m->stride)
		return SEND_NOTHING;
	*packet = offset / m->stride;
	switch (flags) {
	case SPIN_SLMP_ACK:
		return SEND_TAKEN;
	case SEND_REFUSED_FLAGS:
		return SEND_REFUSED;
	case SEND_AGAIN_FLAGS:
		return SEND_AGAIN;
	default:
		return SEND_NOTHING;
	}
}

/* Bytes of each datagram that was joined to what came; of a single one all of it. */
static unsigned segment_bytes(struct msghdr *h, unsigned bytes)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(h);
	int segment;

	if (!c || c->cmsg_level != IPPROTO_UDP || c->cmsg_type != UDP_GRO || c->cmsg_len != CMSG_LEN(sizeof(segment)))
		return bytes;
	memcpy(&segment, CMSG_DATA(c), sizeof(segment));
	return (unsigned)segment;
}

int send_batch__receive(struct send_batch *b, int fd, const struct send_message *m,
			void (*fn)(void *arg, enum send_answer answer, uint64_t packet), void *arg)
{
	const unsigned each = sizeof(struct spin_slmp);
	struct iovec part[SEND_ANSWERS];
	struct mmsghdr message[SEND_ANSWERS];
	uint64_t packet;
	int n;

	for (unsigned i = 0; i < SEND_ANSWERS; i++) {
		part[i] = (struct iovec){ b->answer[i], sizeof(b->answer[i]) };
		message[i] = (struct mmsghdr){ .msg_hdr = { .msg_iov = &part[i],
							    .msg_iovlen = 1,
							    .msg_control = &b->answer_control[i],
							    .msg_controllen = sizeof(b->answer_control[i]) } };
	}
	n = recvmmsg(fd, message, SEND_ANSWERS, MSG_DONTWAIT, NULL);
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -errno;
	for (int i = 0; i < n; i++) {
		unsigned bytes = message[i].msg_len;

		if (segment_bytes(&message[i].msg_hdr, bytes) != each)
			continue;
		for (unsigned at = 0; at + each <= bytes; at += each) {
			enum send_answer answer = read_answer(m, (const struct spin_slmp *)(b->answer[i] + at), &packet);

			if (answer != SEND_NOTHING)
				fn(arg, answer, packet);
		}
	}
	return n;
}
