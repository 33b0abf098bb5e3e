/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_OPTIONS_H
#define USER_LIB_OPTIONS_H

/*
 * Command lines from one table: it drives the parser, the help, the man page and
 * the shell's completion.
 *
 * An option is `--name VALUE` or `--name=VALUE`, or a letter: `-o VALUE` or `-oVALUE`, but
 * not `-o=VALUE`. Its value goes to a field of the
 * command's own struct, at `offset`.
 */
#include <stddef.h>
#include <stdio.h>

enum option_kind {
	OPTION_FLAG,    /* int: set to 1 */
	OPTION_UNFLAG,  /* int: set to 0 */
	OPTION_STRING,  /* const char * */
	OPTION_UINT,    /* unsigned */
	OPTION_SECONDS, /* double, >= 0 */
	OPTION_LIST,    /* struct option_list: may be given several times */
	OPTION_WORD,    /* struct option_list: kept as given, a word or two, for compilers: -DX=1, -D X=1 */
};

struct option_list {
	const char **items;
	unsigned count;
};

struct option_row {
	const char *name; /* long name without dashes; NULL: only the letter */
	char letter;      /* 0: none */
	enum option_kind kind;
	/*
	 * How help calls the value: "SEC"; NULL for flags. Words with | in between
	 * are the only values there are: "fat|host". Completion goes by this name:
	 * IF is an interface, DIR a directory, FILE, PATH, TRACE or RECORDING a file, FILE.spin
	 * one that ends so, NAME=FILE a file after the =, HANDLER a source or an object,
	 * VECTOR a vector, COMMAND a command.
	 */
	const char *value;
	size_t offset;
	const char *help; /* with unit and default */
	int required;     /* must be given; help says so */
};

/* For the man page; a test runs each as it stands here. */
struct example_row {
	const char *command; /* "spinctl run filtering.spin --dev eth0 --duration 1" */
	const char *what;    /* one line of help */
};

struct command_row {
	const char *name;     /* "spinctl run" */
	const char *operands; /* how help calls them: "FILE.spin" */
	unsigned min_operands, max_operands;
	const char *summary;                /* one line, no full stop */
	const struct option_row *options;   /* ends with a row of zeros */
	const char *notes;                  /* after the options, in help and man page; NULL: none */
	const char *about;                  /* for the man page: paragraphs, separated by an empty line; NULL: none */
	const struct example_row *examples; /* ends with a row of zeros; NULL: none */
};

/* What page and completion of a program are made of: its commands, or one that has the program's name. */
struct program_row {
	const char *name; /* "spinctl" */
	const struct command_row *const *commands;
	unsigned count;
};

enum options_result { OPTIONS_OK, OPTIONS_HELP, OPTIONS_VERSION, OPTIONS_USAGE };

/*
 * Parses argv[1..]. --help and --version are known to every command. On
 * OPTIONS_USAGE one line was printed on stderr: exit with 2. operands has
 * argc elements at least.
 */
enum options_result options__parse(const struct command_row *command, int argc, char **argv, void *fields, const char **operands,
				   unsigned *operand_count);
void options__help(const struct command_row *command, FILE *to);
void options__free_list(struct option_list *list);

/* "name VERSION" on stdout. */
void options__version(const char *name);

/*
 * Copies a template and puts in what the tables say: mdoc for @SYNOPSIS@,
 * @COMMANDS@ and @EXAMPLES@ (each a line of its own), shell for @TABLES@, and
 * @NAME@ and @VERSION@ anywhere. The build makes pages and completion with it,
 * through the argument OPTIONS_FILL of each program. Returns 0, or -1 if a
 * stream failed.
 */
#define OPTIONS_FILL "--fill-template"
int options__fill(const struct program_row *program, FILE *from, FILE *to);

/*
 * For main() of a program that is one command: options__parse(), and what needs no more than that: help, version, OPTIONS_FILL. Returns -1
 * to go on, else the exit status.
 */
int options__begin(const struct command_row *command, int argc, char **argv, void *fields, const char **operands, unsigned *operand_count);

/* --- options_print.c: help, man page, completion --- */

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

/* Prints text from `column` on, where the cursor is, in lines of 80 columns, and ends the last one. Newlines in it stay. */
void options__wrap(FILE *to, unsigned column, const char *text);

/* Each prints what stands for one word of a template. */
void options_man__synopsis(const struct program_row *program, FILE *to);
void options_man__commands(const struct program_row *program, FILE *to);
void options_man__examples(const struct program_row *program, FILE *to);
void options_shell__tables(const struct program_row *program, FILE *to);

#endif
