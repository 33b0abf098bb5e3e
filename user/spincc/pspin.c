/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --api pspin: builds a handler file for PsPIN's own runtime, with our headers (handlers/include/pspin) and start-up code
 * (hwmodel/image/pspin), as one rv32 program. Called by main.c. Only gcc compiles it, and it is never loaded into the kernel.
 */
#include <stdio.h>
#include <stdlib.h>

#include "user/spincc/find.h"
#include "user/spincc/spincc.h"

static void add_tool(const struct spincc *s, struct command *c)
{
	command__add(c, "%s", build__tool("RISCV_CC", "riscv64-unknown-elf-gcc"));
	command__add(c, "@%s/hwmodel/image/cflags", s->root);
}

/* PsPIN's makefiles use -O3 and this macro. */
static int compile_handlers(struct spincc *s, const char *object)
{
	static const char *const flags[] = { "-O3", "-fno-function-sections", "-fno-data-sections", "-D__riscv__",
					     "-Werror=implicit-function-declaration", "-Wno-address-of-packed-member",
					     /* errors from gcc 14 on; PsPIN's examples have them */
					     "-Wno-error=int-conversion", "-Wno-error=incompatible-pointer-types", NULL };
	struct command c = { 0 };

	add_tool(s, &c);
	for (unsigned i = 0; flags[i]; i++)
		command__add(&c, "%s", flags[i]);
	build__add_user_options(s, &c);
	/* after the user's directories, which may have their own packets.h */
	command__add(&c, "-I%s/handlers/include/pspin", s->root);
	for (unsigned i = 0; i < s->hpu_flags.count; i++)
		command__add(&c, "%s", s->hpu_flags.items[i]);
	command__add(&c, "-c");
	command__add(&c, "%s", s->handler_path);
	command__add(&c, "-o");
	command__add(&c, "%s", object);
	return build__run(s, &c, STAGE_PSPIN);
}

static int compile_runtime(struct spincc *s, const char *source, const char *object)
{
	struct command c = { 0 };

	add_tool(s, &c);
	command__add(&c, "-I%s", s->root);
	command__add(&c, "-I%s/hwmodel/include", s->root);
	command__add(&c, "-I%s/handlers/include/pspin", s->root);
	command__add(&c, "-Wa,--debug-prefix-map=%s/=", s->root);
	if (s->directory[0] && s->directory[1]) {
		command__add(&c, "-ffile-prefix-map=%s=.", s->directory);
		command__add(&c, "-Wa,--debug-prefix-map=%s=.", s->directory);
	}
	command__add(&c, "-ffile-prefix-map=%s/=", s->root);
	command__add(&c, "-c");
	command__add(&c, "%s/hwmodel/image/pspin/%s", s->root, source);
	command__add(&c, "-o");
	command__add(&c, "%s", object);
	return build__run(s, &c, STAGE_HPU);
}

static int link_program(struct spincc *s)
{
	static const char *const parts[] = { "start.o", "handler.o", "stdio.o", NULL };
	struct command c = { 0 };
	char path[PATH_MAX];

	add_tool(s, &c);
	for (unsigned i = 0; i < s->hpu_flags.count; i++)
		command__add(&c, "%s", s->hpu_flags.items[i]);
	command__add(&c, "-Wl,--gc-sections");
	command__add(&c, "-Wl,--build-id=none");
	command__add(&c, "-Wl,--orphan-handling=error");
	command__add(&c, "-T%s/hwmodel/image/pspin/link.ld", s->root);
	for (unsigned i = 0; parts[i]; i++) {
		temps__path(s, parts[i], path);
		command__add(&c, "%s", path);
	}
	command__add(&c, "-lgcc");
	temps__path(s, "object", path);
	command__add(&c, "-o");
	command__add(&c, "%s", path);
	return build__run(s, &c, STAGE_PSPIN);
}

/* Checks what the linker does not report, or reports unclearly. */
static int check(struct spincc *s, const char *object)
{
	const int has_main = build__defines(object, "main");

	if (has_main < 0)
		return -1;
	if (has_main) {
		fprintf(stderr,
			"%s:%u: a handler file has no main(): PsPIN's is that of its driver, which runs on the host; here spinctl "
			"cost is the driver, and init_handlers() names the handlers\n",
			s->handler, find__in_source(s, "main"));
		return -1;
	}
	if (!build__defines(object, "init_handlers")) {
		fprintf(stderr,
			"%s:%u: there is no init_handlers(), which names the handlers; write void init_handlers(handler_fn *hh, "
			"handler_fn *ph, handler_fn *th, void **handler_mem) { *hh = NULL; *ph = your_payload_handler; *th = NULL; }\n",
			s->handler, find__last_line(s));
		return -1;
	}
	return 0;
}

int build__pspin(struct spincc *s)
{
	char handler[PATH_MAX], start[PATH_MAX], library[PATH_MAX];

	setenv("LC_ALL", "C", 1); /* rules_pspin.c matches gcc's messages with plain quotes */
	temps__path(s, "handler.o", handler);
	temps__path(s, "start.o", start);
	temps__path(s, "stdio.o", library);
	return compile_handlers(s, handler) || check(s, handler) || compile_runtime(s, "start.S", start) ||
			       compile_runtime(s, "stdio.c", library) || link_program(s)
		       ? -1
		       : 0;
}
