/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_WINDOW_H
#define BPF_WINDOW_H

/*
 * Which packets of a message have arrived (step 11 of <spin/message.h>): its window is a ring of words with a bit for each of 32 packets
 * (abi/mpq.h). Called by message_begin.h, message.h and evict.h. A packet is claimed by one compare-exchange of its word, so it is handled
 * once, whichever CPUs its copies arrive at.
 */
#include "bpf/atomic.h"
#include "bpf/messages/message_state.h"

/* Results of spin_window_claim(): the caller handles the packet, it is a duplicate, it is beyond the window, or the message has ended. */
enum spin_claim { SPIN_CLAIMED, SPIN_CAME_BEFORE, SPIN_BEYOND, SPIN_ENDED };

/* Returns the tag, the upper half of the word that holds packets 32 * number to 32 * number + 31. */
SPIN_INLINE uint32_t spin_window_word_tag_(uint32_t generation, uint32_t number)
{
	return generation << 27 | number;
}

#ifdef SPIN_BOUNDED_LOOPS
/* Without may_goto the window is always narrow: the verifier would follow every iteration over a wide one. libspin then rejects those. */
SPIN_INLINE uint32_t spin_window_words_(void)
{
	return SPIN_WINDOW_WORDS;
}
SPIN_INLINE _Bool spin_window_is_wide_(void)
{
	return 0;
}
#else
SPIN_INLINE _Bool spin_window_is_wide_(void)
{
	return spin_unlikely(spin_config.wide_words);
}

SPIN_INLINE uint32_t spin_window_words_(void)
{
	return spin_window_is_wide_() ? spin_config.wide_words : SPIN_WINDOW_WORDS;
}
#endif

/*
 * Returns the word of packets 32 * number to 32 * number + 31. The first SPIN_WINDOW_WORDS words of a wide window are in the MPQ, too, so
 * that shorter messages touch no other memory. The configuration is constant, so the verifier removes the branch if the window is narrow.
 */
SPIN_INLINE uint64_t *spin_window_word_(uint32_t mpq, uint32_t number)
{
	if (spin_window_is_wide_()) {
		uint32_t words = spin_config.wide_words;

		number &= words - 1;
		if (number >= SPIN_WINDOW_WORDS) {
			uint64_t *word = spin_wide_word((mpq & (SPIN_MPQS_MAX - 1)) * words + number);

			if (word)
				return word;
		}
	}
	return &spin_mpq_at(mpq)->word[number & (SPIN_WINDOW_WORDS - 1)];
}

/* Returns 1 if the word has moved on to later packets, so that all packets of `tag` have arrived. */
SPIN_INLINE _Bool spin_window_word_is_past_(uint32_t have, uint32_t tag)
{
	return have >> 27 == tag >> 27 && have > tag;
}

/* Returns the lowest missing packet, searching from the last result. The result is not stored: see spin_window_advance(). */
SPIN_GLOBAL_FN uint32_t spin_window_lowest(uint32_t mpq, uint32_t generation)
{
	uint32_t lowest = spin_read_once(&spin_mpq_at(mpq)->lowest);
	uint64_t round = 0;

	while (spin_can_loop_(&round, 2 * SPIN_WINDOW_WORDS)) {
		uint32_t number = lowest >> 5, tag = spin_window_word_tag_(generation, number);
		uint64_t word = spin_read_once(spin_window_word_(mpq, number));
		uint32_t missing;

		if (spin_window_word_is_past_(word >> 32, tag)) {
			lowest = (number + 1) << 5;
			continue;
		}
		if (word >> 32 != tag)
			break;
		missing = ~(uint32_t)word & (0xffffffffu << (lowest & 31));
		if (missing) {
			lowest = (number << 5) + spin_bit_number(missing & -missing);
			break;
		}
		lowest = (number + 1) << 5;
	}
	return lowest;
}

/* The same, and stores the result for the next search. If two HPUs store at once, the lower result is only older, not wrong. */
SPIN_INLINE uint32_t spin_window_advance(uint32_t mpq, uint32_t generation)
{
	uint32_t lowest = spin_window_lowest(mpq, generation);

	spin_write_once(&spin_mpq_at(mpq)->lowest, lowest);
	return lowest;
}

/* Returns 1 if the packet is beyond the window. q->lowest may lag behind: it is only brought up to date for packets that seem to be. */
SPIN_INLINE _Bool spin_window_excludes_(const struct spin_mpq *q, uint32_t mpq, uint32_t generation, uint32_t packet)
{
	const uint32_t window = spin_window_is_wide_() ? spin_config.window : SPIN_WINDOW;
	uint32_t lowest = spin_read_once(&q->lowest);

	if (spin_likely(packet <= lowest) || spin_likely(packet - lowest <= window))
		return 0;
	lowest = spin_window_advance(mpq, generation);
	return packet > lowest && packet - lowest > window;
}

/*
 * Records the highest word reached, for the first packet of a word. An HPU records its word first and then checks whether the end was
 * announced; the HPU that announces the end does so first and then checks the highest word. So at least one of the two sees the other.
 */
SPIN_INLINE void spin_window_reach_(struct spin_mpq *q, uint32_t generation, uint32_t number)
{
	uint64_t top = spin_read_once(&q->top), round = 0, was;

	/* must not change another generation's */
	while (top >> 32 == generation && (uint32_t)top < number && spin_can_loop_(&round, 2 * 32)) {
		was = spin_cmpxchg(&q->top, top, (uint64_t)generation << 32 | number);
		if (was == top)
			break;
		top = was;
	}
}

/* Claims a packet: only the HPU that gets SPIN_CLAIMED may handle it. */
SPIN_GLOBAL_FN enum spin_claim spin_window_claim(uint32_t mpq, uint32_t generation, uint32_t packet)
{
	struct spin_mpq *q = spin_mpq_at(mpq);
	uint32_t tag = spin_window_word_tag_(generation, packet >> 5), bit = 1u << (packet & 31);
	uint64_t *word, round = 0;

	if (spin_unlikely(spin_window_excludes_(q, mpq, generation, packet)))
		return spin_unlikely_value(SPIN_BEYOND);
	word = spin_window_word_(mpq, packet >> 5);
	/* each failed exchange means that another of the word's 32 packets arrived */
	do {
		uint64_t was = spin_read_once(word), now = (uint64_t)tag << 32 | bit;

		if (spin_likely(was >> 32 == tag)) {
			if (spin_unlikely(was & bit))
				return spin_unlikely_value(SPIN_CAME_BEFORE);
			now = was | bit;
		} else if (spin_window_word_is_past_(was >> 32, tag)) {
			return spin_unlikely_value(SPIN_CAME_BEFORE);
		} else if ((spin_load32(&q->generation) & 0xffff) != generation) {
			return spin_unlikely_value(SPIN_ENDED); /* the word may belong to another message */
		}
		if (spin_likely(spin_cmpxchg(word, was, now) == was)) {
			if (spin_unlikely(was >> 32 != tag))
				spin_window_reach_(q, generation, packet >> 5);
			return SPIN_CLAIMED;
		}
	} while (spin_can_loop_(&round, 2 * 32));
	return spin_unlikely_value(SPIN_BEYOND); /* unreachable: for the verifier */
}

/* Undoes a claim: the MPQ has another message in the meantime. */
SPIN_GLOBAL_FN int spin_window_unclaim(uint32_t mpq, uint32_t generation, uint32_t packet)
{
	uint64_t *word = spin_window_word_(mpq, packet >> 5), was, round = 0;

	do {
		was = spin_read_once(word);
		if (was >> 32 != spin_window_word_tag_(generation, packet >> 5))
			break;
	} while (spin_cmpxchg(word, was, was & ~(uint64_t)(1u << (packet & 31))) != was && spin_can_loop_(&round, 2 * 32));
	return 0;
}

/* Returns 1 if a later packet has arrived, in this word or a later one. */
SPIN_INLINE _Bool spin_window_beyond(uint32_t mpq, uint32_t generation, uint32_t packet)
{
	uint32_t tag = spin_window_word_tag_(generation, packet >> 5);
	uint64_t word = spin_read_once(spin_window_word_(mpq, packet >> 5));
	uint64_t behind = (uint32_t)word & (0xfffffffeu << (packet & 31));

	/* no branch: what follows would be verified once for each side */
	behind &= (((word >> 32) ^ tag) - 1) >> 32;
	return spin_verifier_forget32((behind | (((uint64_t)(packet >> 5) - (uint32_t)spin_read_once(&spin_mpq_at(mpq)->top)) >> 32)) != 0);
}

/* Returns the number of claimed packets. */
SPIN_INLINE uint32_t spin_window_claimed(uint32_t mpq, uint32_t generation)
{
	uint32_t lowest = spin_window_lowest(mpq, generation), tag = spin_window_word_tag_(generation, lowest >> 5);
	uint32_t count = lowest, words = spin_window_words_();
	uint64_t round = 0;

	for (uint32_t i = 0, have; i < words && spin_can_loop_(&round, SPIN_WINDOW_WORDS); i = spin_verifier_forget32(i + 1)) {
		uint64_t word = spin_read_once(spin_window_word_(mpq, i));
		uint32_t bits = (uint32_t)word;

		have = word >> 32;
		if (have == tag)
			bits &= 0xffffffffu << (lowest & 31);
		else if (!spin_window_word_is_past_(have, tag))
			bits = 0;
		bits -= bits >> 1 & 0x55555555;
		bits = (bits & 0x33333333) + (bits >> 2 & 0x33333333);
		count += ((bits + (bits >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
	}
	return count;
}

/* Prepares the window for a new message. Tags of older messages are recognised by their generation, until its 5 bits wrap. */
SPIN_INLINE void spin_window_clear(uint32_t mpq, uint32_t generation)
{
	struct spin_mpq *q = spin_mpq_at(mpq);
	uint64_t round = 0;

	q->lowest = 0;
	spin_write_once(&q->top, (uint64_t)(generation & 0xffff) << 32);
	if (generation & 31)
		return;
	if (spin_window_is_wide_()) {
		for (uint32_t i = 0; i < spin_config.wide_words && spin_can_loop_(&round, SPIN_WINDOW_WORDS);
		     i = spin_verifier_forget32(i + 1))
			spin_write_once(spin_window_word_(mpq, i), 0);
		return;
	}
	for (uint32_t i = 0; i < SPIN_WINDOW_WORDS; i++)
		spin_write_once(&q->word[i], 0);
}

#endif
