/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_RECORD_H
#define KERNEL_RECORD_H

/*
 * Records of what outlives a process: a file in /run/spin with one line, locked by its writer. A file without a lock belongs to a
 * killed process and says what must be undone.
 */
#define RECORD_LINE_BYTES 96

struct record {
	int fd; /* locked; -1: none could be written, and what it is of stays after kill -9 */
	char path[96];
};

/* Writes a line, with its end. `kind` is the first part of the file's name. */
void record__write(struct record *r, const char *kind, const char *line);
/* What it is of has been undone. */
void record__remove(struct record *r);
/* Leaves the file to the next start, if it was not removed. */
void record__close(struct record *r);

/*
 * Gives the line of each record of a killed process to undo(), which returns 1 if all is undone or never can be. Other records are kept
 * for a day: their interfaces may be in a namespace that is not visible now.
 */
void record__recover(const char *kind, int (*undo)(const char *line));

/* Gives the line of each record of a living process to fn(), until that returns other than 0. */
void record__each(const char *kind, int (*fn)(void *arg, const char *line), void *arg);

#endif
