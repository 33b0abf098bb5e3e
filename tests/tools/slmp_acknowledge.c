/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * slmp_acknowledge [PORT [ROOM]]: a receiver of SLMP messages (a protocol over UDP), on port 9330 or PORT. Acknowledges every packet that
 * asks for it, stores nothing, and never exits. Refuses packets whose offset is ROOM or more. Started by tests of commands that send:
 * tests/transfer/send.sh, tests/cli/manners.sh and tests/docs/docs.inc.
 */
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
	struct sockaddr_in6 at = { .sin6_family = AF_INET6, .sin6_port = htons(argc > 1 ? (uint16_t)atoi(argv[1]) : 9330) };
	int fd = socket(AF_INET6, SOCK_DGRAM, 0); /* takes IPv4, too */
	uint32_t room = argc > 2 ? (uint32_t)atoi(argv[2]) : UINT32_MAX, offset;
	uint8_t packet[2048];
	ssize_t bytes;

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at))) {
		perror("slmp_acknowledge");
		return 1;
	}
	for (socklen_t from_bytes = sizeof(at);; from_bytes = sizeof(at)) {
		bytes = recvfrom(fd, packet, sizeof(packet), 0, (struct sockaddr *)&at, &from_bytes);
		if (bytes < 10 || !(packet[0] & 0x40))
			continue;
		memcpy(&offset, packet + 6, sizeof(offset));
		packet[0] = ntohl(offset) < room ? 0x20 : 0x28;
		packet[1] = 0;
		sendto(fd, packet, 10, 0, (struct sockaddr *)&at, from_bytes);
	}
}
