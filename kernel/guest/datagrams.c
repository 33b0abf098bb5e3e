/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends datagrams from several sockets to a handler and counts the answers: datagrams ADDRESS PORT COUNT FLOWS BYTES answered|silent. Run
 * by drivers_cases.sh in the sending guest, and by share_cases.sh. Prints "sent N answered N wrong N"; with `silent` it waits for no
 * answer. Gives up after 5 datagrams without an answer.
 */
#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define FLOWS_MAX   64
#define TIMEOUT_S   2   /* timeout for an answer */
#define PACE_US     500 /* between datagrams that get no answer */
#define REPLY_BYTES 16
#define BYTES_MAX   8972 /* a datagram in a frame of MTU 9000 */

/* A request to tests/handlers/datagrams/rewrite.c: store `value` at byte `at`, then reply with the first `bytes` bytes. */
struct request {
	uint8_t what, reply;
	uint16_t bytes, at, port;
	uint32_t value, stored;
	uint8_t rest[BYTES_MAX - 16];
};
enum { SET32 = 2 };

static int die(const char *what)
{
	perror(what);
	return 1;
}

static struct request request, got;

static int open_flow(const struct sockaddr_in *to)
{
	struct timeval timeout = { .tv_sec = TIMEOUT_S };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || connect(fd, (const void *)to, sizeof(*to)) || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)))
		return -1;
	return fd;
}

/* Returns 1 if the answer has the expected word, 0 if it has another, -1 if nothing came. */
static int read_answer(int fd, uint32_t value)
{
	ssize_t n;

	got = (struct request){ 0 };
	n = recv(fd, &got, sizeof(got), 0);
	if (n < 0)
		return -1;
	return n == REPLY_BYTES && got.stored == htonl(value);
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	unsigned count, flows, sent = 0, answered = 0, wrong = 0, unanswered = 0;
	int fd[FLOWS_MAX], answers;
	size_t bytes;

	if (argc != 7 || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1) {
		fprintf(stderr, "usage: datagrams ADDRESS PORT COUNT FLOWS BYTES answered|silent\n");
		return 2;
	}
	to.sin_port = htons((uint16_t)atoi(argv[2]));
	count = (unsigned)atoi(argv[3]);
	flows = (unsigned)atoi(argv[4]);
	bytes = (size_t)atoi(argv[5]);
	answers = !strcmp(argv[6], "answered");
	if (!flows || flows > FLOWS_MAX || bytes < REPLY_BYTES || bytes > BYTES_MAX)
		return 2;
	for (unsigned f = 0; f < flows; f++) {
		fd[f] = open_flow(&to);
		if (fd[f] < 0)
			return die("socket");
	}
	for (unsigned i = 0; i < count && unanswered < 5; i++) {
		int right;

		request = (struct request){ .what = SET32,
					    .reply = 1,
					    .bytes = htons(REPLY_BYTES),
					    .at = htons(offsetof(struct request, stored)),
					    .value = htonl(i + 1) };
		if (send(fd[i % flows], &request, bytes, 0) != (ssize_t)bytes)
			return die("send");
		sent++;
		if (!answers) {
			usleep(PACE_US);
			continue;
		}
		right = read_answer(fd[i % flows], i + 1);
		answered += right == 1;
		wrong += right == 0;
		unanswered += right < 0;
	}
	printf("sent %u answered %u wrong %u\n", sent, answered, wrong);
	return 0;
}
