/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* tests/diagnostics/compilers_refuse.sh: spincc must refuse this handler, with the message in the comment on the faulty line. */
#include <spin/spin.h>

SPIN_NO_STATE;

SPIN_HANDLERS(mine, .payload = 0, .bytes_in_l1 = SPIN_HEADERS_ONLY); // compiler: it registers no handler; give .header, .payload or .completion
