/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs iperf3 between the demo's namespaces, and reads the rates and losses that it reports. Called by demo_filtering.c and demo_sockets.c.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/common/proc.h"
#include "tests/demo/iperf.h"

/* Added to the run time: iperf3 waits forever if the first datagram of a flow is lost. */
#define SLACK_S 8u

#define WORDS_MAX 32 /* of a server's command line */

/* Returns 1 if a process listens on a TCP port of the caller's namespace. */
static int listening(uint16_t port)
{
	FILE *from = fopen("/proc/thread-self/net/tcp", "re");
	char line[256];
	unsigned local, state;
	int found = 0;

	while (from && !found && fgets(line, sizeof(line), from))
		found = sscanf(line, " %*d: %*x:%x %*x:%*x %x", &local, &state) == 2 && local == port && state == 10;
	if (from)
		fclose(from);
	return found;
}

static void start_server(const struct lab *lab, struct iperf_flow *flow)
{
	char port[8], *argv[WORDS_MAX], *own[] = { "iperf3", "-4", "-s", "-1", "-p", port, NULL };
	unsigned words = 0;

	snprintf(port, sizeof(port), "%u", flow->port);
	for (; flow->before && flow->before[words]; words++)
		argv[words] = flow->before[words];
	memcpy(&argv[words], own, sizeof(own));
	flow->server = proc_exec(lab->server.ns_fd, lab->server.cpu, flow->server_fd ? flow->server_fd : -1, argv);
	lab_enter(&lab->server);
	for (int i = 0; !listening(flow->port); i++) {
		if (i == 200 || !proc_alive(flow->server))
			die("iperf3 does not listen on port %s", port);
		usleep(10000);
	}
}

void iperf_start(const struct lab *lab, struct iperf_flow *flow, unsigned flows, unsigned seconds, unsigned mbit_s, unsigned datagram_bytes)
{
	char port[8], time[8], rate[16], length[8];
	char *argv[] = { "iperf3", "-4", "-J", "-c", LAB_SERVER_ADDR, "-B", NULL, "-p", port, "-t", time,
			 "-u",     "-b", rate, "-l", length,          NULL };

	if (!mbit_s)
		argv[11] = NULL;
	snprintf(time, sizeof(time), "%u", seconds);
	snprintf(rate, sizeof(rate), "%uM", mbit_s);
	snprintf(length, sizeof(length), "%u", datagram_bytes);
	for (unsigned i = 0; i < flows; i++)
		start_server(lab, &flow[i]);
	for (unsigned i = 0; i < flows; i++) {
		snprintf(port, sizeof(port), "%u", flow[i].port);
		argv[6] = (char *)flow[i].from;
		flow[i].out_fd = memfd_create("iperf3", MFD_CLOEXEC);
		flow[i].deadline_ns = now_ns() + (seconds + SLACK_S) * 1000000000ull;
		flow[i].client = proc_exec(lab->client.ns_fd, lab->client.cpu, flow[i].out_fd, argv);
	}
}

/* Returns the value of a key after the last occurrence of the object, or -1. */
static double number(const char *text, const char *object, const char *key)
{
	const char *at = NULL;

	for (const char *next = text; (next = strstr(next, object)); next++)
		at = next;
	at = at ? strstr(at, key) : NULL;
	return at ? strtod(at + strlen(key), NULL) : -1;
}

static void read_result(struct iperf_flow *flow, int status)
{
	off_t bytes = lseek(flow->out_fd, 0, SEEK_END);
	char *text = calloc(1, (size_t)bytes + 1);
	double packets;

	if (!text || pread(flow->out_fd, text, (size_t)bytes, 0) != bytes)
		die("cannot read iperf3's result: %s", strerror(errno));
	if (status)
		die("iperf3 to port %u failed: %s", flow->port, text);
	packets = number(text, "\"sum\":", "\"packets\":");
	if (packets >= 0) {
		flow->packets = (uint64_t)packets;
		flow->lost = (uint64_t)number(text, "\"sum\":", "\"lost_packets\":");
		flow->received = (uint64_t)(number(text, "\"sum_received\":", "\"packets\":") -
					    number(text, "\"sum_received\":", "\"lost_packets\":"));
		flow->gbit_s = number(text, "\"sum\":", "\"bits_per_second\":") / 1e9;
	} else {
		flow->gbit_s = number(text, "\"sum_received\":", "\"bits_per_second\":") / 1e9;
		flow->sent_gbit_s = number(text, "\"sum_sent\":", "\"bits_per_second\":") / 1e9;
	}
	free(text);
	close(flow->out_fd);
}

void iperf_finish(struct iperf_flow *flow, unsigned flows)
{
	for (unsigned i = 0; i < flows; i++) {
		while (proc_alive(flow[i].client)) {
			if (now_ns() > flow[i].deadline_ns)
				die("iperf3 to port %u does not end; is the machine overloaded?", flow[i].port);
			usleep(10000);
		}
	}
	for (unsigned i = 0; i < flows; i++)
		read_result(&flow[i], proc_wait(flow[i].client));
	for (unsigned i = 0; i < flows; i++)
		(void)proc_wait(flow[i].server);
}
