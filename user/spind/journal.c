/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spind's log lines (journal.h), and the limit of those that users cause: otherwise a client could fill the journal with refusals. Each
 * process counts for itself. No lock is held while a line is written, because the reader of the stream may be slow.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "user/lib/printable.h"
#include "user/libspin/broker.h"
#include "user/spind/journal.h"

#define TEXT_BYTES 1400 /* a reason has up to 1024 */
#define USERS      64   /* whose lines are counted at a time */

static int has_priorities[3]; /* by descriptor: 1: the stream is the journal's */

/* A user's lines in a window. If there are more users than rows, the row whose window began first is given to another one. */
struct row {
	uint32_t uid;
	unsigned lines, left_out;
	time_t began; /* CLOCK_MONOTONIC, seconds; 0: unused */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct row rows[USERS];
static struct row all; /* of all users together */

/* JOURNAL_STREAM is inherited by processes whose streams lead elsewhere, so it has the file's numbers (systemd.exec(5)). */
static int is_journal(int fd)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 && !fstat(fd, &st) && st.st_dev == device && st.st_ino == inode;
}

void journal__open(void)
{
	has_priorities[STDOUT_FILENO] = is_journal(STDOUT_FILENO);
	has_priorities[STDERR_FILENO] = is_journal(STDERR_FILENO);
	pthread_mutex_init(&lock, NULL); /* the thread that held it may be the parent's */
	memset(rows, 0, sizeof(rows));
	memset(&all, 0, sizeof(all));
}

/* One write() for each line: stdio's buffer would be printed twice if another thread forks while a line is in it. */
static void write_line(enum journal_priority priority, char *text)
{
	const int fd = priority <= JOURNAL_WARNING ? STDERR_FILENO : STDOUT_FILENO;
	char line[TEXT_BYTES + 32], prefix[8] = "";
	int length;

	replace_terminal_controls(text);
	if (has_priorities[fd])
		snprintf(prefix, sizeof(prefix), "<%d>", priority);
	length = snprintf(line, sizeof(line), "%sspind: %s\n", prefix, text);
	if (write(fd, line, (size_t)length) < 0)
		return; /* there is nowhere to report this */
}

void journal__say(enum journal_priority priority, const char *format, ...)
{
	char text[TEXT_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	write_line(priority, text);
}

static time_t now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + 1; /* 0 is an unused row */
}

/* Begins another window if the last one is over. Returns how many lines were left out in it. */
static unsigned next_window(struct row *row, time_t now)
{
	unsigned left_out;

	if (row->began && now - row->began < JOURNAL_WINDOW_SECONDS)
		return 0;
	left_out = row->left_out;
	*row = (struct row){ .uid = row->uid, .began = now };
	return left_out;
}

/* Returns the user's row. If another user loses it, *lost is what was in it. */
static struct row *find_row(uint32_t uid, struct row *lost)
{
	struct row *oldest = &rows[0];

	*lost = (struct row){ 0 };
	for (size_t i = 0; i < USERS; i++) {
		if (rows[i].began && rows[i].uid == uid)
			return &rows[i];
		if (rows[i].began < oldest->began)
			oldest = &rows[i];
	}
	*lost = *oldest;
	*oldest = (struct row){ .uid = uid };
	return oldest;
}

static void say_left_out(uint32_t uid, unsigned count)
{
	if (count)
		journal__say(JOURNAL_NOTICE, "user %u: %u more lines were left out", uid, count);
}

/* Returns 1 if the user may cause one more line. */
static int may_say(uint32_t uid)
{
	const time_t now = now_seconds();
	unsigned left_out_all, left_out = 0;
	struct row lost = { 0 }, *row;
	int allowed = 0;

	if (!uid)
		return 1;
	pthread_mutex_lock(&lock);
	left_out_all = next_window(&all, now);
	if (all.lines >= JOURNAL_ALL_LINES) { /* no row is given away for a line that is not written */
		all.left_out++;
	} else {
		row = find_row(uid, &lost);
		left_out = next_window(row, now);
		allowed = row->lines < JOURNAL_USER_LINES;
		row->lines += (unsigned)allowed;
		row->left_out += (unsigned)!allowed;
		all.lines += (unsigned)allowed;
	}
	pthread_mutex_unlock(&lock);
	if (left_out_all)
		journal__say(JOURNAL_NOTICE, "%u more lines of users were left out", left_out_all);
	say_left_out(lost.uid, lost.left_out);
	say_left_out(uid, left_out);
	return allowed;
}

void journal__say_of(uint32_t uid, uint32_t pid, const char *format, ...)
{
	char text[TEXT_BYTES];
	va_list args;
	int length;

	if (!may_say(uid))
		return;
	length = snprintf(text, sizeof(text), "user %u, process %u: ", uid, pid);
	va_start(args, format);
	vsnprintf(text + length, sizeof(text) - (size_t)length, format, args);
	va_end(args);
	write_line(JOURNAL_NOTICE, text);
}

void journal__refused(uint32_t uid, uint32_t pid, uint32_t op, const char *reason)
{
	static const char *const names[] = {
		[BROKER_CREATE] = "CREATE",     [BROKER_ATTACH] = "ATTACH",   [BROKER_DETACH] = "DETACH", [BROKER_LIST] = "LIST",
		[BROKER_OPEN] = "OPEN",         [BROKER_STOP] = "STOP",       [BROKER_SWAP] = "SWAP",     [BROKER_ADD] = "ADD",
		[BROKER_SET_RULE] = "SET_RULE", [BROKER_MIGRATE] = "MIGRATE",
	};
	const char *name = op < sizeof(names) / sizeof(names[0]) ? names[op] : NULL;

	journal__say_of(uid, pid, "%s is refused: %s", name ? name : "a request", reason);
}
