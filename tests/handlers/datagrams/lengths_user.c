/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* lengths_user - the same after a user header of 4 bytes: it stays in front of what is cut, and is no part of the buffer. */
#include "lengths.h"

SPIN_HANDLERS(lengths_user, .payload = lengths_payload, .message_completion = lengths_completion, .user_header_bytes = 4);
