/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_BUFFER_H
#define SPIN_TARGET_BUFFER_H

/*
 * Buffers of HPUs (<spin/buffer.h>) on BPF and in the host build: one for each HPU there can be. The name keeps them from the
 * host's view (user/libspin/object/layout.c). Transfers go by blocks of 64 bytes, and the slack shows the verifier that the block
 * that begins last is inside, too.
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
