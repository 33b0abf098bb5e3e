/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the code that fills the cache of memcached's handlers (user/memcached/fill.c), with a memcached and without handlers: this test
 * counts changes as the handlers would. An entry must be byte for byte memcached's answer, and never older than the last counted change,
 * even if memcached executes that change late. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/common/net/slow.h"
#include "tests/common/proc.h"
#include "user/memcached/candidate.h"
#include "user/memcached/entry.h"
#include "user/memcached/fill.h"

#define MEMCACHED "/usr/bin/memcached"
#define MAX_AGE_S 6

static struct mc_cache *cache;
static struct mc_entry *entries;
static struct fill *fill;
static char address[32];
static uint16_t port;
static pid_t memcached;
static int client = -1, udp = -1;

/* --- memcached and its clients --- */

static void pause_ms(long ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static int connect_to(int type)
{
	const struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	const int one = 1;

	if (type == SOCK_STREAM)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (fd >= 0 && !connect(fd, (const struct sockaddr *)&to, sizeof(to)))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static uint16_t find_port(void)
{
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(own);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof(own)) || getsockname(fd, (struct sockaddr *)&own, &bytes))
		die("no port: %s", strerror(errno));
	close(fd);
	return ntohs(own.sin_port);
}

static void start_memcached(void)
{
	char number[8];
	const char *const user = getpwuid(geteuid())->pw_name;

	snprintf(number, sizeof(number), "%u", port);
	memcached = fork();
	if (!memcached) {
		/* with another user PR_SET_PDEATHSIG would be cleared and memcached would outlive this test */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(MEMCACHED, "memcached", "-l", "127.0.0.1", "-p", number, "-U", number, "-t", "3", "-u", user, "-m", "64", NULL);
		_exit(127);
	}
	for (int i = 0; i < 1000 && client < 0; i++) {
		client = connect_to(SOCK_STREAM);
		pause_ms(5);
	}
	if (client < 0)
		die("memcached does not listen");
	udp = connect_to(SOCK_DGRAM);
}

static void end_memcached(void)
{
	kill(memcached, SIGKILL);
	waitpid(memcached, NULL, 0);
	close(client);
	close(udp);
	client = udp = -1;
}

static size_t receive(int fd, char *to, size_t room, int ms)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	ssize_t n = poll(&wait, 1, ms) > 0 ? recv(fd, to, room, 0) : 0;

	return n > 0 ? (size_t)n : 0;
}

static void send_all(int fd, const void *bytes, size_t count)
{
	if (send(fd, bytes, count, MSG_NOSIGNAL) != (ssize_t)count)
		die("cannot send: %s", strerror(errno));
}

/* Counts a change as the handlers do, before memcached gets the command. */
static void count_change(const char *key)
{
	__atomic_fetch_add(&cache->version[MC_VERSION_OF(candidate__hash(key, (uint32_t)strlen(key)))], 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&cache->mutations, 1, __ATOMIC_SEQ_CST);
}

static void set_uncounted(int fd, const char *key, int ttl, const char *value, size_t bytes)
{
	char answer[64] = "", command[400];
	const int n = snprintf(command, sizeof(command), "set %s 7 %d %zu\r\n", key, ttl, bytes);

	send_all(fd, command, (size_t)n);
	send_all(fd, value, bytes);
	send_all(fd, "\r\n", 2);
	if (!receive(fd, answer, sizeof(answer) - 1, 5000) || strcmp(answer, "STORED\r\n"))
		die("memcached answers %s to set", answer);
}

static void set(const char *key, int ttl, const char *value)
{
	count_change(key);
	set_uncounted(client, key, ttl, value, strlen(value));
}

/* Gets memcached's answer over UDP. */
static size_t get_by_udp(const char *key, char text[2048])
{
	char datagram[300] = "\0\1\0\0\0\1\0\0get ", answer[2048];
	size_t bytes = 12 + strlen(key);

	memcpy(datagram + 12, key, strlen(key));
	memcpy(datagram + bytes, "\r\n", 2);
	send_all(udp, datagram, bytes + 2);
	bytes = receive(udp, answer, sizeof(answer), 5000);
	if (bytes < 8)
		die("memcached does not answer over UDP");
	memcpy(text, answer + 8, bytes - 8);
	return bytes - 8;
}

/* --- handlers --- */

static uint32_t tick_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return ENTRY_TICK((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
}

/* Returns the entry that handlers would answer from, or NULL. */
static struct mc_entry *find(const char *key)
{
	const uint32_t bytes = (uint32_t)strlen(key), hash = candidate__hash(key, bytes);

	for (uint32_t w = 0; cache->on && w < MC_WAYS; w++) {
		struct mc_entry *entry = &entries[MC_FIRST_OF(hash) + w];

		if (entry->hash == hash && entry->key_bytes == bytes && !memcmp(entry->key, key, bytes) &&
		    entry__is_live(cache, entry, tick_now()))
			return entry;
	}
	return NULL;
}

static int has_value(const char *key, const char *value)
{
	const struct mc_entry *entry = find(key);
	char text[MC_TEXT_BYTES];
	const uint32_t bytes = entry__text(text, key, (uint32_t)strlen(key), 7, value, strlen(value));

	return entry && entry->text_bytes == bytes && !memcmp(entry->text, text, bytes);
}

static void request_key_bytes(const void *key, size_t bytes)
{
	struct mc_wanted *wanted = NULL;

	for (uint32_t i = 0; i < MC_WANTED && !wanted; i++)
		if (cache->wanted[i].state == MC_WANTED_FREE)
			wanted = &cache->wanted[i];
	if (!wanted)
		die("the program does not take the keys that are wanted");
	cache->misses++;
	memset(wanted->key, 0, sizeof(wanted->key));
	memcpy(wanted->key, key, bytes);
	wanted->key_bytes = (uint32_t)bytes;
	wanted->hash = candidate__hash(key, (uint32_t)bytes);
	__atomic_store_n(&wanted->state, MC_WANTED_READY, __ATOMIC_RELEASE);
}

static void request_key(const char *key)
{
	request_key_bytes(key, strlen(key));
}

/* --- the filling process --- */

static int step(void)
{
	const int wait = fill__step(fill);

	if (wait > 0)
		pause_ms(wait);
	return wait;
}

static void expect_step(void)
{
	if (step() < 0)
		die("the program ends: %s", fill__reason(fill));
}

static void run_ms(int64_t ms)
{
	const uint64_t end = now_ns() + (uint64_t)ms * 1000000;

	while (now_ns() < end)
		expect_step();
}

#define RUN_UNTIL(condition, what)                                                       \
	do {                                                                             \
		const uint64_t end_ = now_ns() + (uint64_t)slow_factor() * 15000000000u; \
		while (!(condition)) {                                                   \
			if (now_ns() > end_)                                             \
				die("not within 15 s: %s", what);                        \
			expect_step();                                                   \
		}                                                                        \
		proc_progress();                                                         \
	} while (0)

static struct fill_counts read_counts(void)
{
	struct fill_counts counts;

	fill__counts(fill, &counts);
	return counts;
}

static void open_fill(void)
{
	const struct fill_options wanted = { address, 0, 500, MAX_AGE_S, 2 };

	fill = fill__open(cache, entries, &wanted);
	if (!fill)
		die("fill__open() fails");
	RUN_UNTIL(cache->on, "the cache is on");
}

static void close_fill(void)
{
	fill__close(fill);
	if (cache->on)
		die("the cache is on after its program");
}

/* --- tests --- */

static void test_texts(void)
{
	static char keys[8][256] = { "plain", "empty", "k\x80\xff\xc3\xa4:/?*\x0e\x1f\x7f", "fits", "does_not_fit", "absent" };
	char value[MC_TEXT_BYTES + 8], text[2048];

	memset(value, 'v', sizeof(value));
	memset(keys[6], 'x', 250);
	memset(keys[7], 'y', 249);
	set("plain", 0, "some value");
	set("empty", 0, "");
	set(keys[2], 0, "line\r\nEND\r\nVALUE");
	set(keys[6], 0, "of a long key");
	set(keys[7], 0, "");
	count_change("fits");
	set_uncounted(client, "fits", 0, value, MC_TEXT_BYTES - strlen("VALUE fits 7 473\r\n\r\nEND\r\n") - 1);
	count_change("does_not_fit");
	set_uncounted(client, "does_not_fit", 0, value, MC_TEXT_BYTES - 8);
	for (unsigned i = 0; i < 8; i++)
		request_key(keys[i]);
	request_key_bytes("plain\r\nflush_all", 16);
	request_key_bytes("a b", 3);
	request_key_bytes("a\tb", 3);
	request_key_bytes("a\0b", 3);
	RUN_UNTIL(find(keys[7]) && !read_counts().candidates, "the keys are entries");
	for (unsigned i = 0; i < 8; i++) {
		const struct mc_entry *entry = find(keys[i]);
		const size_t bytes = get_by_udp(keys[i], text);

		if (i == 4 || i == 5) {
			if (entry)
				die("%s is an entry", keys[i]);
			continue;
		}
		if (!entry || entry->text_bytes != bytes || memcmp(entry->text, text, bytes))
			die("the entry of %s is not what memcached answers", keys[i]);
		for (size_t at = bytes; at < MC_TEXT_BYTES; at++)
			if (((const char *)entry->text)[at])
				die("there are no zeros behind the text of %s", keys[i]);
	}
	if (read_counts().filled != 6 || read_counts().refused != 2)
		die("%llu filled, %llu refused", (unsigned long long)read_counts().filled, (unsigned long long)read_counts().refused);
}

static void test_change_in_quarantine(void)
{
	const struct fill_counts before = read_counts();
	struct mc_entry *entry;

	set("changing", 0, "old");
	request_key("changing");
	RUN_UNTIL(read_counts().quarantines > before.quarantines, "a quarantine begins");
	run_ms(100);
	set("changing", 0, "new");
	RUN_UNTIL(find("changing"), "a key is filled in the next quarantine");
	if (read_counts().changed == before.changed || !has_value("changing", "new"))
		die("the quarantine does not see the change");
	entry = find("changing");
	count_change("changing");
	if (find("changing"))
		die("an entry lives on after a change");
	set("changing", 0, "newer");
	request_key("changing");
	RUN_UNTIL(find("changing"), "it is filled again");
	if (find("changing") != entry)
		die("a key has two entries");
}

static void test_stopped_memcached(void)
{
	const uint64_t filled = read_counts().filled;

	set("late", 0, "old");
	run_ms(50);
	kill(memcached, SIGSTOP);
	count_change("late");
	send_all(client, "set late 7 0 3\r\nnew\r\n", 21);
	request_key("late");
	run_ms(3000);
	if (read_counts().filled != filled || !read_counts().stalls)
		die("keys are filled while memcached is stopped");
	kill(memcached, SIGCONT);
	RUN_UNTIL(find("late"), "it goes on");
	if (!has_value("late", "new"))
		die("a value is older than a change that had passed");
	if (receive(client, (char[64]){ 0 }, 64, 1000) != 8)
		die("no answer to set");
}

/* memcached has read a change but cannot execute it yet, because it cannot write the answers to the commands before it. */
static void test_blocked_connection(void)
{
	enum { VALUE = 500000, GETS = 40 };
	static char value[VALUE];
	char commands[GETS * 9 + 64] = "", *some = malloc(1 << 20);
	uint64_t filled, left = 0;
	int other = connect_to(SOCK_STREAM);

	memset(value, 'b', VALUE);
	set("blocked", 0, "old");
	count_change("big");
	set_uncounted(client, "big", 0, value, VALUE);
	run_ms(50);
	for (int i = 0; i < GETS; i++)
		strcat(commands, "get big\r\n");
	strcat(commands, "set blocked 7 0 3\r\nnew\r\n");
	count_change("blocked");
	send_all(other, commands, strlen(commands));
	pause_ms(100);
	request_key("blocked");
	filled = read_counts().filled;
	run_ms(3000);
	if (read_counts().filled != filled)
		die("keys are filled though memcached has a change that it does not execute");
	for (size_t n = 1; n; left += n)
		n = receive(other, some, 1 << 20, 500);
	RUN_UNTIL(find("blocked"), "the connection goes on");
	if (!has_value("blocked", "new"))
		die("a value is older than a change that memcached had read");
	if (left < (uint64_t)VALUE * GETS)
		die("the other connection has not read all");
	close(other);
	free(some);
}

static void test_times(void)
{
	struct mc_entry *entry;
	uint32_t until;

	set("short", 4, "of 4 s");
	set("shorter", 1, "of 1 s");
	set("used", 0, "of no end");
	set("unused", 0, "of no end");
	request_key("short");
	request_key("shorter");
	request_key("used");
	request_key("unused");
	RUN_UNTIL(find("unused") && !read_counts().candidates, "they are entries");
	entry = find("short");
	if (find("shorter") || (entry && entry->until - tick_now() > 3))
		die("an entry would outlive its value: %d, %u ticks", find("shorter") != NULL, entry ? entry->until - tick_now() : 0);
	entry = find("used");
	until = entry->until;
	if (until - tick_now() > MAX_AGE_S)
		die("an entry would be too old");
	for (unsigned i = 0; i < 2 * MAX_AGE_S; i++) {
		__atomic_fetch_add(&entry->hits, 1, __ATOMIC_RELAXED);
		cache->hits++;
		run_ms(1000);
		proc_progress();
		if (!has_value("used", "of no end"))
			die("an entry in use has ended");
	}
	if (find("unused") || find("short") || entry->until == until || !read_counts().refreshed)
		die("an entry lives too long");
}

static void test_flush_to_come(void)
{
	const uint64_t filled = read_counts().filled;

	set("flushed", 0, "x");
	cache->off_until = tick_now() + 3;
	request_key("flushed");
	run_ms(1500);
	if (read_counts().filled != filled)
		die("keys are filled before a flush_all");
	RUN_UNTIL(find("flushed"), "keys are filled after it");
}

static void test_many(void)
{
	const uint64_t filled = read_counts().filled;
	char key[32];

	for (unsigned i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "many%u", i);
		set(key, 0, key);
	}
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "many%u", i);
		request_key(key);
		if (i % 200 == 199)
			expect_step();
	}
	RUN_UNTIL(read_counts().filled + 20 > filled + 1000 && !read_counts().candidates, "1000 keys are entries");
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "many%u", i);
		if (find(key) && !has_value(key, key))
			die("an entry has another's value");
	}
}

static void test_idle(void)
{
	struct rusage before, after;
	const uint64_t rounds = read_counts().rounds;
	double ms;

	run_ms(3000);
	getrusage(RUSAGE_SELF, &before);
	run_ms(4000);
	getrusage(RUSAGE_SELF, &after);
	ms = (double)(after.ru_utime.tv_sec + after.ru_stime.tv_sec - before.ru_utime.tv_sec - before.ru_stime.tv_sec) * 1e3 +
	     (double)(after.ru_utime.tv_usec + after.ru_stime.tv_usec - before.ru_utime.tv_usec - before.ru_stime.tv_usec) / 1e3;
	printf("idle: %.2f %% of a CPU, %llu rounds in 7 s\n", ms / 40, (unsigned long long)(read_counts().rounds - rounds));
	if (ms > 80 * slow_factor())
		die("%.1f ms of CPU time in 4 s without anything to do", ms);
}

static void test_restart(void)
{
	set("lost", 0, "x");
	request_key("lost");
	RUN_UNTIL(find("lost"), "a key is an entry");
	end_memcached();
	RUN_UNTIL(!cache->on, "the cache is off without memcached");
	run_ms(1000);
	start_memcached();
	RUN_UNTIL(cache->on, "it is on again");
	for (uint32_t i = 0; i < MC_ENTRIES; i++)
		if (entries[i].key_bytes || entries[i].tag & 1)
			die("an entry is left of the memcached that is gone");
	set("lost", 0, "y");
	request_key("lost");
	RUN_UNTIL(has_value("lost", "y"), "it is filled");
}

static void test_killed(void)
{
	close_fill();
	entries[5].tag = 7;
	entries[5].key_bytes = 3;
	open_fill();
	if (entries[5].tag & 1 || entries[5].tag <= 7 || entries[5].key_bytes)
		die("an entry that was half written is not repaired");
}

/* UDP's queue is never empty. Keys must still be filled. */
static void test_flood(void)
{
	static const char datagram[] = "\0\1\0\0\0\1\0\0get flooded\r\n";
	pid_t flood;

	set("flooded", 0, "x");
	flood = fork();
	if (!flood) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			send(udp, datagram, sizeof(datagram) - 1, MSG_DONTWAIT);
	}
	pause_ms(200);
	request_key("flooded");
	RUN_UNTIL(find("flooded"), "a key is filled in a flood");
	kill(flood, SIGKILL);
	waitpid(flood, NULL, 0);
}

static void test_unseen(void)
{
	int end = 0;

	run_ms(500);
	for (int i = 0; i < 3 && cache->mutations; i++)
		set("seen", 0, "x");
	request_key("seen");
	RUN_UNTIL(find("seen"), "a key is an entry");
	run_ms(1500);
	for (int i = 0; i < 20; i++)
		set_uncounted(client, "unseen", 0, "x", 1);
	for (int i = 0; i < 1000 && end >= 0; i++)
		end = step();
	if (end != FILL_UNSEEN || !strstr(fill__reason(fill), "Unix socket"))
		die("a change that no handler has seen is not noticed");
	printf("%s\n", fill__reason(fill));
	close_fill();
}

/* A touch counts as a change but keeps the value. The value that is fetched next differs from the cached one. */
static void test_unseen_value(void)
{
	int end = 0;

	open_fill();
	set("secret", 0, "x");
	request_key("secret");
	RUN_UNTIL(find("secret"), "a key is an entry");
	cache->mutations += 100; /* hides uncounted changes in the numbers */
	set_uncounted(client, "secret", 0, "y", 1);
	for (int i = 0; i < 2000 && end >= 0; i++) {
		struct mc_entry *entry = find("secret");

		if (entry)
			entry->hits++;
		end = step();
		proc_progress();
	}
	if (end != FILL_UNSEEN || !strstr(fill__reason(fill), "another value"))
		die("a value that no handler has seen is not noticed");
	close_fill();
}

static void test_gone(void)
{
	int end = 0;

	open_fill();
	end_memcached();
	for (int i = 0; i < 1000 && end >= 0; i++)
		end = step();
	if (end != FILL_GONE || cache->on)
		die("the end of memcached is not noticed");
	close_fill();
}

int main(void)
{
	if (access(MEMCACHED, X_OK)) {
		printf("skip: memcached is not installed\n");
		return 77;
	}
	proc_init();
	cache = calloc(1, sizeof(*cache));
	entries = calloc(MC_ENTRIES, sizeof(*entries));
	if (!cache || !entries)
		die("no memory");
	port = find_port();
	snprintf(address, sizeof(address), "127.0.0.1:%u", port);
	start_memcached();
	open_fill();
	test_texts();
	test_change_in_quarantine();
	test_stopped_memcached();
	test_blocked_connection();
	test_times();
	test_flush_to_come();
	test_many();
	test_flood();
	test_idle();
	test_restart();
	test_killed();
	test_unseen();
	test_unseen_value();
	test_gone();
	free(cache);
	free(entries);
	printf("ok\n");
	return 0;
}
