/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_RETURN_H
#define SPIN_RETURN_H

/*
 * Return codes of the three kinds of handlers (sPIN B.3 to B.5). Used by handlers, the runtime in bpf/ and the model, which give them the
 * same meaning.
 */
#define SPIN_LENGTH_UNKNOWN 0xffffffffu /* of a message whose first packet does not tell its length */

/*
 * What a handler returns (sPIN B.3, B.4, B.5). There is one enum per kind of handler, so that a code of the wrong kind is a compiler
 * warning; the values are equal where the papers' names are.
 *
 * The _PENDING forms do not complete the matching entry with the message: a use-once entry waits for another message, and the host gets no
 * event for this one. A context with `stack` delivery has no matching entry: there they act as the plain form.
 *
 * After an error of the header handler no other handler of the message runs. After an error of a payload handler its packet is dropped, and
 * the message continues.
 */
enum spin_rc {
	SPIN_RC_SUCCESS = 0,
	SPIN_RC_DROP = 1,
	SPIN_RC_FAIL = 2,
	SPIN_RC_SEGV = 3,
	SPIN_RC_PROCESS_DATA = 4,
	SPIN_RC_PROCEED = 5,
	SPIN_RC_REPLIED = 6,
	SPIN_RC_OVERRUN = 7,   /* not returned by handlers: the result of a run that used up its budget (<spin/lock.h>) */
	SPIN_RC_PENDING = 8,   /* flag */
	SPIN_RC_COMPLETE = 16, /* flag of PROCEED: the completion handler runs */
};

enum spin_header_rc {
	/* the message is discarded: of the other handlers only completion runs */
	SPIN_HEADER_DROP = SPIN_RC_DROP,
	SPIN_HEADER_DROP_PENDING = SPIN_RC_DROP | SPIN_RC_PENDING,
	/* run the payload handler for every packet */
	SPIN_HEADER_PROCESS_DATA = SPIN_RC_PROCESS_DATA,
	SPIN_HEADER_PROCESS_DATA_PENDING = SPIN_RC_PROCESS_DATA | SPIN_RC_PENDING,
	/* default action (deliver), and no further handler of this message (sPIN B.3) */
	SPIN_HEADER_PROCEED = SPIN_RC_PROCEED,
	SPIN_HEADER_PROCEED_PENDING = SPIN_RC_PROCEED | SPIN_RC_PENDING,
	/* the same, but the completion handler runs, as in sPIN's listings C.3.1 and C.3.3, which answer from it after PROCEED */
	SPIN_HEADER_PROCEED_COMPLETE = SPIN_RC_PROCEED | SPIN_RC_COMPLETE,
	SPIN_HEADER_PROCEED_COMPLETE_PENDING = SPIN_RC_PROCEED | SPIN_RC_COMPLETE | SPIN_RC_PENDING,
	SPIN_HEADER_FAIL = SPIN_RC_FAIL, /* event, message dropped */
	SPIN_HEADER_SEGV = SPIN_RC_SEGV, /* a checked access failed */
};

enum spin_payload_rc {
	SPIN_SUCCESS = SPIN_RC_SUCCESS, /* handled; `stack` delivers it, rewritten or not (<spin/deliver.h>); `me` consumes it */
	SPIN_DROP = SPIN_RC_DROP,       /* the packet is dropped */
	SPIN_FAIL = SPIN_RC_FAIL,       /* event, packet dropped */
	SPIN_SEGV = SPIN_RC_SEGV,       /* a checked access failed: event, packet dropped */
	SPIN_REPLIED = SPIN_RC_REPLIED, /* spin_reply() sent it back: returned by spin_reply(); datagrams only */
};

enum spin_completion_rc {
	SPIN_COMPLETION_SUCCESS = SPIN_RC_SUCCESS,
	SPIN_COMPLETION_SUCCESS_PENDING = SPIN_RC_SUCCESS | SPIN_RC_PENDING,
	SPIN_COMPLETION_FAIL = SPIN_RC_FAIL,
	SPIN_COMPLETION_SEGV = SPIN_RC_SEGV,
};

#endif
