/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * memcached - a cache on the NIC for an unmodified memcached (the idea is BMC's, NSDI 2021)
 *
 * For all UDP and TCP sockets of a memcached, with one state (`spinctl exec --protocol both`). A GET of one key over UDP is answered if the
 * cache has the key. All else is passed on. The program spin-memcached fills the cache; <memcached.h> says why no answer is stale.
 *
 * Invariant: a command that may change something is counted before memcached receives it: as a change of its key, or of all keys if it has
 * several or none. It is counted at its end. One with data is also counted before the data: if the new value does not fit, memcached drops
 * the old one there.
 *
 * What memcached reads as a command is not always clear: it refuses the line "set k 0 0 x", and then executes the data. So a connection
 * that sends anything not understood exactly is no longer parsed, and each further piece of it counts as a change of all keys. A
 * datagram that is not understood is dropped. So is one that ends within a command: memcached would take the rest from the next, whoever
 * sends it.
 */
#include <spin/spin.h>
#include <memcached.h>
#include <memcached_parser.h>

SPIN_STATE(struct mc_cache);
SPIN_TABLE(mc_entries, struct mc_entry, MC_ENTRIES);
SPIN_REPLY(512);

/* Variables for one datagram: the parser's state, and for a GET its key, and the cache's epoch when it arrived. */
struct mc_datagram {
	struct mc_parser parser;
	uint32_t hash, key_bytes, epoch, missed;
};
SPIN_BUFFER(struct mc_datagram, mc_datagrams, 2); /* two, because a buffer has at least 64 bytes */

/* Counts a change of a key, before memcached receives the command. */
static inline void mc_changed(struct mc_cache *cache, uint32_t hash)
{
	spin_add32(&cache->version[MC_VERSION_OF(hash)], 1);
	spin_add32(&cache->mutations, 1);
}

static inline void mc_all_changed(struct mc_cache *cache)
{
	spin_add32(&cache->epoch, 1);
	spin_add32(&cache->mutations, 1);
}

static inline void mc_lose(struct mc_cache *cache, struct mc_parser *c)
{
	c->state = MC_LOST;
	spin_add32(&cache->strange, 1);
	mc_all_changed(cache);
}

static inline uint32_t mc_now(void)
{
	return (uint32_t)(spin_clock_coarse_ns() >> 30);
}

/* Raises a word to `value` if it is less. Returns 0 if another HPU changed it at the same time: then it must be tried again. */
static inline _Bool mc_raise(uint32_t *at, uint32_t value)
{
	const uint32_t was = spin_load32(at);

	return was >= value || spin_cas32(at, was, value);
}

/*
 * Handles flush_all with a delay. memcached reads more than 30 days as a date: this turns the cache off for ever. Returns 0 if it must be
 * tried again, in another step of mc_parse(): a loop here would be verified for each path to it.
 */
static inline _Bool mc_flush(struct mc_cache *cache, uint32_t delay_s)
{
	uint32_t until = delay_s > 60 * 60 * 24 * 30 ? 0xffffffff : mc_now() + delay_s + 3;

	if (delay_s && !(mc_raise(&cache->flush_delay_s, delay_s) && mc_raise(&cache->off_until, until)))
		return 0;
	mc_all_changed(cache);
	return 1;
}

#define MC_WORD(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* Returns the command with these first eight bytes. Words that change something have no more, except for the last l of flush_all. */
static inline uint32_t mc_command_of(uint32_t first, uint32_t second)
{
	const uint64_t word = first | (uint64_t)second << 32;

#define MC_IS(a, b, c, d, e, f, g, h) (word == (MC_WORD(a, b, c, d) | (uint64_t)MC_WORD(e, f, g, h) << 32))
	if (MC_IS('v', 'e', 'r', 's', 'i', 'o', 'n', 0) || MC_IS('s', 't', 'a', 't', 's', 0, 0, 0))
		return MC_READ;
	if (MC_IS('r', 'e', 'p', 'l', 'a', 'c', 'e', 0) || MC_IS('a', 'p', 'p', 'e', 'n', 'd', 0, 0) ||
	    MC_IS('p', 'r', 'e', 'p', 'e', 'n', 'd', 0))
		return MC_STORE;
	if (MC_IS('d', 'e', 'l', 'e', 't', 'e', 0, 0) || MC_IS('t', 'o', 'u', 'c', 'h', 0, 0, 0))
		return MC_KEYED;
	if (MC_IS('f', 'l', 'u', 's', 'h', '_', 'a', 'l'))
		return MC_FLUSH;
#undef MC_IS
	switch (second ? 0 : first) {
	case MC_WORD('g', 'e', 't', 0):
	case MC_WORD('g', 'e', 't', 's'):
	case MC_WORD('m', 'n', 0, 0):
	case MC_WORD('m', 'e', 0, 0):
	case MC_WORD('q', 'u', 'i', 't'):
		return MC_READ;
	case MC_WORD('s', 'e', 't', 0):
	case MC_WORD('a', 'd', 'd', 0):
		return MC_STORE;
	case MC_WORD('c', 'a', 's', 0):
		return MC_CAS;
	case MC_WORD('i', 'n', 'c', 'r'):
	case MC_WORD('d', 'e', 'c', 'r'):
	case MC_WORD('m', 'd', 0, 0):
	case MC_WORD('m', 'a', 0, 0):
		return MC_KEYED;
	case MC_WORD('g', 'a', 't', 0):
	case MC_WORD('g', 'a', 't', 's'):
		return MC_GAT;
	case MC_WORD('m', 'g', 0, 0):
		return MC_META_GET;
	case MC_WORD('m', 's', 0, 0):
		return MC_META_SET;
	default:
		return MC_UNKNOWN;
	}
}

/* --- text --- */

#define MC_FLAG(letter) (1u << ((letter) - 'a'))

/* Returns 1 for a flag of mg that changes nothing. One of them is b (key in base64): if nothing changes, the key does not matter. */
static inline _Bool mc_flag_reads(uint32_t byte)
{
	const uint32_t flags = MC_FLAG('b') | MC_FLAG('c') | MC_FLAG('f') | MC_FLAG('h') | MC_FLAG('k') | MC_FLAG('l') | MC_FLAG('q') |
			       MC_FLAG('s') | MC_FLAG('t') | MC_FLAG('v');

	return byte - 'a' < 26 ? flags >> (byte - 'a') & 1 : byte == 'O';
}

static inline void mc_word_begins(struct mc_parser *c)
{
	c->state = c->seen & MC_LF ? MC_LINE_ENDS : MC_LINE;
	c->field++;
	c->field_bytes = c->number = 0;
	c->seen &= ~(uint32_t)(MC_NO_NUMBER | MC_TOO_LARGE);
}

static inline void mc_command_ends(struct mc_parser *c)
{
	c->command = mc_command_of(c->number, c->left);
	c->left = 0;
	mc_word_begins(c);
}

/* x == 0, and a < b for numbers below 2^31, without a branch, so that the verifier follows one path. */
static inline uint32_t mc_zero(uint32_t x)
{
	return (~x & (x - 1)) >> 31;
}

static inline uint32_t mc_less(uint32_t a, uint32_t b)
{
	return (a - b) >> 31;
}

#define MC_LETTER(letter) (1u << ((letter)&31))

/*
 * Checks a flag of ms at its end. memcached refuses the command without reading its data if a flag is repeated or lacks a required number;
 * flags other than these may have other reasons. Bits 8 and up of `seen` are the previous flags: their letters differ modulo 13.
 */
static inline void mc_flag_ends(struct mc_parser *c)
{
	const uint32_t flag = c->seen >> 24, seen = c->seen & 0xffffff, bytes = c->field_bytes, n = c->number,
		       bit = 256u << (flag & 31) % 13;
	const uint32_t flags = flag & 32 ? MC_LETTER('q') | MC_LETTER('k') | MC_LETTER('c')
					 : MC_LETTER('T') | MC_LETTER('F') | MC_LETTER('I') | MC_LETTER('M');
	const uint32_t modes = MC_LETTER('A') | MC_LETTER('E') | MC_LETTER('P') | MC_LETTER('R') | MC_LETTER('S');
	const uint32_t counts = mc_zero(flag ^ 'T') | mc_zero(flag ^ 'F'), has_mode = mc_zero(flag ^ 'M');
	uint32_t good = mc_zero(bytes ^ 1) & ~(counts | has_mode);

	good |= counts & mc_less(1, bytes) & mc_less(bytes, 11) & mc_zero(seen & (MC_NO_NUMBER | MC_TOO_LARGE)) & (~n >> 31);
	good |= has_mode & mc_zero(bytes ^ 2) & mc_zero(n >> 5 ^ 2) & modes >> (n & 31);
	good &= flags >> (flag & 31) & mc_zero(seen & bit) & mc_zero((flag >> 6) ^ 1) & 1;
	c->seen = seen | bit | (good ^ 1) * MC_WRONG;
	mc_word_begins(c);
}

/* A byte for each command: bit i is set if word i after the command (1: the key) must be a number. */
#define MC_NUMBERS ((4ull | 8 | 16) << 8 * MC_STORE | (4ull | 8 | 16 | 32) << 8 * MC_CAS | 4ull << 8 * MC_META_SET)

/* Checks a word other than the command at its end. From a number it takes the length of the data, or the delay of flush_all. */
static inline void mc_word_ends(struct mc_parser *c)
{
	const uint32_t field = c->field & 31, numbers = (uint32_t)(MC_NUMBERS >> 8 * (c->command & 7)) & 0xff & -mc_less(c->command, 8);
	const uint32_t is_number = numbers >> field & 1, length = 4 - 2 * mc_zero(c->command ^ MC_META_SET);
	const uint32_t over = mc_less(0x3fffffff, c->number & 0x7fffffff) | c->number >> 31,
		       flags = mc_zero(field ^ 2) & mc_zero(length ^ 4);
	uint32_t wrong = is_number & (1 ^ mc_zero(c->seen & MC_NO_NUMBER));

	/* FLAGS has 32 bits, and the number of cas 64 */
	wrong |= is_number & mc_less(field, 5) & ((1 ^ mc_zero(c->seen & MC_TOO_LARGE)) | (over & (flags ^ 1)));
	wrong |= mc_zero(field ^ 1) & mc_less(MC_KEY_BYTES_MAX, c->field_bytes & 0x7fffffff);
	wrong |= mc_zero(field ^ 5) & mc_less(19, c->field_bytes & 0x7fffffff);
	if (numbers)
		c->seen |= wrong * MC_WRONG;
	if (numbers && field == length)
		c->left = c->number + 2;
	if (c->command == MC_FLUSH && field == 1 && (c->seen & (MC_NO_NUMBER | MC_TOO_LARGE)) != MC_NO_NUMBER)
		c->left = c->seen & MC_TOO_LARGE ? 0xffffffff : c->number;
	mc_word_begins(c);
}

static inline void mc_digit(struct mc_parser *c, uint32_t byte)
{
	const uint32_t digit = byte - '0';

	if (digit <= 9 && c->field == 3 && c->field_bytes == 1)
		c->seen &= ~(uint32_t)MC_TOO_LARGE; /* set by the minus sign before this digit */
	if (digit <= 9 && c->number <= 429496728)
		c->number = c->number * 10 + digit;
	else if (digit <= 9 || (c->command == MC_FLUSH && byte < 'A') || (byte == '-' && c->field == 3 && !c->field_bytes))
		c->seen |= MC_TOO_LARGE; /* flush_all: also signs and tabs, less than 0 is a month; EXPTIME needs a digit after '-' */
	else
		c->seen |= MC_NO_NUMBER;
}

/* Takes one byte of a word: of the command's name, the key, a number or a flag. */
static inline void mc_word(struct mc_parser *c, uint32_t byte)
{
	const uint32_t key = c->command == MC_GAT ? 2 : 1;

	if (!c->field) {
		if (c->field_bytes < 4)
			c->number |= byte << 8 * (c->field_bytes & 3);
		else if (c->field_bytes < 8)
			c->left |= byte << 8 * (c->field_bytes & 3);
	} else {
		if (c->field == key)
			c->hash = mc_hash(c->hash, byte);
		if (c->field >= 2 && !c->field_bytes && byte == 'b')
			c->seen |= MC_BASE64;
		if (c->field >= 2 && !c->field_bytes && !mc_flag_reads(byte))
			c->seen |= MC_TOUCHES;
		if (c->command == MC_META_SET && c->field > 2 && !c->field_bytes)
			c->seen |= byte << 24; /* the flag's letter; its number or another letter follows */
		else if (c->seen >> 24 == 'M')
			c->number = byte;
		else
			mc_digit(c, byte);
	}
	c->field_bytes++;
}

static inline void mc_line_begins(struct mc_parser *c)
{
	c->state = MC_LINE;
	c->command = MC_NONE;
	c->seen = c->field = c->field_bytes = c->number = c->left = 0;
	c->hash = MC_HASH_START;
}

/* At the end of a line with data. is_right: memcached also reads what follows as data. */
static inline void mc_data_follows(struct mc_cache *cache, struct mc_parser *c, _Bool is_right)
{
	if (!is_right) {
		mc_lose(cache, c);
		return;
	}
	mc_changed(cache, c->hash);
	c->state = MC_DATA;
}

/* A command is complete: counts what it may change, and begins the next, or its data. */
static inline void mc_line_ends(struct mc_cache *cache, struct mc_parser *c)
{
	const _Bool right = !(c->seen & MC_WRONG);

	switch (c->command) {
	case MC_NONE:
	case MC_READ:
		break;
	case MC_STORE:
		mc_data_follows(cache, c, right && (c->field == 5 || c->field == 6));
		return;
	case MC_CAS:
		mc_data_follows(cache, c, right && (c->field == 6 || c->field == 7));
		return;
	case MC_META_SET:
		mc_data_follows(cache, c, right && c->field >= 3);
		return;
	case MC_FLUSH:
		if (!mc_flush(cache, c->left))
			return;
		break;
	case MC_META_GET:
		if (!(c->seen & MC_TOUCHES))
			break;
		__attribute__((fallthrough));
	case MC_KEYED:
		if (c->seen & MC_BASE64)
			mc_all_changed(cache);
		else
			mc_changed(cache, c->hash);
		break;
	case MC_GAT:
		if (c->field > 3)
			mc_all_changed(cache);
		else
			mc_changed(cache, c->hash);
		break;
	default:
		spin_add32(&cache->strange, 1);
		mc_all_changed(cache);
	}
	mc_line_begins(c);
}

/* Takes one byte of a command's line. Bytes that no client sends end the parsing of this connection (mc_lose()). */
static inline void mc_text(struct mc_cache *cache, struct mc_parser *c, uint32_t byte)
{
	if ((c->seen & MC_CR && byte != '\n') || !byte) {
		mc_lose(cache, c);
		return;
	}
	if (byte == '\r') {
		c->seen |= MC_CR;
		return;
	}
	if (byte != ' ' && byte != '\n') {
		mc_word(c, byte);
		return;
	}
	if (byte == '\n')
		c->seen |= MC_LF;
	if (c->field_bytes && c->command == MC_META_SET && c->field > 2)
		c->state = MC_FLAG_ENDS;
	else if (c->field_bytes)
		c->state = c->field ? MC_WORD_ENDS : MC_COMMAND_ENDS;
	else if (byte == '\n')
		c->state = MC_LINE_ENDS;
}

/* --- binary: a header of 24 bytes, then extras, key and value --- */

#define MC_HEADER_BYTES 24u
#define MC_MAGIC        0x80u

static inline void mc_binary_begins(struct mc_parser *c)
{
	c->state = MC_BINARY;
	c->command = c->seen = c->field = c->field_bytes = c->number = c->left = 0;
	c->hash = MC_HASH_START;
}

/* get, getq, getk, getkq, noop, version, stat, quit, quitq, verbosity */
static inline _Bool mc_binary_reads(uint32_t opcode)
{
	return opcode < 0x20 && 0x08813e81u >> opcode & 1;
}

/* Counts a binary command at the end of its key, and of its value. */
static inline void mc_binary_acts(struct mc_cache *cache, struct mc_parser *c)
{
	const uint32_t opcode = c->command;

	if (opcode == 0x08 || opcode == 0x18) {
		if (!mc_flush(cache, c->field_bytes >> 16 ? c->seen : 0))
			return;
	} else if (!mc_binary_reads(opcode)) {
		mc_changed(cache, c->hash);
	}
	if (c->field >= MC_HEADER_BYTES + c->left)
		mc_binary_begins(c);
	else
		c->state = MC_BINARY;
}

/* `field`: bytes so far; `field_bytes`: of the key, from bit 16 on of the extras; `left`: all after the header; `seen`: extras' last 4. */
static inline void mc_binary(struct mc_cache *cache, struct mc_parser *c, uint32_t byte)
{
	const uint32_t at = c->field++, extras = c->field_bytes >> 16, key = c->field_bytes & 0xffff;

	if (!at && byte != MC_MAGIC) {
		mc_lose(cache, c);
		return;
	}
	if (at < MC_HEADER_BYTES) {
		if (at == 1)
			c->command = byte;
		else if (at == 2 || at == 3)
			c->field_bytes = c->field_bytes << 8 | byte;
		else if (at == 4)
			c->field_bytes |= byte << 16;
		else if (at >= 8 && at < 12)
			c->left = c->left << 8 | byte;
		if (at + 1 < MC_HEADER_BYTES)
			return;
		/* memcached answers an opcode that it does not know, and then reads too many bytes; also most of SASL's */
		if (c->left > 0x3fffffff || extras + key > c->left || c->command > 0x24 || c->command - 0x1f < 4) {
			mc_lose(cache, c);
			return;
		}
	} else if (at < MC_HEADER_BYTES + extras) {
		c->seen = c->seen << 8 | byte;
	} else if (at < MC_HEADER_BYTES + extras + key) {
		c->hash = mc_hash(c->hash, byte);
	}
	if (c->field == MC_HEADER_BYTES + extras + key || c->field == MC_HEADER_BYTES + c->left)
		c->state = MC_BINARY_ACTS;
}

/* --- streams --- */

/* Skips data of a text command. Returns how many of the `bytes` bytes that is. */
static inline uint32_t mc_data(struct mc_cache *cache, struct mc_parser *c, uint32_t bytes)
{
	const uint32_t some = c->left < bytes ? c->left : bytes;

	c->left -= some;
	if (!c->left) {
		mc_changed(cache, c->hash);
		mc_line_begins(c);
	}
	return some;
}

/* Skips a binary command's value between its first byte and its last one. Returns how many of the `bytes` bytes that is. */
static inline uint32_t mc_value(struct mc_parser *c, uint32_t bytes)
{
	const uint32_t behind = MC_HEADER_BYTES + (c->field_bytes >> 16) + (c->field_bytes & 0xffff);
	uint32_t some;

	if (c->field <= behind)
		return 0;
	some = MC_HEADER_BYTES + c->left - 1 - c->field;
	some = some < bytes ? some : bytes;
	c->field += some;
	return some;
}

/* One step. Returns how many of the remaining `bytes` bytes it has consumed; `byte` is the first of them. */
static inline uint32_t mc_turn(struct mc_cache *cache, struct mc_parser *c, uint32_t byte, uint32_t bytes)
{
	uint32_t some;

	switch (c->state) {
	case MC_START:
		if (byte == MC_MAGIC)
			mc_binary_begins(c);
		else
			mc_line_begins(c);
		return 0;
	case MC_LINE:
		mc_text(cache, c, byte);
		return 1;
	case MC_DATA:
		return mc_data(cache, c, bytes);
	case MC_BINARY:
		some = mc_value(c, bytes);
		if (!some)
			mc_binary(cache, c, byte);
		return some ? some : 1;
	default:
		return bytes; /* MC_LOST: not parsed */
	}
}

/* A step at the end of something, which consumes no byte. Returns 0 if nothing has ended. */
static inline _Bool mc_ends(struct mc_cache *cache, struct mc_parser *c)
{
	switch (c->state) {
	case MC_COMMAND_ENDS:
		mc_command_ends(c);
		return 1;
	case MC_WORD_ENDS:
		mc_word_ends(c);
		return 1;
	case MC_FLAG_ENDS:
		mc_flag_ends(c);
		return 1;
	case MC_LINE_ENDS:
		mc_line_ends(cache, c);
		return 1;
	case MC_BINARY_ACTS:
		mc_binary_acts(cache, c);
		return 1;
	default:
		return 0;
	}
}

/* Parses the payload from byte `from` on, continuing where the previous piece ended. */
static inline void mc_parse(struct spin_payload *p, struct mc_cache *cache, struct mc_parser *c, uint32_t from)
{
	if (c->state == MC_LOST)
		mc_all_changed(cache);
	c->at = from;
	SPIN_WHILE(p, 1) {
		const uint32_t at = spin_load32(&c->at);
		const uint8_t *byte;

		if (mc_ends(cache, c))
			continue;
		byte = SPIN_GET(p, at, uint8_t);
		if (!byte)
			break;
		c->at = at + mc_turn(cache, c, *byte, p->length - at);
	}
}

/* --- GET over UDP --- */

#define MC_TEXT_AT sizeof(struct mc_frame)
#define MC_KEY_AT  (MC_TEXT_AT + 4) /* after "get " */

/* Returns word i of the packet's key, padded with zeros. */
static inline uint32_t mc_key_word(struct spin_payload *p, uint32_t i, uint32_t key_bytes)
{
	const uint32_t at = MC_KEY_AT + i * 4, left = key_bytes - i * 4;
	const uint32_t *word = SPIN_GET(p, at, uint32_t);
	const uint16_t *two;

	if (word)
		return left >= 4 ? *word : *word & ((1u << 8 * (left & 3)) - 1);
	two = SPIN_GET(p, at, uint16_t); /* "\r\n" follows the key: a word with one byte of the key would end beyond the packet */
	return two ? *two & 0xff : 0;
}

static inline _Bool mc_has_key(struct spin_payload *p, const struct mc_entry *entry, uint32_t key_bytes)
{
	uint32_t other = 0;

	SPIN_FOR(p, i, 0, (key_bytes + 3) / 4) {
		const uint32_t *word = SPIN_AT(entry->key, i);

		if (!word)
			break;
		other |= *word ^ mc_key_word(p, i, key_bytes);
	}
	return !other;
}

/* Tells the program a key that has no entry, if it was requested often enough and its slot is free. */
static inline void mc_want(struct spin_payload *p, struct mc_cache *cache, uint32_t hash, uint32_t key_bytes)
{
	struct mc_wanted *wanted = &cache->wanted[MC_WANTED_OF(hash)];

	if (spin_fadd32(&cache->asked[MC_VERSION_OF(hash)], 1) + 1 < cache->asks)
		return;
	if (spin_load32(&wanted->state) != MC_WANTED_FREE || !spin_cas32(&wanted->state, MC_WANTED_FREE, MC_WANTED_BEING_WRITTEN))
		return;
	wanted->hash = hash;
	wanted->key_bytes = key_bytes;
	SPIN_FOR(p, i, 0, (key_bytes + 3) / 4) {
		uint32_t *word = SPIN_AT(wanted->key, i);

		if (word)
			*word = mc_key_word(p, i, key_bytes);
	}
	spin_store32(&wanted->state, MC_WANTED_READY);
}

/* Returns the index of the entry with this hash that is valid now; MC_ENTRIES if there is none. The caller compares the key. */
static inline uint32_t mc_find(const struct mc_cache *cache, const struct mc_datagram *d)
{
	const uint32_t hash = d->hash, version = spin_load32(&cache->version[MC_VERSION_OF(hash)]), now = mc_now();
	const uint32_t off = spin_load32(&cache->off_until);
	uint32_t found = MC_ENTRIES;

	if (off == 0xffffffff || (int32_t)(now - off) < 0)
		return MC_ENTRIES;
	for (uint32_t way = 0; way < MC_WAYS; way++) {
		const struct mc_entry *entry = &mc_entries[MC_FIRST_OF(hash) + way];
		uint32_t other = entry->hash ^ hash; /* no branches: the verifier would follow each of them for each way */

		other |= entry->key_bytes ^ d->key_bytes;
		other |= entry->version ^ version;
		other |= entry->epoch ^ d->epoch;
		other |= (now - entry->until) >> 31 ^ 1;
		if (!other)
			found = MC_FIRST_OF(hash) + way;
	}
	return found;
}

/* Writes the answer to the reply's buffer. Returns its length; 0 if the entry has another key, or has changed. */
static inline uint32_t mc_answer(struct spin_payload *p, const struct mc_cache *cache, const struct mc_datagram *d,
				 const struct mc_entry *entry)
{
	const struct mc_frame *frame = SPIN_GET(p, 0, struct mc_frame);
	uint32_t *out = SPIN_REPLY_OF(p), tag = spin_load32(&entry->tag), bytes = entry->text_bytes;
	struct mc_piece(*pieces)[MC_PIECES] = (void *)&out[sizeof(*frame) / 4];

	if (!frame || !tag || tag & 1 || bytes > MC_TEXT_BYTES || !mc_has_key(p, entry, d->key_bytes))
		return 0;
	out[0] = frame->request;
	out[1] = spin_hton16(1);
	SPIN_FOR(p, i, 0, (bytes + sizeof(struct mc_piece) - 1) / sizeof(struct mc_piece)) {
		struct mc_piece *to = SPIN_AT(*pieces, i);
		const struct mc_piece *from = SPIN_AT(entry->text, i);

		if (to && from)
			spin_copy(p, to, from, sizeof(*to));
	}
	/* if all are unchanged, what was read belongs together and is the key's current value */
	if (spin_load32(&entry->tag) != tag || spin_load32(&cache->version[MC_VERSION_OF(d->hash)]) != entry->version ||
	    spin_load32(&cache->epoch) + spin_connections_missed(p) != entry->epoch)
		return 0;
	return sizeof(*frame) + bytes;
}

static inline enum spin_payload_rc mc_get(struct spin_payload *p, struct mc_cache *cache, struct mc_datagram *d)
{
	struct mc_entry *entry;
	uint32_t bytes;

	d->missed = spin_connections_missed(p);
	d->epoch = spin_load32(&cache->epoch) + d->missed;
	entry = SPIN_AT(mc_entries, mc_find(cache, d));
	bytes = entry ? mc_answer(p, cache, d, entry) : 0;
	if (bytes) {
		spin_add32(&entry->hits, 1);
		spin_add32(&cache->hits, 1);
		return spin_reply_from_buffer(p, bytes);
	}
	if (spin_load32(&cache->missed) != d->missed)
		spin_store32(&cache->missed, d->missed);
	spin_add32(&cache->misses, 1);
	mc_want(p, cache, d->hash, d->key_bytes);
	return SPIN_SUCCESS;
}

/* Returns 1 if the datagram is a GET of one key and nothing else. Sets the hash and the length of the key. */
static inline _Bool mc_is_get(struct spin_payload *p, struct mc_datagram *d)
{
	const uint32_t *get = SPIN_GET(p, MC_TEXT_AT, uint32_t);
	const uint8_t *cr = SPIN_GET(p, p->length - 2, uint8_t), *lf = SPIN_GET(p, p->length - 1, uint8_t);
	uint32_t ends = 0, hash = MC_HASH_START, key_bytes = p->length - MC_KEY_AT - 2;

	if (!get || *get != MC_WORD('g', 'e', 't', ' ') || !cr || *cr != '\r' || !lf || *lf != '\n' || key_bytes - 1 >= MC_KEY_BYTES_MAX)
		return 0;
	SPIN_FOR(p, i, 0, key_bytes / 4) {
		const uint32_t *word = SPIN_GET(p, MC_KEY_AT + i * 4, uint32_t);

		if (!word)
			break;
		ends |= mc_ends_key(*word);
		hash = mc_hash_word(hash, *word);
	}
	SPIN_FOR(p, i, key_bytes & ~3u, key_bytes) {
		const uint8_t *byte = SPIN_GET(p, MC_KEY_AT + i, uint8_t);

		if (!byte)
			break;
		ends |= mc_ends_key(*byte | 0x21212100u);
		hash = mc_hash(hash, *byte);
	}
	d->hash = hash;
	d->key_bytes = key_bytes;
	return !(ends & 0x80808080u);
}

static inline enum spin_payload_rc mc_datagram(struct spin_payload *p, struct mc_cache *cache)
{
	const struct mc_frame *frame = SPIN_GET(p, 0, struct mc_frame);
	struct mc_datagram *d = &SPIN_BUFFER_OF(p, mc_datagrams)[0];
	struct mc_parser *c = &d->parser;

	if (!frame || p->length == sizeof(*frame) || frame->datagrams != spin_hton16(1))
		return SPIN_SUCCESS; /* not a request: memcached ignores it */
	if (mc_is_get(p, d))
		return cache->on ? mc_get(p, cache, d) : SPIN_SUCCESS;
	c->state = MC_START;
	mc_parse(p, cache, c, sizeof(*frame));
	if ((c->state == MC_LINE || c->state == MC_BINARY) && !c->field && !c->field_bytes && !c->seen)
		return SPIN_SUCCESS;
	spin_add32(&cache->dropped, 1);
	return SPIN_DROP;
}

static enum spin_header_rc memcached_header(struct spin_header *h, struct mc_cache *cache)
{
	const uint32_t connection = spin_connection(h);

	if (connection != SPIN_NO_CONNECTION)
		cache->connection[connection & (MC_CONNECTIONS - 1)].state = MC_START;
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc memcached_payload(struct spin_payload *p, struct mc_cache *cache)
{
	const uint32_t connection = spin_connection(p);

	if (connection == SPIN_NO_CONNECTION)
		return mc_datagram(p, cache);
	mc_parse(p, cache, &cache->connection[connection & (MC_CONNECTIONS - 1)], 0);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(memcached, .header = memcached_header, .payload = memcached_payload);
