/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>

#include <spin/return.h>

#include "user/conformance/event.h"
#include "user/spinctl/run_message.h"

static void text_length(const struct spin_event *e)
{
	if (e->length != SPIN_LENGTH_UNKNOWN)
		printf(" of %u bytes", e->length);
}

/* What became of the message. */
static void text_end(const struct spin_event *e)
{
	if (e->me < SPIN_MES_MAX)
		printf(", entry %u", e->me);
	if (e->offset)
		printf(" from byte %u on", e->offset);
	if (e->match_bits)
		printf(", match bits 0x%" PRIx64, e->match_bits);
	if (e->hdr_data)
		printf(", header data 0x%" PRIx64, e->hdr_data);
	if (e->deposited_bytes)
		printf(", %u bytes deposited", e->deposited_bytes);
	if (e->dropped_bytes)
		printf(", %u bytes dropped", e->dropped_bytes);
	if (e->flags & SPIN_EVENT_FLOW_CONTROL)
		printf(", flow control");
	if (e->flags & SPIN_EVENT_FAILED)
		printf(", a handler failed");
	if (e->flags & SPIN_EVENT_DROPPED)
		printf(", header handler: drop");
	if (e->flags & SPIN_EVENT_PROCEEDED)
		printf(", header handler: proceed");
	if (e->flags & SPIN_EVENT_REFUSED)
		printf(", refused: longer than its entry");
	if (e->flags & SPIN_EVENT_GET)
		printf(", a get");
	if (e->flags & SPIN_EVENT_ATOMIC)
		printf(", an atomic");
	if (e->flags & SPIN_EVENT_UNLINKED)
		printf(", entry unlinked");
}

void run_message__event_text(const struct spin_event *e, const char *source)
{
	const int ends = !event_has_handler(e->type);

	if (ends)
		printf("%s: message %u", e->type == SPIN_EVENT_MESSAGE ? "complete" : "timed out", e->message_id);
	else
		printf("%s in the %s handler: message %u", event_name(e->type), event_handler_name(e->handler), e->message_id);
	text_length(e);
	printf(" from %s port %u to port %u on HPU %u", source, e->src_port, e->dst_port, e->hpu);
	if (ends)
		text_end(e);
	if (e->type == SPIN_EVENT_WORK) {
		char item[EVENT_ITEM_MAX];

		event_item(e, item);
		printf(": %s", item);
	}
	putchar('\n');
}

void run_message__event_json(struct json *j, const struct spin_event *e)
{
	const char *flag;

	json_uint(j, "message_id", e->message_id);
	if (e->me < SPIN_MES_MAX)
		json_uint(j, "entry", e->me);
	else
		json_string(j, "entry", NULL);
	json_uint(j, "offset_bytes", e->offset);
	json_uint(j, "dropped_bytes", e->dropped_bytes);
	json_uint(j, "deposited_bytes", e->deposited_bytes);
	if (e->type == SPIN_EVENT_WORK) /* an item lies where the rest would */
		return;
	json_uint(j, "match_bits", e->match_bits);
	json_uint(j, "header_data", e->hdr_data);
	json_array(j, "flags");
	for (unsigned i = 0; (flag = event_flag_name(i)); i++)
		if (e->flags >> i & 1)
			json_string(j, NULL, flag);
	json_array_end(j);
}
