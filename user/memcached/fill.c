/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Fills the cache from which handlers answer memcached's GETs (fill.h). Called by main.c. All wanted keys wait for one quarantine together:
 * a time in which memcached executes all that it had received before. A key becomes an entry only if its version and epoch (counts of
 * commands that may have changed it) are the same from the start of the quarantine until memcached has been asked. Entries in use are
 * refreshed before they expire, and memcached's counts are compared with those of the handlers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "user/memcached/candidate.h"
#include "user/memcached/entry.h"
#include "user/memcached/fill.h"
#include "user/memcached/server.h"
#include "user/memcached/socket_scan.h"

/* The size of memcached's read buffer of a connection, and of the shortest command that changes something ("md k\r\n"). */
#define READ_BUFFER_BYTES 16384u
#define COMMAND_BYTES_MIN 6u
/* Barrier rounds of a quarantine: the minimum, those beyond what empties the read buffer, and those between two scans of the sockets. */
#define ROUNDS_MIN      128u
#define ROUNDS_EXTRA    16u
#define ROUNDS_PER_SCAN 16u

#define TRIES_MAX           16    /* quarantines before a key that changes all the time is dropped */
#define FETCHES_PER_STEP    64    /* a step must return soon, so it asks for at most this many keys */
#define REFRESHES_PER_STEP  64    /* and refreshes at most this many entries */
#define REFUSED_MS          5000  /* a key that memcached could not give is not asked for again */
#define DECAY_MS            2000  /* interval at which counts of requests are halved */
#define AUDIT_MS            1000  /* interval at which memcached's counts are compared; also how long a miss keeps the loop busy */
#define REFRESH_MS          500   /* interval at which entries are refreshed */
#define BASE_RETRY_MS       10000 /* delay after a comparison base was lost */
#define FLUSH_RETRY_MS      1000  /* least time between starts of quarantines for flushes */
#define RECONNECT_MS        200   /* interval of attempts to connect */
#define GIVE_UP_MS          5000  /* after so long without a connection memcached is gone */
#define IDLE_MS             100   /* delay until the next step without work, with work, and while sockets have unread bytes */
#define BUSY_MS             20
#define UNREAD_MS           5
#define CONNECTIONS_HANDLED 1000 /* with more connections than this, some may have no handlers */

enum phase { IDLE, QUARANTINE };

struct fill {
	struct mc_cache *cache;
	struct mc_entry *entries; /* MC_ENTRIES */
	struct fill_options options;
	struct server server;
	struct socket_scan scan;
	struct candidates candidates;
	struct fill_counts counts;
	char reason[256];

	enum phase phase;
	int64_t started_ms;
	unsigned rounds;
	int is_clean;              /* the last scan found no unread data and no blocked socket */
	uint32_t mutations, epoch; /* at the start of the quarantine */

	/* A flush_all removes values a delay after memcached has executed it: nothing is filled until a later quarantine and the delay end. */
	struct {
		uint32_t until, epoch, tick; /* the cache's off_until and epoch when they were last read, and the time before that */
		int is_new;                  /* no quarantine has begun since the last one was seen */
		int is_pending;              /* none has ended */
		uint32_t delay_ticks;        /* the longest delay that they can have */
		int64_t over_ms;
	} flush;

	/*
	 * A comparison base: when memcached reported `executed`, it had executed everything that the handlers had counted as `mutations`.
	 */
	struct {
		int is_valid;
		uint32_t mutations, epoch;
		uint64_t executed;
	} base;
	int64_t next_base_ms; /* when to take a new base if there is none */

	int64_t next_decay_ms, next_audit_ms, next_refresh_ms, next_connect_ms, lost_ms, last_miss_ms;
	uint32_t misses, hits, decayed_misses;
	struct {
		uint32_t refresh_at; /* tick */
		uint32_t hits;       /* when memcached was last asked for it */
	} plan[MC_ENTRIES];
	struct server_value value;
	uint8_t data[MC_TEXT_BYTES + 2];
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The clock that handlers use. */
static uint64_t coarse_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint32_t load(const uint32_t *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static void set_enabled(struct fill *f, uint32_t on)
{
	__atomic_store_n(&f->cache->on, on, __ATOMIC_RELEASE);
}

/* Looks for delayed flushes that the handlers have counted since the last call. */
static void collect_flushes(struct fill *f)
{
	const uint32_t tick = ENTRY_TICK(coarse_ns()), epoch = entry__epoch(f->cache), until = load(&f->cache->off_until);

	/* a flush that ends before another one leaves off_until as it is, but it changes the epoch; so do other commands */
	if (until != f->flush.until || (epoch != f->flush.epoch && ENTRY_IS_BEFORE(f->flush.tick, until))) {
		const uint32_t delay = ENTRY_IS_BEFORE(f->flush.tick, until) ? until - f->flush.tick : 0;

		if (!f->flush.is_pending || delay > f->flush.delay_ticks)
			f->flush.delay_ticks = delay;
		f->flush.is_new = f->flush.is_pending = 1;
	}
	f->flush.until = until;
	f->flush.epoch = epoch;
	f->flush.tick = tick;
}

/* A quarantine has ended: memcached has executed the flushes that were seen before it began. */
static void pass_flushes(struct fill *f)
{
	int64_t over_ms;

	if (!f->flush.is_pending || f->flush.is_new)
		return;
	f->flush.is_pending = 0;
	over_ms = now_ms() + (int64_t)(((uint64_t)f->flush.delay_ticks << 30) / 1000000);
	if (over_ms > f->flush.over_ms) /* an earlier one may have been longer */
		f->flush.over_ms = over_ms;
}

static int is_disabled(const struct fill *f)
{
	const uint32_t until = load(&f->cache->off_until);

	return until == UINT32_MAX || ENTRY_IS_BEFORE(ENTRY_TICK(coarse_ns()), until) || until != f->flush.until || f->flush.is_pending ||
	       now_ms() < f->flush.over_ms;
}

/* --- the connections --- */

/* Forgets what has been established about memcached's progress: all candidates need a new quarantine. */
static void requeue_candidates(struct fill *f)
{
	for (uint32_t i = 0; i < CANDIDATES; i++)
		if (f->candidates.place[i].state != CANDIDATE_FREE)
			f->candidates.place[i].state = CANDIDATE_NEW;
	f->phase = IDLE;
}

/* A memcached that comes back may have other values, so all entries are dropped. */
static void disconnect_server(struct fill *f)
{
	server__close(&f->server);
	set_enabled(f, 0);
	entry__clear_all(f->entries);
	requeue_candidates(f);
	f->base.is_valid = 0;
	f->next_base_ms = 0;
	f->lost_ms = now_ms();
	f->next_connect_ms = f->lost_ms + RECONNECT_MS;
}

static int connect_server(struct fill *f)
{
	const int err = server__open(&f->server);

	f->next_connect_ms = now_ms() + RECONNECT_MS;
	if (!err) {
		f->counts.connects++;
		return BUSY_MS;
	}
	if (err == -E2BIG) {
		snprintf(f->reason, sizeof(f->reason), "memcached has no number of threads from 1 to %d; name it with --threads",
			 (SERVER_CONNECTIONS_MAX - 1) / 2);
		return FILL_FAILED;
	}
	if (err == -EPROTO) {
		snprintf(
			f->reason, sizeof(f->reason),
			"memcached takes one of its protocols only (-B), and the handlers follow both, as clients begin them: start it without -B");
		return FILL_FAILED;
	}
	if (err == -ETIMEDOUT || err == -EAGAIN) {
		f->lost_ms = now_ms();
		return IDLE_MS;
	}
	if (now_ms() - f->lost_ms < GIVE_UP_MS)
		return IDLE_MS;
	snprintf(f->reason, sizeof(f->reason), "memcached at %s does not answer: %s; is it there (--server)?", f->options.server,
		 strerror(-err));
	return FILL_GONE;
}

/* Returns 1 if each worker thread has answered. */
static int run_round(struct fill *f)
{
	const int err = server__round(&f->server);

	if (!err) {
		f->counts.rounds++;
		return 1;
	}
	if (err == -ETIMEDOUT) {
		f->counts.stalls++;
		requeue_candidates(f);
	} else {
		disconnect_server(f);
	}
	return 0;
}

/* --- which keys --- */

static void collect_wanted(struct fill *f)
{
	const uint32_t misses = load(&f->cache->misses);
	const int64_t now = now_ms();
	uint8_t key[sizeof(f->cache->wanted[0].key)];

	if (misses != f->misses)
		f->last_miss_ms = now;
	f->misses = misses;
	for (uint32_t i = 0; i < MC_WANTED; i++) {
		struct mc_wanted *wanted = &f->cache->wanted[i];
		uint32_t bytes, hash;

		if (load(&wanted->state) != MC_WANTED_READY)
			continue;
		bytes = wanted->key_bytes;
		memcpy(key, wanted->key, sizeof(key));
		__atomic_store_n(&wanted->state, MC_WANTED_FREE, __ATOMIC_RELEASE);
		if (bytes > MC_KEY_BYTES_MAX)
			continue;
		hash = candidate__hash(key, bytes);
		if (!candidate__is_refused(&f->candidates, hash, entry__version(f->cache, hash), entry__epoch(f->cache), now))
			candidate__add(&f->candidates, key, bytes);
	}
}

static void halve(uint32_t *count)
{
	const uint32_t now = __atomic_load_n(count, __ATOMIC_RELAXED);

	if (now)
		__atomic_fetch_sub(count, now - now / 2, __ATOMIC_RELAXED);
}

/* Ages the counts of requests, so that old requests weigh less. */
static void decay(struct fill *f)
{
	const uint32_t hits = load(&f->cache->hits);

	f->next_decay_ms = now_ms() + DECAY_MS;
	if (f->misses != f->decayed_misses)
		for (uint32_t i = 0; i < MC_VERSIONS; i++)
			halve(&f->cache->asked[i]);
	f->decayed_misses = f->misses;
	if (hits != f->hits)
		for (uint32_t i = 0; i < MC_ENTRIES; i++) {
			halve(&f->entries[i].hits);
			halve(&f->plan[i].hits);
		}
	f->hits = hits;
}

/* --- quarantine --- */

static int has_new_candidates(const struct fill *f)
{
	for (uint32_t i = 0; f->candidates.count && i < CANDIDATES; i++)
		if (f->candidates.place[i].state == CANDIDATE_NEW)
			return 1;
	return 0;
}

static int scan_sockets(struct fill *f)
{
	int err;

	f->scan.udp_heard = server__udp_heard(&f->server);
	err = socket_scan__run(&f->scan, &f->server);

	if (err) {
		snprintf(f->reason, sizeof(f->reason), "/proc/net cannot be read: %s", strerror(-err));
		return FILL_FAILED;
	}
	if (!f->scan.own) {
		snprintf(
			f->reason, sizeof(f->reason),
			"memcached at %s is not in this network namespace, so its sockets cannot be looked at; run this program where memcached runs",
			f->options.server);
		return FILL_ELSEWHERE;
	}
	f->is_clean = !f->scan.unread && !f->scan.blocked;
	if (!f->is_clean)
		f->rounds = 0;
	if (f->scan.udp_unread)
		server__udp_ask(&f->server);
	return 0;
}

/* Notes the versions of all new candidates, then scans the sockets twice: the bytes of one opened after the first scan do not matter. */
static int begin_quarantine(struct fill *f)
{
	int err;

	f->started_ms = now_ms();
	f->flush.is_new = 0;
	f->mutations = load(&f->cache->mutations);
	f->epoch = entry__epoch(f->cache);
	for (uint32_t i = 0; i < CANDIDATES; i++) {
		struct candidate *candidate = &f->candidates.place[i];

		if (candidate->state != CANDIDATE_NEW)
			continue;
		candidate->state = CANDIDATE_WAITING;
		candidate->epoch = entry__epoch(f->cache);
		candidate->version = entry__version(f->cache, candidate->hash);
	}
	/* all that passed the handlers before these reads is in a socket or in memcached before the scans */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	f->phase = QUARANTINE;
	f->rounds = 0;
	f->counts.quarantines++;
	socket_scan__begin(&f->scan);
	server__udp_begin(&f->server);
	err = scan_sockets(f);
	return err ? err : scan_sockets(f);
}

static unsigned rounds_needed(const struct fill *f)
{
	const unsigned rounds = READ_BUFFER_BYTES / COMMAND_BYTES_MIN / f->server.requests + ROUNDS_EXTRA;

	return rounds < ROUNDS_MIN ? ROUNDS_MIN : rounds;
}

static int round_interval_ms(const struct fill *f)
{
	return (int)(f->options.quarantine_ms / rounds_needed(f));
}

/* memcached must not have executed more than the handlers have counted since the base. Returns 0 or FILL_UNSEEN. */
static int compare_counts(struct fill *f, const struct server_stats *stats)
{
	const uint32_t counted = load(&f->cache->mutations) - f->base.mutations;

	f->counts.audits++;
	if (stats->executed < f->base.executed || stats->connections > CONNECTIONS_HANDLED || f->scan.connections > CONNECTIONS_HANDLED ||
	    entry__epoch(f->cache) != f->base.epoch) {
		/*
		 * after `stats reset`, or after commands that the handlers count once together, such as those of a connection that they do
		 * not follow: these change the epoch of all keys
		 */
		f->base.is_valid = 0;
		f->next_base_ms = now_ms() + BASE_RETRY_MS;
		return 0;
	}
	if (stats->executed - f->base.executed <= counted)
		return 0;
	snprintf(f->reason, sizeof(f->reason),
		 "memcached has executed %llu changes of which the handlers have seen %u at most: there is a way to it without them, as a "
		 "Unix socket (-s), a port without handlers, or fragments of datagrams; close it",
		 (unsigned long long)(stats->executed - f->base.executed), counted);
	return FILL_UNSEEN;
}

static int end_quarantine(struct fill *f)
{
	struct server_stats stats;
	int err = server__stats(&f->server, &stats);

	if (err) {
		disconnect_server(f);
		return 0;
	}
	if (f->base.is_valid) {
		err = compare_counts(f, &stats);
		if (err)
			return err;
	}
	pass_flushes(f);
	f->base.is_valid = 1;
	f->base.mutations = f->mutations;
	f->base.epoch = f->epoch;
	f->base.executed = stats.executed;
	f->phase = IDLE;
	for (uint32_t i = 0; i < CANDIDATES; i++)
		if (f->candidates.place[i].state == CANDIDATE_WAITING)
			f->candidates.place[i].state = CANDIDATE_CLEARED;
	set_enabled(f, 1);
	return 0;
}

/* Returns the ms until the next call, or an enum fill_end. */
static int continue_quarantine(struct fill *f)
{
	int err;

	if (!f->is_clean) {
		err = scan_sockets(f);
		if (err || !f->is_clean)
			return err ? err : UNREAD_MS;
	}
	if (!run_round(f))
		return BUSY_MS;
	f->rounds++;
	if (f->rounds % ROUNDS_PER_SCAN && f->rounds < rounds_needed(f))
		return round_interval_ms(f);
	if (f->rounds >= rounds_needed(f) && now_ms() - f->started_ms < f->options.quarantine_ms)
		return round_interval_ms(f) + 1;
	err = scan_sockets(f);
	if (err)
		return err;
	if (!f->is_clean)
		return UNREAD_MS;
	return f->rounds < rounds_needed(f) ? round_interval_ms(f) : end_quarantine(f);
}

/* --- entries --- */

/*
 * Returns the first tick at which a value that was requested at `ns` must not be used; 0 if it would expire too soon. ttl in seconds; < 0:
 * never expires.
 */
static uint32_t expiry_tick(const struct fill *f, uint64_t ns, int64_t ttl)
{
	int64_t seconds = f->options.max_age_s;
	uint32_t until;

	/* memcached's clock has whole seconds: the last one may end at any time */
	if (ttl >= 0 && ttl - 1 < seconds)
		seconds = ttl - 1;
	if (seconds <= 0)
		return 0;
	until = ENTRY_TICK(ns + (uint64_t)seconds * 1000000000);
	return until != ENTRY_TICK(ns) ? until : 0;
}

static void plan_refresh(struct fill *f, const struct mc_entry *entry, uint32_t until)
{
	const uint32_t early = f->options.max_age_s / 4;

	f->plan[entry - f->entries].refresh_at = until - (early > 2 ? early : 2);
	f->plan[entry - f->entries].hits = load(&entry->hits);
}

/* Fetches one key. memcached must have executed all mutations that had passed the handlers when version and epoch were read. */
static int fetch(struct fill *f, struct candidate *candidate)
{
	const uint64_t ns = coarse_ns();
	struct entry_content content = { candidate->hash, candidate->version, candidate->epoch };
	struct mc_entry *entry;
	char text[MC_TEXT_BYTES];
	int got;

	f->value.data = f->data;
	f->value.room = sizeof(f->data);
	got = server__get(&f->server, candidate->key, candidate->key_bytes, &f->value);
	if (got < 0 && got != -EMSGSIZE)
		return got;
	if (got == 1) {
		content.until = expiry_tick(f, ns, f->value.ttl);
		content.text_bytes = entry__text(text, candidate->key, candidate->key_bytes, f->value.flags, f->data, f->value.bytes);
	}
	if (!content.until || !content.text_bytes) {
		candidate__refuse(&f->candidates, candidate, now_ms() + REFUSED_MS);
		f->counts.refused++;
		return 0;
	}
	if (entry__version(f->cache, candidate->hash) != candidate->version || entry__epoch(f->cache) != candidate->epoch)
		return 0;
	content.key = candidate->key;
	content.key_bytes = candidate->key_bytes;
	content.text = text;
	entry = entry__victim(f->cache, f->entries, &content, load(&f->cache->asked[MC_VERSION_OF(candidate->hash)]), ENTRY_TICK(ns));
	if (!entry)
		return 0;
	entry__write(entry, &content);
	plan_refresh(f, entry, content.until);
	f->counts.filled++;
	return 0;
}

/* Returns 1 if some are left. */
static int fetch_cleared(struct fill *f)
{
	unsigned left = FETCHES_PER_STEP;

	for (uint32_t i = 0; f->candidates.count && i < CANDIDATES; i++) {
		struct candidate *candidate = &f->candidates.place[i];

		if (candidate->state != CANDIDATE_CLEARED)
			continue;
		if (!left)
			return 1;
		if (left == FETCHES_PER_STEP && !run_round(f))
			return 0;
		left--;
		if (entry__version(f->cache, candidate->hash) != candidate->version || entry__epoch(f->cache) != candidate->epoch) {
			f->counts.changed++;
			candidate->state = CANDIDATE_NEW;
			if (++candidate->tries == TRIES_MAX)
				candidate__remove(&f->candidates, candidate);
			continue;
		}
		if (fetch(f, candidate)) {
			disconnect_server(f);
			return 0;
		}
		candidate__remove(&f->candidates, candidate);
	}
	return 0;
}

/*
 * Refreshes an entry with the version and epoch that it was filled with. No mutation has passed since then, so memcached has the same value
 * and no quarantine is needed. Returns 0, FILL_UNSEEN, or a negative errno.
 */
static int refresh(struct fill *f, struct mc_entry *entry, uint32_t *refresh_at)
{
	const uint64_t ns = coarse_ns();
	char text[MC_TEXT_BYTES];
	uint32_t until, bytes;
	int got;

	*refresh_at = entry->until; /* if it cannot be extended, do not try again */
	f->value.data = f->data;
	f->value.room = sizeof(f->data);
	got = server__get(&f->server, entry->key, entry->key_bytes, &f->value);
	if (got < 0 && got != -EMSGSIZE)
		return got;
	if (!got) { /* it has expired there, was evicted, or ended in a way that the handlers do not count */
		entry__clear(entry);
		return 0;
	}
	bytes = got == 1 ? entry__text(text, entry->key, entry->key_bytes, f->value.flags, f->data, f->value.bytes) : 0;
	if (!entry__is_live(f->cache, entry, ENTRY_TICK(ns)))
		return 0;
	if (bytes != entry->text_bytes || memcmp(entry->text, text, bytes)) {
		snprintf(
			f->reason, sizeof(f->reason),
			"memcached has another value of a key of which the handlers have seen no change: there is a way to it without them, as a "
			"Unix socket (-s), a port without handlers, or fragments of datagrams; close it");
		return FILL_UNSEEN;
	}
	until = expiry_tick(f, ns, f->value.ttl);
	if (until && ENTRY_IS_BEFORE(entry->until, until)) {
		__atomic_store_n(&entry->until, until, __ATOMIC_RELEASE);
		plan_refresh(f, entry, until);
		f->counts.refreshed++;
	}
	return 0;
}

static int refresh_used(struct fill *f)
{
	const uint32_t tick = ENTRY_TICK(coarse_ns());
	unsigned left = REFRESHES_PER_STEP;

	f->next_refresh_ms = now_ms() + REFRESH_MS;
	for (uint32_t i = 0; i < MC_ENTRIES; i++) {
		struct mc_entry *entry = &f->entries[i];
		int err;

		if (!entry->key_bytes || ENTRY_IS_BEFORE(tick, f->plan[i].refresh_at) || !entry__is_live(f->cache, entry, tick) ||
		    load(&entry->hits) <= f->plan[i].hits)
			continue;
		if (left == REFRESHES_PER_STEP && !run_round(f))
			return 0;
		if (!left--) {
			f->next_refresh_ms = 0;
			return 0;
		}
		err = refresh(f, entry, &f->plan[i].refresh_at);
		if (err == FILL_UNSEEN)
			return err;
		if (err) {
			disconnect_server(f);
			return 0;
		}
	}
	return 0;
}

static int audit(struct fill *f)
{
	struct server_stats stats;

	f->next_audit_ms = now_ms() + AUDIT_MS;
	if (!f->base.is_valid || !run_round(f))
		return 0;
	/* memcached's count first: the handlers had counted all of it before */
	if (server__stats(&f->server, &stats)) {
		disconnect_server(f);
		return 0;
	}
	return compare_counts(f, &stats);
}

/* --- the loop --- */

static int wants_quarantine(const struct fill *f)
{
	if (f->flush.is_pending) /* commands that change the epoch may look like flushes, one after the other */
		return load(&f->cache->off_until) != UINT32_MAX && now_ms() >= f->started_ms + FLUSH_RETRY_MS;
	return !is_disabled(f) && (has_new_candidates(f) || (!f->base.is_valid && now_ms() >= f->next_base_ms));
}

int fill__step(struct fill *f)
{
	int wait = f->last_miss_ms + AUDIT_MS > now_ms() ? BUSY_MS : IDLE_MS, err = 0;

	collect_wanted(f);
	collect_flushes(f);
	if (now_ms() >= f->next_decay_ms)
		decay(f);
	if (!f->server.count)
		return now_ms() < f->next_connect_ms ? IDLE_MS : connect_server(f);
	if (f->phase == QUARANTINE)
		wait = continue_quarantine(f);
	else if (wants_quarantine(f))
		wait = run_round(f) ? begin_quarantine(f) : BUSY_MS;
	if (wait < 0)
		return wait;
	if (f->server.count && !is_disabled(f) && fetch_cleared(f))
		wait = 0;
	if (f->server.count && now_ms() >= f->next_refresh_ms && !is_disabled(f))
		err = refresh_used(f);
	if (!err && f->server.count && now_ms() >= f->next_audit_ms)
		err = audit(f);
	return err ? err : wait;
}

struct fill *fill__open(struct mc_cache *cache, struct mc_entry entries[MC_ENTRIES], const struct fill_options *options)
{
	struct fill *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->cache = cache;
	f->entries = entries;
	f->options = *options;
	f->server.wanted_threads = options->threads;
	if (server__set_address(&f->server, options->server)) {
		free(f);
		return NULL;
	}
	set_enabled(f, 0);
	entry__clear_all(entries);
	__atomic_store_n(&cache->asks, options->asks, __ATOMIC_RELAXED);
	f->misses = f->decayed_misses = load(&cache->misses);
	f->hits = load(&cache->hits);
	f->lost_ms = now_ms();
	f->flush.tick = ENTRY_TICK(coarse_ns());
	f->flush.epoch = entry__epoch(cache);
	f->flush.until = load(&cache->off_until);
	if (f->flush.until) { /* one that was counted before this program started may not have been executed */
		f->flush.is_new = f->flush.is_pending = 1;
		f->flush.delay_ticks = load(&cache->flush_delay_s) + 3;
	}
	return f;
}

const char *fill__reason(const struct fill *f)
{
	return f->reason;
}

void fill__counts(const struct fill *f, struct fill_counts *counts)
{
	*counts = f->counts;
	counts->candidates = f->candidates.count;
}

void fill__close(struct fill *f)
{
	set_enabled(f, 0);
	server__close(&f->server);
	socket_scan__free(&f->scan);
	free(f);
}
