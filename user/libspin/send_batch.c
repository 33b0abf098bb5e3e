/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>

#include "send.h"

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

void send_batch__add(struct send_batch *b, const struct send_message *m, uint64_t packet)
{
	struct spin_slmp *header = &b->header[b->count];
	struct iovec *part = b->part[b->count];
	uint32_t offset = (uint32_t)(packet * m->stride);
	unsigned parts = 0;

	header->flags = spin_hton16(flags_of(m, packet));
	header->message_id = spin_hton32(m->id);
	header->offset = spin_hton32(offset);
	part[parts++] = (struct iovec){ header, sizeof(*header) };
	if (!packet && m->put)
		part[parts++] = (struct iovec){ (void *)m->put, sizeof(*m->put) };
	part[parts++] = (struct iovec){ (void *)(m->data + offset), payload_bytes(m, packet) };
	b->message[b->count++] = (struct mmsghdr){ .msg_hdr = { .msg_iov = part, .msg_iovlen = parts } };
}

int send_batch__flush(struct send_batch *b, int fd, uint64_t *sent)
{
	while (b->gone < b->count) {
		int n = sendmmsg(fd, &b->message[b->gone], b->count - b->gone, MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return -EAGAIN;
		if (n < 0 && errno != ENOBUFS)
			return -errno;
		if (n < 0)
			n = 1; /* a queue on the way out was full: lost, as anywhere else */
		b->gone += (unsigned)n;
		*sent += (unsigned)n;
	}
	b->gone = b->count = 0;
	return 0;
}

/* What is no acknowledgement of a packet of this message is none of our business. */
static int read_packet(const struct send_message *m, const struct spin_slmp *h, unsigned bytes, uint64_t *packet)
{
	uint32_t offset = spin_ntoh32(h->offset);

	if (bytes != sizeof(*h) || spin_ntoh16(h->flags) != SPIN_SLMP_ACK || spin_ntoh32(h->message_id) != m->id)
		return 0;
	if (offset % m->stride)
		return 0;
	*packet = offset / m->stride;
	return 1;
}

int send_batch__receive(int fd, const struct send_message *m, void (*fn)(void *arg, uint64_t packet), void *arg)
{
	struct {
		struct spin_slmp header;
		uint8_t more; /* tells longer ones apart */
	} from[SEND_BATCH];
	struct iovec part[SEND_BATCH];
	struct mmsghdr message[SEND_BATCH];
	uint64_t packet;
	int n;

	for (unsigned i = 0; i < SEND_BATCH; i++) {
		part[i] = (struct iovec){ &from[i], sizeof(from[i]) };
		message[i] = (struct mmsghdr){ .msg_hdr = { .msg_iov = &part[i], .msg_iovlen = 1 } };
	}
	n = recvmmsg(fd, message, SEND_BATCH, MSG_DONTWAIT, NULL);
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -errno;
	for (int i = 0; i < n; i++)
		if (read_packet(m, &from[i].header, message[i].msg_len, &packet))
			fn(arg, packet);
	return n;
}
