/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_WALK_PIECES_H
#define TESTS_HANDLERS_WALK_PIECES_H

/*
 * Goes over a packet's payload (SPIN_FOR_EACH) in pieces of 12, 16, 64 and 68 bytes, and stores for each size the number of pieces and the
 * sums of their last words and of their indices. A rest shorter than a piece is not visited. Included by walk_pieces.c and
 * walk_pieces_me.c.
 */
#include <stdint.h>

struct walked_by {
	uint32_t pieces, last_words, numbers;
};
struct walked {
	struct walked_by by12, by16, by64, by68;
};

struct piece12 {
	uint32_t word[3];
};
struct piece16 {
	uint32_t word[4];
};
struct piece64 {
	uint32_t word[16];
};
struct piece68 {
	uint32_t word[17];
};

#define WALK_BY(p, TYPE, LAST, to)                                       \
	do {                                                             \
		uint32_t pieces_ = 0, words_ = 0, numbers_ = 0;          \
		SPIN_FOR_EACH(p, TYPE, piece) {                          \
			pieces_++;                                       \
			words_ += piece->word[LAST];                     \
			numbers_ += SPIN_INDEX(p, piece);                \
		}                                                        \
		*(to) = (struct walked_by){ pieces_, words_, numbers_ }; \
	} while (0)

#define WALK_PIECES(p, state)                                   \
	do {                                                    \
		WALK_BY(p, struct piece12, 2, &(state)->by12);  \
		WALK_BY(p, struct piece16, 3, &(state)->by16);  \
		WALK_BY(p, struct piece64, 15, &(state)->by64); \
		WALK_BY(p, struct piece68, 16, &(state)->by68); \
	} while (0)

#endif
