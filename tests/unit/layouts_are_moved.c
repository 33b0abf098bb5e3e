/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests user/libspin/object/layout_move.h, which copies values field by field when handlers are replaced by others whose variables have
 * another layout. A value must be moved, and updated later. Each case is a pair of C declarations; the compiler provides their types. What
 * cannot be moved must be refused, with the field's name and the reason. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "tests/common/expect.h"
#include "user/libspin/object/layout_move.h"
#include "user/libspin/object/layout_plan.h"

/* `v` is the variable. Values are set and read by path, as in spin_ctx__set(). */
static const struct moved {
	const char *from, *to;
	const char *set[4], *later[3]; /* later: set after the first update */
	const char *want[4];
	const char *lost;
	int err;
	const char *reason;
} cases[] = {
	{ "struct { uint32_t a, b; } v;", "struct { uint32_t b, a; } v;", { ".a=3", ".b=4" }, { ".b=5" }, { ".a=3", ".b=5" }, "", 0, NULL },
	{ "struct { uint8_t a; uint16_t b; uint32_t c; } v;",
	  "struct { uint64_t c, b, a; } v;",
	  { ".a=255", ".b=65535", ".c=4000000000" },
	  { ".a=0" },
	  { ".a=0", ".b=65535", ".c=4000000000" },
	  "",
	  0,
	  NULL },
	{ "struct { uint32_t a, gone; struct { uint32_t b; } in; } v;",
	  "struct { uint32_t a; struct { uint32_t c; } in; } v;",
	  { ".a=3", ".gone=4", ".in.b=5" },
	  { NULL },
	  { ".a=3" },
	  "v.gone, v.in.b",
	  0,
	  NULL },
	{ "struct { struct spin_counter a; uint32_t b; } v;",
	  "struct { uint64_t a; struct spin_counter b; } v;",
	  { ".a=3", ".b=4" },
	  { ".a=7" },
	  { ".a=7", ".b=4" },
	  "",
	  0,
	  NULL },
	{ "struct { struct { uint32_t a; }; uint32_t b; } v;",
	  "struct { uint32_t b; struct { uint32_t c, a; }; } v;",
	  { ".a=3", ".b=4" },
	  { NULL },
	  { ".a=3", ".b=4", ".c=0" },
	  "",
	  0,
	  NULL },
	{ "struct { uint32_t a[3][2]; } v;",
	  "struct { uint32_t b; uint64_t a[4][5]; } v;",
	  { ".a[2][1]=9" },
	  { ".a[0][1]=8" },
	  { ".a[2][1]=9", ".a[0][1]=8", ".a[3][0]=0" },
	  "",
	  0,
	  NULL },
	{ "struct { uint32_t a[9]; } v;", "struct { uint32_t a[4]; } v;", { ".a[3]=9" }, { ".a[3]=1" }, { ".a[3]=1" }, "", 0, NULL },
	{ "struct { uint32_t a[9]; } v;",
	  "struct { uint32_t a[4]; } v;",
	  { ".a[4]=9" },
	  { NULL },
	  { NULL },
	  "",
	  -ENOSPC,
	  "no place for v.a[4], which is in use: it has 4 entries there, and 9 here" },
	{ "struct { uint32_t a[9]; } v;",
	  "struct { uint32_t a[4]; } v;",
	  { ".a[1]=9" },
	  { ".a[8]=1" },
	  { NULL },
	  "",
	  -ENOSPC,
	  "no place for v.a[8]" },
	{ "struct { SPIN_KEY(uint32_t, k); uint32_t n; } v[4];",
	  "struct { SPIN_KEY(uint32_t, k); uint64_t m; uint64_t n; } v[4];",
	  { "[2].k=70", "[2].n=7" },
	  { "[2].n=8", "[3].k=5" },
	  { "[2].k=70", "[2].n=8", "[2].m=0", "[3].k=5" },
	  "",
	  0,
	  NULL },
	{ "struct { SPIN_KEY(uint32_t, k); uint32_t n; } v[16];",
	  "struct { SPIN_KEY(uint32_t, k); uint32_t n; } v[1];",
	  { "[9].k=70", "[9].n=7" },
	  { "[9].n=8" },
	  { "[0].k=70", "[0].n=8" },
	  "",
	  0,
	  NULL },
	{ "struct { SPIN_KEY(uint32_t, k); uint32_t n; } v[16];",
	  "struct { SPIN_KEY(uint32_t, k); uint32_t n; } v[1];",
	  { "[9].k=70", "[9].n=7" },
	  { "[9].k=0", "[8].k=71", "[8].n=9" },
	  { "[0].k=71", "[0].n=9" },
	  "",
	  0,
	  NULL },
	{ "struct { SPIN_KEY(uint32_t, k); uint32_t n; } v[16];",
	  "struct { SPIN_KEY(uint32_t, k); uint32_t n; } v[1];",
	  { "[9].k=70", "[8].k=71" },
	  { NULL },
	  { NULL },
	  "",
	  -ENOSPC,
	  "no place for v[9], which is in use: it has 1 entries there, and 16 here" },
	{ "struct { union { uint32_t w; uint8_t b[4]; } u; uint32_t a; } v;",
	  "struct { uint32_t a; union { uint32_t w; uint8_t b[4]; } u; } v;",
	  { ".u.w=258", ".a=3" },
	  { NULL },
	  { ".u.w=258", ".a=3" },
	  "",
	  0,
	  NULL },
	{ "struct { uint32_t a : 3, b : 4; uint32_t c; } v;",
	  "struct { uint32_t a : 3, b : 4; uint32_t c; } v;",
	  { ".c=3" },
	  { ".c=4" },
	  { ".c=4" },
	  "",
	  0,
	  NULL },
	{ "struct { struct __attribute__((packed)) { uint8_t x; uint32_t y; } p[3]; } v;",
	  "struct { uint8_t z; struct __attribute__((packed)) { uint32_t y; uint8_t x; } p[3]; } v;",
	  { ".p[1].y=70000", ".p[2].x=4" },
	  { ".p[1].y=70001" },
	  { ".p[1].y=70001", ".p[2].x=4" },
	  "",
	  0,
	  NULL },
	{ "struct { uint32_t a; } v;",
	  "struct { uint16_t a; } v;",
	  { NULL },
	  { NULL },
	  { NULL },
	  "",
	  -EINVAL,
	  "v.a cannot be moved to the new handlers: it is narrower there" },
	{ "struct { uint32_t a; } v;", "struct { int32_t a; } v;", { NULL }, { NULL }, { NULL }, "", -EINVAL, "one is signed" },
	{ "struct { int32_t a; } v;",
	  "struct { int64_t a; } v;",
	  { NULL },
	  { NULL },
	  { NULL },
	  "",
	  -EINVAL,
	  "only unsigned integers in host byte order become wider" },
	{ "struct { spin_be16 a; } v;",
	  "struct { spin_be32 a; } v;",
	  { NULL },
	  { NULL },
	  { NULL },
	  "",
	  -EINVAL,
	  "only unsigned integers in host" },
	{ "struct { spin_be32 a; } v;",
	  "struct { uint32_t a; } v;",
	  { NULL },
	  { NULL },
	  { NULL },
	  "",
	  -EINVAL,
	  "one is in network byte order" },
	{ "struct { struct { uint32_t b; } a[2]; } v;",
	  "struct { uint32_t a; } v;",
	  { NULL },
	  { NULL },
	  { NULL },
	  "",
	  -EINVAL,
	  "v.a cannot be moved to the new handlers: it is something else there" },
	{ "struct { union { uint32_t w; uint8_t b; } u; } v;",
	  "struct { union { uint32_t w; uint16_t b; } u; } v;",
	  { NULL },
	  { NULL },
	  { NULL },
	  "",
	  -EINVAL,
	  "v.u cannot be moved to the new handlers: a union" },
	{ "struct { uint32_t a : 3, b : 4; } v;",
	  "struct { uint32_t a : 3, b : 5; } v;",
	  { NULL },
	  { NULL },
	  { NULL },
	  "",
	  -EINVAL,
	  "it has bit fields" },
	{ "struct { uint32_t a; uint32_t b; } v;",
	  "struct { uint32_t b; struct { uint32_t a : 3; }; } v;",
	  { NULL },
	  { NULL },
	  { NULL },
	  "",
	  -EINVAL,
	  "v.a cannot be moved to the new handlers: it is a bit field there" },
	{ "struct { uint32_t a; uint32_t b; } v;",
	  "struct { struct { union { uint32_t a; uint32_t b; }; }; } v;",
	  { NULL },
	  { NULL },
	  { NULL },
	  "",
	  -EINVAL,
	  "v.a cannot be moved to the new handlers: an unnamed member before it there is not a struct" },
	{ "struct { SPIN_KEY(uint32_t, k); uint32_t n; } v[4];",
	  "struct { SPIN_KEY(uint32_t, n); uint32_t k; } v[4];",
	  { NULL },
	  { NULL },
	  { NULL },
	  "",
	  -EINVAL,
	  "its entries have another key there" },
	{ "struct { SPIN_KEY(uint32_t, k); uint32_t n; } v[4];",
	  "struct { SPIN_KEY(spin_be32, k); uint32_t m; } v[4];",
	  { NULL },
	  { NULL },
	  { NULL },
	  "",
	  -EINVAL,
	  "its entries have a key of another type there" },
	{ "struct { uint32_t a; } v SPIN_PER_CLUSTER_TAG[4];",
	  "struct { uint32_t a; } v[4];",
	  { NULL },
	  { NULL },
	  { NULL },
	  "",
	  -EINVAL,
	  "v cannot be moved to the new handlers: one is memory of clusters" },
};

#define CASES (sizeof(cases) / sizeof(cases[0]))

static char directory[] = "/tmp/spin-moves-XXXXXX";

/* Compiles one object with all declarations, each as a variable with its own name: v0_, v1_ and so on. */
static struct bpf_object *compile(int is_to)
{
	char path[64], object[64], command[512];
	struct bpf_object *out;
	FILE *file;

	snprintf(path, sizeof(path), "%s/types.c", directory);
	snprintf(object, sizeof(object), "%s/types%d.o", directory, is_to);
	file = fopen(path, "w");
	if (!file)
		fail("a file");
	fprintf(file, "#include <linux/bpf.h>\n#include <bpf/bpf_helpers.h>\n#include <spin/spin.h>\n");
	for (size_t i = 0; i < CASES; i++) {
		const char *text = is_to ? cases[i].to : cases[i].from, *name = strstr(text, " v") + 1;
		const char *rest = strncmp(name, "v SPIN_PER_CLUSTER_TAG", 22) ? name + 1 : name + 22;

		fprintf(file, "%.*sv%zu%s\n", (int)(name - text), text, i, rest);
	}
	fclose(file);
	snprintf(
		command, sizeof(command),
		"${CLANG:-clang} -target bpf -mcpu=v3 -O2 -g -w -ffreestanding -Ihandlers/include -idirafter /usr/include/$(gcc -print-multiarch) "
		"-c %s -o %s",
		path, object);
	expect(0, system(command), "compiling types");
	out = bpf_object__open_file(object, NULL);
	if (!out)
		fail("opening types");
	unlink(path);
	unlink(object);
	return out;
}

static struct layout_variable variable(const struct btf *btf, size_t i, char **mem)
{
	struct layout_variable var;
	char name[16];

	snprintf(name, sizeof(name), "v%zu", i);
	expect(0, layout__find(btf, name, &var), "a variable");
	snprintf(var.name, sizeof(var.name), "v");
	*mem = calloc(1, var.bytes * 4);
	return var;
}

static void set(const struct btf *btf, const struct layout_variable *var, char *mem, const char *const *assignments, unsigned count)
{
	for (unsigned i = 0; i < count && assignments[i]; i++)
		expect(0, layout__set(btf, var, mem, assignments[i]), assignments[i]);
}

/* Sets the expected values in a copy, which must not change. */
static void expect_values(const struct btf *btf, const struct layout_variable *var, const char *mem, const struct moved *c)
{
	char *copy = malloc(var->bytes);

	for (unsigned i = 0; i < sizeof(c->want) / sizeof(c->want[0]) && c->want[i]; i++) {
		memcpy(copy, mem, var->bytes);
		set(btf, var, copy, &c->want[i], 1);
		if (memcmp(copy, mem, var->bytes)) {
			printf("%s -> %s: not %s\n", c->from, c->to, c->want[i]);
			exit(1);
		}
	}
	free(copy);
}

static void try_case(const struct btf *from, const struct btf *to, size_t i)
{
	const struct moved *c = &cases[i];
	struct layout_lost lost = { 0 };
	struct layout_move *move;
	char *old, *new;
	struct layout_variable x = variable(from, i, &old), y = variable(to, i, &new);
	uint64_t changed = 0, unchanged = 0;
	int err;

	if (strstr(c->from, "SPIN_PER_CLUSTER_TAG")) {
		x.copies = 4;
		x.bytes /= 4;
	}
	set(from, &x, old, c->set, 4);
	err = layout_move__plan(from, &x, to, &y, &lost, &move);
	if (!err)
		err = layout_move__update(move, old, new, &changed);
	if (!err) {
		err = layout_move__update(move, old, new, &unchanged);
		expect(0, (long long)unchanged, "bytes moved again, while nothing has changed");
	}
	set(from, &x, old, c->later, 3);
	if (!err)
		err = layout_move__update(move, old, new, &unchanged);
	if (!err && c->later[0] && !unchanged)
		fail("what has changed was not moved");
	expect(c->err, err, c->to);
	if (err)
		expect_error_text(c->reason);
	else
		expect_values(to, &y, new, c);
	if (strcmp(lost.names, c->lost))
		fail(lost.names);
	layout_move__free(move);
	free(old);
	free(new);
}

int main(void)
{
	struct bpf_object *from, *to;

	if (!mkdtemp(directory))
		fail("a directory");
	from = compile(0);
	to = compile(1);
	rmdir(directory);
	for (size_t i = 0; i < CASES; i++)
		try_case(bpf_object__btf(from), bpf_object__btf(to), i);
	bpf_object__close(to);
	bpf_object__close(from);
	printf("%zu pairs of types\n", CASES);
	return 0;
}
