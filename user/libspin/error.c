/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "user/libspin/internal.h"

static __thread char reason[SPIN_ERROR_BYTES];

static spin_log_fn log_fn;
static void *log_arg;

const char *spin_strerror_last(void)
{
	return reason[0] ? reason : "no failure";
}

int spin_fail(int err, const char *format, ...)
{
	char text[SPIN_ERROR_BYTES]; /* an argument may be the last reason itself */
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

static int from_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level != LIBBPF_DEBUG)
		log_line(format, args);
	return 0;
}

static void set_print(void)
{
	libbpf_set_print(from_libbpf);
}

void spin_quiet_libbpf(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, set_print);
}
