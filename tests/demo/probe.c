/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends datagrams to echo servers, to find which ports a handler passes and where it redirects (probe.h). Called by demo_filtering.c. A
 * failure of a socket ends the demo.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/proc.h"
#include "tests/demo/probe.h"

#define PORTS_MAX 8
#define ANSWER_MS 200
#define WORDS     64

struct datagram {
	uint16_t port; /* port of the echo server that answered; 0 in the request */
	uint16_t unused;
	uint32_t number;
	uint32_t word[WORDS];
};

struct echo {
	const uint16_t *ports;
	volatile uint32_t *ready;
};

static int open_socket(const char *addr, uint16_t port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, addr, &at.sin_addr);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)))
		die("UDP %s:%u: %s", addr, port, strerror(errno));
	return fd;
}

static int run_echo(void *arg)
{
	const struct echo *echo = arg;
	struct pollfd fds[PORTS_MAX];
	nfds_t n = 0;

	for (; n < PORTS_MAX && echo->ports[n]; n++)
		fds[n] = (struct pollfd){ open_socket(LAB_SERVER_ADDR, echo->ports[n]), POLLIN, 0 };
	*echo->ready = 1;
	while (poll(fds, n, -1) > 0) {
		for (nfds_t i = 0; i < n; i++) {
			struct sockaddr_in from;
			socklen_t from_bytes = sizeof(from);
			struct datagram d;

			if (!fds[i].revents || recvfrom(fds[i].fd, &d, sizeof(d), 0, (struct sockaddr *)&from, &from_bytes) != sizeof(d))
				continue;
			d.port = echo->ports[i];
			sendto(fds[i].fd, &d, sizeof(d), 0, (struct sockaddr *)&from, from_bytes);
		}
	}
	return 1;
}

pid_t probe_echo(const struct lab *lab, const uint16_t *ports)
{
	struct echo echo = { ports, proc_shared(sizeof(uint32_t)) };
	pid_t pid = proc_start(lab->server.ns_fd, lab->server.cpu, run_echo, &echo);

	while (!*echo.ready) {
		if (!proc_alive(pid))
			die("the echo server ended");
		usleep(1000);
	}
	return pid;
}

unsigned probe_send(const struct lab *lab, const char *from, uint16_t to_port, unsigned datagrams, const uint16_t *ports,
		    unsigned *answered)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(to_port) };
	struct timeval wait = { .tv_usec = ANSWER_MS * 1000 };
	unsigned none = 0;
	int fd;

	lab_enter(&lab->client);
	fd = open_socket(from, 0);
	inet_pton(AF_INET, LAB_SERVER_ADDR, &to.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	for (unsigned n = 0; n < datagrams; n++) {
		struct datagram out = { .number = n }, in = { 0 };
		unsigned i = 0;

		for (unsigned w = 0; w < WORDS; w++)
			out.word[w] = (n + 1) * 2654435761u ^ w * 40503u;
		if (sendto(fd, &out, sizeof(out), 0, (struct sockaddr *)&to, sizeof(to)) < 0 ||
		    recv(fd, &in, sizeof(in), 0) != sizeof(in) || in.number != n || memcmp(in.word, out.word, sizeof(in.word))) {
			none++;
			continue;
		}
		while (ports[i] && ports[i] != in.port)
			i++;
		if (ports[i])
			answered[i]++;
		else
			none++;
	}
	close(fd);
	return none;
}
