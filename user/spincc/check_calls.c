/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds calls in a handler that no target (eBPF, rv32, host) supports, or that are for another kind of packets than the file registers
 * (datagrams, messages or TCP segments). Called by check_registration.c, on LLVM's IR. check__noinline() finds a function that is never
 * inlined, for verify.c, if the object cannot be loaded because of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spin/context.h>
#include <spin/meta.h>

#include "user/spincc/ir.h"

#define NO_SEGMENT_REPLY  "is for datagrams: a TCP segment is answered by the host's TCP"
#define NO_SEGMENT_LENGTH "is for datagrams: the host's TCP counts the bytes of a segment"

/* Functions of one kind of delivery: only datagrams have replies and the host's stack, only messages have entries and acknowledgements. */
static const struct {
	const char *name;
	int messages; /* 1: for messages only; 0: for datagrams only */
	const char *reason;
	const char *segment_reason; /* for segments; NULL: the same */
} calls[] = {
	{ "spin_reply_", 0, "spin_reply is for datagrams: packets of messages are acknowledged by the NIC",
	  "spin_reply " NO_SEGMENT_REPLY },
	{ "spin_reply_from_buffer_", 0, "spin_reply_from_buffer is for datagrams: packets of messages are acknowledged by the NIC",
	  "spin_reply_from_buffer " NO_SEGMENT_REPLY },
	{ "spin_deliver_", 0, "spin_deliver is for datagrams: packets of messages are not passed on", "spin_deliver " NO_SEGMENT_LENGTH },
	{ "spin_deliver_from_buffer_", 0, "spin_deliver_from_buffer is for datagrams: packets of messages are not passed on",
	  "spin_deliver_from_buffer " NO_SEGMENT_LENGTH },
	{ "spin_set_dst_port_", 0, "spin_set_dst_port is for datagrams: packets of messages are not passed on",
	  "spin_set_dst_port is for datagrams: the host's TCP knows a connection by its ports" },
	{ "spin_put_from_host_", 1,
	  "spin_put_from_host is for messages: a datagram has no matching entry; send from HPU memory "
	  "with spin_put_from_device" },
	{ "spin_put_payload_acked_", 1, "puts that are acknowledged are for messages: a datagram has no acknowledgement" },
	{ "spin_put_from_device_acked_", 1, "puts that are acknowledged are for messages: a datagram has no acknowledgement" },
	{ "spin_put_from_host_acked_", 1, "puts that are acknowledged are for messages: a datagram has no acknowledgement" },
	{ "spin_get_", 1, "spin_get is for messages: a datagram gives its target the bytes alone" },
	{ "spin_atomic_", 1, "spin_atomic is for messages: a datagram gives its target the bytes alone" },
	{ "spin_fetch_atomic_", 1, "spin_fetch_atomic is for messages: a datagram gives its target the bytes alone" },
};

static const char *const send_functions[] = { "spin_forward_",
					      "spin_put_payload_",
					      "spin_put_from_device_",
					      "spin_put_from_buffer_",
					      "spin_put_from_host_",
					      "spin_get_",
					      "spin_atomic_",
					      "spin_fetch_atomic_",
					      "spin_put_payload_acked_",
					      "spin_put_from_device_acked_",
					      "spin_put_from_host_acked_" };

/* Functions whose second argument is a space of host memory. */
static const char *const host_space_functions[] = {
	"spin_dma_to_host_",     "spin_dma_to_host_nb_",    "spin_dma_from_host_", "spin_dma_from_host_nb_",
	"spin_payload_to_host_", "spin_payload_from_host_", "spin_dma_cas64_",     "spin_dma_fadd32_",
	"spin_dma_fadd64_",      "spin_host_write_",        "spin_buffer_move_",   "spin_buffer_move_nb_",
};

static int is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return 1;
	return 0;
}

/* Returns 1 if the second argument of a call is this constant: "call i32 @f(ptr noundef %1, i32 noundef 0, ...". */
static int second_argument_is(const char *line, const char *callee, unsigned value)
{
	const char *at = strstr(line, callee), *end;
	char text[16];

	at = at ? strchr(at, ',') : NULL;
	end = at ? at + 1 + strcspn(at + 1, ",)") : NULL;
	if (!end)
		return 0;
	snprintf(text, sizeof(text), " %u", value);
	return (size_t)(end - at) > strlen(text) && !strncmp(end - strlen(text), text, strlen(text));
}

/*
 * Returns 1 if the line is an atomic of another width than the targets support. Forms:
 * "%5 = atomicrmw add ptr %4, i64 1 seq_cst, align 8", "%9 = cmpxchg ptr %3, i64 %7, i64 %8 ...",
 * "%4 = load atomic i64, ptr %3 seq_cst, align 8", "store atomic i64 %6, ptr %5 seq_cst, align 8".
 */
static int is_wrong_atomic(const char *line)
{
	static const struct {
		const char *operation, *before_type;
	} rows[] = {
		{ " = atomicrmw ", ", i" },        { " = cmpxchg ", ", i" },
		{ " = load atomic ", "atomic i" }, { " = load atomic volatile ", "volatile i" },
		{ " store atomic ", "atomic i" },  { " store atomic volatile ", "volatile i" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *at = strstr(line, rows[i].operation), *type = at ? strstr(at, rows[i].before_type) : NULL;

		if (type)
			return strtoul(type + strlen(rows[i].before_type), NULL, 10) != 32;
	}
	return 0;
}

static const char *call_reason(const struct ir *ir, const char *line, const char *callee, unsigned delivery)
{
	const int messages = delivery == SPIN_DELIVER_ME, segments = delivery == SPIN_DELIVER_SEGMENTS;

	if (segments && is_one_of(callee, send_functions, sizeof(send_functions) / sizeof(send_functions[0])))
		return "it sends packets, which handlers of TCP segments cannot";
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(callee, calls[i].name) && (segments || calls[i].messages != messages))
			return segments && calls[i].segment_reason ? calls[i].segment_reason : calls[i].reason;
	if (is_one_of(callee, send_functions, sizeof(send_functions) / sizeof(send_functions[0])) &&
	    !ir__find_prefix(ir, "@spin_puts_registered_ ="))
		return "it sends packets; declare with SPIN_PUTS(n), before the first handler, how many at most for each received packet";
	if (!strcmp(callee, "spin_work_push_") && !ir__find_prefix(ir, "@spin_work_registered_ ="))
		return "it leaves work items; say with SPIN_WORK(n) before the first handler how many at most may be unread";
	if (!messages && is_one_of(callee, host_space_functions, sizeof(host_space_functions) / sizeof(host_space_functions[0]))) {
		if (segments && (second_argument_is(line, callee, SPIN_ME_MEM) || second_argument_is(line, callee, SPIN_ENTRY_MEM)))
			return "SPIN_ME_MEM and SPIN_ENTRY_MEM are the memory of a message's matching entry, which a TCP segment does not "
			       "have; use SPIN_HANDLER_MEM";
		if (second_argument_is(line, callee, SPIN_ME_MEM))
			return "SPIN_ME_MEM is the memory of a message's matching entry, which a datagram does not have; use SPIN_HANDLER_MEM";
		if (second_argument_is(line, callee, SPIN_ENTRY_MEM))
			return "SPIN_ENTRY_MEM is the memory of a message's matching entry, which a datagram does not have; use "
			       "SPIN_HANDLER_MEM";
	}
	if (!strcmp(callee, "memcmp") || !strcmp(callee, "bcmp"))
		return "there is no function 'memcmp'; compare words or fields one by one, or bytes in a loop";
	return NULL;
}

/* Returns 1 if the function is never inlined: "define internal i32 @mix(i32 noundef %0) #3 !dbg !57 {". */
static int is_noinline(const struct ir *ir, const char *define)
{
	const char *at = strstr(define, ") #"), *attributes;
	char start[32];

	if (!at)
		return 0;
	snprintf(start, sizeof(start), "attributes #%lu = {", strtoul(at + 3, NULL, 10));
	attributes = ir__find_prefix(ir, start);
	return attributes && strstr(attributes, " noinline ");
}

unsigned check__noinline(const struct spincc *s, const char *path, char file[PATH_MAX])
{
	unsigned at = 0;
	struct ir ir;

	if (ir__read(path, &ir))
		return 0;
	for (const char *line = ir__first(&ir); line && !at; line = ir__next(&ir, line))
		if (!strncmp(line, "define ", 7) && is_noinline(&ir, line))
			at = ir__source_line(s, &ir, ir__ref(&ir, line, "!dbg "), file);
	ir__free(&ir);
	return at;
}

static const char *line_reason(const struct ir *ir, const char *line, unsigned delivery)
{
	char callee[128];

	if (is_wrong_atomic(line))
		return "atomics of another size than 32 bits; use spin_add32 and spin_cas32";
	return ir__callee(line, callee, sizeof(callee)) ? call_reason(ir, line, callee, delivery) : NULL;
}

int check__calls(const struct spincc *s, const struct ir *ir, unsigned delivery)
{
	char file[PATH_MAX];

	for (const char *line = ir__first(ir); line; line = ir__next(ir, line)) {
		const char *reason = *line == ' ' ? line_reason(ir, line, delivery) : NULL;
		unsigned at;

		at = reason ? ir__source_line(s, ir, ir__ref(ir, line, "!dbg "), file) : 0;
		if (!at)
			continue;
		fprintf(stderr, "%s:%u: %s\n", file, at, reason);
		return -1;
	}
	return 0;
}
