/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Measures handlers on sockets of programs (attached by spind, the daemon that does it for unprivileged users): the time of an attachment;
 * the cost per packet of the guard, the program that limits handlers to their own socket's packets; whether an exchange of handlers (swap)
 * or a move of their state to another layout (migration) loses packets at full rate and delays them; and whether spind's process grows over
 * many attachments.
 * sockets FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/measure/measure.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include "user/conformance/template/template.h"
#include "user/libspin/guard.h"
#include <spin/libspin_socket.h>

#define ATTACHES      41
#define CYCLES        1000
#define GUARD_TURNS   15
#define GUARD_PACKETS 1000000
#define SWAPS         1000
#define MIGRATIONS    100
#define ECHOES        100000

static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *filter_counts;

static int receiver(uint16_t port)
{
	int fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);

	udp_hosts__bind(fd, "10.9.0.1", port);
	return fd;
}

/* --- time of an attachment --- */

static double attach_by_spind(int fd, enum spin_class class)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts) };
	uint64_t start = now_ns();
	struct spin_ctx *ctx;
	double ms;

	opts.broker = spind.socket;
	opts.trusted = class == SPIN_CLASS_TRUSTED;
	if (spin_socket__attach(fd, filter_counts, &opts, &ctx))
		die("attach: %s", spin_strerror_last());
	ms = (double)(now_ns() - start) / 1e6;
	spin_ctx__destroy(ctx);
	return ms;
}

/* Attaches the same handlers from this process, on one interface. Returns milliseconds. */
static double attach_directly(struct spin_nic *nic, enum spin_class class)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };
	uint64_t start = now_ns();
	struct spin_rule rule;
	struct spin_ctx *ctx;
	double ms;

	if (spin_rule__parse("udp dst 10.9.0.1 dport 7000", &rule) || spin_ctx__create_opts(nic, filter_counts, &rule, &opts, &ctx) ||
	    spin_ctx__attach(ctx))
		die("attach: %s", spin_strerror_last());
	ms = (double)(now_ns() - start) / 1e6;
	spin_ctx__destroy(ctx);
	return ms;
}

/* Alternates. Another context keeps spind's process and its dispatchers loaded, as on a machine that uses them. */
static void measure_attach(struct measure *m, enum spin_class class, const char *name, int has_goal)
{
	double by_spind[ATTACHES], directly[ATTACHES];
	struct spin_socket_opts opts = { .bytes = sizeof(opts) };
	int fd = receiver(UDP_HOSTS_PORT), other = receiver(UDP_HOSTS_PORT + 1);
	struct spin_ctx *keeps;
	struct measure_row *row;
	struct spin_nic *nic;

	opts.broker = spind.socket;
	for (int i = 0; i < ATTACHES; i++) {
		if (spin_socket__attach(other, filter_counts, &opts, &keeps))
			die("attach: %s", spin_strerror_last());
		by_spind[i] = attach_by_spind(fd, class);
		spin_ctx__destroy(keeps); /* frees the interface for attach_directly() */
		if (spin_nic__open("s0", &nic))
			die("s0: %s", spin_strerror_last());
		directly[i] = attach_directly(nic, class);
		spin_nic__close(nic);
	}
	close(fd);
	close(other);
	row = measure_add(m, name, measure_median(by_spind, ATTACHES), "ms");
	measure_baseline(row, measure_median(directly, ATTACHES));
	if (has_goal)
		measure_goal(row, MEASURE_AT_MOST, 20, row->value);
}

/* --- growth --- */

struct footprint {
	unsigned descriptors, threads;
	long resident_kib;
};

static void read_footprint(struct footprint *out)
{
	char path[64], line[128];
	pid_t pid = spind__holder(&spind);
	DIR *dir;
	FILE *file;

	memset(out, 0, sizeof(*out));
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && readdir(dir))
		out->descriptors++;
	if (dir)
		closedir(dir);
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "Threads: %u", &out->threads);
		sscanf(line, "VmRSS: %ld", &out->resident_kib);
	}
	if (file)
		fclose(file);
	if (!out->descriptors || !out->resident_kib)
		die("spind's process for the namespace cannot be read");
}

static void measure_growth(struct measure *m)
{
	struct footprint before, after;
	int fd = receiver(UDP_HOSTS_PORT);
	struct measure_row *row;

	for (int i = 0; i < CYCLES / 5; i++) /* fills the allocator's caches */
		attach_by_spind(fd, SPIN_CLASS_ISOLATED);
	usleep(200000);
	read_footprint(&before);
	for (int i = 0; i < CYCLES; i++)
		attach_by_spind(fd, SPIN_CLASS_ISOLATED);
	usleep(200000);
	read_footprint(&after);
	close(fd);
	row = measure_add(m, "socket.growth_descriptors", (double)after.descriptors - before.descriptors, "descriptors");
	measure_goal(row, MEASURE_AT_MOST, 0, row->value);
	row = measure_add(m, "socket.growth_kib_per_attach", (double)(after.resident_kib - before.resident_kib) / CYCLES, "KiB");
	measure_goal(row, MEASURE_AT_MOST, 0.5, row->value);
}

/* --- packets (PROG_TEST_RUN) --- */

struct lab {
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	struct template packet;
	struct spin_guards guards;
	int socket, guarded;
};

static void open_lab(struct lab *lab, int guarded, unsigned percent)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = SPIN_CLASS_TRUSTED };
	struct spin_rule rule;

	memset(lab, 0, sizeof(*lab));
	lab->guarded = guarded;
	lab->socket = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	udp_hosts__bind(lab->socket, "127.0.0.1", (uint16_t)(UDP_HOSTS_PORT + 20 + guarded));
	if (spin_rule__parse(guarded ? "udp dst 127.0.0.1 dport 7021" : "udp dst 127.0.0.1 dport 7020", &rule) ||
	    spin_nic__open_offline(&lab->nic) || spin_ctx__create_opts(lab->nic, filter_counts, &rule, &opts, &lab->ctx))
		die("lab: %s", spin_strerror_last());
	if (guarded && (spin_guards__open(&lab->guards, percent, 0) || spin_guard__install(lab->ctx, lab->socket, &lab->guards)))
		die("guard: %s", spin_strerror_last());
	if (spin_ctx__attach(lab->ctx))
		die("lab: %s", spin_strerror_last());
	template_start(&lab->packet);
	if (template_line(&lab->packet, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 ||
	    template_line(&lab->packet, "ip4 127.0.0.1 > 127.0.0.1") != 1 ||
	    template_line(&lab->packet, guarded ? "udp 4000 > 7021 sum partial" : "udp 4000 > 7020 sum partial") != 1 ||
	    template_line(&lab->packet, "fill 18 0") != 1 || template_finish(&lab->packet))
		die("packet: %s", engine_error());
}

static void close_lab(struct lab *lab)
{
	spin_ctx__destroy(lab->ctx);
	spin_nic__close(lab->nic);
	close(lab->socket);
	if (lab->guarded)
		spin_guards__close(&lab->guards);
}

static double run_lab(struct lab *lab, unsigned packets)
{
	struct spin_run_result result;
	uint8_t out[2048];

	if (spin_nic__run(lab->nic, lab->packet.frame, lab->packet.bytes, packets, out, sizeof(out), &result) ||
	    result.verdict != SPIN_VERDICT_PASS)
		die("run: %s", spin_strerror_last());
	return result.ns_per_packet;
}

static void measure_guard(struct measure *m)
{
	double with[GUARD_TURNS], without[GUARD_TURNS];
	struct lab guarded, plain;
	struct measure_row *row;

	open_lab(&guarded, 1, 100);
	open_lab(&plain, 0, 0);
	for (int i = 0; i < GUARD_TURNS; i++) {
		with[i] = run_lab(&guarded, GUARD_PACKETS);
		without[i] = run_lab(&plain, GUARD_PACKETS);
	}
	row = measure_add(m, "socket.guarded_ns", measure_median(with, GUARD_TURNS), "ns");
	measure_baseline(row, measure_median(without, GUARD_TURNS));
	close_lab(&guarded);
	close_lab(&plain);
}

/* Returns the ns that a socket takes to send a datagram to itself over lo and read it. */
static double echo_ns(int fd, uint16_t port)
{
	union asks_address to;
	socklen_t bytes = udp_hosts__address("127.0.0.1", port, &to);
	uint64_t start = now_ns();
	char datagram[32] = "";

	for (int i = 0; i < ECHOES; i++)
		if (sendto(fd, datagram, sizeof(datagram), 0, &to.any, bytes) < 0 || recv(fd, datagram, sizeof(datagram), 0) < 0)
			die("echo: %s", strerror(errno));
	return (double)(now_ns() - start) / ECHOES;
}

/* Measures what a guard adds to the program's own calls, because its socket is in a sockmap. No handler is attached. */
static void measure_calls(struct measure *m)
{
	double with[GUARD_TURNS], without[GUARD_TURNS];
	int plain = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	struct lab lab;

	open_lab(&lab, 1, 0);
	spin_ctx__detach(lab.ctx);
	udp_hosts__bind(plain, "127.0.0.1", UDP_HOSTS_PORT + 30);
	for (int i = 0; i < GUARD_TURNS; i++) {
		with[i] = echo_ns(lab.socket, UDP_HOSTS_PORT + 21);
		without[i] = echo_ns(plain, UDP_HOSTS_PORT + 30);
	}
	measure_baseline(measure_add(m, "socket.send_and_recv_ns", measure_median(with, GUARD_TURNS), "ns"),
			 measure_median(without, GUARD_TURNS));
	close_lab(&lab);
	close(plain);
}

static volatile int stop;
static uint64_t packets_run;

static void *run_packets(void *arg)
{
	while (!stop) {
		run_lab(arg, 20000);
		packets_run += 20000;
	}
	return NULL;
}

static int swap(struct spin_ctx *ctx, uint64_t *wait_ns)
{
	(void)wait_ns;
	return spin_ctx__swap(ctx, filter_counts);
}

/* Migrates to the same layout. The table of 65,536 entries is still copied. */
static int migrate(struct spin_ctx *ctx, uint64_t *wait_ns)
{
	struct spin_migration report = { .bytes = sizeof(report) };
	int err;

	do
		err = spin_ctx__migrate(ctx, filter_counts, &report);
	while (err == -EAGAIN);
	*wait_ns = report.wait_ns;
	return err;
}

/* Replaces handlers while packets arrive at full rate. Every packet must be handled. */
static void measure_changes(struct measure *m, const char *const names[3], int changes, int (*change)(struct spin_ctx *, uint64_t *),
			    double *waits_us)
{
	uint64_t packets[SPIN_REASON_COUNT], start, wait_ns = 0;
	struct measure_row *row;
	pthread_t thread;
	struct lab lab;
	double ms;

	stop = 0;
	packets_run = 0;
	open_lab(&lab, 1, 0);
	if (pthread_create(&thread, NULL, run_packets, &lab))
		die("no thread");
	start = now_ns();
	for (int i = 0; i < changes; i++) {
		if (change(lab.ctx, &wait_ns))
			die("%s: %s", names[2], spin_strerror_last());
		waits_us[i] = (double)wait_ns / 1000;
	}
	ms = (double)(now_ns() - start) / 1e6 / changes;
	stop = 1;
	pthread_join(thread, NULL);
	spin_ctx__counters(lab.ctx, packets);
	row = measure_add(m, names[0], (double)(packets_run - packets[SPIN_REASON_SUCCESS]), "packets");
	measure_goal(row, MEASURE_AT_MOST, 0, row->value);
	measure_add(m, names[1], (double)packets_run, "packets");
	measure_add(m, names[2], ms, "ms");
	close_lab(&lab);
}

static void measure_swap(struct measure *m)
{
	static const char *const swaps[] = { "swap.lost", "swap.packets_during", "swap.ms" }, *const migrations[] = {
		"migrate.lost", "migrate.packets_during", "migrate.ms"
	};
	static double waits_us[SWAPS];

	measure_changes(m, swaps, SWAPS, swap, waits_us);
	measure_changes(m, migrations, MIGRATIONS, migrate, waits_us);
	measure_add(m, "migrate.wait_us", measure_median(waits_us, MIGRATIONS), "us");
}

int main(int argc, char **argv)
{
	static struct measure m;

	if (argc != 2) {
		fprintf(stderr, "usage: sockets FILE\n");
		return 2;
	}
	udp_hosts__hosts(&hosts);
	filter_counts = built_open("filter_counts");
	spind__start(&spind, "");
	measure_begin(&m, "sockets");
	measure_attach(&m, SPIN_CLASS_ISOLATED, "socket.attach_ms", 1);
	measure_attach(&m, SPIN_CLASS_TRUSTED, "socket.attach_trusted_ms", 0);
	measure_growth(&m);
	measure_guard(&m);
	measure_calls(&m);
	measure_swap(&m);
	spind__cleanup(&spind);
	spin_object__close(filter_counts);
	measure_print(&m);
	return measure_write(&m, argv[1]) ? 1 : 0;
}
