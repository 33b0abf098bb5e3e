/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_RECORD_H
#define KERNEL_RECORD_H

/*
 * Records of what outlives a process: a file in /run/spin with one line, locked by its writer. A file without a lock belongs to a killed
 * process and says what must be undone. Called by threaded.c and share/share.c.
 */
#define RECORD_LINE_BYTES 96

/* A record of this process. */
struct record {
	int fd; /* locked; -1: no record could be written, so what it would undo stays after kill -9 */
	char path[96];
};

/* Writes a line, which must end with a newline. `kind` is the first part of the file's name. */
void record__write(struct record *r, const char *kind, const char *line);
/* Removes the file: what it records has been undone. */
void record__remove(struct record *r);
/* Closes the file. If it was not removed, the next start finds it. */
void record__close(struct record *r);

/*
 * Calls undo() with the line of each record of a killed process. undo() returns 1 if all is undone or never can be; the record is then
 * removed. Other records are kept for a day: their interfaces may be in a namespace that is not visible now.
 */
void record__recover(const char *kind, int (*undo)(const char *line));

/* Calls fn() with the line of each record of a living process, until fn() returns nonzero. */
void record__each(const char *kind, int (*fn)(void *arg, const char *line), void *arg);

#endif
