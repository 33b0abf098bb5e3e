/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel/probe.h"
#include "libspin/libspin.h"
#include "spincc.h"

static void print_line(void *arg, const char *line)
{
	(void)arg;
	fprintf(stderr, "%s\n", line);
}

/* The sentence has the file's base name, as the kernel's log does: write it as the user did. */
static void report(const struct spincc *s, const char *sentence)
{
	const char *base = strrchr(s->handler_path, '/') + 1;
	size_t length = strlen(base);

	if (!strncmp(sentence, base, length) && sentence[length] == ':')
		fprintf(stderr, "%s%s\n", s->handler, sentence + length);
	else
		fprintf(stderr, "spincc: %s\n", sentence);
}

int verify__object(struct spincc *s, const char *path)
{
	struct spin_object *object = NULL;
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;
	int err;

	if (s->verify < 0 && !kernel_probe__privileged())
		return 0;
	if (s->verifier_log)
		spin_set_log(print_line, NULL);
	err = spin_rule__parse("udp", &rule);
	if (!err)
		err = spin_object__open(path, &object);
	if (!err)
		err = spin_ctx__create(NULL, object, &rule, &ctx);
	/* by default: a machine that cannot load at all is no fault of the handlers */
	if (err && s->verify < 0 && (err == -ENOSYS || err == -EPERM))
		err = 0;
	if (err)
		report(s, spin_strerror_last());
	spin_ctx__destroy(ctx);
	spin_object__close(object);
	return err ? -1 : 0;
}
