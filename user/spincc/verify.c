/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spincc --verify: loads the finished object as spinctl does, as trusted and as isolated (without CAP_PERFMON), and reports at the
 * handler's line what the kernel's verifier refuses. Called by main.c. Code that the debug information attributes to the runtime is never
 * reported as the handler's fault.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/lib/load_progress.h"
#include "kernel/probe.h"
#include <spin/libspin.h>
#include "user/libspin/internal.h"
#include "user/libspin/load/verifier.h"
#include "user/spincc/spincc.h"

struct log {
	struct spincc *s;
	FILE *to;
	char program[64]; /* the program that was refused */
};

static void log_line(void *arg, const char *line)
{
	struct log *log = arg;
	const char *prog = !strncmp(line, "libbpf: prog '", 14) ? line + 14 : NULL;

	if (log->s->verifier_log)
		fprintf(stderr, "%s\n", line);
	if (prog && strstr(prog, "load failed"))
		snprintf(log->program, sizeof(log->program), "%.*s", (int)strcspn(prog, "'"), prog);
	if (log->to)
		fprintf(log->to, "%s\n", line);
}

/* Returns the handler's line: the log's own, or the call site of an inlined function from DWARF. */
static unsigned find_line(const struct spincc *s, const char *object, const struct log *log, const struct verifier_refusal *refusal,
			  char name[PATH_MAX])
{
	unsigned line = 0;

	if (refusal->own && paths__user_name(s, refusal->file, name))
		return refusal->line;
	if (refusal->instruction >= 0 && !(refusal->rule && refusal->rule->flags & VERIFIER_LOOP))
		line = frames__line(s, object, log->program, refusal->instruction, name);
	if (!line && refusal->line && paths__user_name(s, refusal->file, name))
		line = refusal->line;
	return line;
}

/* Returns 1 if the refused instruction belongs only to the runtime: then the fault is there. */
static int is_runtime_fault(const struct spincc *s, const char *object, const struct log *log, const struct verifier_refusal *refusal)
{
	char name[PATH_MAX];

	return verifier__has_instruction(refusal) && !(refusal->own && paths__user_name(s, refusal->file, name)) &&
	       frames__is_runtime_code(s, object, log->program, refusal->instruction);
}

/* Reports a refusal. text: the verifier's log, or NULL if the verifier did not refuse. */
static void report(const struct spincc *s, const char *object, const struct log *log, const char *text, enum spin_class class)
{
	const char *where = class == SPIN_CLASS_ISOLATED ? "in the isolated class (without CAP_PERFMON) " : "";
	struct verifier_refusal refusal;
	char reason[700], name[PATH_MAX], ir[PATH_MAX];
	unsigned line = 0;

	if (!text || !verifier__read(text, &refusal)) {
		temps__path(s, "handler.ll", ir);
		if (strstr(spin_strerror_last(), " that is not inline")) /* message of libspin: work_stack.c */
			line = check__noinline(s, ir, name);
		if (!line) {
			fprintf(stderr, "spincc: %s\n", spin_strerror_last());
			return;
		}
		snprintf(reason, sizeof(reason),
			 "a function is called that is never inlined, where loops are not limited; leave out "
			 "noinline");
	} else if (is_runtime_fault(s, object, log, &refusal)) {
		verifier__own_fault(&refusal, reason, sizeof(reason));
	} else {
		verifier__reason(&refusal, reason, sizeof(reason));
		line = find_line(s, object, log, &refusal, name);
	}
	if (line)
		fprintf(stderr, "%s:%u: %s%s", name, line, where, reason);
	else
		fprintf(stderr, "spincc: %s: %s%s", s->handler, where, reason);
	fprintf(stderr, "%s\n", s->verifier_log ? "" : " (--verifier-log shows the whole log)");
}

/* Loads the object in this class and reports what the kernel's verifier refuses. */
static int try_class(struct spincc *s, const char *path, const struct spin_object *object, enum spin_class class)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };
	struct load_progress progress = { .command = "spincc", .file = s->handler };
	struct log log = { .s = s, .program = "spin_xdp" };
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;
	char *text = NULL, bounded[PATH_MAX];
	size_t bytes;
	int err;

	log.to = open_memstream(&text, &bytes);
	spin_set_log(log_line, &log);
	spin_set_load_progress(load_progress__print, &progress);
	err = spin_rule__parse(object__rule(object), &rule);
	if (!err)
		err = spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx);
	spin_set_log(NULL, NULL);
	spin_set_load_progress(NULL, NULL);
	spin_ctx__destroy(ctx);
	if (log.to)
		fclose(log.to);
	if (err == -ENOSYS && class == SPIN_CLASS_ISOLATED && kernel_probe__copies() && kernel_probe__refuses_speculation())
		fprintf(stderr, "spincc: %s: warning: %s\n", s->handler, spin_strerror_last());
	/* without --verify a machine or kernel that cannot load handlers is not an error */
	if (err && s->verify < 0 && (err == -ENOSYS || err == -EPERM))
		err = 0;
	/* the object for kernels without may_goto */
	temps__path(s, "bounded.o", bounded);
	if (!kernel_probe__may_goto() && !access(bounded, R_OK))
		path = bounded;
	if (err)
		report(s, path, &log, err == -EINVAL ? text : NULL, class);
	free(text);
	return err ? -1 : 0;
}

int verify__object(struct spincc *s, const char *path)
{
	struct spin_object *object = NULL;
	int err;

	if (s->verify < 0 && !kernel_probe__privileged())
		return 0;
	if (spin_object__open(path, &object)) {
		fprintf(stderr, "spincc: %s\n", spin_strerror_last());
		return -1;
	}
	err = try_class(s, path, object, SPIN_CLASS_TRUSTED);
	/* messages are for the trusted class only */
	if (!err && !s->trusted && spin_object__meta(object)->registration.delivery != SPIN_DELIVER_ME)
		err = try_class(s, path, object, SPIN_CLASS_ISOLATED);
	spin_object__close(object);
	return err;
}
