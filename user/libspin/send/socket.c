/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The UDP socket of the sender of messages: addresses, options, and trains of datagrams (several in one system call, UDP_SEGMENT) sent by
 * sendmmsg(). Called by send.c. A packet that would need fragmentation is an error.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "user/libspin/send/send.h"

#define BUFFER_BYTES (4 << 20) /* socket buffers for a whole window and its acknowledgements; the system limits them */
#define UDP_BYTES    8

static int resolve(const char *what, const char *host, const char *port, int family, struct addrinfo **out)
{
	const struct addrinfo hints = { .ai_family = family,
					.ai_socktype = SOCK_DGRAM,
					.ai_protocol = IPPROTO_UDP,
					.ai_flags = AI_NUMERICSERV | (family ? AI_NUMERICHOST : 0) };
	int err = getaddrinfo(host, port, &hints, out);

	if (!err)
		return 0;
	if (err == EAI_SERVICE)
		return spin_fail(-EINVAL, "%s: '%s' is not a port; give a number from 1 to 65535", what, port);
	if (err == EAI_MEMORY)
		return spin_fail(-ENOMEM, "no memory");
	if (family)
		return spin_fail(-EINVAL, "%s: '%s' is not an IPv%d address; the receiver's is one", what, host, family == AF_INET ? 4 : 6);
	if (err == EAI_AGAIN)
		return spin_fail(-ENOENT, "%s: the name service does not answer; give an address, or look at /etc/resolv.conf", host);
	if (err == EAI_NONAME)
		return spin_fail(-ENOENT, "no such host: %s; give another name, or an address", host);
	return spin_fail(-ENOENT, "%s: %s; give an address, or look at the name service", host, gai_strerror(err));
}

static int is_port(const char *port)
{
	size_t digits = strspn(port, "0123456789");
	unsigned number = 0;

	if (!digits || port[digits] || digits > 5)
		return 0;
	for (; *port; port++)
		number = number * 10 + (unsigned)(*port - '0');
	return number >= 1 && number <= 65535;
}

/* ADDR, ADDR:PORT, [ADDR]:PORT; a bare IPv6 address has more than one colon. */
static int bind_source(int fd, const char *source, int family)
{
	char host[64];
	const char *port = "0", *colon = strrchr(source, ':');
	struct addrinfo *at;
	int err;

	if (snprintf(host, sizeof(host), "%s", source) >= (int)sizeof(host))
		return spin_fail(-EINVAL, "source: '%s' is not an address", source);
	if (colon && (source[0] == '[' ? colon[-1] == ']' : colon == strchr(source, ':'))) {
		host[colon - source] = '\0';
		port = colon + 1;
		if (!is_port(port))
			return spin_fail(-EINVAL, "source: '%s' is not a port; give a number from 1 to 65535", port);
	}
	if (host[0] == '[' && host[strlen(host) - 1] == ']') {
		host[strlen(host) - 1] = '\0';
		memmove(host, host + 1, strlen(host));
	}
	err = resolve("source", host, port, family, &at);
	if (err)
		return err;
	if (bind(fd, at->ai_addr, at->ai_addrlen))
		err = spin_fail(-errno, "source %s: %s; it is an address of this machine, with a port that is free", source,
				strerror(errno));
	freeaddrinfo(at);
	return err;
}

/* Handlers never see fragments, so a packet longer than the path MTU must fail here. */
static int set_socket_options(int fd, int family)
{
	int discover = family == AF_INET ? IP_PMTUDISC_DO : IPV6_PMTUDISC_DO, bytes = BUFFER_BYTES;

	if (setsockopt(fd, family == AF_INET ? (int)IPPROTO_IP : (int)IPPROTO_IPV6, family == AF_INET ? IP_MTU_DISCOVER : IPV6_MTU_DISCOVER,
		       &discover, sizeof(discover)))
		return spin_fail(-errno, "cannot ask for packets in one piece: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	setsockopt(fd, IPPROTO_UDP, UDP_GRO, &(int){ 1 }, sizeof(int)); /* without UDP_GRO acknowledgements are read one by one */
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	return 0;
}

static int connect_to(const struct addrinfo *to, const char *source, const char *peer)
{
	int fd = socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_UDP), err;

	if (fd < 0)
		return spin_fail(-errno, "cannot open a UDP socket: %s", strerror(errno));
	err = set_socket_options(fd, to->ai_family);
	if (!err && source)
		err = bind_source(fd, source, to->ai_family);
	if (!err && connect(fd, to->ai_addr, to->ai_addrlen))
		err = spin_fail(-errno, "%s: %s; there is no way there from this machine", peer, strerror(errno));
	if (!err)
		return fd;
	close(fd);
	return err;
}

static void name_peer(const struct addrinfo *to, char *peer, size_t bytes)
{
	char host[64] = "?", port[8] = "?";

	getnameinfo(to->ai_addr, to->ai_addrlen, host, sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(peer, bytes, "%s port %s", host, port);
}

int send_socket__open(const char *host, const char *port, const char *source, int *fd, char *peer, size_t bytes)
{
	struct addrinfo *all;
	char number[8];
	int err;

	if (!host || !*host)
		return spin_fail(-EINVAL, "sender: there is no host; give a name or an address");
	snprintf(number, sizeof(number), "%u", SPIN_SLMP_PORT);
	if (!port)
		port = number;
	if (!is_port(port))
		return spin_fail(-EINVAL, "sender: '%s' is not a port; give a number from 1 to 65535", port);
	err = resolve("sender", host, port, AF_UNSPEC, &all);
	if (err)
		return err;
	*fd = -1;
	for (const struct addrinfo *to = all; to && *fd < 0; to = to->ai_next) {
		name_peer(to, peer, bytes);
		*fd = connect_to(to, source, peer);
	}
	freeaddrinfo(all);
	return *fd < 0 ? *fd : 0;
}

int send_socket__room(int fd)
{
	struct sockaddr_storage name = { 0 };
	socklen_t name_bytes = sizeof(name), bytes = sizeof(int);
	int mtu, ip6;

	if (getsockname(fd, (struct sockaddr *)&name, &name_bytes))
		return -errno;
	ip6 = name.ss_family == AF_INET6;
	if (getsockopt(fd, ip6 ? (int)IPPROTO_IPV6 : (int)IPPROTO_IP, ip6 ? IPV6_MTU : IP_MTU, &mtu, &bytes))
		return -errno;
	return mtu - (ip6 ? 40 : 20) - UDP_BYTES;
}

void send_socket__clear(int fd)
{
	socklen_t bytes = sizeof(int);
	char rest;
	int err;

	getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &bytes);
	for (unsigned i = 0; i < BUFFER_BYTES / 256 && recv(fd, &rest, sizeof(rest), MSG_DONTWAIT) >= 0; i++)
		;
}

/*
 * Datagrams of the sender, many per system call. Datagrams of equal length are passed to the kernel as one, which it splits again where
 * the packet leaves (UDP_SEGMENT, Linux 4.18), so that sockets, routes and filters are traversed once for all of them.
 * Acknowledgements are coalesced in the same way (UDP_GRO, Linux 5.0). Both are optional.
 */

#define TRAIN_PACKETS 64u    /* UDP_MAX_SEGMENTS before Linux 6.9 */
#define TRAIN_BYTES   65000u /* at most 65,535 with IP and UDP headers */

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

/* Returns how many datagrams from `first` on form a train: all have its length, except that the last may be shorter. */
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

/* Builds one message from the datagrams. */
static unsigned build_message(struct send_batch *b, struct mmsghdr *message, struct send_control *control, struct iovec *part,
			      unsigned first, unsigned packets)
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

/* Forms trains of all datagrams that are left. Returns the number of trains. */
static unsigned build_trains(struct send_batch *b, unsigned *packets)
{
	unsigned trains = 0, parts = 0;

	for (unsigned at = b->gone; at < b->count; trains++) {
		packets[trains] = train_from(b, at);
		parts += build_message(b, &b->message[trains], &b->control[trains], &b->part[parts], at, packets[trains]);
		at += packets[trains];
	}
	return trains;
}

/* Returns 1 if the error may mean that the kernel or the device supports no trains. Sending without trains shows any other error. */
static int give_up_trains(struct send_batch *b, unsigned packets, int err)
{
	if (packets == 1 || (err != EINVAL && err != EIO && err != EMSGSIZE && err != EOPNOTSUPP && err != ENOPROTOOPT))
		return 0;
	b->plain = 1;
	return 1;
}

int send_batch__flush(struct send_batch *b, int fd, uint64_t *sent)
{
	unsigned packets[SEND_BATCH], trains = build_trains(b, packets), at = 0;

	while (at < trains) {
		int n = sendmmsg(fd, &b->message[at], trains - at, MSG_DONTWAIT), err = errno;

		if (n < 0 && (err == EAGAIN || err == EWOULDBLOCK))
			return -EAGAIN;
		if (n < 0 && give_up_trains(b, packets[at], err)) {
			trains = build_trains(b, packets);
			at = 0;
			continue;
		}
		if (n < 0 && err != ENOBUFS)
			return -err;
		if (n < 0)
			n = 1; /* a transmit queue was full: the datagram is lost, as it could be on the path */
		for (; n && at < trains; n--, at++) {
			b->gone += packets[at];
			*sent += packets[at];
		}
	}
	b->gone = b->count = 0;
	return 0;
}

/* Ignores what is not an answer to a packet of this message. */
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

/* Returns the length of each coalesced datagram; without coalescing, of the whole datagram. */
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

/*
 * Decides whether packets may be sent in trains. If nothing splits a train before the receiver's XDP program (generic mode on a loopback
 * interface or a veth), it arrives as one datagram, which no SLMP receiver accepts, and is lost. So trains are tried with two packets, and
 * are used after a packet of a train was acknowledged. The first packet of a message is sent alone, and no train before it was
 * acknowledged, because a receiver would take the train's length for that of all packets. Lost packets are retransmitted alone as well.
 */

#define LOST_MAX      128u  /* consecutive lost packets of trains after which the path is taken to have changed */
#define RETRY_PACKETS 2048u /* packets until the next try: the tried ones may have been lost for other reasons */

unsigned send_trains__next(struct send_trains *t, int is_open, unsigned space)
{
	if (!is_open || space < 2)
		return 0;
	if (t->state == SEND_TRAINS_PROVEN)
		return space;
	if (t->state == SEND_TRAINS_TRIED)
		return 0;
	if (t->wait) {
		t->wait--;
		return 0;
	}
	t->state = SEND_TRAINS_TRIED;
	return 2;
}

void send_trains__acknowledged(struct send_trains *t)
{
	t->state = SEND_TRAINS_PROVEN;
	t->lost = 0;
}

void send_trains__lost(struct send_trains *t)
{
	if (t->state == SEND_TRAINS_PROVEN && ++t->lost < LOST_MAX)
		return;
	t->state = SEND_TRAINS_UNKNOWN;
	t->wait = RETRY_PACKETS;
	t->lost = 0;
}

void send_trains__start(struct send_trains *t)
{
	if (t->state == SEND_TRAINS_TRIED) /* the message ended before the outcome was known */
		t->state = SEND_TRAINS_UNKNOWN;
}
