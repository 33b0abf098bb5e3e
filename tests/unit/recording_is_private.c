/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The umask must decide who may read a recording, while it is written and afterwards, also on file systems without unnamed files
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

static char directory[] = "/tmp/spin-private-XXXXXX", path[64], hidden[2][64];
static int no_tmpfile, failed;

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
	rmdir(directory);
	return failed;
}
