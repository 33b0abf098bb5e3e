/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_OPTIONS_H
#define USER_LIB_OPTIONS_H

/*
 * Command lines of spincc, spinctl, spind and spin-memcached: one table for each command drives the parser (options.c), the help, the man
 * page and the shell's completion (options_print.c).
 *
 * An option is `--name VALUE` or `--name=VALUE`, or a letter: `-o VALUE` or `-oVALUE`, but not `-o=VALUE`. Its value is stored in a
 * field of the command's own struct, at `offset`.
 */
#include <stddef.h>
#include <stdio.h>

/* The type of the field in which an option's value is stored. */
enum option_kind {
	OPTION_FLAG,    /* int: set to 1 */
	OPTION_UNFLAG,  /* int: set to 0 */
	OPTION_STRING,  /* const char * */
	OPTION_UINT,    /* unsigned */
	OPTION_SECONDS, /* double, >= 0 */
	OPTION_LIST,    /* struct option_list: may be given several times */
	OPTION_WORD,    /* struct option_list: one or two words, kept as given for a compiler: -DX=1, -D X=1 */
};

/* The values of an option that may be given several times, in order. */
struct option_list {
	const char **items;
	unsigned count;
};

/* An option: a row of a command's table. */
struct option_row {
	const char *name; /* long name without dashes; NULL: only the letter */
	char letter;      /* 0: none */
	enum option_kind kind;
	/*
	 * The value's name in the help: "SEC"; NULL for flags. Words separated by | are the only
	 * values allowed: "fat|host". Completion depends on this name: IF is an interface, DIR a
	 * directory, FILE, PATH, TRACE or RECORDING a file, FILE.spin a file with that suffix,
	 * NAME=FILE a file after the =, HANDLER a source or an object, VECTOR a vector, COMMAND a
	 * command.
	 */
	const char *value;
	size_t offset;
	const char *help; /* with unit and default */
	int required;     /* 1: must be given; the help shows that */
};

/* An example for the man page. A test runs each command as written. */
struct example_row {
	const char *command; /* "spinctl run filtering.spin --dev eth0 --duration 1" */
	const char *what;    /* one line of help */
};

/* A command: its option table and its texts. */
struct command_row {
	const char *name;     /* "spinctl run" */
	const char *operands; /* their names in the help: "FILE.spin" */
	unsigned min_operands, max_operands;
	const char *summary;                /* one line, no full stop */
	const struct option_row *options;   /* ends with a row of zeros */
	const char *notes;                  /* after the options, in help and man page; NULL: none */
	const char *about;                  /* for the man page: paragraphs, separated by an empty line; NULL: none */
	const struct example_row *examples; /* ends with a row of zeros; NULL: none */
};

/* A program, for its page and completion: its commands, or a single one that has the program's name. */
struct program_row {
	const char *name; /* "spinctl" */
	const struct command_row *const *commands;
	unsigned count;
};

enum options_result { OPTIONS_OK, OPTIONS_HELP, OPTIONS_VERSION, OPTIONS_USAGE };

/*
 * Parses argv[1..]. Every command has --help and --version. OPTIONS_USAGE: one line was printed on stderr; the caller exits
 * with 2. operands must have at least argc elements.
 */
enum options_result options__parse(const struct command_row *command, int argc, char **argv, void *fields, const char **operands,
				   unsigned *operand_count);
void options__help(const struct command_row *command, FILE *to);
void options__free_list(struct option_list *list);

/* Prints "name VERSION" on stdout. */
void options__version(const char *name);

/*
 * Copies a template and fills it from the tables: mdoc for @SYNOPSIS@, @COMMANDS@ and @EXAMPLES@ (each a line of its own),
 * shell for @TABLES@, and @NAME@ and @VERSION@ anywhere. The build generates pages and completion with it, through the argument
 * OPTIONS_FILL of each program. Returns 0, or -1 if a stream failed.
 */
#define OPTIONS_FILL "--fill-template"
int options__fill(const struct program_row *program, FILE *from, FILE *to);

/*
 * For main() of a program with a single command: calls options__parse() and handles help, version and OPTIONS_FILL. Returns -1 to
 * continue, else the exit status.
 */
int options__begin(const struct command_row *command, int argc, char **argv, void *fields, const char **operands, unsigned *operand_count);

/* --- options_print.c: help, man page, completion --- */

#define OPTION_TEXT_MAX 96
#define OPTION_HELP_MAX 512

/* Writes the option's shortest form: "-o FILE", "--dev IF". */
void option__text(const struct option_row *row, char text[OPTION_TEXT_MAX]);
/* Writes the option's description. */
void option__help(const struct option_row *row, char text[OPTION_HELP_MAX]);

/* The rows that every command has, ending with a row of zeros. */
extern const struct option_row option__common[];

/* Returns the last word of the command's name: "run" of "spinctl run", "spincc" of "spincc". */
const char *command__word(const struct command_row *command);

/*
 * Splits a shell command into lines of at most `columns`, with a backslash at spaces outside quotes. Calls put() for each line,
 * without a newline.
 */
void example__lines(const char *command, unsigned columns, void (*put)(void *arg, const char *line), void *arg);

/* Prints text wrapped at 80 columns and indented to `column`, where the cursor is. Keeps newlines in it and ends the last line. */
void options__wrap(FILE *to, unsigned column, const char *text);

/* Each prints the replacement of one word of a template. */
void options_man__synopsis(const struct program_row *program, FILE *to);
void options_man__commands(const struct program_row *program, FILE *to);
void options_man__examples(const struct program_row *program, FILE *to);
void options_shell__tables(const struct program_row *program, FILE *to);

#endif
