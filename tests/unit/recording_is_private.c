/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that the umask decides who may read a recording, while it is written and afterwards, also on file systems without unnamed files
 * (O_TMPFILE). On those, a hidden file of another user must be left alone. Run by tests/run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/conformance/recording/recording.h"
#include "user/lib/atomic_file.h"

static char directory[] = "/tmp/spin-private-XXXXXX", path[64], hidden[2][64];
static int no_tmpfile, failed;

enum { PIPE, SYMBOLIC_LINK, HARD_LINK };
static const char *const kinds[] = { "a pipe", "a symbolic link", "a hard link" };
static char stream[64], victim[64];
static int swap_for; /* what the pipe becomes before it is opened */

/* Another user at the worst moment: the pipe has been looked at, and is about to be opened. */
static void swap_stream(const char *name)
{
	const char *slash = strrchr(name, '/');

	if (swap_for == PIPE || strcmp(slash ? slash + 1 : name, "stream") != 0)
		return;
	remove(stream);
	if (swap_for == SYMBOLIC_LINK ? symlink(victim, stream) : link(victim, stream))
		printf("FAIL  no %s: %s\n", kinds[swap_for], strerror(errno));
}

/* Replaces libc's openat(). */
int openat(int at, const char *name, int flags, ...)
{
	swap_stream(name);
	return (int)syscall(SYS_openat, at, name, flags, 0);
}

/* Replaces libc's open() to simulate file systems like NFS and FAT. */
int open(const char *name, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	swap_stream(name);
	return (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

static void fail(const char *what)
{
	printf("FAIL  %s%s: %s\n", what, no_tmpfile ? ", without O_TMPFILE" : "", engine_error());
	failed = 1;
}

static void check_mode(const char *name, mode_t want)
{
	struct stat st;

	if (stat(name, &st)) {
		printf("FAIL  no %s: %s\n", name, strerror(errno));
		failed = 1;
	} else if ((st.st_mode & 0777) != want) {
		printf("FAIL  %s has mode %03o instead of %03o%s\n", name, st.st_mode & 0777, want,
		       no_tmpfile ? ", without O_TMPFILE" : "");
		failed = 1;
	}
}

static void record(mode_t mask)
{
	const struct recording_info info = { .handler = "apples", .device = "v0", .rule = "udp" };
	const uint64_t counters[SPIN_REASON_COUNT] = { 0 };
	struct recording_writer *w;
	FILE *other = fopen(hidden[0], "w");

	if (other)
		fclose(other);
	umask(mask);
	if (recording_writer__open(path, &info, "object", 6, &w)) {
		fail("cannot record");
		return;
	}
	if (no_tmpfile)
		check_mode(hidden[1], 0644 & ~mask);
	if (!access(path, F_OK))
		fail("the file is seen before it is whole");
	if (recording_writer__finish(w, counters, 0, 1))
		fail("cannot finish");
	recording_writer__close(w);
	check_mode(path, 0644 & ~mask);
	if (access(hidden[0], F_OK))
		fail("a hidden file of another was removed");
	if (!access(hidden[1], F_OK))
		fail("a hidden file is left");
	remove(path);
}

/* Writes to a pipe, as `spinctl dump` may; it becomes another file in between. */
static void write_to_stream(int kind)
{
	FILE *to = fopen(victim, "w");
	struct atomic_file file;
	struct stat st;
	char got[4] = "";
	int reader, err;

	if (!to || fputs("old", to) < 0 || fclose(to) || mkfifo(stream, 0600)) {
		puts("FAIL  no pipe and file");
		failed = 1;
		return;
	}
	to = NULL;
	reader = open(stream, O_RDONLY | O_NONBLOCK);
	swap_for = kind;
	err = atomic_file__open(&file, stream, "hidden");
	swap_for = PIPE;
	if (!err && (fputs("new", file.file) < 0 || fflush(file.file)))
		err = -errno;
	if (!err && kind == PIPE && (read(reader, got, sizeof(got)) != 3 || memcmp(got, "new", 3) != 0))
		err = -EIO;
	atomic_file__close(&file);
	if (!err != (kind == PIPE)) {
		printf("FAIL  %s: %s\n", kinds[kind], err ? atomic_file__reason(err) : "was written");
		failed = 1;
	}
	if (stat(victim, &st) || st.st_size != 3 || !(to = fopen(victim, "r")) || !fgets(got, sizeof(got), to) || strcmp(got, "old") != 0) {
		printf("FAIL  %s: the file behind it has changed\n", kinds[kind]);
		failed = 1;
	}
	if (to)
		fclose(to);
	close(reader);
	remove(stream);
	remove(victim);
}

int main(void)
{
	static const mode_t masks[] = { 022, 077, 027 };

	if (!mkdtemp(directory)) {
		puts("FAIL  cannot make a directory");
		return 1;
	}
	snprintf(path, sizeof(path), "%s/r", directory);
	for (int n = 0; n < 2; n++)
		snprintf(hidden[n], sizeof(hidden[n]), "%s/.spinrec-%d-%d", directory, (int)getpid(), n);
	for (no_tmpfile = 0; no_tmpfile < 2; no_tmpfile++)
		for (unsigned i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
			record(masks[i]);
	remove(hidden[0]);
	remove(hidden[1]);
	no_tmpfile = 0;
	snprintf(stream, sizeof(stream), "%s/stream", directory);
	snprintf(victim, sizeof(victim), "%s/victim", directory);
	for (int kind = PIPE; kind <= HARD_LINK; kind++)
		write_to_stream(kind);
	rmdir(directory);
	return failed;
}
