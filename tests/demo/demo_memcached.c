/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A part of `make demo`, called by demo.c: runs Debian's memcached as user nobody, without and with handlers on its sockets (spind and
 * `spinctl exec`). Sends GETs by our client and by memcaslap, and checks that no answer is stale while all of memcached's commands change
 * the keys.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/common/memcached/checker.h"
#include "tests/common/memcached/load.h"
#include "tests/common/memcached/server.h"
#include "tests/common/memcached/zipf.h"
#include "tests/common/net/xdp_pass.h"
#include "tests/common/proc.h"
#include "tests/demo/parts.h"

#define MEMCASLAP "/usr/bin/memcaslap"
#define KEYS      1000u /* nearly all fit into the cache of 1024 keys */
#define THETA     0.99
#define DRAWN     (1u << 16)
#define WARM_UP_S 4.0
#define MEASURE_S 1.0
#define CHECK_S   3.0
#define LAP_TIME  "5s" /* longer than keys take to get into the cache: asked for twice, then a quarantine of 0.5 s */

enum variant { WITHOUT, WITH, VARIANTS };

struct result {
	double rate, share;         /* our client: answers per second; fraction from the handlers */
	double lap_rate, lap_share; /* memcaslap: operations per second; fraction of its GETs from the handlers, warm-up included */
	struct mc_check check;
	int done;
};

struct part {
	struct mc_server server;
	char config[40]; /* path of memcaslap's configuration */
	struct result out[VARIANTS];
};

static int run_load(void *arg)
{
	mc_load__run(arg);
	return 0;
}

static void run_client(const struct demo *demo, const struct mc_server *server, struct result *out)
{
	struct mc_load *load = proc_shared(sizeof(*load));
	uint32_t *drawn = calloc(DRAWN, sizeof(*drawn)), hits;
	uint64_t gets;

	if (!drawn || zipf_fill(drawn, DRAWN, KEYS, THETA, 1))
		die("no memory");
	*load = (struct mc_load){
		.addr = LAB_SERVER_ADDR, .port = MC_PORT, .threads = 4, .window = 64, .key = drawn, .keys = DRAWN, .seconds = WARM_UP_S
	};
	mc_load__store(LAB_SERVER_ADDR, MC_PORT, 0, KEYS);
	for (int measured = 0; measured < 2; measured++) { /* the first run lets the handlers cache the hot keys */
		load->seconds = measured ? MEASURE_S : WARM_UP_S;
		hits = mc_server__hits(server);
		if (proc_wait(proc_start(demo->lab.client.ns_fd, demo->lab.client.cpu, run_load, load)))
			die("the client of memcached failed");
		gets = load->answers;
		if (load->wrong)
			die("%llu wrong answers", (unsigned long long)load->wrong);
	}
	out->rate = load->rate;
	out->share = gets ? (double)(mc_server__hits(server) - hits) / (double)gets : 0;
	munmap(load, sizeof(*load));
	free(drawn);
}

/* Returns the number after a word of memcaslap's report, or 0. */
static double number_after(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtod(at + strlen(word), NULL) : 0;
}

/* memcaslap compares each value that it gets with the one that it has set (-v). */
static void run_memcaslap(const struct demo *demo, struct mc_server *server, const char *config, struct result *out)
{
	char to[32], text[4096] = "";
	char *argv[] = {
		MEMCASLAP, "-s", to, "-U", "-t", LAP_TIME, "-T", "1", "-c", "1", "-w", "1k", "-v", "1", "-F", (char *)config, NULL
	};
	int fd = memfd_create("memcaslap", MFD_CLOEXEC);
	double gets, wrong, missed;
	uint32_t hits;

	if (server->with)
		mc_server__restart_fill(server); /* empties the cache of our client's keys */
	hits = mc_server__hits(server);
	snprintf(to, sizeof(to), LAB_SERVER_ADDR ":%d", MC_PORT);
	if (proc_wait(proc_exec(demo->lab.client.ns_fd, demo->lab.client.cpu, fd, argv)) || pread(fd, text, sizeof(text) - 1, 0) < 0)
		die("memcaslap: %s", text);
	close(fd);
	gets = number_after(text, "cmd_get: ");
	wrong = number_after(text, "verify_failed: ");
	missed = number_after(text, "verify_misses: ") - number_after(text, "udp_timeout: "); /* lost answers count as misses */
	if (wrong > 0 || missed > 0)
		die("memcaslap got %.0f wrong values, and none for %.0f keys: %s", wrong, missed, text);
	if (gets < 1)
		die("memcaslap has sent no GET: %s", text);
	out->lap_rate = number_after(text, "TPS: ");
	out->lap_share = (mc_server__hits(server) - hits) / gets;
	if (server->with && out->lap_share <= 0)
		die("the handlers have answered none of the %.0f GETs of memcaslap", gets);
}

static void run_check(struct result *out)
{
	out->check = (struct mc_check){ .addr = LAB_SERVER_ADDR,
					.port = MC_PORT,
					.seconds = CHECK_S,
					.keys = 16,
					.writers = 2,
					.readers = 2,
					.pause_us = 20000,
					.flush_ms = 500,
					.seed = 1 };
	mc_check__run(&out->check);
}

/*
 * Keys and values of one length, and one SET for 99 GETs. A SET is of a new key, which takes the place of the oldest of 1024 (-w): with
 * memcaslap's default of one in ten a key is gone before it can get into the cache.
 */
static void write_config(char *path, size_t bytes)
{
	FILE *to;
	int fd;

	snprintf(path, bytes, "/tmp/spin-demo-XXXXXX");
	fd = mkstemp(path);
	to = fd < 0 ? NULL : fdopen(fd, "w");
	if (!to || fprintf(to, "key\n32 32 1\nvalue\n64 64 1\ncmd\n0 0.01\n1 0.99\n") < 0 || fclose(to))
		die("cannot write %s", path);
}

static void print_result(const char *name, const struct result *out)
{
	printf("  %-8s %10.0f %7.1f %12.0f %7.1f %9llu   %llu stale of %llu\n", name, out->rate, out->share * 100, out->lap_rate,
	       out->lap_share * 100, (unsigned long long)mc_check__changes(&out->check), (unsigned long long)mc_check__stale(&out->check),
	       (unsigned long long)out->check.gets);
	if (out->check.first_bad[0])
		printf("  first: %s\n", out->check.first_bad);
}

static void run_variants(struct demo *demo, void *arg)
{
	struct part *part = arg;
	int variants = mc_server__missing_handlers() ? WITH : VARIANTS, pass;

	/* in both variants: without a program the client's veth loses part of what XDP sends back */
	lab_enter(&demo->lab.client);
	pass = xdp_pass__attach(demo->lab.client.ifname);
	for (int with = 0; with < variants; with++) {
		struct result *out = &part->out[with];

		part->server = (struct mc_server){ .ns = demo->lab.server.ns_fd, .cpu = demo->lab.server.cpu, .threads = 1, .with = with };
		mc_server__start(&part->server);
		(void)lab_napi_thread(&demo->lab.server);
		(void)lab_napi_thread(&demo->lab.client);
		run_client(demo, &part->server, out);
		if (!access(MEMCASLAP, X_OK))
			run_memcaslap(demo, &part->server, part->config, out);
		run_check(out);
		mc_server__stop(&part->server);
		out->done = 1;
		print_result(with ? "with" : "without", out);
		proc_progress();
	}
	close(pass);
}

static void add_rows(struct measure *m, const struct result *out)
{
	struct measure_row *row;

	measure_baseline(measure_add(m, "memcached.gets", out[WITH].rate, "GETs/s"), out[WITHOUT].rate);
	measure_add(m, "memcached.gets_hits", out[WITH].share, "1");
	measure_baseline(measure_add(m, "memcached.memcaslap", out[WITH].lap_rate, "operations/s"), out[WITHOUT].lap_rate);
	measure_add(m, "memcached.memcaslap_hits", out[WITH].lap_share, "1");
	measure_add(m, "memcached.checked", (double)out[WITH].check.gets, "GETs");
	row = measure_add(m, "memcached.stale", (double)mc_check__stale(&out[WITH].check), "GETs");
	measure_goal(row, MEASURE_AT_MOST, 0, row->value);
}

int demo_memcached(struct demo *demo)
{
	struct part *part = proc_shared(sizeof(*part));
	const struct result *out = part->out;
	char command[100];
	int status;

	printf("\nmemcached of the user nobody, without and with handlers on its sockets, by spind: GETs over UDP, %u keys, Zipf %.2f;\n"
	       "memcaslap: a SET for 99 GETs, of up to 1024 keys, and the values compared\n",
	       KEYS, THETA);
	if (mc_server__missing()) {
		printf("  skipped: %s\n", mc_server__missing());
		return 0;
	}
	printf("  %-8s %10s %7s %12s %7s %9s\n", "handlers", "GETs/s", "hits %", "memcaslap/s", "hits %", "changes");
	write_config(part->config, sizeof(part->config));
	status = demo_step(demo, "memcached", run_variants, part);
	unlink(part->config);
	if (part->server.spind.directory[0]) { /* left by a step that was aborted */
		snprintf(command, sizeof(command), "rm -rf '%s'", part->server.spind.directory);
		if (system(command))
			printf("  %s stays\n", part->server.spind.directory);
	}
	if (mc_server__missing_handlers())
		printf("  with: skipped, %s\n", mc_server__missing_handlers());
	else if (out[WITH].done)
		add_rows(&demo->measure, out);
	return status;
}
