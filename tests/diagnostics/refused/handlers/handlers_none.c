/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: SPIN_HANDLERS without a handler. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n; };
SPIN_STATE(struct tally);

SPIN_HANDLERS(mine); // compiler: it registers no handler; give .header, .payload or .completion
