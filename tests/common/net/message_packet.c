/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Builds a packet of a message (SLMP, the message protocol over UDP), and checks what an engine returned for it. Its header is changed in
 * place for each packet. Used by tests in tests/messages, tests/live and tests/unit, by message_trace.c and tests/bench/hpus.c.
 */
#include <errno.h>
#include <string.h>

#include <spin/slmp.h>

#include "user/conformance/template/template.h"
#include "user/conformance/vector/wire.h"

#include "tests/common/net/message_packet.h"

int message_packet_make(struct message_packet *p, uint32_t payload_bytes)
{
	static struct template t;
	uint32_t at;

	template_start(&t);
	if (template_line(&t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") < 0 || template_line(&t, "ip4 10.0.0.1 > 10.0.0.2") < 0 ||
	    template_line(&t, "udp 4000 > 9330 sum none") < 0 || template_line(&t, "slmp") < 0)
		return -EINVAL;
	at = t.bytes;
	if (payload_bytes > sizeof(p->frame) - at || template_append(&t, NULL, payload_bytes) || template_finish(&t))
		return -EINVAL;
	*p = (struct message_packet){ .bytes = t.bytes, .payload_bytes = payload_bytes, .payload = p->frame + at };
	memcpy(p->frame, t.frame, t.bytes);
	return 0;
}

static void put32(uint8_t *at, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> (24 - 8 * i));
}

void message_packet_head(struct message_packet *p, uint32_t flags, uint32_t id, uint32_t offset)
{
	uint8_t *slmp = p->payload - sizeof(struct spin_slmp);

	p->flags = flags;
	p->id = id;
	p->offset = offset;
	slmp[0] = (uint8_t)(flags >> 8);
	slmp[1] = (uint8_t)flags;
	put32(slmp + 2, id);
	put32(slmp + 6, offset);
}

/* Returns 0 if the sender must retransmit the packet, or if it does not belong to this protocol. */
static int is_accepted(enum spin_reason reason)
{
	return reason != SPIN_REASON_MALFORMED && reason != SPIN_REASON_NO_ME && reason != SPIN_REASON_NO_MPQ &&
	       reason != SPIN_REASON_NO_PARKING && reason != SPIN_REASON_BEYOND_WINDOW;
}

const char *message_packet_check(const struct message_packet *p, const struct engine_out *out, enum spin_reason want)
{
	uint8_t ack[sizeof(p->frame)];
	uint32_t ack_bytes;

	if (out->reason != want)
		return "has another reason";
	if (!is_accepted(want) || !(p->flags & SPIN_SLMP_SYN))
		return out->verdict == SPIN_VERDICT_DROP ? NULL : "is not dropped";
	if (out->verdict != SPIN_VERDICT_TX || vector_ack(p->frame, p->bytes, 0, ack, &ack_bytes) || out->frame_bytes != ack_bytes ||
	    memcmp(out->frame, ack, ack_bytes))
		return "is not acknowledged as it should be";
	return NULL;
}
