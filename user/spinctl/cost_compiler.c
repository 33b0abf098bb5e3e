/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdio.h>
#include <string.h>

#include "cost.h"
#include "libspin/internal.h"

void cost_compiler(const void *image, size_t bytes, char *out, size_t out_bytes)
{
	size_t offset, length;

	snprintf(out, out_bytes, "unknown");
	if (spin_elf__section(image, bytes, ".comment", &offset, &length) || !length ||
	    offset > bytes || length > bytes - offset)
		return;
	snprintf(out, out_bytes, "%.*s", (int)strnlen((const char *)image + offset, length),
		 (const char *)image + offset);
}
