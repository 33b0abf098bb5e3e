/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_HANDLERS_COMMANDS_H
#define TESTS_MODEL_HANDLERS_COMMANDS_H

/*
 * The calls of the handler API that the test handler commands.c makes, numbered by the first word of a packet; shared with
 * tests/model/commands_are_pspins.c. commands.golden lists the register accesses of each.
 */
/* clang-format off */
#define COMMAND_CALLS(X) \
	X(NOTHING) \
	X(DMA_TO_HOST) X(DMA_FROM_HOST) X(DMA_TO_HOST_NB) X(DMA_FROM_HOST_NB) X(DMA_FROM_VARIABLE) \
	X(PAYLOAD_TO_HOST) X(PAYLOAD_TO_HOST_THEN_SET) X(PAYLOAD_FROM_HOST) \
	X(HANDLER_MEM) X(HANDLER_IOVEC) \
	X(FADD32) X(FADD64) X(CAS64) X(CAS64_OTHER) \
	X(FADD64_NB) X(CAS64_NB_LEFT) \
	X(HOST_WRITE_4) X(HOST_WRITE_8) X(HOST_WRITE_32) \
	X(FADD32_STATE) X(LOCKED) X(READ_LOCKED) X(WRITE_LOCKED) X(TRY_LOCK) X(NUM_HPUS) \
	X(FORWARD) X(FORWARD_TWO) X(PUT_PAYLOAD) X(PUT_FROM_DEVICE) X(PUT_FROM_HOST)
/* clang-format on */

enum {
#define COMMAND_ENUM_(name) COMMAND_##name,
	COMMAND_CALLS(COMMAND_ENUM_)
#undef COMMAND_ENUM_
		COMMAND_COUNT
};

#endif
