/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Stores each thread's last failure, forwards log lines (also libbpf's), and returns the names of verdicts and of reasons (what became of a
 * packet and why). Every function of the library fails through spin_fail().
 */
#include <ctype.h>
#include <stdarg.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#pragma GCC visibility push(default)
#include <spin/libspin.h>
#pragma GCC visibility pop

#include "user/libspin/error.h"

static __thread char reason[SPIN_ERROR_BYTES];

static spin_log_fn log_fn;
static void *log_arg;

const char *spin_strerror_last(void)
{
	return reason[0] ? reason : "no failure";
}

int(spin_fail)(int err, const char *format, ...)
{
	char text[SPIN_ERROR_BYTES]; /* an argument may point to the last reason */
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	memcpy(reason, text, sizeof(reason));
	return err;
}

void spin_set_log(spin_log_fn fn, void *arg)
{
	log_fn = fn;
	log_arg = arg;
}

static void log_line(const char *format, va_list args)
{
	char line[2048];

	if (!log_fn)
		return;
	vsnprintf(line, sizeof(line), format, args);
	line[strcspn(line, "\n")] = '\0';
	log_fn(log_arg, line);
}

void spin_log(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_line(format, args);
	va_end(args);
}

static int on_libbpf_log(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level != LIBBPF_DEBUG)
		log_line(format, args);
	return 0;
}

static void install_libbpf_log(void)
{
	libbpf_set_print(on_libbpf_log);
}

void spin_quiet_libbpf(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, install_libbpf_log);
}

static const struct {
	const char *name, *text;
	enum spin_verdict verdict;
} rows[] = {
#define ROW(name, verdict, text) { #name, text, SPIN_VERDICT_##verdict },
	SPIN_REASONS(ROW)
#undef ROW
};

static char names[SPIN_REASON_COUNT][24];

static void make_names(void)
{
	for (int r = 0; r < SPIN_REASON_COUNT; r++)
		for (unsigned i = 0; rows[r].name[i] && i + 1 < sizeof(names[r]); i++)
			names[r][i] = (char)tolower((unsigned char)rows[r].name[i]);
}

const char *spin_reason_name(enum spin_reason reason)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_names);
	return (unsigned)reason < SPIN_REASON_COUNT ? names[reason] : "unknown";
}

const char *spin_reason_text(enum spin_reason reason)
{
	return (unsigned)reason < SPIN_REASON_COUNT ? rows[reason].text : "unknown reason";
}

enum spin_verdict spin_reason_verdict(enum spin_reason reason)
{
	return (unsigned)reason < SPIN_REASON_COUNT ? rows[reason].verdict : SPIN_VERDICT_PASS;
}

const char *spin_verdict_name(enum spin_verdict verdict)
{
	switch (verdict) {
	case SPIN_VERDICT_PASS:
		return "pass";
	case SPIN_VERDICT_DROP:
		return "drop";
	case SPIN_VERDICT_TX:
		return "tx";
	}
	return "unknown";
}
