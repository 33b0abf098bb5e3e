/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Client threads for handlers that answer: they send messages and datagrams, and check every packet that comes back. Started by
 * echo_test.c, for tests/stress/stress.c. The first error ends the thread and is kept as a text.
 */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <spin/slmp.h>

#include "tests/common/net/slow.h"
#include "tests/common/net/echo_clients.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"

#define PING_PORT 9331
#define FAN_PORT  9001
#define PACKETS   ECHO_PACKETS
#define EACH      ECHO_EACH
#define WORDS     50u /* payload words of a packet */
#define STRIDE    (4 * WORDS)
#define BATCH     8u /* datagrams */
#define TIMEOUT_S (15 * slow_factor())
#define ALL       ((1u << PACKETS) - 1)

struct ping {
	struct spin_slmp head;
	uint32_t payload[WORDS];
} __attribute__((packed));

static int open_socket(int near_ns, uint16_t port, int wait_us)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct timeval wait = { .tv_usec = wait_us };
	int fd;

	netns_enter(near_ns);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	inet_pton(AF_INET, FAR_ADDR, &to.sin_addr);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		return -1;
	return fd;
}

/* --- messages whose packets come back --- */

static struct ping make_ping(uint32_t id, unsigned packet)
{
	struct ping p = { { htons(SPIN_SLMP_SYN | (packet == PACKETS - 1 ? SPIN_SLMP_EOM : 0)), htonl(id), htonl(packet * STRIDE) },
			  { 0 } };

	for (unsigned i = 0; i < WORDS; i++)
		p.payload[i] = id * PACKETS + packet;
	return p;
}

/* Receives one packet. Returns 0 if nothing arrives in time. Late packets of earlier messages are checked in the same way. */
static int receive_pong(struct echo_test *a, int fd, uint32_t id, unsigned *acknowledged)
{
	struct ping got, want;
	ssize_t bytes = recv(fd, &got, sizeof(got), 0);
	uint32_t of = ntohl(got.head.message_id), packet = ntohl(got.head.offset) / STRIDE;

	if (bytes < 0)
		return 0;
	if (of > id || packet >= PACKETS || ntohl(got.head.offset) % STRIDE) {
		a->reason = "what pingpong sent back is of no packet";
		return 0;
	}
	want = make_ping(of, packet);
	if (bytes == sizeof(got.head)) {
		if (got.head.flags != htons(SPIN_SLMP_ACK))
			a->reason = "pingpong's context acknowledges with other flags";
		*acknowledged |= of == id ? 1u << packet : 0;
	} else if (bytes == sizeof(got) && !memcmp(&got, &want, sizeof(got))) {
		a->came[ECHO_FORWARD]++;
	} else {
		a->reason = "what pingpong sent back is not what it was sent";
	}
	return 1;
}

void *echo_test__ping(void *arg)
{
	struct echo_test *a = arg;
	int fd = open_socket(a->near_ns, PING_PORT, 20000);

	if (fd < 0)
		a->reason = "no socket";
	for (uint32_t id = 1; !*a->stop && !a->reason; id++) {
		unsigned acknowledged = 0;
		time_t start = time(NULL);

		while (acknowledged != ALL && !a->reason) {
			for (unsigned packet = 0; packet < PACKETS; packet++) {
				const struct ping p = make_ping(id, packet);

				if (!(acknowledged >> packet & 1) && send(fd, &p, sizeof(p), 0) != sizeof(p))
					a->reason = "pings cannot be sent";
			}
			while (acknowledged != ALL && !a->reason && receive_pong(a, fd, id, &acknowledged))
				;
			if (acknowledged != ALL && time(NULL) - start > TIMEOUT_S)
				a->reason = "pings are not acknowledged";
		}
		a->messages += acknowledged == ALL;
	}
	for (unsigned late = 0, none = 0; fd >= 0 && !a->reason && late < 1000 && receive_pong(a, fd, UINT32_MAX, &none); late++)
		;
	close(fd);
	return NULL;
}

/* --- datagrams with several answers --- */

/*
 * Datagram n consists of words 4n, 4n + 1, ... An answer that begins with its first word is a put or the reply; with its
 * second word, a put.
 */
static int receive_fan(struct echo_test *a, int fd)
{
	uint32_t got[8];
	ssize_t bytes = recv(fd, got, sizeof(got), 0);

	if (bytes < 0)
		return 0;
	if (got[0] / 4 >= a->datagrams)
		a->reason = "what fan_out sent is of no datagram";
	else if (bytes == 8 && got[0] % 4 < EACH && got[1] == got[0] + 1)
		a->came[ECHO_PUT]++;
	else if (bytes == 4 && got[0] % 4 == 0)
		a->came[ECHO_REPLY]++;
	else
		a->reason = "what fan_out sent is not what it was to send";
	return 1;
}

void *echo_test__fan(void *arg)
{
	struct echo_test *a = arg;
	int fd = open_socket(a->near_ns, FAN_PORT, 1000);
	uint32_t words[8];

	if (fd < 0)
		a->reason = "no socket";
	while (!*a->stop && !a->reason) {
		for (unsigned i = 0; i < BATCH; i++) {
			for (unsigned k = 0; k < 8; k++)
				words[k] = (uint32_t)(4 * a->datagrams + k);
			a->datagrams++;
			if (send(fd, words, sizeof(words), 0) != sizeof(words))
				a->reason = "datagrams cannot be sent";
		}
		while (!a->reason && receive_fan(a, fd))
			;
	}
	for (unsigned still = 0; still < 100 && fd >= 0 && !a->reason;)
		still = receive_fan(a, fd) ? 0 : still + 1;
	close(fd);
	return NULL;
}
