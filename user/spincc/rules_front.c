/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What messages of clang's front end mean to a handler's author: errors, and warnings that are faults in a handler. Used by explain.c.
 * Messages without a rule keep clang's words.
 */
#include <stddef.h>

#include "user/spincc/rules.h"

#define HEADER_CODES "return one of enum spin_header_rc: SPIN_HEADER_PROCESS_DATA, _PROCEED, _DROP, _FAIL, _SEGV"
#define PAYLOAD_CODES \
	"return one of enum spin_payload_rc: SPIN_SUCCESS, SPIN_DROP, SPIN_FAIL, SPIN_SEGV, or what spin_reply() or spin_deliver() gives"
#define COMPLETION_CODES "return one of enum spin_completion_rc: SPIN_COMPLETION_SUCCESS, _FAIL, _SEGV"
#define NO_READ_ONLY     "packets are written with spin_set16 and spin_set32, read-only table fields by the host, constants by nobody"

/* clang-format off */
/* { text in clang's message, what spincc prints for it, flags }; @: the name in quotes. The first row that matches applies. */
const struct rule rules_front[] = {
	/* registration */
	{ "use of undeclared identifier 'spin_handlers_'",
	  "no handlers are registered; end the file with SPIN_HANDLERS(name, .payload = function)", RULE_AT_END },
	{ "redefinition of 'spin_handlers_'",
	  "handlers are registered a second time; write one SPIN_HANDLERS with all of them", RULE_LAST },
	{ "unknown type name 'spin_state_type'",
	  "no state is registered; write SPIN_STATE(struct name) or SPIN_NO_STATE before the first handler", RULE_LAST },
	{ "redefinition of 'spin_state'",
	  "a second state is registered; put everything into one struct and one SPIN_STATE", RULE_LAST },
	{ "typedef redefinition with different types ('",
	  "a name is defined a second time with another type; a file has one SPIN_STATE", RULE_LAST },
	{ "types initializing 'enum spin_header_rc (*)",
	  "the header handler has another signature; write enum spin_header_rc name(struct spin_header *h, STATE *state)", 0 },
	{ "types initializing 'enum spin_payload_rc (*)",
	  "the payload handler has another signature; write enum spin_payload_rc name(struct spin_payload *p, STATE *state)",
	  0 },
	{ "types initializing 'enum spin_completion_rc (*)(struct spin_completion *",
	  "the message_completion handler has another signature; write enum spin_completion_rc name(struct spin_completion "
	  "*c, STATE *state), or register it as .completion", 0 },
	{ "with an expression of type 'enum spin_completion_rc (struct spin_completion *",
	  "the completion handler has another signature; write enum spin_completion_rc name(uint32_t dropped_bytes, "
	  "_Bool flow_control_triggered, STATE *state), or register it as .message_completion", 0 },
	{ "types initializing 'enum spin_completion_rc (*)",
	  "the completion handler has another signature; write enum spin_completion_rc name(uint32_t dropped_bytes, "
	  "_Bool flow_control_triggered, STATE *state)", 0 },
	{ "'section' attribute only applies", "SPIN_HANDLERS stands inside a function; end the function with }", RULE_LAST },
	{ "field designator 'puts' does not refer to any field in type 'const struct (unnamed",
	  "how many packets handlers send is registered by SPIN_PUTS(n) before the first handler", 0 },
	{ "field designator 'scratchpad_bytes' does not refer to any field in type 'const struct (unnamed",
	  "the scratchpad's size is registered by SPIN_SCRATCHPAD(TYPE) before the first handler", 0 },
	{ "any field in type 'const struct (unnamed", "@ is not a field of a registration; see struct spin_registration", 0 },
	{ "redefinition of 'spin_scratchpad_bytes_'",
	  "one SPIN_SCRATCHPAD per file; put everything into one struct", RULE_LAST },
	{ "use of undeclared identifier 'spin_scratchpad_type'",
	  "SPIN_SCRATCH needs SPIN_SCRATCHPAD(TYPE) before the first handler function", RULE_LAST },
	{ "use of undeclared identifier 'spin_buffer_reply'",
	  "there is no buffer for replies; declare it with SPIN_REPLY(bytes) before the first handler",
	  RULE_LAST },
	{ "use of undeclared identifier 'spin_buffer_",
	  "this call takes the name of an HPU's buffer; declare it with SPIN_BUFFER(TYPE, name, entries) before the first handler",
	  RULE_LAST },
	{ "redefinition of 'spin_puts_registered_'", "one SPIN_PUTS per file; write the largest number", RULE_LAST },
	{ "controlling expression type 'struct spin_completion *'",
	  "this call takes the struct spin_payload * of a payload handler; a completion handler has no packet left", 0 },
	{ "controlling expression type 'struct spin_header *'",
	  "this call takes the struct spin_payload * of a payload handler; SPIN_GET reads a first packet's payload", 0 },
	{ "static_assert failed", NULL, RULE_STRING },
	{ "static assertion failed", NULL, RULE_STRING },

	/* return codes */
	{ "not in range of enumerated type 'enum spin_header_rc'",
	  "no header handler returns this; " HEADER_CODES, 0 },
	{ "not in range of enumerated type 'enum spin_payload_rc'",
	  "no payload handler returns this; " PAYLOAD_CODES, 0 },
	{ "not in range of enumerated type 'enum spin_completion_rc'",
	  "no completion handler returns this; " COMPLETION_CODES, 0 },
	{ "to different enumeration type 'enum spin_header_rc'",
	  "no header handler returns this; " HEADER_CODES, 0 },
	{ "to different enumeration type 'enum spin_payload_rc'",
	  "no payload handler returns this; " PAYLOAD_CODES, 0 },
	{ "to different enumeration type 'enum spin_completion_rc'",
	  "no completion handler returns this; " COMPLETION_CODES, 0 },
	{ "[-Wassign-enum]", NULL, RULE_SILENT },
	{ "[-Wreturn-type]", "the function can end without a return; return a value on every path", 0 },

	/* read-only memory */
	{ "drops const qualifier", "this cast makes read-only memory writable; " NO_READ_ONLY, 0 },
	{ "[-Wcast-qual]", NULL, RULE_SILENT },
	{ "discards qualifiers", "what is read-only becomes writable here; declare the pointer const: " NO_READ_ONLY, 0 },
	{ "read-only variable is not assignable", "this is read-only; " NO_READ_ONLY, 0 },
	{ "with const-qualified type", "@ is read-only; " NO_READ_ONLY, 0 },

	/* undefined values */
	{ "is uninitialized when used here", "@ is read before it has a value; initialise it", 0 },
	{ "is used uninitialized whenever", "@ has no value on one of the ways from here; initialise it", 0 },
	{ "is uninitialized when", "@ is read before it has a value; initialise it", 0 },

	/* undefined functions */
	{ "implicit declaration of function", NULL, RULE_FUNCTION },
	{ "implicitly declaring library function", NULL, RULE_FUNCTION },
	{ "call to undeclared", NULL, RULE_FUNCTION },
	{ "has internal linkage but is not defined", "@ is declared and nowhere defined; define it, or call another", RULE_LAST },
	{ "[-Winfinite-recursion]", "recursion without end; write a loop with a constant bound", 0 },

	/* unsupported on all targets */
	{ "[-Watomic-alignment]", "atomics of another size than 32 bits; use spin_add32 and spin_cas32", 0 },
	{ "[-Wvla]", "the length of this array is not constant; write its largest length (stack: about 256 bytes in all)", 0 },
	{ "[-Walloca]", "memory of variable size on the stack; write an array of its largest length (about 256 bytes in all)", 0 },
	RULE_HPU_STACK, /* for stages where only gcc compiles */
	{ "thread-local storage is not supported",
	  "no variable belongs to a thread; keep what lasts in the struct of SPIN_STATE, or an element of it per "
	  "HPU", 0 },
	{ "'handler.h' file not found", "handler.h is PsPIN's own; compile files for its runtime with --api pspin", RULE_LAST },
	{ "file not found", "@ is not found; name its directory with -I", RULE_LAST },
	{ "variable length array declaration cannot have 'static'",
	  "the length of this array is not constant; write its largest length", 0 },

	/* conversions that are only warnings in clang */
	{ "[-Wincompatible-pointer-types]", NULL, 0 },
	{ "[-Wincompatible-function-pointer-types]", NULL, 0 },
	{ "[-Wint-conversion]", NULL, 0 },

	/* after a syntax error all later messages are consequences */
	{ "expected ", NULL, RULE_LAST },
	{ "extraneous closing brace", NULL, RULE_LAST },
	{ 0 },
};

const struct rule rules_source[] = {
	{ "SEC(", "sections and maps are eBPF's own, which an HPU does not have; use SPIN_TABLE or the struct of SPIN_STATE",
	  RULE_LAST },
	{ "__uint(", "sections and maps are eBPF's own, which an HPU does not have; use SPIN_TABLE or the struct of SPIN_STATE",
	  RULE_LAST },
	{ 0 },
};
/* clang-format on */
