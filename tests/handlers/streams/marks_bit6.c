/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* marks_bit6 - handlers of TCP streams that set bit 6 of every byte, and can replace others of marks.h while streams are open */
#define MARK 0x40u
#include "marks.h"

SPIN_HANDLERS(marks_bit6, .header = marks_header, .payload = marks_payload, .message_completion = marks_completion);
