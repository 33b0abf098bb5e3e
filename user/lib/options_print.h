/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_OPTIONS_PRINT_H
#define USER_OPTIONS_PRINT_H

/* What the printers of the tables share: help, man page, completion. */
#include "user/lib/options.h"

#define OPTION_TEXT_MAX 96
#define OPTION_HELP_MAX 512

/* As it is typed, shortest form: "-o FILE", "--dev IF". */
void option__text(const struct option_row *row, char text[OPTION_TEXT_MAX]);
/* The text that describes it. */
void option__help(const struct option_row *row, char text[OPTION_HELP_MAX]);

/* The rows that every command has, ending with a row of zeros. */
extern const struct option_row option__common[];

/* "run" of "spinctl run"; "spincc" of "spincc". */
const char *command__word(const struct command_row *command);

/*
 * A shell command in lines of at most `columns`, broken with a backslash at spaces
 * outside quotes. put() gets each without its newline.
 */
void example__lines(const char *command, unsigned columns, void (*put)(void *arg, const char *line), void *arg);

/* Each prints what stands for one word of a template. */
void options_man__synopsis(const struct program_row *program, FILE *to);
void options_man__commands(const struct program_row *program, FILE *to);
void options_man__examples(const struct program_row *program, FILE *to);
void options_shell__tables(const struct program_row *program, FILE *to);

#endif
