/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Captures the frames of a demo run and writes them as pcap. Called by the parts of the demo. A failure ends the demo. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <spin/bytes.h>
#include <spin/wire.h>

#include "tests/common/proc.h"
#include "tests/demo/capture.h"

#define QUEUE_BYTES (64 << 20)

void capture_start(struct capture *capture, const struct lab *lab, uint16_t port)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int bytes = QUEUE_BYTES;

	*capture = (struct capture){ .port = port };
	lab_enter(&lab->client);
	at.sll_ifindex = (int)if_nametoindex(lab->client.ifname);
	capture->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (capture->fd < 0 || setsockopt(capture->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) ||
	    bind(capture->fd, (struct sockaddr *)&at, sizeof(at)))
		die("cannot capture on %s: %s", lab->client.ifname, strerror(errno));
}

static int is_wanted(const struct capture *capture, const struct frame *frame)
{
	const struct spin_eth *eth = (const void *)frame->data;
	const struct spin_ip4 *ip = (const void *)(eth + 1);
	const struct spin_udp *udp = (const void *)(ip + 1);

	return frame->bytes >= sizeof(*eth) + sizeof(*ip) + sizeof(*udp) && eth->type == spin_hton16(SPIN_ETH_IP4) &&
	       ip->version_ihl == 0x45 && ip->protocol == SPIN_IP_UDP && udp->dst_port == spin_hton16(capture->port);
}

void capture_stop(struct capture *capture, size_t frames_max)
{
	capture->frame = calloc(frames_max, sizeof(*capture->frame));
	if (!capture->frame)
		die("no memory for %zu frames", frames_max);
	while (capture->frames < frames_max) {
		struct frame *frame = &capture->frame[capture->frames];
		struct sockaddr_ll from;
		socklen_t from_bytes = sizeof(from);
		ssize_t n = recvfrom(capture->fd, frame->data, sizeof(frame->data), MSG_DONTWAIT, (struct sockaddr *)&from, &from_bytes);

		if (n < 0)
			break;
		frame->bytes = (uint16_t)n;
		if (from.sll_pkttype == PACKET_OUTGOING && is_wanted(capture, frame))
			capture->frames++;
	}
	close(capture->fd);
	if (!capture->frames)
		die("nothing captured to port %u", capture->port);
}

double capture_mean_bytes(const struct capture *capture)
{
	double sum = 0;

	for (size_t i = 0; i < capture->frames; i++)
		sum += capture->frame[i].bytes;
	return sum / (double)capture->frames;
}

void capture_write(const struct capture *capture, const char *path)
{
	/* magic, version 2.4, time zone and accuracy, snap length, Ethernet */
	const uint32_t head[6] = { 0xa1b2c3d4, 2 | 4 << 16, 0, 0, CAPTURE_FRAME_BYTES, 1 };
	FILE *to = fopen(path, "we");

	if (to)
		fwrite(head, sizeof(head), 1, to);
	for (size_t i = 0; to && i < capture->frames; i++) {
		const struct frame *frame = &capture->frame[i];
		const uint32_t record[4] = { 0, (uint32_t)i, frame->bytes, frame->bytes };

		fwrite(record, sizeof(record), 1, to);
		fwrite(frame->data, frame->bytes, 1, to);
	}
	if (!to || ferror(to) || fclose(to))
		die("%s: %s", path, strerror(errno));
}
