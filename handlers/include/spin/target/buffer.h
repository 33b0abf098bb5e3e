/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_BUFFER_H
#define SPIN_TARGET_BUFFER_H

/*
 * Buffers of HPUs (<spin/buffer.h>) on BPF and in the host build: one for each possible HPU. Their names hide them from the host
 * (user/libspin/object/layout.c). Transfers copy blocks of 64 bytes; the slack proves to the verifier that the last block is in bounds.
 * Included by <spin/target/frame.h>.
 */
#define SPIN_BUFFER_SLACK_ 64u

#define SPIN_BUFFER_(TYPE, name, entries)               \
	struct spin_buffer_of_##name {                  \
		TYPE of[SPIN_HPUS_MAX][entries];        \
		uint32_t slack[SPIN_BUFFER_SLACK_ / 4]; \
	};                                              \
	struct spin_buffer_of_##name spin_buffer_##name SPIN_TABLE_ATTR_

#define SPIN_BUFFER_OF_(v, name) (spin_buffer_##name.of[spin_my_hpu(v) & (SPIN_HPUS_MAX - 1)])

#endif
