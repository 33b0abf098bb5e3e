/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* tests/diagnostics/compilers_refuse.sh: spincc must refuse this handler, with the message in the comment on the faulty line. */
#include <spin/spin.h>

struct tally { uint32_t n; };
SPIN_STATE(struct tally);

SPIN_HANDLERS(mine); // compiler: it registers no handler; give .header, .payload or .completion
