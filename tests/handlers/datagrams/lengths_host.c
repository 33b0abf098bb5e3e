/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* lengths_host - the same with checksums that the runtime does not verify: a wrong one must stay wrong. */
#include "lengths.h"

SPIN_HANDLERS(lengths_host, .payload = lengths_payload, .message_completion = lengths_completion, .checksum = SPIN_CHECKSUM_HOST);
