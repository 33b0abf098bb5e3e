/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A part of `make demo`, called by demo.c: handlers on the sockets of a program. An unmodified iperf3 runs as user nobody, with handlers on
 * its UDP and TCP sockets (attached by spind, the daemon for unprivileged users, and `spinctl exec`). Compares what the handlers count,
 * drop, and filter by source with iperf3's report.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/features.h"
#include "tests/common/proc.h"
#include "tests/demo/iperf.h"
#include "tests/demo/parts.h"

#define PORT           5401
#define SECONDS        2u
#define MBIT_S         100u
#define DATAGRAM_BYTES 1200u
#define FROM           "10.77.0.11"
#define FILTERED       "10.77.0.12"
#define CLIENTS        2u /* at most, at a time */

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
	snprintf(build, sizeof(build), "%s/..", demo->handlers); /* which may be a symbolic link, hence cd -P */
	snprintf(
		command, sizeof(command),
		"cd -P '%s' && cp tests/handlers/every_nth.spin tests/handlers/first_bytes.spin tests/handlers/from_source.spin bin/spinctl %s && "
		"chmod 755 %s/*",
		build, staging->directory, staging->directory);
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
	uint64_t sent, received, lost, passed, dropped;
	double mbit_s, sent_mbit_s; /* received; sent: TCP only */
};

/* Returns the packets of a reason, from the table that `spinctl exec --counters` prints. */
static uint64_t packets_of(const char *table, const char *reason)
{
	const char *at = strstr(table, reason);
	unsigned long packets = 0;

	return at && sscanf(at, "%*s %*s %lu", &packets) == 1 ? packets : 0;
}

/* A filter has two iperf3 clients at the same time, and an own server for each. The second one's source is not in the handler's table. */
static const struct flow_row {
	const char *what, *protocol, *handler, *set;
	const char *name; /* of its row in the results */
	unsigned clients;
} flows[] = {
	/* clang-format off */
	{ "counts",             "udp", "every_nth",   "spin_state.drop_every=0",  "lost_0",       1 },
	{ "drops one in 10",    "udp", "every_nth",   "spin_state.drop_every=10", "lost_10",      1 },
	{ "drops every second", "udp", "every_nth",   "spin_state.drop_every=2",  "lost_2",       1 },
	{ "filters by source",  "udp", "from_source", "spin_state.most=16",       "filtered",     2 },
	{ "counts",             "tcp", "first_bytes", "spin_state.most=0",        "tcp_counted",  1 },
	{ "drops behind 1 MiB", "tcp", "first_bytes", "spin_state.most=1048576",  "tcp_cut",      1 },
	{ "filters by source",  "tcp", "from_source", "spin_state.most=65536",    "tcp_filtered", 2 },
	/* clang-format on */
};
#define FLOWS (sizeof(flows) / sizeof(flows[0]))

static int is_tcp(const struct flow_row *row)
{
	return !strcmp(row->protocol, "tcp");
}

static int is_filter(const struct flow_row *row)
{
	return row->clients > 1;
}

/* Reads what `spinctl exec --counters` and iperf3 have said. */
static void read_flow(const struct iperf_flow *flow, struct result *out)
{
	char text[4096] = "";

	if (pread(flow->server_fd, text, sizeof(text) - 1, 0) < 0)
		die("cannot read what spinctl exec says");
	close(flow->server_fd);
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (!strncmp(line, "success ", 8))
			out->passed = packets_of(line, "success");
		if (!strncmp(line, "dropped ", 8))
			out->dropped = packets_of(line, "dropped");
	}
	out->sent = flow->packets;
	out->received = flow->received;
	out->lost = flow->received ? flow->lost : flow->packets;
	out->mbit_s = flow->gbit_s * 1e3;
	out->sent_mbit_s = flow->sent_gbit_s * 1e3;
}

/* Both clients of a filter have the same handler with the same table. */
static void run_flow(const struct demo *demo, const struct staging *staging, const struct flow_row *row, struct result out[CLIENTS])
{
	static const char *const from[CLIENTS] = { FROM, FILTERED };
	char handler[80];
	char *with[24] = { "setpriv",
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
			   "--" };
	struct iperf_flow flow[CLIENTS] = { 0 };

	if (is_filter(row)) {
		with[19] = "--insert";
		with[20] = "sources:src=" FROM;
		with[21] = "--";
	}
	snprintf(handler, sizeof(handler), "%s/%s.spin", staging->directory, row->handler);
	for (unsigned i = 0; i < row->clients; i++)
		flow[i] = (struct iperf_flow){
			.port = (uint16_t)(PORT + i), .from = from[i], .before = with, .server_fd = memfd_create("server", MFD_CLOEXEC)
		};
	iperf_start(&demo->lab, flow, row->clients, SECONDS, is_tcp(row) ? 0 : MBIT_S, DATAGRAM_BYTES);
	iperf_finish(flow, row->clients);
	for (unsigned i = 0; i < row->clients; i++)
		read_flow(&flow[i], &out[i]);
}

/* The handler must drop nothing of the client in its table, and of the other one all but the beginning. */
static void check_filter(const struct flow_row *row, const struct result out[CLIENTS])
{
	const int arrives = is_tcp(row) ? out[1].mbit_s > 1 : out[1].received > 0;

	if (out[0].dropped || !out[0].passed)
		die("%s: of %s, which is in the table, %lu passed and %lu were dropped", row->protocol, FROM, (unsigned long)out[0].passed,
		    (unsigned long)out[0].dropped);
	if (!out[1].dropped || arrives)
		die("%s: of %s, which is not in the table, %lu were dropped, and the server has data", row->protocol, FILTERED,
		    (unsigned long)out[1].dropped);
}

struct part {
	struct staging staging;
	struct result out[FLOWS][CLIENTS];
};

static void print_flow(const struct flow_row *row, unsigned client, const struct result *out)
{
	char what[40];

	if (is_filter(row))
		snprintf(what, sizeof(what), client ? "  %s, not in it" : "  %s, in table", client ? FILTERED : FROM);
	else
		snprintf(what, sizeof(what), "%s", row->what);
	if (is_tcp(row))
		printf("  %-24s %9.0f %12lu %12lu %16.0f\n", what, out->sent_mbit_s, (unsigned long)out->passed,
		       (unsigned long)out->dropped, out->mbit_s);
	else
		printf("  %-24s %9lu %12lu %12lu %16lu %12lu %8.1f\n", what, (unsigned long)out->sent, (unsigned long)out->passed,
		       (unsigned long)out->dropped, (unsigned long)out->received, (unsigned long)out->lost, out->mbit_s);
}

static void run_flows(struct demo *demo, void *arg)
{
	struct part *part = arg;
	pid_t spind = start_spind(demo, &part->staging);

	for (size_t i = 0; i < FLOWS; i++) {
		run_flow(demo, &part->staging, &flows[i], part->out[i]);
		if (i && is_tcp(&flows[i]) && !is_tcp(&flows[i - 1]))
			printf("  %-24s %9s %12s %12s %16s\n", "on TCP", "Mbit/s", "passed", "dropped", "iperf3 Mbit/s");
		if (is_filter(&flows[i]))
			printf("  %s, two clients:\n", flows[i].what);
		for (unsigned client = 0; client < flows[i].clients; client++)
			print_flow(&flows[i], client, &part->out[i][client]);
		if (is_filter(&flows[i]))
			check_filter(&flows[i], part->out[i]);
		proc_progress();
	}
	proc_stop(spind, SIGTERM);
}

static void add_row(struct measure *m, const struct flow_row *row, const struct result *client)
{
	const struct result *out = &client[row->clients - 1];
	char name[64];

	snprintf(name, sizeof(name), "socket.iperf3_%s", row->name);
	if (is_tcp(row))
		measure_baseline(measure_add(m, name, out->mbit_s, "Mbit/s"), out->sent_mbit_s);
	else
		measure_baseline(measure_add(m, name, (double)out->lost, "datagrams"), (double)out->dropped);
}

int demo_sockets(struct demo *demo)
{
	struct part *part = proc_shared(sizeof(*part));
	char command[64], refusal[256];
	int status;

	printf("\nprocessing sockets: iperf3 of the user nobody, with a handler on its sockets, by spind\n");
	if (!kernel_feature__has(KERNEL_ISOLATED)) {
		printf("  skipped: %s\n", kernel_feature__refusal(KERNEL_ISOLATED, refusal, sizeof(refusal)));
		return 0;
	}
	make_staging(&part->staging, demo);
	printf("  %-24s %9s %12s %12s %16s %12s %8s\n", "the handler", "sent", "passed", "dropped", "iperf3 received", "iperf3 lost",
	       "Mbit/s");
	status = demo_step(demo, "processing sockets", run_flows, part);
	snprintf(command, sizeof(command), "rm -rf %s", part->staging.directory); /* also if a step was aborted */
	if (system(command))
		printf("  %s stays\n", part->staging.directory);
	for (size_t i = 0; i < FLOWS && !status; i++)
		add_row(&demo->measure, &flows[i], part->out[i]);
	return status;
}
