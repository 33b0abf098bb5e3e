/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_RUN_H
#define BPF_RUN_H

/*
 * Runs the handlers of one datagram, which is a message of one packet: header, payload, completion (sPIN 3.2, B.3-B.5). spin_handlers_ is
 * constant, so a handler that the file does not register leaves no code. Called by packet.h and nfp.bpf.c.
 */
#include <spin/context.h>

#include "bpf/parse.h"

SPIN_INLINE uint32_t spin_num_hpus_(const struct spin_packet *packet)
{
	(void)packet;
	return spin_config.hpus;
}

/* Begins a handler's run, with its own budget (<spin/lock.h>). */
SPIN_INLINE void spin_run_begins(struct spin_packet *packet)
{
	packet->walks_count = spin_handlers_.budget != 0;
	packet->steps = spin_handlers_.budget ? spin_handlers_.budget : SPIN_BUDGET_STEPS;
	packet->overrun = 0;
}

/* A handler may not return SPIN_RC_OVERRUN: it becomes an invalid code, with or without SPIN_RC_PENDING. */
SPIN_INLINE uint32_t spin_handlers_code_(uint32_t rc)
{
	return rc == SPIN_RC_OVERRUN ? SPIN_RC_PENDING << 1 : rc;
}

/* Ends a handler's run. Returns its return code, SPIN_RC_OVERRUN if the budget was exceeded. */
SPIN_INLINE uint32_t spin_run_ends(const struct spin_packet *packet, uint32_t rc)
{
	if (packet->overrun)
		return SPIN_RC_OVERRUN;
	return spin_handlers_code_(rc);
}

/* What became of a message of one packet after its handlers have run. */
struct spin_handlers_result {
	enum spin_reason reason;
	/* the message's first error; type 0: none */
	enum spin_event_type error;
	enum spin_handler_kind error_in;
};

SPIN_INLINE void spin_note_error_(struct spin_handlers_result *out, enum spin_event_type error, enum spin_handler_kind kind)
{
	if (out->error)
		return;
	out->error = error;
	out->error_in = kind;
}

/* Returns the packet's reason for an error code and sets *event. */
SPIN_INLINE enum spin_reason spin_error_of(uint32_t rc, enum spin_event_type *event)
{
	if (rc == SPIN_RC_FAIL) {
		*event = SPIN_EVENT_FAIL;
		return SPIN_REASON_FAILED;
	}
	if (rc == SPIN_RC_SEGV) {
		*event = SPIN_EVENT_SEGV;
		return SPIN_REASON_SEGV;
	}
	if (rc == SPIN_RC_OVERRUN) {
		*event = SPIN_EVENT_OVERRUN;
		return SPIN_REASON_OVERRUN;
	}
	*event = SPIN_EVENT_BAD_RETURN;
	return SPIN_REASON_BAD_RETURN;
}

/* Records a handler's error. Returns the reason for dropping the packet. */
SPIN_INLINE enum spin_reason spin_error_reason_(struct spin_handlers_result *out, uint32_t rc, enum spin_handler_kind kind)
{
	enum spin_event_type event;
	enum spin_reason reason = spin_error_of(rc, &event);

	spin_note_error_(out, event, kind);
	return reason;
}

/* Returns the bytes of the message's first payload that are the user header (sPIN 3.2.1). */
SPIN_INLINE uint32_t spin_user_header_(uint32_t length)
{
	return spin_handlers_.user_header_bytes && length > spin_handlers_.user_header_bytes ? spin_handlers_.user_header_bytes : length;
}

/*
 * Runs the header handler with `length` as the message's length; packet->bytes is what it sees of the payload. Returns SPIN_PARSED to
 * continue with the payload handler. Sets *completes if it returned PROCEED and the completion handler must run.
 */
SPIN_INLINE enum spin_reason spin_run_header_of_(struct spin_packet *packet, uint32_t length, struct spin_handlers_result *out,
						 _Bool *completes)
{
	struct spin_header header = { .length = length, .type = SPIN_TYPE_PUT, .packet = packet };
	uint32_t rc;

	if (!spin_handlers_.header)
		return SPIN_PARSED;
	spin_run_begins(packet);
	rc = spin_run_ends(packet, spin_handlers_.header(&header, SPIN_STATE_OF_(packet)));
	switch (rc & ~(uint32_t)SPIN_RC_PENDING) {
	case SPIN_RC_PROCESS_DATA:
		return SPIN_PARSED;
	case SPIN_RC_PROCEED | SPIN_RC_COMPLETE:
		*completes = 1;
		return SPIN_REASON_PROCEEDED;
	case SPIN_RC_PROCEED:
		return SPIN_REASON_PROCEEDED;
	case SPIN_RC_DROP:
		return SPIN_REASON_HEADER_DROPPED;
	default:
		return spin_error_reason_(out, rc, SPIN_KIND_HEADER);
	}
}

/* The same for a datagram or a stream. */
SPIN_INLINE enum spin_reason spin_run_header_(struct spin_packet *packet, uint32_t length, struct spin_handlers_result *out,
					      _Bool *completes)
{
	packet->bytes = spin_user_header_(length);
	return spin_run_header_of_(packet, length, out, completes);
}

/* Runs the payload handler on a datagram, if there is one and bytes for it. Returns the packet's reason. */
SPIN_INLINE enum spin_reason spin_run_payload_(struct spin_packet *packet, uint32_t length, struct spin_handlers_result *out)
{
	struct spin_payload payload = { .packet = packet };
	uint32_t rc;

	if (!spin_handlers_.payload || length <= spin_handlers_.user_header_bytes)
		return SPIN_REASON_PROCEEDED;
	packet->reply_bytes = packet->deliver_bytes = SPIN_NO_REPLY; /* only the payload handler's calls count */
	packet->payload += spin_handlers_.user_header_bytes;
	packet->bytes = payload.length = length - spin_handlers_.user_header_bytes;
	payload.offset = spin_handlers_.user_header_bytes;
	spin_run_begins(packet);
	rc = spin_run_ends(packet, spin_handlers_.payload(&payload, SPIN_STATE_OF_(packet)));
	switch (rc) {
	case SPIN_RC_SUCCESS:
		return SPIN_REASON_SUCCESS;
	case SPIN_RC_DROP:
		return SPIN_REASON_DROPPED;
	case SPIN_RC_REPLIED:
		if (packet->reply_bytes != SPIN_NO_REPLY)
			return SPIN_REASON_REPLIED;
		__attribute__((fallthrough)); /* returned REPLIED without calling spin_reply() */
	default:
		return spin_error_reason_(out, rc, SPIN_KIND_PAYLOAD);
	}
}

SPIN_INLINE _Bool spin_has_completion(void)
{
	return spin_handlers_.completion || spin_handlers_.message_completion;
}

/* Calls the completion handler in the form in which it is registered. */
SPIN_INLINE uint32_t spin_call_completion(struct spin_completion *completion)
{
	uint32_t rc;

	if (!spin_handlers_.message_completion) {
		rc = spin_handlers_.completion(completion->dropped_bytes, completion->flow_control_triggered,
					       SPIN_STATE_OF_(completion->packet));
		return spin_handlers_code_(rc); /* this form has no budget */
	}
	spin_run_begins(completion->packet);
	rc = spin_handlers_.message_completion(completion, SPIN_STATE_OF_(completion->packet));
	return spin_run_ends(completion->packet, rc);
}

/* The packet's result is already known: an error of the completion handler is only an event. */
SPIN_INLINE void spin_run_completion_(struct spin_packet *packet, uint32_t length, uint32_t dropped_bytes, struct spin_handlers_result *out)
{
	struct spin_completion completion = { .dropped_bytes = dropped_bytes, .length = length, .packet = packet };
	const uint32_t reply_bytes = packet->reply_bytes, deliver_bytes = packet->deliver_bytes;
	uint32_t rc;

	if (!spin_has_completion())
		return;
	rc = spin_call_completion(&completion);
	packet->reply_bytes = reply_bytes;
	packet->deliver_bytes = deliver_bytes;
	if ((rc & ~(uint32_t)SPIN_RC_PENDING) != SPIN_RC_SUCCESS)
		(void)spin_error_reason_(out, rc, SPIN_KIND_COMPLETION);
}

/* Completion runs unless the header handler returned PROCEED alone ("no further handlers") or failed. */
SPIN_INLINE void spin_run_handlers(struct spin_packet *packet, uint32_t length, struct spin_handlers_result *out)
{
	_Bool completes = 0;

	out->error = 0;
	out->reason = spin_run_header_(packet, length, out, &completes);
	if (out->reason == SPIN_REASON_HEADER_DROPPED || completes) {
		spin_run_completion_(packet, length, completes ? 0 : length, out);
		return;
	}
	if (out->reason != SPIN_PARSED)
		return;
	out->reason = spin_run_payload_(packet, length, out);
	spin_run_completion_(packet, length, out->error || out->reason == SPIN_REASON_DROPPED ? length : 0, out);
}

#endif
