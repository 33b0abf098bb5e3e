/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A sender of SLMP messages (a message protocol over UDP) in plain C, written from the protocol's description without sPIN code. Used by
 * tests/transfer/plain_sender_is_received.c. It never retransmits.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/common/net/slmp_plain.h"
#include "tests/common/net/slow.h"

/* Flags and lengths of the protocol's header. */
#define EOM          0x8000
#define SYN          0x4000
#define ACK          0x2000
#define HEADER_BYTES 10
#define PACKET_MAX   (HEADER_BYTES + 1462)

int slmp_plain__open(struct slmp_plain *s, const char *address, uint16_t port)
{
	struct sockaddr_in to4 = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	int ip6 = !!strchr(address, ':');
	struct timeval second = slow_wait(1000);

	inet_pton(ip6 ? AF_INET6 : AF_INET, address, ip6 ? (void *)&to6.sin6_addr : (void *)&to4.sin_addr);
	s->fd = socket(ip6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second)) ||
	    connect(s->fd, ip6 ? (void *)&to6 : (void *)&to4, ip6 ? sizeof(to6) : sizeof(to4)))
		return -errno;
	return 0;
}

void slmp_plain__close(struct slmp_plain *s)
{
	close(s->fd);
}

/* Takes the next acknowledgement. It may be for any packet in flight. */
static int receive_ack(struct slmp_plain *s, uint32_t id, uint32_t below, int flag)
{
	uint8_t ack[64];
	uint16_t flags;
	uint32_t got_id, offset;
	ssize_t got = recv(s->fd, ack, sizeof(ack), flag);

	if (got < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? -ETIMEDOUT : -errno;
	if (got != HEADER_BYTES)
		return -EPROTO;
	memcpy(&flags, ack, 2);
	memcpy(&got_id, ack + 2, 4);
	memcpy(&offset, ack + 6, 4);
	if (ntohs(flags) != ACK || ntohl(got_id) != id || ntohl(offset) >= below || ntohl(offset) % s->payload_bytes)
		return -EPROTO;
	return 0;
}

static int send_packet(struct slmp_plain *s, uint16_t flags, uint32_t id, uint32_t offset, const uint8_t *data, uint32_t bytes)
{
	uint8_t packet[PACKET_MAX];

	flags = htons(flags), id = htonl(id), offset = htonl(offset);
	memcpy(packet, &flags, 2);
	memcpy(packet + 2, &id, 4);
	memcpy(packet + 6, &offset, 4);
	memcpy(packet + HEADER_BYTES, data, bytes);
	return send(s->fd, packet, HEADER_BYTES + bytes, 0) < 0 ? -errno : 0;
}

int slmp_plain__send(struct slmp_plain *s, uint32_t id, const void *data, uint32_t bytes)
{
	unsigned outstanding = 0;
	uint32_t at = 0;
	int err = 0;

	do {
		uint32_t part = bytes - at < s->payload_bytes ? bytes - at : s->payload_bytes;
		int last = at + part == bytes, wants_ack = s->window || !at || (last && !s->last_is_silent);

		err = send_packet(s, (uint16_t)((wants_ack ? SYN : 0) | (last ? EOM : 0)), id, at, (const uint8_t *)data + at, part);
		outstanding += (unsigned)wants_ack;
		at += part;
		/*
		 * Without a window, waits for each requested acknowledgement. With a window, waits only when it is full, and
		 * at the end for all. Acknowledgements that have arrived are read at once, because a socket queues only about 40 packets
		 * from a veth.
		 */
		while (!err && outstanding) {
			int must = last || outstanding >= s->window;

			err = receive_ack(s, id, at ? at : 1, must ? 0 : MSG_DONTWAIT);
			if (err == -ETIMEDOUT && !must) {
				err = 0;
				break;
			}
			outstanding--;
		}
	} while (!err && at < bytes);
	return err;
}
