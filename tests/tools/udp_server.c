/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * udp_server SECONDS [ADDRESS]: a UDP server that knows nothing of handlers. Binds port 9000 of 127.0.0.1 or ADDRESS, prints "bound", reads
 * datagrams without answering for SECONDS, then prints how many it has read and exits. Used by tests in tests/cli and tests/docs that
 * attach handlers to its socket.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

int main(int argc, char **argv)
{
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(9000), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const time_t end = time(NULL) + (argc > 1 && atoi(argv[1]) ? atoi(argv[1]) : 1);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	unsigned long read = 0;

	if (argc > 2)
		inet_pton(AF_INET, argv[2], &own.sin_addr);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&own, sizeof(own))) {
		perror("udp_server");
		return 1;
	}
	printf("bound\n");
	fflush(stdout);
	while (time(NULL) < end) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		char datagram[2048];

		if (poll(&wait, 1, 100) > 0 && recv(fd, datagram, sizeof(datagram), 0) >= 0)
			read++;
	}
	printf("%lu datagrams\n", read);
	return 0;
}
