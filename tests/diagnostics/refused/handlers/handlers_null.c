/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: SPIN_HANDLERS whose only handler is 0. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

SPIN_HANDLERS(mine, .payload = 0, .bytes_in_l1 = SPIN_HEADERS_ONLY); // compiler: it registers no handler; give .header, .payload or .completion
