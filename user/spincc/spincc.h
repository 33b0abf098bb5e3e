/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPINCC_H
#define SPINCC_H

#include <limits.h>

#include "common/options.h"

struct spincc {
	/* from the command line */
	const char *handler;   /* as the user wrote it */
	const char *output;
	const char *target;    /* "fat" or "host" */
	struct option_list extra; /* -I, -D */
	int verbose, save_temps, verifier_log;
	int verify;            /* 1, 0, or -1: if permitted */
	/* found */
	char root[PATH_MAX];   /* where handlers/include, bpf and hwmodel/image are */
	char handler_path[PATH_MAX]; /* absolute */
	char directory[PATH_MAX];    /* working directory */
	char temps[PATH_MAX];        /* folder of temporary files beside the output; "" before it is made */
};

/* All return 0, or -1 after one line on stderr. */
int paths__find(struct spincc *s);
int temps__make(struct spincc *s);
void temps__path(const struct spincc *s, const char *name, char path[PATH_MAX]);
/* Moves the finished file over the output: there is never half a one. */
int temps__publish(struct spincc *s, const char *name);
void temps__remove(struct spincc *s);

int build__host(struct spincc *s);
int build__fat(struct spincc *s); /* leaves "object" among the temporary files */
int seal__append(const char *path);

/* Loads the object as spinctl would: the verifier's verdict, by source line. */
int verify__object(struct spincc *s, const char *path);

/* A command line that grows. */
#define COMMAND_WORDS_MAX 256
struct command {
	char *words[COMMAND_WORDS_MAX + 1];
	unsigned count;
};
void command__add(struct command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Runs it; its stderr passes through with paths as the user wrote them. */
int command__run(struct spincc *s, struct command *c);
void command__free(struct command *c);

/* Signals: 0, or the one that asks us to stop. */
int signals__caught(void);
void signals__watch(void);
void signals__child(int pid); /* to be stopped, too; 0: none */

#endif
