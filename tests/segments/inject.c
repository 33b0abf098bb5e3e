/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends TCP segments as frames through a packet socket (inject.h). Called by the tests of live interfaces in this directory.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/proc.h"
#include "tests/segments/inject.h"

void injector__open(struct injector *i, const char *dev, const uint8_t to[6])
{
	struct sockaddr_ll a = { .sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(dev) };

	i->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (i->fd < 0 || bind(i->fd, (struct sockaddr *)&a, sizeof(a)))
		die("no packet socket on %s: %s", dev, strerror(errno));
	memcpy(i->to, to, sizeof(i->to));
}

void injector__close(struct injector *i)
{
	close(i->fd);
}

void injector__address(const char *dev, uint8_t address[6])
{
	struct ifreq request = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", dev);
	if (fd < 0 || ioctl(fd, SIOCGIFHWADDR, &request))
		die("%s has no Ethernet address: %s", dev, strerror(errno));
	memcpy(address, request.ifr_hwaddr.sa_data, 6);
	close(fd);
}

struct segref_key injector__key(const char *src, uint16_t src_port, const char *dst, uint16_t dst_port)
{
	const int family = strchr(src, ':') ? AF_INET6 : AF_INET;
	struct segref_key key = { .ip_version = family == AF_INET ? 4 : 6, .src_port = src_port, .dst_port = dst_port };

	if (inet_pton(family, src, key.src) != 1 || inet_pton(family, dst, key.dst) != 1)
		die("%s or %s is not an address of its family", src, dst);
	return key;
}

void injector__send(const struct injector *i, const struct segref_key *key, uint32_t seq, uint8_t flags, uint32_t bytes)
{
	static const struct segframe_shape plain = { 0 };
	static const uint8_t payload[INJECT_BYTES_MAX];
	const struct segref_segment s = { .key = *key, .seq = seq, .flags = flags, .payload = payload, .bytes = bytes };
	uint8_t frame[SEGFRAME_HEADERS_MAX + INJECT_BYTES_MAX];
	uint32_t frame_bytes = segframe_build(&s, &plain, frame);

	memcpy(frame, i->to, sizeof(i->to));
	if (send(i->fd, frame, frame_bytes, 0) != (ssize_t)frame_bytes)
		die("a frame is not sent: %s", strerror(errno));
}
