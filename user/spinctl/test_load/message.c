/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * message - loaded by `spinctl doctor` to test whether this kernel loads handlers of messages
 *
 * It takes messages and leaves their bytes to the default action, host memory.
 * Embedded by test_load_image.S. It is loaded and closed again, never attached.
 */
#include <spin/spin.h>

struct seen {
	SPIN_COUNTER(messages);
};
SPIN_STATE(struct seen);

static enum spin_completion_rc message_completion(struct spin_completion *c, struct seen *seen)
{
	spin_count(&seen->messages, 1);
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(message, .message_completion = message_completion, .delivery = SPIN_DELIVER_ME);
