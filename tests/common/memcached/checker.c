/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs the threads of a check that memcached behind handlers never gives a stale answer: writers (writer.h), and readers that GET and
 * compare each answer with the values that its key may have (checker.h). Called by tests/sockets/memcached_is_coherent.c and the demo.
 * Keeps the first wrong answer as text.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/memcached/writer.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"

#define THREADS_MAX  16u
#define ANSWER_MS    1000
#define KEYS_PER_GET 2u /* most keys of a GET */

struct reader {
	struct mc_check_run *on;
	unsigned number;
	pthread_t thread;
	uint64_t seed, gets, unanswered, verdict[MC_VERDICTS];
	uint64_t seen[MC_CHECK_KEYS_MAX];
};

void mc_check_run__report(struct mc_check_run *on, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	pthread_mutex_lock(&on->results);
	if (!on->check->first_bad[0]) {
		vsnprintf(on->check->first_bad, sizeof(on->check->first_bad), format, args);
		for (char *at = on->check->first_bad; *at; at++)
			if (*at == '\r' || *at == '\n')
				*at = ' '; /* part of a value */
	}
	pthread_mutex_unlock(&on->results);
	va_end(args);
}

/* memcached 1.6 sends a datagram for each value, and marks each of them as the only one. */
static char *next_line(struct mc_answer *answer, int fd, uint16_t id)
{
	char *line = mc_client__line(answer);

	return line || mc_client__receive_udp(fd, id, ANSWER_MS, answer) < 0 ? line : mc_client__line(answer);
}

/* Checks one key of an answer; *line is the line of the next value, or NULL. */
static void check_key(struct reader *reader, unsigned key, struct mc_read *read, struct mc_answer *answer, char **line, int fd, uint16_t id)
{
	struct mc_key *of = &reader->on->key[key];
	enum mc_verdict verdict;
	char name[40] = "";

	read->found = 0;
	if (*line && sscanf(*line, "VALUE %39s %u %u", name, &read->flags, &read->bytes) == 3 && !strcmp(name, of->name)) {
		read->value = mc_client__bytes(answer, (size_t)read->bytes + 2);
		read->found = 1;
	}
	if (read->found && (!read->value || memcmp(read->value + read->bytes, "\r\n", 2)))
		verdict = MC_NEVER_WRITTEN;
	else
		verdict = mc_key__check(of, read, &reader->seen[key]);
	reader->verdict[verdict]++;
	if (verdict > MC_UNCHECKED)
		mc_check_run__report(reader->on, "GET %s: %s; '%.*s', flags %u; %llu was acknowledged, %llu issued, it took %llu us",
				     of->name, mc_verdict_name[verdict], read->found && read->value ? (int)read->bytes : 0,
				     read->found ? read->value : "", read->found ? read->flags : 0, (unsigned long long)read->acknowledged,
				     (unsigned long long)of->issued, (unsigned long long)(read->arrived - read->sent) / 1000);
	if (read->found)
		*line = next_line(answer, fd, id);
}

static void get(struct reader *reader, int fd, struct mc_answer *answer, uint16_t id)
{
	const struct mc_check *check = reader->on->check;
	unsigned kind = (unsigned)random_next(&reader->seed) % 10, keys = kind ? 1 : KEYS_PER_GET, key[KEYS_PER_GET];
	struct mc_read read[KEYS_PER_GET];
	char text[100], *line;
	int n = sprintf(text, kind == 1 ? "gets" : "get");

	for (unsigned i = 0; i < keys; i++) {
		do
			key[i] = (unsigned)random_next(&reader->seed) % (check->keys + check->short_lived_keys);
		while (i && key[i] == key[0]);
		n += sprintf(text + n, " %s", reader->on->key[key[i]].name);
		read[i].acknowledged = mc_key__acknowledged(&reader->on->key[key[i]]);
	}
	n += sprintf(text + n, "\r\n");
	read[0].sent = now_ns();
	mc_client__send_udp(fd, id, text, (size_t)n);
	if (mc_client__receive_udp(fd, id, ANSWER_MS, answer) < 0) {
		reader->unanswered++;
		return;
	}
	read[0].arrived = now_ns();
	line = mc_client__line(answer);
	for (unsigned i = 0; i < keys; i++) {
		read[i].sent = read[0].sent;
		read[i].arrived = read[0].arrived;
		check_key(reader, key[i], &read[i], answer, &line, fd, id);
	}
	reader->gets += keys;
	if (!line || strcmp(line, "END"))
		mc_check_run__report(reader->on, "an answer ends with '%s'", line ? line : "");
}

static void *read_keys(void *arg)
{
	struct reader *reader = arg;
	struct mc_check *check = reader->on->check;
	const char *addr = check->addr6 && reader->number % 2 ? check->addr6 : check->addr;
	int fd = mc_client__udp(check->get_addr ? check->get_addr : addr, check->get_addr ? check->get_port : check->port);
	static __thread struct mc_answer answer;
	uint16_t id = 0;

	while (!reader->on->stop)
		get(reader, fd, &answer, ++id);
	close(fd);
	pthread_mutex_lock(&reader->on->results);
	check->gets += reader->gets;
	check->unanswered += reader->unanswered;
	for (int i = 0; i < MC_VERDICTS; i++)
		check->verdict[i] += reader->verdict[i];
	pthread_mutex_unlock(&reader->on->results);
	return NULL;
}

static void start(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	if (pthread_create(thread, NULL, fn, arg))
		die("no thread");
}

static void make_keys(struct mc_check_run *on)
{
	const struct mc_check *check = on->check;
	char name[32];

	for (unsigned i = 0; i < check->keys + check->short_lived_keys; i++) {
		/* each third key has a control character, which memcached takes for a byte as any other */
		snprintf(name, sizeof(name), "%c%02u%s", i < check->keys ? 'k' : 'e', i, i % 3 ? "" : "\x1f");
		mc_key__init(&on->key[i], name, i < check->keys && i % 2);
	}
}

static void open_lock(struct mc_check_run *on)
{
	pthread_rwlockattr_t attr;

	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&on->flushing, &attr);
	pthread_mutex_init(&on->results, NULL);
}

void mc_check__run(struct mc_check *check)
{
	static struct mc_check_run on;
	struct mc_writer writer[THREADS_MAX + 2];
	struct reader reader[THREADS_MAX];
	unsigned writers = check->writers, each = check->keys / check->writers, all;
	struct mc_answer clear = { .fd = mc_client__tcp(check->addr, check->port) };

	if (check->keys + check->short_lived_keys > MC_CHECK_KEYS_MAX || writers > THREADS_MAX || check->readers > THREADS_MAX || !each)
		die("a check of more than it can have");
	mc_client__expect(&clear, "flush_all\r\n", "OK");
	close(clear.fd);
	memset(&on, 0, sizeof(on));
	memset(reader, 0, sizeof(reader));
	on.check = check;
	open_lock(&on);
	make_keys(&on);
	for (unsigned i = 0; i < writers; i++)
		writer[i] = (struct mc_writer){ .first = i * each, .keys = i + 1 == writers ? check->keys - i * each : each };
	all = writers;
	if (check->short_lived_keys)
		writer[all++] = (struct mc_writer){ .first = check->keys, .keys = check->short_lived_keys, .short_lived = 1 };
	if (check->flush_ms)
		writer[all++] = (struct mc_writer){ .keys = 0 };
	for (unsigned i = 0; i < all; i++) {
		writer[i].on = &on;
		writer[i].seed = check->seed + i;
		start(&writer[i].thread, writer[i].keys ? mc_writer__run : mc_writer__flush, &writer[i]);
	}
	for (unsigned i = 0; i < check->readers; i++) {
		reader[i].on = &on;
		reader[i].number = i;
		reader[i].seed = check->seed ^ (i + 1) << 20;
		start(&reader[i].thread, read_keys, &reader[i]);
	}
	usleep((useconds_t)(check->seconds * 1e6));
	on.stop = 1;
	for (unsigned i = 0; i < check->readers; i++)
		pthread_join(reader[i].thread, NULL);
	for (unsigned i = 0; i < all; i++)
		pthread_join(writer[i].thread, NULL);
}

uint64_t mc_check__changes(const struct mc_check *check)
{
	uint64_t sum = check->flushes;

	for (int i = 0; i < MC_OPS; i++)
		sum += check->changes[i];
	return sum;
}

uint64_t mc_check__stale(const struct mc_check *check)
{
	uint64_t sum = 0;

	for (int i = MC_UNCHECKED + 1; i < MC_VERDICTS; i++)
		sum += check->verdict[i];
	return sum;
}

void mc_check__print(const struct mc_check *check)
{
	printf("%llu changes (%llu quiet, %llu in pieces, %llu writes of several, %llu flushes), %llu GETs:",
	       (unsigned long long)mc_check__changes(check), (unsigned long long)check->quiet, (unsigned long long)check->cut,
	       (unsigned long long)check->piped, (unsigned long long)check->flushes, (unsigned long long)check->gets);
	for (int i = 0; i < MC_VERDICTS; i++)
		if (check->verdict[i] || i == MC_RIGHT)
			printf(" %llu %s", (unsigned long long)check->verdict[i], mc_verdict_name[i]);
	printf("; %llu unanswered, %llu wrong answers to changes, %u keys lost\n", (unsigned long long)check->unanswered,
	       (unsigned long long)check->wrong, check->lost);
	if (check->first_bad[0])
		printf("first: %s\n", check->first_bad);
}
