/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCC_SPINCC_H
#define USER_SPINCC_SPINCC_H

/* The state of one run of spincc, the compiler of handlers, shared by all its files, and the functions that each file provides. */
#include <limits.h>

#include "user/lib/options.h"

/* The state of the run. */
struct spincc {
	/* from the command line */
	const char *handler; /* as the user wrote it */
	const char *output;
	const char *target;       /* "fat", "nfp", "rv32" or "host" */
	const char *api;          /* "spin" or "pspin" */
	struct option_list extra; /* -I, -D */
	struct option_list hpu_flags;
	int verbose, save_temps, verifier_log, trusted;
	int verify; /* 1, 0, or -1: only if permitted */
	/* derived */
	char root[PATH_MAX];               /* the directory with handlers/include, bpf and hwmodel/image */
	char handler_path[PATH_MAX];       /* absolute */
	char directory[PATH_MAX];          /* working directory */
	char temps[PATH_MAX];              /* directory of temporary files, next to the output; "" before it is made */
	int temps_lock_fd;                 /* says that it is in use (locked_directory.h) */
	unsigned warned[64], warned_count; /* lines of the handler's file that have a warning already */
};

/* All functions return 0, or -1 after a message on stderr. */
int paths__find(struct spincc *s);
/*
 * Converts a file name of compilers and debug information to the user's form, in `name`. Returns NULL for files of the runtime
 * and the system.
 */
const char *paths__user_name(const struct spincc *s, const char *file, char name[PATH_MAX]);
int temps__make(struct spincc *s);
void temps__path(const struct spincc *s, const char *name, char path[PATH_MAX]);
/* Renames the finished file to the output, so the output is never incomplete. */
int temps__publish(struct spincc *s, const char *name);
void temps__remove(struct spincc *s);

int build__host(struct spincc *s);
int build__rv32(struct spincc *s);
int build__fat(struct spincc *s); /* creates "object" among the temporary files */
/* Builds a file for PsPIN's own runtime: one rv32 program, with its description (<hwmodel/pspin_api.h>). */
int build__pspin(struct spincc *s);
/*
 * Helpers of the builds. build__tool() returns a tool, or the one that the environment names. build__add_user_options() adds the
 * user's compiler options, and removes the machine's paths from the result. build__run() runs a command, explains its
 * output and frees it. build__defines() returns 1 if the object or program has a function of that name, -1 with a message if it cannot be
 * read.
 */
struct command;
const char *build__tool(const char *variable, const char *name);
void build__add_user_options(const struct spincc *s, struct command *c);
int build__defines(const char *object, const char *name);
int trailer__append(const char *path);

/* Loads the object as spinctl does, and reports the verifier's verdict by source line. */
int verify__object(struct spincc *s, const char *path);
/* Returns the user's line of a program's instruction, or 0. */
unsigned frames__line(const struct spincc *s, const char *object, const char *program, long instruction, char name[PATH_MAX]);
/* Returns 1 if neither the instruction nor a function that it was inlined into is the user's; 0 also if that is not known. */
int frames__is_runtime_code(const struct spincc *s, const char *object, const char *program, long instruction);

/* A command line under construction. */
#define COMMAND_WORDS_MAX 256
/* A command line while it is built. */
struct command {
	char *words[COMMAND_WORDS_MAX + 1];
	unsigned count;
};
void command__add(struct command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What a tool wrote to stderr. */
struct text {
	char *data; /* NUL-terminated; NULL: nothing */
	size_t bytes;
};
/*
 * Runs a command. Returns 0, or 1 if it failed and `output` should say why, or -1 if it did not run, which has been reported.
 * The caller frees output->data.
 */
int command__run(struct spincc *s, struct command *c, struct text *output);
void command__free(struct command *c);

/* Selects how a tool's output is interpreted. */
enum stage {
	STAGE_FRONT, /* clang: the only compiler whose errors and warnings on C the user sees */
	STAGE_HPU,   /* gcc for rv32, and its linker */
	STAGE_BPF,   /* from LLVM IR to eBPF */
	STAGE_HOST,  /* gcc, for tests */
	STAGE_PSPIN, /* gcc for rv32 and its linker, for a file for PsPIN's runtime */
};
int build__run(struct spincc *s, struct command *c, enum stage stage);
/*
 * Converts a tool's output to one line per fault: the handler's line, what is wrong, what to write instead. `failed`: the tool
 * failed. Returns 0 to continue.
 */
int explain(struct spincc *s, enum stage stage, const struct text *output, int failed);
/* Checks what compilers accept but a handler must not use. `ir`: the IR of the handler's file. */
int check__ir(struct spincc *s, const char *ir);
/* Returns 1 if handlers divide by numbers that are not constant, which check__divisors() must check. Same IR file. */
int check__has_divisors(const struct spincc *s, const char *ir);
/* Checks the optimised IR, with clang's own tests for 0. Returns -1 after a message that names the divisor that may be 0. */
int check__divisors(const struct spincc *s, const char *ir);
/* Returns the line of a function that is never inlined, or 0. Same IR file. */
unsigned check__noinline(const struct spincc *s, const char *ir, char file[PATH_MAX]);
/* Same for the object: checks what is only decided by optimisation. */
int check__object(struct spincc *s, const char *object);

/* Signals. signals__caught() returns the signal that terminates spincc, or 0. */
int signals__caught(void);
void signals__watch(void);
void signals__child(int pid); /* the child that a signal terminates; 0: none */

#endif
