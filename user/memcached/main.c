/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spin-memcached: fills the cache of handlers on memcached's sockets (handlers/memcached.c) until a signal arrives or memcached ends.
 * main() reads the options, finds and opens the context, and calls fill.c in a loop. On exit it switches the cache off. If it is killed,
 * handlers keep answering from the entries that it has left until these expire.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "user/lib/number.h"
#include "user/lib/options.h"
#include "user/memcached/fill.h"
#include "user/tool/error.h"
#include "user/tool/notify.h"
#include <spin/libspin_socket.h>

#define HANDLER   "memcached"
#define ALIVE_MS  1000
#define REPORT_MS 10000

static struct options {
	const char *broker, *server;
	unsigned threads, quarantine_ms, max_age_s, asks;
	int verbose, once;
} options = { .quarantine_ms = 500, .max_age_s = 60, .asks = 2 };

#define FIELD(name) offsetof(struct options, name)

static const struct option_row rows[] = {
	{ "server", 0, OPTION_STRING, "ADDR:PORT", FIELD(server), "where memcached listens on TCP (default: as the context's rule says)" },
	{ "threads", 0, OPTION_UINT, "N", FIELD(threads), "memcached's worker threads (default: memcached is asked)" },
	{ "quarantine-ms", 0, OPTION_UINT, "N", FIELD(quarantine_ms),
	  "for so long a key must not have changed before memcached is asked for it (default: 500)" },
	{ "max-age-s", 0, OPTION_UINT, "N", FIELD(max_age_s), "for so long a value is used before memcached is asked again (default: 60)" },
	{ "asks", 0, OPTION_UINT, "N", FIELD(asks), "a key is wanted when it was asked for so often (default: 2)" },
	{ "once", 0, OPTION_FLAG, NULL, FIELD(once), "end when no key is left to be filled; the cache is off then" },
	{ "verbose", 0, OPTION_FLAG, NULL, FIELD(verbose), "each 10 s, and at the end, print what was done" },
	{ "socket", 0, OPTION_STRING, "PATH", FIELD(broker), "where spind listens (default: SPIN_SPIND, or /run/spin/spind.sock)" },
	{ 0 },
};

static const char about[] =
	"Handlers on the sockets of memcached(1) answer GETs of UDP from a cache in HPU memory, and see all that goes to memcached before memcached does. "
	"This program fills the cache: it asks memcached for the keys that are asked for most, when it is certain that memcached has "
	"executed all changes of them that the handlers have seen. An answer is never older than the last change that memcached has acknowledged.\n\n"
	"It is started after memcached, by the same user, in the same network namespace, and ends with memcached's context, by SIGTERM or SIGINT; the "
	"cache is off then, and all goes to memcached as if there were no handlers. It may be killed, and started again, at any time: what it "
	"has left is used until it is --max-age-s old, as long as nobody changes it.\n\n"
	"All changes must come by sockets with handlers. memcached's own counts are compared with theirs: if it has executed more, as by a Unix "
	"socket, the cache is switched off, and the program ends with an error. Such a change, before it is noticed, can have stale answers.";

static const struct command_row command = {
	.name = "spin-memcached",
	.operands = "[CONTEXT]",
	.max_operands = 1,
	.summary = "Fills the cache of handlers on memcached's sockets",
	.options = rows,
	.notes = "CONTEXT is its number, as `spinctl list` prints it. Without it, the one whose handlers are called memcached.",
	.about = about,
	.examples =
		(const struct example_row[]){
			{ "spin-memcached --server 127.0.0.1:11211", "Fill the cache of the memcached that runs here." },
			{ 0 },
		},
};

/* --- which context --- */

struct search {
	uint32_t id; /* 0: search by the handlers' name */
	uint32_t found;
	unsigned pid, programs;
	char server[80];
};

/* Parses a rule such as "tcp ip4 dst 127.0.0.1 dport 11211". */
static void parse_server_address(struct search *search, const char *rule)
{
	const char *dst = strstr(rule, "dst "), *dport = strstr(rule, "dport ");
	const int is6 = strstr(rule, "ip6") != NULL;
	char address[48];
	unsigned port;

	if (!dport || sscanf(dport, "dport %u", &port) != 1)
		return;
	if (!dst || sscanf(dst, "dst %47s", address) != 1 || strchr(address, '/'))
		strcpy(address, is6 ? "::1" : "127.0.0.1");
	snprintf(search->server, sizeof(search->server), strchr(address, ':') ? "[%s]:%u" : "%s:%u", address, port);
}

static int on_context(void *arg, const struct spin_socket_info *info)
{
	struct search *search = arg;

	if (search->id ? info->id != search->id : strcmp(info->handler, HANDLER) || (geteuid() && info->uid != geteuid()))
		return 0;
	/* sockets of one program share one state */
	if (!search->found || info->pid != search->pid)
		search->programs++;
	if (!search->found)
		search->found = info->id;
	search->pid = info->pid;
	if (!search->server[0] || !strncmp(info->rule, "tcp", 3))
		parse_server_address(search, info->rule);
	return 0;
}

static int find_context(const char *text, struct search *search)
{
	uint64_t number = 0;

	if (text && (number__read(text, UINT32_MAX, &number) || !number))
		return report_error("%s is not the number of a context: `spinctl list` shows them", text);
	search->id = (uint32_t)number;
	if (spin_socket__list(options.broker, on_context, search))
		return report_error("%s", spin_strerror_last());
	if (!search->found && text)
		return report_error("spind holds no context %s: `spinctl list` shows those that it holds", text);
	if (!search->found)
		return report_error("spind holds no context of " HANDLER
				    ".spin: start memcached by `spinctl exec --class trusted --protocol both --handler " HANDLER
				    ".spin -- memcached ...`");
	if (search->programs > 1)
		return report_error("several programs have such handlers: give the number of a context, as `spinctl list` shows it");
	return DONE;
}

/*
 * Only one program at a time may fill the cache of a memcached's contexts. The socket's name is the lock; it is released when this process
 * ends.
 */
static int lock_cache(unsigned pid)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const int bytes = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "spin-memcached.%u", pid);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&name, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)bytes))) {
		if (fd >= 0)
			close(fd);
		return report_error("another spin-memcached fills the cache of process %u: end that one first", pid);
	}
	return DONE;
}

/* --- the loop --- */

static void report(const struct fill *fill, const struct mc_cache *cache)
{
	struct fill_counts counts;

	fill__counts(fill, &counts);
	printf("%" PRIu64 " filled, %" PRIu64 " refreshed, %" PRIu64 " refused, %" PRIu64 " changed while they waited, %u wait; %" PRIu64
	       " quarantines, %" PRIu64 " rounds, %" PRIu64 " without answer; handlers: %u hits, %u misses, %u changes\n",
	       counts.filled, counts.refreshed, counts.refused, counts.changed, counts.candidates, counts.quarantines, counts.rounds,
	       counts.stalls, cache->hits, cache->misses, cache->mutations);
	fflush(stdout);
}

static int has_id(void *arg, const struct spin_socket_info *info)
{
	return info->id == *(const uint32_t *)arg;
}

/* An opened context does not report its end, so the list is searched. While spind is down this cannot be known, and contexts go on. */
static int has_ended(uint32_t id)
{
	return !spin_socket__list(options.broker, has_id, &id);
}

/* Fills the cache until a signal, the end of memcached's context, or an error; with --once until no key waits. */
static int serve(struct fill *fill, uint32_t id, const struct mc_cache *cache)
{
	double alive_at = 0, report_at = now_s() + REPORT_MS / 1e3;
	struct fill_counts counts;

	while (!signals__signal()) {
		const int wait = fill__step(fill);
		const struct timespec pause = { wait / 1000, (long)(wait % 1000) * 1000000 };

		if (wait < 0 || now_s() >= alive_at) {
			if (has_ended(id)) {
				printf("spin-memcached: the cache is off: memcached's context has ended\n");
				return DONE;
			}
			alive_at = now_s() + ALIVE_MS / 1e3;
		}
		if (wait < 0)
			return report_error("the cache is off: %s", fill__reason(fill));
		if (options.verbose && now_s() >= report_at) {
			report(fill, cache);
			report_at += REPORT_MS / 1e3;
		}
		fill__counts(fill, &counts);
		if (options.once && counts.quarantines && cache->on && !counts.candidates)
			return DONE;
		if (wait)
			nanosleep(&pause, NULL);
	}
	printf("spin-memcached: the cache is off: ended by %s\n", strsignal(signals__signal()));
	return DONE;
}

static int run(struct spin_ctx *ctx, const char *server, uint32_t id)
{
	const struct fill_options wanted = { server, options.threads, options.quarantine_ms, options.max_age_s, options.asks };
	size_t bytes, entries_bytes;
	void *state, *entries;
	struct mc_cache *cache;
	struct fill *fill;
	int status;

	if (spin_ctx__symbol(ctx, "spin_state", &state, &bytes) || bytes != sizeof(*cache) ||
	    spin_ctx__symbol(ctx, "mc_entries", &entries, &entries_bytes) || entries_bytes != MC_ENTRIES * sizeof(struct mc_entry))
		return report_error("context %u has no cache of this version: its handlers are not " HANDLER ".spin of this release", id);
	cache = state;
	fill = fill__open(cache, entries, &wanted);
	if (!fill)
		return report_error("%s is not an address and a port, as 127.0.0.1:11211 or [::1]:11211", server);
	printf("spin-memcached: fills the cache of context %u from %s\n", id, server);
	fflush(stdout);
	status = serve(fill, id, cache);
	if (options.verbose)
		report(fill, cache);
	fill__close(fill);
	return status;
}

static int fill_context(const char *text)
{
	struct search search = { 0 };
	struct spin_object *obj;
	struct spin_ctx *ctx;
	int status = find_context(text, &search);

	if (!status)
		status = lock_cache(search.pid);
	if (status)
		return status;
	if (spin_socket__open(search.found, options.broker, &obj, &ctx))
		return report_error("%s", spin_strerror_last());
	status = run(ctx, options.server ? options.server : search.server[0] ? search.server : "127.0.0.1:11211", search.found);
	spin_ctx__destroy(ctx);
	spin_object__close(obj);
	return status;
}

int main(int argc, char **argv)
{
	const char *operands[argc + 1];
	unsigned count;
	int status;

	status = options__begin(&command, argc, argv, &options, operands, &count);
	if (status >= 0)
		return status;
	if (options.max_age_s < 4 || options.max_age_s > 86400) {
		fprintf(stderr, "spin-memcached: --max-age-s %u: from 4 to 86400 (a day)\n", options.max_age_s);
		return USAGE;
	}
	signals__watch();
	return fill_context(count ? operands[0] : NULL);
}
