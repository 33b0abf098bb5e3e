/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_CORE_TOOLCHAIN_H
#define TESTS_CORE_TOOLCHAIN_H

/*
 * Runs the RISC-V cross assembler and reads its output, for the tests of the modelled core: isa_vs_qemu.c, timing_rows.c, xpulp_pairs.c. A
 * test without the tool ends as skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwmodel/elf.h>

enum { PASS = 0, FAIL = 1, SKIP = 77 };

static inline const char *cross_gcc(void)
{
	const char *cc = getenv("RISCV_CC");

	return cc ? cc : "riscv64-unknown-elf-gcc";
}

static inline int have(const char *tool)
{
	char command[300];

	snprintf(command, sizeof(command), "command -v '%s' >/dev/null 2>&1", tool);
	return system(command) == 0;
}

/* Returns a path in the build directory, in one of 8 static buffers. */
static inline const char *build_path(const char *name)
{
	static char paths[8][400];
	static unsigned n;
	const char *build = getenv("BUILD");
	char *p = paths[n++ % 8];

	snprintf(p, 400, "%s/%s", build ? build : "build", name);
	return p;
}

/* Returns the whole file, allocated with malloc(), or NULL if it cannot be read. */
static inline char *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *data = NULL;
	size_t room = 0, n;

	*len = 0;
	if (!f)
		return NULL;
	do {
		if (*len + 1 >= room) {
			room = room ? 2 * room : 1 << 16;
			data = realloc(data, room);
			if (!data)
				abort();
		}
		n = fread(data + *len, 1, room - *len - 1, f);
		*len += n;
	} while (n);
	data[*len] = '\0';
	fclose(f);
	return data;
}

/*
 * Opens an ELF file and copies its contents for [base, base + bytes): the linker may put the file's headers below the code. Returns NULL
 * after a message. The caller closes the result, then frees *file.
 */
static inline struct hw_elf *load_code(const char *path, uint32_t base, uint8_t *to, uint32_t bytes, char **file)
{
	struct hw_elf_segment segment;
	struct hw_elf *elf;
	char err[200];
	size_t len;

	*file = slurp(path, &len);
	if (!*file || hw_elf__open(&elf, *file, len, err, sizeof(err)) < 0) {
		printf("%s: %s\n", path, *file ? err : "cannot read");
		free(*file);
		return NULL;
	}
	for (unsigned i = 0; hw_elf__segment(elf, i, &segment) == 0; i++)
		for (uint32_t b = 0; b < segment.file_bytes; b++)
			if (segment.vaddr + b - base < bytes)
				to[segment.vaddr + b - base] = segment.data[b];
	return elf;
}

#endif
