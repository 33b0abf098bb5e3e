/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* marks_bit7 - handlers of TCP streams that set bit 7 of every byte, and can replace others of marks.h while streams are open */
#define MARK 0x80u
#include "marks.h"

SPIN_HANDLERS(marks_bit7, .header = marks_header, .payload = marks_payload, .message_completion = marks_completion);
