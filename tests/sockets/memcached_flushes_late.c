/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests a flush_all with a delay. Handlers that answer memcached's GETs at XDP keep their cache off from the moment they see one. Here
 * memcached executes it long after that, because it cannot send what the same client has asked for before. No value that the flush removes
 * may be answered after it has taken effect. Run by tests/run.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <memcached.h>

#include "tests/common/memcached/client.h"
#include "tests/common/memcached/server.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"

#define ADDR    "10.9.0.1"
#define POLL_MS 50
/* more than a connection's buffers hold */
#define LARGE_BYTES 1000000u
#define LARGE_GETS  24

/* The handlers turn the cache off for the delay and about three seconds, counted from when they see the command. */
static const struct late_case {
	const char *what;
	int delay_s, blocked_s; /* memcached executes the command after blocked_s */
	int another, restarts;  /* then 1: another command that may change all keys comes; spin-memcached is killed and started again */
} cases[] = {
	{ "executed after the handlers' time", 3, 7, 0, 0 },
	{ "executed before it, and then another command comes", 14, 12, 1, 0 },
	{ "executed after it, and then spin-memcached starts again", 3, 7, 0, 1 },
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns 1 if the key has a value, 0 if not, -1 without an answer. */
static int get(int fd, uint16_t id)
{
	static const char command[] = "get late\r\n";
	struct mc_answer answer;
	const char *line;

	mc_client__send_udp(fd, id, command, sizeof(command) - 1);
	if (mc_client__receive_udp(fd, id, 1000, &answer) < 0)
		return -1;
	line = mc_client__line(&answer);
	return line && !strncmp(line, "VALUE late ", 11);
}

/* Asks for the key until handlers answer. Returns 1 if they do. */
static int is_cached(const struct mc_server *server, int fd)
{
	const uint32_t hits = mc_server__hits(server);
	const double end_s = now_s() + 20.0 * slow_factor();
	uint16_t id = 0;

	while (now_s() < end_s && mc_server__hits(server) == hits) {
		get(fd, ++id);
		usleep(POLL_MS * 1000);
	}
	return mc_server__hits(server) != hits;
}

/* Sends a flush_all that memcached reads only after its answers to other commands have been read. */
static void request_flush(int fd, int delay_s)
{
	static char text[LARGE_BYTES + 64];
	int at = snprintf(text, sizeof(text), "set large 0 0 %u noreply\r\n", LARGE_BYTES);

	memset(text + at, 'x', LARGE_BYTES);
	memcpy(text + at + LARGE_BYTES, "\r\n", 2);
	mc_client__send(fd, text, (size_t)at + LARGE_BYTES + 2, 1, NULL);
	at = 0;
	for (int i = 0; i < LARGE_GETS; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "get large\r\n");
	at += snprintf(text + at, sizeof(text) - (size_t)at, "flush_all %d\r\n", delay_s);
	mc_client__send(fd, text, (size_t)at, 1, NULL);
}

/* Reads all answers to the last one, "OK". Returns 0 if it does not come. */
static int skip_to_end(int fd)
{
	static char text[1 << 16];
	char end[4] = "";
	ssize_t got;

	while ((got = read(fd, text, sizeof(text))) > 0) {
		for (ssize_t i = got < 4 ? 0 : got - 4; i < got; i++) {
			memmove(end, end + 1, sizeof(end) - 1);
			end[3] = text[i];
		}
		if (!memcmp(end, "OK\r\n", 4))
			return 1;
	}
	return 0;
}

static int run(struct mc_server *server, const struct late_case *c)
{
	struct mc_answer on = { .fd = mc_client__tcp(ADDR, MC_PORT) };
	const int udp = mc_client__udp(ADDR, MC_PORT);
	double executed_s;
	unsigned before = 0, late = 0;
	uint16_t id = 0x4000;

	mc_client__expect(&on, "set late 0 0 5\r\nvalue\r\n", "STORED");
	if (!is_cached(server, udp)) {
		printf("FAIL: handlers never answer\n");
		return 1;
	}
	request_flush(on.fd, c->delay_s);
	sleep((unsigned)c->blocked_s);
	if (!skip_to_end(on.fd)) {
		printf("FAIL: memcached does not execute the flush_all\n");
		return 1;
	}
	executed_s = now_s();
	if (c->another) {
		sleep(1);
		mc_client__send_udp(udp, 1, "nonsense\r\n", 10);
	}
	if (c->restarts)
		mc_server__restart_fill(server);
	while (now_s() < executed_s + c->delay_s + 5) {
		const double asked_s = now_s() - executed_s;

		/* memcached's clock has whole seconds */
		if (get(udp, ++id) == 1) {
			before += asked_s < c->delay_s - 1.5;
			late += asked_s > c->delay_s + 2;
		}
		usleep(POLL_MS * 1000);
	}
	printf("%s: %u answers with the value before the flush took effect, %u long after\n", c->what, before, late);
	if (!before || late)
		printf("FAIL: %s\n", late ? "a value that was flushed is answered" : "the flush had no delay: nothing is tested");
	close(on.fd);
	close(udp);
	return !before || late;
}

int main(void)
{
	struct mc_server server = { .cpu = -1, .threads = 4, .with = 1 };
	struct udp_hosts hosts;
	int failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (mc_server__missing() || mc_server__missing_handlers()) {
		printf("skip: %s\n", mc_server__missing() ? mc_server__missing() : mc_server__missing_handlers());
		return 77;
	}
	proc_init();
	proc_wait_long();
	udp_hosts__hosts(&hosts);
	netns_enter(hosts.client_ns);
	server.ns = hosts.server_ns;
	mc_server__start(&server);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		failed |= run(&server, &cases[i]);
	mc_server__stop(&server);
	return failed;
}
