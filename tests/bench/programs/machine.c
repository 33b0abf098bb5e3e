/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Benchmark program: a state machine over text (a jump table, short blocks, counters in memory). Run by iss.sh, which compares the speed of
 * the modelled core with qemu; the result must be the same on both.
 */
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 200000
#endif

enum state { START, NAME, NUMBER, HEX, STRING, ESCAPE, COMMENT, STATES };

static const char text[] = "while x17 < 0x3fA { print(\"a \\\"b\\\" c\", 1234); y = y*7+x; } # rest of line\n"
			   "if long_identifier_name == 42 { call f(0xdead, \"text\"); }\n"
			   "# a comment line that goes on for some time\n"
			   "z=((1+2)*(3+4))-0x10; \"unterminated 99 \\n\" ident2 5 6 7 8\n";

static uint32_t seen[STATES];

static int is_digit(int c)
{
	return c >= '0' && c <= '9';
}
static int is_letter(int c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static enum state step(enum state s, int c)
{
	switch (s) {
	case START:
		return is_letter(c) ? NAME : is_digit(c) ? NUMBER : c == '"' ? STRING : c == '#' ? COMMENT : START;
	case NAME:
		return is_letter(c) || is_digit(c) || c == '_' ? NAME : START;
	case NUMBER:
		return is_digit(c) ? NUMBER : c == 'x' ? HEX : START;
	case HEX:
		return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f') ? HEX : START;
	case STRING:
		return c == '\\' ? ESCAPE : c == '"' ? START : STRING;
	case ESCAPE:
		return STRING;
	default:
		return c == '\n' ? START : COMMENT;
	}
}

int main(void)
{
	enum state s = START;
	uint32_t sum = 0;

	for (int r = 0; r < ROUNDS; r++) {
		for (const char *p = text; *p; p++) {
			s = step(s, *p);
			seen[s]++;
		}
	}
	for (int i = 0; i < STATES; i++)
		sum = sum * 33 + seen[i];
	return (int)sum;
}
