/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests spind's setting `events`: handlers on a program's socket that emit an event for each datagram may emit only that many per second.
 * Datagrams beyond it are dropped and counted. A program whose handlers emit no events loses nothing. Without the limit all events arrive.
 * The upper bound depends on how long the test takes, which is measured. Run by tests/run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "kernel/cpus.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include "tests/common/traffic/migration_handler.h"
#include <spin/libspin_socket.h>

#define LIMIT     200 /* events per second */
#define DATAGRAMS 3000
#define BURST     20

static const struct moving_source noisy_source = { "", "uint32_t packets, other;", ".other = 0",
						   "spin_add32(&state->packets, 1);\nif (state->packets)\n\treturn SPIN_FAIL;" };
static const struct moving_source quiet_source = { "", "uint32_t packets, other;", ".other = 0", "spin_add32(&state->packets, 1);" };

static struct udp_hosts hosts;

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct spin_ctx *attach(const struct spind *spind, const struct spin_object *object, uint16_t port, const char *name, int *fd)
{
	*fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	udp_hosts__bind(*fd, "127.0.0.1", port);
	return spind__attach(spind, *fd, object, name);
}

static void count_event(void *arg, const struct spin_event *event)
{
	(void)event;
	++*(uint64_t *)arg;
}

static void send_burst(int sender, uint16_t port)
{
	union asks_address to;
	const socklen_t bytes = udp_hosts__address("127.0.0.1", port, &to);

	for (int i = 0; i < BURST; i++)
		if (sendto(sender, "x", 1, 0, &to.any, bytes) != 1)
			die("a datagram is not sent");
}

static uint64_t over_limit[2]; /* packets dropped by the limit: the noisy program's and the quiet one's */

static int store_over_limit(void *arg, const struct spin_socket_info *info)
{
	(void)arg;
	over_limit[!strcmp(info->name, "quiet")] = info->over;
	return 0;
}

/* Sends datagrams to both programs, and reads the events of the first. Returns the number of datagrams that its handlers ran for. */
static uint64_t run(const char *settings, const struct spin_object *const objects[2], uint64_t *events, double *took_s)
{
	struct spind spind;
	struct spin_ctx *noisy, *quiet;
	int fds[2], sender = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	uint64_t handled;
	double start_s;

	spind__start(&spind, settings);
	noisy = attach(&spind, objects[0], UDP_HOSTS_PORT, "noisy", &fds[0]);
	quiet = attach(&spind, objects[1], UDP_HOSTS_PORT + 1, "quiet", &fds[1]);
	*events = 0;
	start_s = now_s();
	for (int sent = 0; sent < DATAGRAMS; sent += BURST) {
		send_burst(sender, UDP_HOSTS_PORT);
		send_burst(sender, UDP_HOSTS_PORT + 1);
		usleep(2000);
		if (spin_ctx__events(noisy, count_event, events) < 0)
			die("events: %s", spin_strerror_last());
	}
	*took_s = now_s() - start_s;
	if (spin_socket__list(spind.socket, store_over_limit, NULL))
		die("list: %s", spin_strerror_last());
	if (over_limit[1] || migration_handler__field(quiet, "spin_state.packets") != DATAGRAMS)
		die("handlers without events lose %llu of their packets", (unsigned long long)over_limit[1]);
	handled = migration_handler__field(noisy, "spin_state.packets");
	spin_ctx__destroy(quiet);
	spin_ctx__destroy(noisy);
	close(fds[0]);
	close(fds[1]);
	close(sender);
	spind__cleanup(&spind);
	return handled;
}

int main(void)
{
	const struct spin_object *objects[2];
	uint64_t events, handled;
	double took_s, most;
	char settings[32];

	udp_hosts__hosts(&hosts);
	objects[0] = migration_handler__compile(&noisy_source);
	objects[1] = migration_handler__compile(&quiet_source);
	handled = run("", objects, &events, &took_s);
	printf("without a limit: %llu handled, %llu events in %.1f s\n", (unsigned long long)handled, (unsigned long long)events, took_s);
	if (handled != DATAGRAMS || events != DATAGRAMS || over_limit[0])
		die("without a limit something is missing");
	snprintf(settings, sizeof(settings), "events %d\n", LIMIT);
	handled = run(settings, objects, &events, &took_s);
	printf("with %d a second: %llu handled, %llu events in %.1f s, %llu dropped\n", LIMIT, (unsigned long long)handled,
	       (unsigned long long)events, took_s, (unsigned long long)over_limit[0]);
	/* for each tenth of a second that has begun: its share, and an event in progress on each CPU */
	most = (took_s * 10 + 2) * (LIMIT / 10.0 + kernel_cpus__possible());
	if ((double)events > most || events < LIMIT / 10 || handled != events || handled + over_limit[0] != DATAGRAMS || !over_limit[0])
		die("more events than %.0f, or packets that nobody has counted", most);
	return 0;
}
