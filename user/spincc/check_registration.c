/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks the handler file's registration (SPIN_HANDLERS: its functions and their options) for combinations of fields that compilers do not
 * check. Called by check.c on LLVM's IR. Prints the file's line and the reason.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spin/meta.h>

#include "user/spincc/ir.h"

struct place {
	char file[PATH_MAX];
	unsigned line;
};

static int refuse(const struct place *at, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse(const struct place *at, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s:%u: ", at->file, at->line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return -1;
}

/* Reads "i16 -1" as an unsigned number of its type's width. */
static unsigned parse_unsigned(const char *at)
{
	unsigned long bits = strtoul(at + 1, NULL, 10), value = strtoul(at + strcspn(at, " "), NULL, 10);

	return bits && bits < 32 ? (unsigned)(value & ((1ul << bits) - 1)) : (unsigned)value;
}

int check__read_registration(const char *meta, unsigned fields[REGISTERED_FIELDS])
{
	static const char type[] = "%struct.spin_registration ";
	const char *at = strstr(meta, type);

	memset(fields, 0, REGISTERED_FIELDS * sizeof(*fields));
	if (!at)
		return -1;
	at += sizeof(type) - 1;
	if (*at != '{')
		return 0; /* zeroinitializer */
	for (unsigned i = 0; i < REGISTERED_FIELDS && at; i++) {
		at += strspn(at, "{, ");
		if (*at == 'i') /* a field: "i8 1"; padding is "[1 x i8] zeroinitializer" */
			fields[i] = parse_unsigned(at);
		at = strchr(at, ',');
	}
	return 0;
}

static int check_fragmentation(const struct place *at, const unsigned *fields)
{
	const unsigned unit = fields[REGISTERED_FRAGMENTATION];

	if (fields[REGISTERED_USER_HEADER] > SPIN_USER_HEADER_MAX)
		return refuse(at, "user_header_bytes is %u, at most %u", fields[REGISTERED_USER_HEADER], SPIN_USER_HEADER_MAX);
	if (unit <= 1)
		return 0;
	if (unit & (unit - 1) || unit > SPIN_FRAGMENTATION_MAX)
		return refuse(at, "fragmentation_bytes is %u: a power of two, at most %u", unit, SPIN_FRAGMENTATION_MAX);
	if (fields[REGISTERED_DELIVERY] != SPIN_DELIVER_ME)
		return refuse(at, "fragmentation_bytes is for messages: register .delivery = SPIN_DELIVER_ME, or look at the length "
				  "of each packet");
	if (fields[REGISTERED_USER_HEADER] % unit)
		return refuse(at,
			      "user_header_bytes is %u, no multiple of fragmentation_bytes, %u: what follows the user header "
			      "would not lie as promised",
			      fields[REGISTERED_USER_HEADER], unit);
	return 0;
}

static int check_takes(const struct ir *ir, const struct place *at, const unsigned *fields)
{
	if (fields[REGISTERED_TAKES] & ~(unsigned)(SPIN_TAKES_GET | SPIN_TAKES_ATOMIC | SPIN_TAKES_FETCH))
		return refuse(at, "takes is %u: SPIN_TAKES_GET, SPIN_TAKES_ATOMIC, SPIN_TAKES_FETCH, or several with |",
			      fields[REGISTERED_TAKES]);
	if (fields[REGISTERED_TAKES] && fields[REGISTERED_DELIVERY] != SPIN_DELIVER_ME)
		return refuse(at, "takes is for messages: register .delivery = SPIN_DELIVER_ME");
	if (fields[REGISTERED_TAKES] & SPIN_TAKES_GET && !ir__find_prefix(ir, "@spin_puts_registered_ ="))
		return refuse(at, "it takes gets, whose answers are sent: say with SPIN_PUTS(n) before the first handler how many packets "
				  "at most for one that came, the answer among them");
	if (fields[REGISTERED_TAKES] & SPIN_TAKES_FETCH && !ir__find_prefix(ir, "@spin_puts_registered_ ="))
		return refuse(at, "it takes atomics that fetch, whose answers are sent: say with SPIN_PUTS(n) before the first handler how "
				  "many packets at most for one that came, the answer among them");
	return 0;
}

/* What handlers of TCP segments cannot have, beyond what is for messages alone. */
static int check_segments(const struct ir *ir, const struct place *at, const unsigned *fields)
{
	if (fields[REGISTERED_DELIVERY] != SPIN_DELIVER_SEGMENTS)
		return 0;
	if (fields[REGISTERED_USER_HEADER])
		return refuse(at, "user_header_bytes is not for TCP segments: a connection begins with a SYN, which has no bytes; look at "
				  "the first ones in the payload handler");
	if (ir__find_prefix(ir, "@spin_puts_registered_ ="))
		return refuse(at, "it takes TCP segments and sends packets (SPIN_PUTS), which are of UDP: leave one of them out");
	return 0;
}

static int check_registration_fields(const struct ir *ir, const struct place *at, const unsigned *fields)
{
	/* a file that registers no handler is a mistake: every packet would pass as if it were not attached */
	if (!fields[REGISTERED_HEADER] && !fields[REGISTERED_PAYLOAD] && !fields[REGISTERED_COMPLETION] &&
	    !fields[REGISTERED_MESSAGE_COMPLETION])
		return refuse(at, "it registers no handler; give .header, .payload or .completion");
	if (fields[REGISTERED_COMPLETION] && fields[REGISTERED_MESSAGE_COMPLETION])
		return refuse(at, "register one of .completion and .message_completion");
	if (fields[REGISTERED_BUDGET] > SPIN_BUDGET_MAX)
		return refuse(at, "budget is %u, at most %u steps; more would keep an HPU from its packets", fields[REGISTERED_BUDGET],
			      SPIN_BUDGET_MAX);
	if (fields[REGISTERED_PAYLOAD_ALIGNED] > 1)
		return refuse(at, "payload_aligned is %u: 1 if payloads are to begin a line of packet memory, or 0",
			      fields[REGISTERED_PAYLOAD_ALIGNED]);
	if (fields[REGISTERED_DELIVERY] > SPIN_DELIVER_SEGMENTS)
		return refuse(at, "delivery is %u: SPIN_DELIVER_STACK, SPIN_DELIVER_ME or SPIN_DELIVER_SEGMENTS",
			      fields[REGISTERED_DELIVERY]);
	if (check_fragmentation(at, fields) || check_takes(ir, at, fields) || check_segments(ir, at, fields))
		return -1;
	if (fields[REGISTERED_DELIVERY] != SPIN_DELIVER_ME && ir__find_prefix(ir, "@spin_scratchpad_bytes_ ="))
		return refuse(at, "SPIN_SCRATCHPAD is a message's: register .delivery = SPIN_DELIVER_ME, or keep it in SPIN_STATE");
	return 0;
}

int check__registration(const struct spincc *s, const struct ir *ir)
{
	const char *meta = ir__find_prefix(ir, "@spin_meta_ ="), *expression, *variable;
	unsigned fields[REGISTERED_FIELDS];
	struct place at;

	expression = meta ? ir__ref(ir, meta, "!dbg ") : NULL;
	variable = expression ? ir__ref(ir, expression, "var: ") : NULL;
	at.line = variable ? ir__source_line(s, ir, variable, at.file) : 0;
	if (!at.line || check__read_registration(meta, fields))
		return 0;
	if (check_registration_fields(ir, &at, fields))
		return -1;
	return check__calls(s, ir, fields[REGISTERED_DELIVERY]);
}
