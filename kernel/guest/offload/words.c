/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Collects what libbpf, the verifier and the kernel log said about a failed call (words.h). Used by judge.c, cases.c and steps.c. */
#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#define DRIVER_WARNING "[nfp] warning: "
#define QUOTED         "Kernel error message: "

char words_log[WORDS_LOG_BYTES];

static int kernel_messages = -1;
static char libbpf_says[WORDS_BYTES];

static int keep_warning(enum libbpf_print_level level, const char *format, va_list arguments)
{
	char line[WORDS_BYTES];
	const char *quoted;

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(line, sizeof(line), format, arguments);
	line[strcspn(line, "\n")] = 0;
	quoted = strstr(line, QUOTED);
	snprintf(libbpf_says, sizeof(libbpf_says), "%s", quoted ? quoted + strlen(QUOTED) : line);
	return 0;
}

int words_begin(void)
{
	libbpf_set_print(keep_warning);
	kernel_messages = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kernel_messages < 0 || lseek(kernel_messages, 0, SEEK_END) < 0) {
		fprintf(stderr, "/dev/kmsg: %s\n", strerror(errno));
		return -1;
	}
	return 0;
}

/* Filters the kernel log: other subsystems, such as clocks and random numbers, may log at any time. */
static bool is_driver_message(const char *text)
{
	static const char *const starts[] = { "NFP net bpf: ", "nfp", "netdevsim" };

	for (unsigned i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(text, starts[i], strlen(starts[i])))
			return true;
	return false;
}

void words_of_kernel(char *to, size_t bytes)
{
	char record[2048], last[WORDS_BYTES] = "";
	size_t used = 0;
	ssize_t length;

	if (bytes)
		*to = 0;
	/* EPIPE: some were overwritten before they were read */
	while ((length = read(kernel_messages, record, sizeof(record) - 1)) > 0 || (length < 0 && errno == EPIPE)) {
		char *text;

		if (length < 0)
			continue;
		record[length] = 0;
		text = strchr(record, ';');
		if (!text)
			continue;
		text++;
		text[strcspn(text, "\n")] = 0;
		if (strstr(text, "WARNING:") || strstr(text, "BUG:") || strstr(text, "Oops"))
			fprintf(stderr, "kernel: %s\n", text);
		if (used < bytes && is_driver_message(text) && strncmp(text, last, sizeof(last) - 1))
			used += (size_t)snprintf(to + used, bytes - used, "%s%s", used ? "; " : "", text);
		snprintf(last, sizeof(last), "%s", text);
	}
}

void words_forget(void)
{
	*words_log = 0;
	*libbpf_says = 0;
	words_of_kernel(NULL, 0);
}

const char *words_of_libbpf(void)
{
	return libbpf_says;
}

/* Includes lines of source, which follow the reason. */
static bool is_statistics(const char *line)
{
	static const char *const starts[] = { "processed ", "verification time ", "stack depth ", "max_states", "-- ", "; " };

	for (unsigned i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(line, starts[i], strlen(starts[i])))
			return true;
	return !*line;
}

bool words_of_log(const char *prefix, char *to, size_t bytes)
{
	bool found = false;

	for (const char *line = words_log; *line;) {
		size_t length = strcspn(line, "\n");
		char one[WORDS_BYTES];

		snprintf(one, sizeof(one), "%.*s", (int)(length < sizeof(one) ? length : sizeof(one) - 1), line);
		if (!is_statistics(one) && !strncmp(one, prefix, strlen(prefix)) && strncmp(one, DRIVER_WARNING, strlen(DRIVER_WARNING))) {
			snprintf(to, bytes, "%s", one);
			found = true;
		}
		line += length + (line[length] == '\n');
	}
	return found;
}

const char *words_of_error(int err)
{
	const char *name = strerrorname_np(err < 0 ? -err : err);

	if (err == -524 || err == 524)
		return "ENOTSUPP"; /* kernel-internal; the C library has no name for it */
	return name ? name : "unknown error";
}
