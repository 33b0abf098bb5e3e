/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a refusal means, for a person. Called by libspin when a program does not load,
 * and by spincc, which knows more of the object. A handler is blamed only for an
 * instruction on the verifier's way through its code.
 */
#include <errno.h>
#include <stdio.h>

#include "user/libspin/internal.h"
#include "kernel/features.h"
#include "user/libspin/verifier.h"

void verifier__reason(const struct verifier_refusal *refusal, char *out, size_t bytes)
{
	char features[128], advice[300];

	if (refusal->rule && refusal->rule->flags & VERIFIER_OLD)
		snprintf(out, bytes, "kernel %s is too old for this program: it does not know %s, which these need: %s; %s",
			 kernel_feature__release(), refusal->rule->reason, kernel_feature__of_may_goto(features, sizeof(features)),
			 kernel_feature__advice(advice, sizeof(advice)));
	else if (refusal->rule)
		snprintf(out, bytes, "%s", refusal->rule->reason);
	else
		snprintf(out, bytes, "the verifier refuses: %s", refusal->complaint);
}

int verifier__has_instruction(const struct verifier_refusal *refusal)
{
	return refusal->instruction >= 0 && !(refusal->rule && refusal->rule->flags & (VERIFIER_LOOP | VERIFIER_WHOLE | VERIFIER_OLD));
}

void verifier__own_fault(const struct verifier_refusal *refusal, char *out, size_t bytes)
{
	char at[160] = "";

	if (refusal->at_line)
		snprintf(at, sizeof(at), " (%s:%u)", refusal->at_file, refusal->at_line);
	snprintf(out, bytes,
		 "kernel %s refuses code of sPIN's own%s: \"%s\"; this is a fault of sPIN, not of the handler: "
		 "please report it in the project's issue tracker, with what `spincc --verifier-log` prints",
		 kernel_feature__release(), at, refusal->complaint);
}

int spin_verifier__explain(const char *log, const char *handler, char *why, size_t why_bytes)
{
	struct verifier_refusal refusal;
	char reason[700];

	if (!verifier__read(log, &refusal))
		return 0;
	if (refusal.rule && refusal.rule->flags & VERIFIER_OLD) {
		/* whichever handler it is, so it goes without a name */
		verifier__reason(&refusal, why, why_bytes);
		return -ENOSYS;
	}
	if (!verifier__has_instruction(&refusal) || refusal.line) {
		verifier__reason(&refusal, reason, sizeof(reason));
		if (refusal.line)
			snprintf(why, why_bytes, "%s:%u: %s", refusal.file, refusal.line, reason);
		else
			snprintf(why, why_bytes, "%s: %s", handler, reason);
	} else if (refusal.at_line) {
		/* no line of the handler's is on the verifier's way: it stopped before it came to one */
		verifier__own_fault(&refusal, reason, sizeof(reason));
		snprintf(why, why_bytes, "%s: %s", handler, reason);
	} else {
		snprintf(why, why_bytes,
			 "%s: kernel %s refuses it: \"%s\"; compile it on this machine: spincc says whose "
			 "line that is",
			 handler, kernel_feature__release(), refusal.complaint);
	}
	return -EINVAL;
}

int spin_verifier__explain_own(const char *log, const char *what, char *why, size_t why_bytes)
{
	struct verifier_refusal refusal;
	char reason[700];

	if (!verifier__read(log, &refusal))
		return 0;
	if (refusal.rule && refusal.rule->flags & VERIFIER_OLD)
		verifier__reason(&refusal, reason, sizeof(reason));
	else
		verifier__own_fault(&refusal, reason, sizeof(reason));
	snprintf(why, why_bytes, "cannot load %s: %s", what, reason);
	return refusal.rule && refusal.rule->flags & VERIFIER_OLD ? -ENOSYS : -EINVAL;
}

int spin_verifier__is_limit(const char *log)
{
	struct verifier_refusal refusal;

	return verifier__read(log, &refusal) && refusal.rule && refusal.rule->flags & VERIFIER_LIMIT;
}
