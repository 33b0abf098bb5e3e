/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The files that `spinctl new` starts from, as they are in templates/, inside the program. */
#include "user/spinctl/new.h"

/* clang-format off */
#define EMBED(symbol, path) \
	__asm__(".section .rodata\n" \
		".global " #symbol "\n" \
		".hidden " #symbol "\n" \
		#symbol ":\n" \
		".incbin \"" path "\"\n" \
		".byte 0\n" \
		".previous\n")
/* clang-format on */

EMBED(new_template_handler, "user/spinctl/templates/NAME.c");
EMBED(new_template_vector, "user/spinctl/templates/NAME.vec");
