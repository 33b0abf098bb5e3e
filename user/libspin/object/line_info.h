/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_LINE_INFO_H
#define USER_LIBSPIN_OBJECT_LINE_INFO_H

/*
 * The source line of an instruction, from the line information that clang leaves in an object (section .BTF.ext). Called by
 * contract_code.c, whose messages name the line. The sections are untrusted: what they say is a hint for a person, and nothing else.
 */
#include <stddef.h>
#include <stdint.h>

/* The contents of an object's sections .BTF (it has the names of files) and .BTF.ext; no bytes if there is no such section. */
struct line_info {
	const uint8_t *btf, *ext;
	size_t btf_bytes, ext_bytes;
};

/*
 * Writes "FILE:LINE" of the instruction at byte `at` of a code section. `from` is the first byte of its function. FILE is as the object
 * has it, with control characters, and only its end if it is long. Returns 1, or 0 with empty text if the line is not known or the
 * sections are damaged.
 */
int line_info__find(const struct line_info *info, const char *section, uint64_t from, uint64_t at, char *text, size_t text_bytes);

#endif
