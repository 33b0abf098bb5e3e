/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdio.h>

#include "internal.h"
#include "verifier.h"

void verifier__sentence(const struct verifier_refusal *refusal, char *out, size_t bytes)
{
	if (refusal->rule)
		snprintf(out, bytes, "%s", refusal->rule->sentence);
	else
		snprintf(out, bytes, "the verifier refuses: %s", refusal->complaint);
}

int spin_verifier__explain(const char *log, const char *handler, char *why, size_t why_bytes)
{
	struct verifier_refusal refusal;
	char sentence[512];

	if (!verifier__read(log, &refusal))
		return 0;
	verifier__sentence(&refusal, sentence, sizeof(sentence));
	if (refusal.line)
		snprintf(why, why_bytes, "%s:%u: %s", refusal.file, refusal.line, sentence);
	else
		snprintf(why, why_bytes, "%s: %s", handler, sentence);
	return 1;
}
