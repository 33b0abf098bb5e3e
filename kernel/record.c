/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Records in /run/spin of what must be undone after a kill. Called by threaded.c and share.c. Reads only files of the process's own user.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernel/record.h"

#define DIRECTORY "/run/spin"
#define KEPT_S    86400

/*
 * The file is linked into place only after it is written and locked. So another process never takes it for a dead process's, and a kill
 * before that leaves no file.
 */
void record__write(struct record *r, const char *kind, const char *line)
{
	char unnamed[40];
	uint64_t number;
	const ssize_t bytes = (ssize_t)strlen(line);

	*r = (struct record){ .fd = -1 };
	mkdir(DIRECTORY, 0755);
	if (getrandom(&number, sizeof(number), 0) != sizeof(number)) /* random: processes of other PID namespaces can have this one's pid */
		return;
	snprintf(r->path, sizeof(r->path), DIRECTORY "/%.20s.%016" PRIx64, kind, number);
	r->fd = open(DIRECTORY, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	if (r->fd < 0)
		return;
	snprintf(unnamed, sizeof(unnamed), "/proc/self/fd/%d", r->fd);
	if (!flock(r->fd, LOCK_EX | LOCK_NB) && write(r->fd, line, (size_t)bytes) == bytes &&
	    !linkat(AT_FDCWD, unnamed, AT_FDCWD, r->path, AT_SYMLINK_FOLLOW))
		return;
	record__close(r);
}

void record__remove(struct record *r)
{
	if (r->fd >= 0)
		unlink(r->path);
}

void record__close(struct record *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

static void read_line(int fd, char line[RECORD_LINE_BYTES])
{
	ssize_t bytes = pread(fd, line, RECORD_LINE_BYTES - 1, 0);

	line[bytes > 0 ? bytes : 0] = '\0';
}

/* Opens a record of this user. Returns -1 if there is none. */
static int open_record(int directory, const char *name, struct stat *st)
{
	int fd = openat(directory, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	/* no links left: another process has just recovered it */
	if (fd >= 0 && (fstat(fd, st) || !st->st_nlink || st->st_uid != geteuid())) {
		close(fd);
		fd = -1;
	}
	return fd;
}

struct visitor {
	int (*undo)(const char *line); /* called for records of dead processes; NULL: fn is called for those of living ones */
	int (*fn)(void *arg, const char *line);
	void *arg;
};

/* A record is locked as long as its owner lives. The record of a dead one is undone and removed; fn gets that of a living one. */
static int visit_record(const struct visitor *v, int directory, const char *name)
{
	char line[RECORD_LINE_BYTES];
	struct stat st;
	int fd = open_record(directory, name, &st), is_dead, done = 0;

	if (fd < 0)
		return 0;
	is_dead = !flock(fd, LOCK_EX | LOCK_NB);
	read_line(fd, line);
	if (is_dead && v->undo) {
		/* check again: another process may have recovered it before the lock was taken here */
		if (!fstat(fd, &st) && st.st_nlink && (v->undo(line) || st.st_mtime + KEPT_S < time(NULL)))
			unlinkat(directory, name, 0);
	} else if (!is_dead && v->fn) {
		done = v->fn(v->arg, line);
	}
	close(fd);
	return done;
}

static void each_record(const char *kind, const struct visitor *v)
{
	DIR *dir = opendir(DIRECTORY);
	const size_t length = strlen(kind);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, kind, length) && entry->d_name[length] == '.' && visit_record(v, dirfd(dir), entry->d_name))
			break;
	if (dir)
		closedir(dir);
}

void record__recover(const char *kind, int (*undo)(const char *line))
{
	each_record(kind, &(struct visitor){ .undo = undo });
}

void record__each(const char *kind, int (*fn)(void *arg, const char *line), void *arg)
{
	each_record(kind, &(struct visitor){ .fn = fn, .arg = arg });
}
