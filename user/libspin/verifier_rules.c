/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the verifier's complaints mean for someone who writes a handler. From the
 * special to the general; kernel/bpf/verifier.c has the words.
 */
#include "user/libspin/verifier.h"

#define NULL_POINTER "a pointer is used that may be NULL; test what SPIN_GET, SPIN_AT or SPIN_FIND gave before using it"
#define BEYOND_PACKET                                                                                                      \
	"this goes beyond what was tested of the packet; give SPIN_GET a type that covers all that is used, or walk with " \
	"SPIN_FOR_EACH"
#define BEYOND_ARRAY "the index may be beyond the array; take SPIN_AT(array, i) and test it for NULL, or mask i with a power of two"
#define BEYOND_LOCAL                                                                                                 \
	"the index may be beyond a local array, or of an element without a value; mask it with a power of two, and " \
	"initialise the array"
#define NO_END    "no end of this loop is in sight; write SPIN_FOR(v, i, from, to), or give it a constant bound, and leave it by break"
#define AS_NUMBER "a pointer is used as a number; keep offsets and indices, not pointers"
#define TOO_DEEP  "calls are nested too deep; write a loop in place of recursion, and declare functions static inline"
#define ALIGN     "the address is no multiple of the access's size; let the type align the data, or go byte by byte"
#define INDIRECT  "a call through a pointer; call functions by name, and choose between them with switch"

/* clang-format off */
const struct verifier_rule verifier_rules[] = {
	{ "unknown opcode e5", "may_goto", VERIFIER_OLD },

	/* what the isolated class alone refuses */
	{ "pointer comparison prohibited", "pointers are compared; compare offsets or indices", 0 },
	{ "different maps, paths or scalars",
	  "the index differs between the ways to here, as a loop's counter does; write #pragma unroll before the loop, and a "
	  "constant bound", 0 },
	{ "pointer -= pointer", "the difference of two pointers; compute with offsets or indices", 0 },
	{ "with mixed signed bounds", "the bounds of an index are not known; make it unsigned and mask it", 0 },
	{ "same insn cannot be used with different pointers",
	  "one access through pointers of different kinds; use each in a branch of its own", 0 },
	{ "beyond pointer bounds", "the index may be beyond the array, as the CPU speculates; mask it with a power of two", 0 },
	{ "variable stack access prohibited", "a local array is indexed with a variable; keep the array in the state", 0 },
	{ "prohibited for !root",
	  "this computes a pointer from a variable offset; take SPIN_AT or SPIN_GET; in a loop write #pragma unroll before it",
	  0 },
	{ "leaks addr", "a pointer is stored where the host could read it; store an offset or an index", 0 },
	{ "leak pointer", "a pointer is stored where the host could read it; store an offset or an index", 0 },
	{ "attempt to corrupt spilled", "part of a pointer on the stack is overwritten; keep pointers in variables of their "
					"own", 0 },

	{ "pkt pointer and register with unbounded", BEYOND_PACKET, 0 },
	{ "invalid access to packet", BEYOND_PACKET, 0 },
	{ "infinite loop", NO_END, VERIFIER_LOOP },
	{ "back-edge", NO_END, VERIFIER_LOOP },
	{ "jumps is too complex", NO_END, VERIFIER_LOOP | VERIFIER_LIMIT },
	{ "too large", "the ways through this loop take more than the verifier's 1,000,000 steps; give it a smaller constant "
		       "bound, or fewer branches", VERIFIER_LOOP | VERIFIER_LIMIT },
	{ "too many states", NO_END, VERIFIER_LOOP },
	{ "frames is too deep", TOO_DEEP, VERIFIER_WHOLE },
	{ "call stack", TOO_DEEP, VERIFIER_WHOLE },
	{ "combined stack size", "too much stack; handlers have about 256 bytes in all: keep large variables in the state",
	  VERIFIER_WHOLE | VERIFIER_LIMIT },
	{ "unknown opcode 8d", INDIRECT, 0 },
	{ "unknown opcode 8c", INDIRECT, 0 },
	{ "misaligned", ALIGN, 0 },
	{ "or_null'", NULL_POINTER, 0 },
	{ "invalid mem access 'scalar'", NULL_POINTER, 0 },
	{ "invalid mem access 'inv'", NULL_POINTER, 0 }, /* before Linux 5.18 */
	{ "!read_ok", "a variable is read before it has a value; initialise it", 0 },
	{ "read-only", "constants cannot be written; put what changes into the struct of SPIN_STATE", 0 },
	{ "rdonly", "constants cannot be written; put what changes into the struct of SPIN_STATE", 0 },
	{ "write into map forbidden", "constants cannot be written; put what changes into the struct of SPIN_STATE", 0 },
	{ "from stack", BEYOND_LOCAL, 0 },
	{ "to stack", BEYOND_LOCAL, 0 },
	{ "stack type", BEYOND_LOCAL, 0 },
	{ "stack", BEYOND_LOCAL, 0 },
	{ "invalid access to map value", BEYOND_ARRAY, 0 },
	{ "outside of the allowed memory range", BEYOND_ARRAY, 0 },
	{ "unbounded memory access", BEYOND_ARRAY, 0 },
	{ "min value is negative", BEYOND_ARRAY, 0 },
	{ "with unbounded min value", BEYOND_ARRAY, 0 },
	{ "pointer arithmetic", AS_NUMBER, 0 },
	{ "operator prohibited", AS_NUMBER, 0 },
	{ "partial copy of pointer", AS_NUMBER, 0 },
	{ "value is outside of the array", BEYOND_ARRAY, 0 },
	{ 0 },
};
/* clang-format on */
