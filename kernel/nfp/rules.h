/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_RULES_H
#define KERNEL_NFP_RULES_H

/*
 * The rules that a BPF program for an NFP card must follow: one row each, with its name, its verdict, and what to change. Included by
 * walk.h and used by all parts of the checker. X(NAME, "name in messages", verdict, "advice")
 */
#include "kernel/nfp/verdict.h"

/* clang-format off */
#define NFP_RULES(X) \
	X(MAP_TYPE, "map-type", REJECT, "use BPF_MAP_TYPE_HASH or BPF_MAP_TYPE_ARRAY; BPF_MAP_TYPE_PERF_EVENT_ARRAY stays on the host") \
	X(MAP_FLAGS, "map-flags", REJECT, "leave map_flags and numa_node out of the map's definition") \
	X(GLOBAL_DATA, "global-data", REJECT, "make variables and constants local, and keep state in a map; bpf_printk() needs such data, too") \
	X(MAP_COUNT, "map-count", REJECT, "make one map of several") \
	X(MAP_ENTRIES, "map-entries", REJECT, "lower max_entries: all maps of the card share the entries") \
	X(MAP_KEY_SIZE, "map-key-size", REJECT, "shorten the key") \
	X(MAP_VALUE_SIZE, "map-value-size", REJECT, "shorten the value, or split it over two maps") \
	X(MAP_ELEMENT_SIZE, "map-element-size", REJECT, "shorten key or value: each is rounded up to 8 bytes") \
	X(MAP_SHAPE, "map-shape", REJECT, "give the map entries, a key and a value; an array's key has 4 bytes") \
	X(PROG_FRAGS, "prog-frags", REJECT, "put the program into SEC(\"xdp\"), not SEC(\"xdp.frags\")") \
	X(PROG_KIND, "prog-kind", REJECT, "put the program into SEC(\"xdp\"): the card runs no programs of devmaps and cpumaps") \
	X(LINK, "link", REJECT, "define what the program calls in the object itself") \
	X(MCPU_V4, "mcpu-v4", REJECT, "compile with -mcpu=v3 or older: the driver's JIT would ignore what is new in the instruction") \
	X(HTOLE, "htole", REJECT, "leave the conversion to little-endian out: it changes nothing on the card") \
	X(MODULO, "modulo", REJECT, "mask with a power of two less 1, or compute x - x / N * N of 32-bit numbers") \
	X(ST_IMMEDIATE, "st-immediate", REJECT, "compile with clang before 18 or -mcpu=v3: a constant must be stored by way of a register") \
	X(OPCODE, "opcode", REJECT, "compile with clang -target bpf -mcpu=v3") \
	X(PACKET_LOAD, "packet-load", REJECT, "read the packet by ctx->data") \
	X(ATOMIC_OP, "atomic-op", REJECT, "use __sync_fetch_and_add() without its result") \
	X(ATOMIC_TARGET, "atomic-target", REJECT, "add to a map's value only") \
	X(HELPER, "helper", REJECT, "leave the call out; the card has map lookup, get_prandom_u32, perf_event_output, xdp_adjust_head and xdp_adjust_tail") \
	X(HELPER_FIRMWARE, "helper-firmware", REJECT, "let the host change the map: this firmware has no such function") \
	X(TAIL_CALL, "tail-call", REJECT, "call a static function instead: the card has no program arrays") \
	X(CALLBACK, "callback", REJECT, "write a bounded loop: the card calls no callbacks") \
	X(STACK_KEY, "stack-key", REJECT, "copy the key into a local variable of its own, aligned to 4 bytes") \
	X(EVENT_CPU, "event-cpu", REJECT, "pass BPF_F_CURRENT_CPU as flags") \
	X(EVENT_DATA, "event-data", REJECT, "pass data on the stack or of a map's value, always of the same kind; the packet goes by the length in the flags") \
	X(CTX_FIELD, "ctx-field", REJECT, "read nothing of xdp_md but data and data_end, as 32-bit words") \
	X(CTX_STORE, "ctx-store", REJECT, "write nothing of xdp_md but rx_queue_index, as a 32-bit word") \
	X(VALUE_STORE, "value-store", REJECT, "count with __sync_fetch_and_add(); only the host stores into maps") \
	X(VALUE_OFFSET, "value-offset", REJECT, "use constant offsets into a value; make the index a part of the key") \
	X(WORD_READ_AND_COUNTED, "word-read-and-counted", REJECT, "give what is read and what is counted separate 4-byte words of the value") \
	X(POINTER_TYPE, "pointer-type", REJECT, "access only the packet, the stack, xdp_md and values of maps") \
	X(TWO_POINTER_TYPES, "two-pointer-types", REJECT, "write the access out for each kind of pointer, with barrier_var() between, so that the compiler does not merge them") \
	X(STACK_OFFSET, "stack-offset", REJECT, "use constant indices into local arrays, or unroll the loop") \
	X(STACK_ALIGNMENT, "stack-alignment", REJECT, "align what one instruction accesses in different places to 4 bytes") \
	X(MULTIPLY, "multiply", REJECT, "keep both factors in 32 bits that the verifier knows: mask them, or multiply values just loaded") \
	X(DIVISOR, "divisor", REJECT, "divide by a constant, or shift") \
	X(DIVIDEND, "dividend", REJECT, "keep the dividend in 32 bits that the verifier knows: mask it, or divide a value just loaded") \
	X(STACK_SIZE, "stack-size", REJECT, "make local variables smaller, or functions inline: each frame is rounded up to 64 bytes") \
	X(PROGRAM_SIZE, "program-size", REJECT, "make the program shorter") \
	X(PACKET_DEPTH, "packet-depth", WARN, "look at fewer bytes of the packet, or lower the interface's MTU before attaching") \
	X(RETURN_CODE, "return-code", WARN, "return XDP_DROP, XDP_PASS or XDP_TX: the card drops packets with any other code") \
	X(ADJUST_TAIL, "adjust-tail", WARN, "pass a negative number: the card can only shorten packets") \
	X(QUEUE_RANGE, "queue-range", WARN, "pass a queue below 256: others choose none") \
	X(PACKET_BOUNDS, "packet-bounds", REJECT, "compare the pointer with data_end before the access") \
	X(VALUE_BOUNDS, "value-bounds", REJECT, "stay inside the map's value") \
	X(NULL_CHECK, "null-check", REJECT, "compare the looked-up pointer with NULL before the access") \
	X(UNINITIALIZED, "uninitialized", REJECT, "initialize the variable on every path, padding included") \
	X(POINTER_ARITHMETIC, "pointer-arithmetic", REJECT, "add only constants and bounded numbers to pointers") \
	X(KERNEL_VERIFIER, "kernel-verifier", REJECT, "load the program on the host with `bpftool prog load` and read the verifier's log") \
	X(ENDLESS_LOOP, "endless-loop", REJECT, "give the loop a bound that does not depend on memory") \
	X(GLOBAL_FUNCTION, "global-function", UNKNOWN, "make the function static: the kernel verifies functions that are not on their own") \
	X(TOO_COMPLEX, "too-complex", UNKNOWN, "shorten loops; ask the driver: tests/offload has it in a guest")
/* clang-format on */

/* NFP_RULE_NAME for each row of NFP_RULES. */
enum nfp_rule {
#define NFP_RULE_ENUM(name, text, verdict, advice) NFP_RULE_##name,
	NFP_RULES(NFP_RULE_ENUM)
#undef NFP_RULE_ENUM
		NFP_RULE_COUNT,
};

const char *nfp_rule__name(enum nfp_rule rule);
const char *nfp_rule__advice(enum nfp_rule rule);
enum nfp_verdict nfp_rule__verdict(enum nfp_rule rule);

/* A finding of one walk of one program. */
struct nfp_walk_finding {
	enum nfp_rule rule;
	enum nfp_verdict verdict;
	int insn; /* -1: none */
	char what[240];
};

#define NFP_FOUND_MAX 64 /* per program; later findings are dropped */

/* The findings of one walk. */
struct nfp_findings {
	struct nfp_walk_finding found[NFP_FOUND_MAX];
	unsigned count;
};

/* Adds a finding. Of several for one rule at one instruction, the first with the highest verdict is kept. */
void nfp_findings__add(struct nfp_findings *f, enum nfp_rule rule, enum nfp_verdict verdict, int insn, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
enum nfp_verdict nfp_findings__verdict(const struct nfp_findings *f);

#endif
