/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends datagrams in bursts and waits until all have arrived (burst.h), so that a test can tell whether one was lost. Used by tests in
 * tests/live and tests/transfer.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "tests/common/net/slow.h"
#include "tests/common/traffic/burst.h"

#define TIMEOUT_S 20

int burst__timeout_s(void)
{
	return TIMEOUT_S * slow_factor();
}

static struct sockaddr_in endpoint(const char *address, uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, address, &a.sin_addr);
	return a;
}

int burst__socket(const char *address, uint16_t port)
{
	const struct sockaddr_in a = endpoint(address, port);
	struct timeval wait = { .tv_sec = burst__timeout_s() };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&a, sizeof(a)) || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait))) {
		printf("FAIL: cannot open a socket\n");
		exit(1);
	}
	return fd;
}

int burst__send(int fd, const char *address, uint16_t port)
{
	const struct sockaddr_in to = endpoint(address, port);
	static const char text[BURST_BYTES] = "a datagram";

	return sendto(fd, text, sizeof(text), 0, (const struct sockaddr *)&to, sizeof(to)) == sizeof(text) ? 0 : -1;
}

int burst__receive(int fd)
{
	char text[BURST_BYTES];

	return recv(fd, text, sizeof(text), 0) == sizeof(text) ? 0 : -1;
}

static void *run(void *arg)
{
	struct burst *b = arg;

	while (!__atomic_load_n(&b->stop, __ATOMIC_ACQUIRE) && !b->lost) {
		for (int i = 0; i < BURST_DATAGRAMS; i++)
			if (burst__send(b->to, b->address, b->port))
				b->lost = "cannot send";
		for (int i = 0; i < BURST_DATAGRAMS && !b->lost; i++)
			if (burst__receive(b->from))
				b->lost = "a datagram was lost";
		b->sent += BURST_DATAGRAMS;
	}
	return NULL;
}

void burst__start(struct burst *b)
{
	b->sent = 0;
	b->lost = NULL;
	b->stop = 0;
	if (pthread_create(&b->thread, NULL, run, b)) {
		printf("FAIL: no thread\n");
		exit(1);
	}
}

void burst__stop(struct burst *b)
{
	__atomic_store_n(&b->stop, 1, __ATOMIC_RELEASE);
	pthread_join(b->thread, NULL);
}
