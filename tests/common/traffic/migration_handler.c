/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compiles handlers with the state and tables that a test wants, and reads fields of a running one, for tests of spin_ctx__migrate(), which
 * exchanges handlers and moves their memory to another layout: in tests/unit, tests/sockets and tests/segments. Failures end the test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/traffic/migration_handler.h"
#include "user/conformance/template/template.h"

struct spin_object *migration_handler__compile(const struct moving_source *source)
{
	char directory[] = "/tmp/spin-moving-XXXXXX", path[64], object[64], command[512];
	struct spin_object *out;
	FILE *file;

	if (!mkdtemp(directory))
		fail("a directory");
	snprintf(path, sizeof(path), "%s/moving.c", directory);
	snprintf(object, sizeof(object), "%s/moving.spin", directory);
	file = fopen(path, "w");
	if (!file)
		fail("a handler file");
	fprintf(file,
		"/* moving - counts */\n#include <spin/spin.h>\n%s\nstruct moving {\n%s\n};\nSPIN_STATE(struct moving, %s);\n"
		"static enum spin_payload_rc moving_payload(struct spin_payload *p, struct moving *state)\n{\n%s\nreturn SPIN_SUCCESS;\n}\n"
		"SPIN_HANDLERS(moving, .payload = moving_payload);\n",
		source->declarations, source->fields, source->init, source->count);
	if (fclose(file))
		fail("writing a handler file");
	snprintf(command, sizeof(command), "%s/bin/spincc --no-verify -o %s %s", built_dir(), object, path);
	expect(0, system(command), "compiling a handler");
	expect(0, spin_object__open(object, &out), "the object");
	unlink(path);
	unlink(object);
	rmdir(directory);
	return out;
}

uint32_t migration_handler__frame(uint8_t frame[64])
{
	static const char *const lines[] = { "eth 02:00:00:00:00:01 > 02:00:00:00:00:02", "ip4 10.0.0.1 > 10.0.0.2", NULL, "fill 18 0" };
	struct template t;
	char udp[32];

	snprintf(udp, sizeof(udp), "udp 1024 > %u sum none", MIGRATION_PORT);
	template_start(&t);
	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (template_line(&t, lines[i] ? lines[i] : udp) != 1)
			fail(engine_error());
	if (template_finish(&t) || t.bytes > 64)
		fail(engine_error());
	memcpy(frame, t.frame, t.bytes);
	return t.bytes;
}

struct wanted {
	const char *path;
	uint64_t value;
	int found;
};

static int match_field(void *arg, const struct spin_field *field)
{
	struct wanted *wanted = arg;

	if (strcmp(field->path, wanted->path))
		return 0;
	wanted->value = field->value;
	wanted->found = 1;
	return 1;
}

uint64_t migration_handler__field(struct spin_ctx *ctx, const char *path)
{
	struct wanted wanted = { .path = path };
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(path, ".["), path);
	if (spin_ctx__fields(ctx, name, 1, match_field, &wanted) < 0 || !wanted.found)
		fail(path);
	return wanted.value;
}
