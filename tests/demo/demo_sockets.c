/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A part of `make demo`, called by demo.c: handlers on the sockets of a program. An unmodified iperf3 runs as user nobody, with handlers on
 * its UDP and TCP sockets (attached by spind, the daemon for unprivileged users, and `spinctl exec`). Compares what the handlers count and
 * drop with iperf3's report.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/common/proc.h"
#include "tests/demo/iperf.h"
#include "tests/demo/parts.h"

#define PORT           5401
#define SECONDS        2u
#define MBIT_S         100u
#define DATAGRAM_BYTES 1200u
#define FROM           "10.77.0.11"

/* A copy of the programs that user nobody can read, even if the build directory is private. */
struct staging {
	char directory[32], socket[48], spinctl[320];
};

static void make_staging(struct staging *staging, const struct demo *demo)
{
	char build[300], command[1200];

	snprintf(staging->directory, sizeof(staging->directory), "/tmp/spin-demo-XXXXXX");
	if (!mkdtemp(staging->directory) || chmod(staging->directory, 0755))
		die("no directory in /tmp");
	snprintf(staging->socket, sizeof(staging->socket), "%s/socket", staging->directory);
	snprintf(staging->spinctl, sizeof(staging->spinctl), "%s/spinctl", staging->directory);
	snprintf(build, sizeof(build), "%s/..", demo->handlers);
	snprintf(command, sizeof(command),
		 "cp '%s/tests/handlers/every_nth.spin' '%s/tests/handlers/first_bytes.spin' '%s/bin/spinctl' %s && chmod 755 %s/*", build,
		 build, build, staging->directory, staging->directory);
	if (system(command))
		die("cannot copy to %s", staging->directory);
}

static pid_t start_spind(const struct demo *demo, const struct staging *staging)
{
	char program[320];
	char *argv[] = { program, "--socket", (char *)staging->socket, NULL };
	struct stat st;
	pid_t pid;

	snprintf(program, sizeof(program), "%s/../bin/spind", demo->handlers);
	pid = proc_exec(demo->lab.server.ns_fd, -1, -1, argv);
	for (int i = 0; stat(staging->socket, &st) || !(st.st_mode & 2); i++) {
		if (i == 500 || !proc_alive(pid))
			die("spind does not start");
		usleep(10000);
	}
	return pid;
}

struct result {
	uint64_t sent, lost, passed, dropped;
	double mbit_s, sent_mbit_s; /* received; sent: TCP only */
};

/* Returns the packets of a reason, from the table that `spinctl exec --counters` prints. */
static uint64_t packets_of(const char *table, const char *reason)
{
	const char *at = strstr(table, reason);
	unsigned long packets = 0;

	return at && sscanf(at, "%*s %*s %lu", &packets) == 1 ? packets : 0;
}

static const struct flow_row {
	const char *what, *protocol, *handler, *set;
} flows[] = {
	{ "counts", "udp", "every_nth", "spin_state.drop_every=0" },
	{ "drops one in 10", "udp", "every_nth", "spin_state.drop_every=10" },
	{ "drops every second", "udp", "every_nth", "spin_state.drop_every=2" },
	{ "counts", "tcp", "first_bytes", "spin_state.most=0" },
	{ "drops behind 1 MiB", "tcp", "first_bytes", "spin_state.most=1048576" },
};
#define FLOWS (sizeof(flows) / sizeof(flows[0]))

static int is_tcp(const struct flow_row *row)
{
	return !strcmp(row->protocol, "tcp");
}

static void run_flow(const struct demo *demo, const struct staging *staging, const struct flow_row *row, struct result *out)
{
	char handler[80], text[4096] = "";
	char *with[] = { "setpriv",
			 "--pdeathsig",
			 "KILL",
			 "--reuid",
			 "65534",
			 "--regid",
			 "65534",
			 "--clear-groups",
			 (char *)staging->spinctl,
			 "exec",
			 "--socket",
			 (char *)staging->socket,
			 "--protocol",
			 (char *)row->protocol,
			 "--handler",
			 handler,
			 "--set",
			 (char *)row->set,
			 "--counters",
			 "--",
			 NULL };
	struct iperf_flow flow = { .port = PORT, .from = FROM, .before = with, .server_fd = memfd_create("server", MFD_CLOEXEC) };

	snprintf(handler, sizeof(handler), "%s/%s.spin", staging->directory, row->handler);
	iperf_start(&demo->lab, &flow, 1, SECONDS, is_tcp(row) ? 0 : MBIT_S, DATAGRAM_BYTES);
	iperf_finish(&flow, 1);
	if (pread(flow.server_fd, text, sizeof(text) - 1, 0) < 0)
		die("cannot read what spinctl exec says");
	close(flow.server_fd);
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (!strncmp(line, "success ", 8))
			out->passed = packets_of(line, "success");
		if (!strncmp(line, "dropped ", 8))
			out->dropped = packets_of(line, "dropped");
	}
	out->sent = flow.packets;
	out->lost = flow.lost;
	out->mbit_s = flow.gbit_s * 1e3;
	out->sent_mbit_s = flow.sent_gbit_s * 1e3;
}

struct part {
	struct staging staging;
	struct result out[FLOWS];
};

static void run_flows(struct demo *demo, void *arg)
{
	struct part *part = arg;
	struct result *out = part->out;
	pid_t spind = start_spind(demo, &part->staging);

	for (size_t i = 0; i < FLOWS; i++) {
		run_flow(demo, &part->staging, &flows[i], &out[i]);
		if (i && is_tcp(&flows[i]) && !is_tcp(&flows[i - 1]))
			printf("  %-20s %9s %12s %12s %16s %12s\n", "on TCP", "Mbit/s", "passed", "dropped", "iperf3 Mbit/s", "");
		if (is_tcp(&flows[i]))
			printf("  %-20s %9.0f %12lu %12lu %16.0f\n", flows[i].what, out[i].sent_mbit_s, (unsigned long)out[i].passed,
			       (unsigned long)out[i].dropped, out[i].mbit_s);
		else
			printf("  %-20s %9lu %12lu %12lu %16lu %12lu %8.1f\n", flows[i].what, (unsigned long)out[i].sent,
			       (unsigned long)out[i].passed, (unsigned long)out[i].dropped, (unsigned long)(out[i].sent - out[i].lost),
			       (unsigned long)out[i].lost, out[i].mbit_s);
		proc_progress();
	}
	proc_stop(spind, SIGTERM);
}

int demo_sockets(struct demo *demo)
{
	struct part *part = proc_shared(sizeof(*part));
	const struct result *out = part->out;
	char command[64];
	int status;

	make_staging(&part->staging, demo);

	printf("\nprocessing sockets: iperf3 of the user nobody, with a handler on its sockets, by spind\n");
	printf("  %-20s %9s %12s %12s %16s %12s %8s\n", "the handler", "sent", "passed", "dropped", "iperf3 received", "iperf3 lost",
	       "Mbit/s");
	status = demo_step(demo, "processing sockets", run_flows, part);
	snprintf(command, sizeof(command), "rm -rf %s", part->staging.directory); /* also if a step was aborted */
	if (system(command))
		printf("  %s stays\n", part->staging.directory);
	for (size_t i = 0; i < FLOWS && !status; i++) {
		char name[64];

		if (is_tcp(&flows[i])) {
			snprintf(name, sizeof(name), "socket.iperf3_tcp_%s", strstr(flows[i].set, "=0") ? "counted" : "cut");
			measure_baseline(measure_add(&demo->measure, name, out[i].mbit_s, "Mbit/s"), out[i].sent_mbit_s);
			continue;
		}
		snprintf(name, sizeof(name), "socket.iperf3_lost_%s", strchr(flows[i].set, '=') + 1);
		measure_baseline(measure_add(&demo->measure, name, (double)out[i].lost, "datagrams"), (double)out[i].dropped);
	}
	return status;
}
