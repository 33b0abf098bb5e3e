/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <ctype.h>
#include <pthread.h>

#include "user/libspin/internal.h"

static const struct {
	const char *name, *text;
	enum spin_verdict verdict;
} rows[] = {
#define ROW(name, verdict, text) { #name, text, SPIN_VERDICT_##verdict },
	SPIN_REASONS(ROW)
#undef ROW
};

static char names[SPIN_REASON_COUNT][24];

static void make_names(void)
{
	for (int r = 0; r < SPIN_REASON_COUNT; r++)
		for (unsigned i = 0; rows[r].name[i] && i + 1 < sizeof(names[r]); i++)
			names[r][i] = (char)tolower((unsigned char)rows[r].name[i]);
}

const char *spin_reason_name(enum spin_reason reason)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_names);
	return (unsigned)reason < SPIN_REASON_COUNT ? names[reason] : "unknown";
}

const char *spin_reason_text(enum spin_reason reason)
{
	return (unsigned)reason < SPIN_REASON_COUNT ? rows[reason].text : "unknown reason";
}

enum spin_verdict spin_reason_verdict(enum spin_reason reason)
{
	return (unsigned)reason < SPIN_REASON_COUNT ? rows[reason].verdict : SPIN_VERDICT_PASS;
}

const char *spin_verdict_name(enum spin_verdict verdict)
{
	switch (verdict) {
	case SPIN_VERDICT_PASS:
		return "pass";
	case SPIN_VERDICT_DROP:
		return "drop";
	case SPIN_VERDICT_TX:
		return "tx";
	}
	return "unknown";
}
