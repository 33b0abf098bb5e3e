/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler; tests/model/bursts_are_the_rtls.sh compares its cycles on the NIC model with those on PsPIN's RTL: all HPUs (cores of the
 * NIC) add 1 to the same two words with spin_fadd32(), whose lock (hwmodel/image/exclusive.S) lets one in at a time. They wait for each
 * other, so a burst shows whether the model gives the lock to HPUs as the RTL does: its cycles must be within 2 %.
 */
#include <spin/spin.h>

struct meet {
	uint32_t first, free[3], second;
};

SPIN_STATE(struct meet, .first = 1);

static enum spin_payload_rc meet_payload(struct spin_payload *p, struct meet *meet)
{
	(void)p;
	spin_fadd32(&meet->first, 1);
	spin_fadd32(&meet->second, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(meet, .payload = meet_payload, .bytes_in_l1 = SPIN_HEADERS_ONLY, .checksum = SPIN_CHECKSUM_HOST);
