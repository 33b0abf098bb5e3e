/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCC_SPINCC_H
#define USER_SPINCC_SPINCC_H

/* The state of one compilation, which all files of spincc share, and what each of them does with it. */
#include <limits.h>

#include "user/lib/options.h"

struct spincc {
	/* from the command line */
	const char *handler; /* as the user wrote it */
	const char *output;
	const char *target;       /* "fat", "rv32" or "host" */
	const char *api;          /* "spin" or "pspin" */
	struct option_list extra; /* -I, -D */
	struct option_list hpu_flags;
	int verbose, save_temps, verifier_log, trusted;
	int verify; /* 1, 0, or -1: if permitted */
	/* found */
	char root[PATH_MAX];               /* where handlers/include, bpf and hwmodel/image are */
	char handler_path[PATH_MAX];       /* absolute */
	char directory[PATH_MAX];          /* working directory */
	char temps[PATH_MAX];              /* directory of temporary files beside the output; "" before it is made */
	unsigned warned[64], warned_count; /* lines of the handler's file that a warning was given for */
};

/* All return 0, or -1 after what is wrong was said on stderr. */
int paths__find(struct spincc *s);
/*
 * A file as compilers and debug information name it. Returns how the user would,
 * in `name`; NULL: it is the runtime's or the system's.
 */
const char *paths__users(const struct spincc *s, const char *file, char name[PATH_MAX]);
int temps__make(struct spincc *s);
void temps__path(const struct spincc *s, const char *name, char path[PATH_MAX]);
/* Moves the finished file over the output: there is never half a one. */
int temps__publish(struct spincc *s, const char *name);
void temps__remove(struct spincc *s);

int build__host(struct spincc *s);
int build__rv32(struct spincc *s);
int build__fat(struct spincc *s); /* leaves "object" among the temporary files */
/* A file for PsPIN's own runtime: one rv32 program, with what it says of itself (<hwmodel/pspin_api.h>). */
int build__pspin(struct spincc *s);
/* What builds share: a tool, or the one that the environment names; the user's words for a compiler, and no machine's paths in the
 * result; a command that is run, explained and freed. */
struct command;
const char *build__tool(const char *variable, const char *name);
void build__add_users(const struct spincc *s, struct command *c);
int trailer__append(const char *path);

/* Loads the object as spinctl would: the verifier's verdict, by source line. */
int verify__object(struct spincc *s, const char *path);
/* The user's line that an instruction of a program comes from. 0: unknown. */
unsigned frames__line(const struct spincc *s, const char *object, const char *program, long instruction, char name[PATH_MAX]);
/* 1 if neither it nor what it was inlined into is the user's; 0, too, if the object does not tell. */
int frames__is_runtimes(const struct spincc *s, const char *object, const char *program, long instruction);

/* A command line that grows. */
#define COMMAND_WORDS_MAX 256
struct command {
	char *words[COMMAND_WORDS_MAX + 1];
	unsigned count;
};
void command__add(struct command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What a tool said on stderr. */
struct text {
	char *data; /* NUL-terminated; NULL: nothing */
	size_t bytes;
};
/* Runs it. 0; 1: it failed, `said` should tell why; -1: it did not run, which has been said. The caller frees said->data. */
int command__run(struct spincc *s, struct command *c, struct text *said);
void command__free(struct command *c);

/* How a tool that was run is to be understood. */
enum stage {
	STAGE_FRONT, /* clang: the one compiler whose errors and warnings of C the user sees */
	STAGE_HPU,   /* gcc for rv32, and its linker */
	STAGE_BPF,   /* from LLVM's intermediate language to eBPF */
	STAGE_HOST,  /* gcc, for tests */
	STAGE_PSPIN, /* gcc for rv32 and its linker, of a file for PsPIN's runtime */
};
int build__run(struct spincc *s, struct command *c, enum stage stage);
/*
 * From what a tool said to one line per fault: the handler's line, what is wrong,
 * what to write instead. `failed`: it did not succeed. 0: go on.
 */
int explain(struct spincc *s, enum stage stage, const struct text *said, int failed);
/* What compilers let pass and a handler must not have. `ir`: the handler's file in LLVM's language. */
int check__ir(struct spincc *s, const char *ir);
/* 1: handlers divide by numbers that are not constant: check__divisors() is to look at these. Of the same file. */
int check__has_divisors(const struct spincc *s, const char *ir);
/* Of the handler's file optimised, with clang's own tests for 0: -1 after it was said which divisor may be 0. */
int check__divisors(const struct spincc *s, const char *ir);
/* Where a function is that is never inlined; 0: there is none. Of the same file. */
unsigned check__noinline(const struct spincc *s, const char *ir, char file[PATH_MAX]);
/* The same of the object: what only optimisation decides. */
int check__object(struct spincc *s, const char *object);

/* Signals: 0, or the one that asks us to stop. */
int signals__caught(void);
void signals__watch(void);
void signals__child(int pid); /* to be stopped, too; 0: none */

#endif
