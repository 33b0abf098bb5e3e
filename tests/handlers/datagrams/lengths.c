/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* lengths - the handlers of lengths.h, which deliver datagrams shorter or longer than they arrived. */
#include "lengths.h"

SPIN_HANDLERS(lengths, .payload = lengths_payload, .message_completion = lengths_completion);
