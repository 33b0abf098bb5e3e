/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The registration, and what a handler may do because of it: fields that no
 * compiler relates to each other, and calls that are for datagrams only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spin/meta.h>

#include "ir.h"

static int refuse(const char *file, unsigned line, const char *sentence)
{
	fprintf(stderr, "%s:%u: %s\n", file, line, sentence);
	return -1;
}

/* The fields as they stand in the initial value, by their order in struct spin_registration. */
enum { HEADER, PAYLOAD, COMPLETION, MESSAGE_COMPLETION, DELIVERY = 6, USER_HEADER = 8, FIELDS };

static int read_fields(const char *meta, unsigned fields[FIELDS])
{
	static const char type[] = "%struct.spin_registration ";
	const char *at = strstr(meta, type);

	memset(fields, 0, FIELDS * sizeof(*fields));
	if (!at)
		return -1;
	at += sizeof(type) - 1;
	if (*at != '{')
		return 0; /* zeroinitializer */
	for (unsigned i = 0; i < FIELDS && at; i++) {
		at += strspn(at, "{, ");
		if (*at == 'i') /* "i8 1"; padding is "[1 x i8] zeroinitializer" */
			fields[i] = (unsigned)strtoul(at + strcspn(at, " "), NULL, 10);
		at = strchr(at, ',');
	}
	return 0;
}

static const char *find_line(const struct ir *ir, const char *start)
{
	const char *line = ir__first(ir);

	while (line && strncmp(line, start, strlen(start)))
		line = ir__next(ir, line);
	return line;
}

/* What only a datagram has: an answer, and a way on to the host's stack. */
static int check_calls(const struct spincc *s, const struct ir *ir)
{
	static const struct { const char *name, *sentence; } calls[] = {
		{ "spin_reply_", "spin_reply is for datagrams: packets of messages are acknowledged by the NIC" },
		{ "spin_set_dst_port_", "spin_set_dst_port is for datagrams: packets of messages are not passed on" },
	};
	char callee[128], file[PATH_MAX];

	for (const char *line = ir__first(ir); line; line = ir__next(ir, line)) {
		if (*line != ' ' || !ir__callee(line, callee, sizeof(callee)))
			continue;
		for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
			unsigned at = strcmp(callee, calls[i].name) ? 0 :
				      ir__place(s, ir, ir__ref(ir, line, "!dbg "), file);

			if (at)
				return refuse(file, at, calls[i].sentence);
		}
	}
	return 0;
}

int check__registration(const struct spincc *s, const struct ir *ir)
{
	const char *meta = find_line(ir, "@spin_meta_ ="), *expression, *variable;
	char file[PATH_MAX], sentence[96];
	unsigned fields[FIELDS], at;

	expression = meta ? ir__ref(ir, meta, "!dbg ") : NULL;
	variable = expression ? ir__ref(ir, expression, "var: ") : NULL;
	at = variable ? ir__place(s, ir, variable, file) : 0;
	if (!at || read_fields(meta, fields))
		return 0;
	/* a file that registers nothing is a slip: every packet would pass as if it were not there */
	if (!fields[HEADER] && !fields[PAYLOAD] && !fields[COMPLETION] && !fields[MESSAGE_COMPLETION])
		return refuse(file, at, "it registers no handler; give .header, .payload or .completion");
	if (fields[COMPLETION] && fields[MESSAGE_COMPLETION])
		return refuse(file, at, "register one of .completion and .message_completion");
	if (fields[USER_HEADER] > SPIN_USER_HEADER_MAX) {
		snprintf(sentence, sizeof(sentence), "user_header_bytes is %u, at most %u", fields[USER_HEADER],
			 SPIN_USER_HEADER_MAX);
		return refuse(file, at, sentence);
	}
	if (fields[DELIVERY] == SPIN_DELIVER_ME)
		return check_calls(s, ir);
	if (find_line(ir, "@spin_scratchpad_bytes_ ="))
		return refuse(file, at, "SPIN_SCRATCHPAD is a message's: register .delivery = SPIN_DELIVER_ME, or keep it in "
			      "SPIN_STATE");
	return 0;
}
