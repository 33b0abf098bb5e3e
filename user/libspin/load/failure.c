/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Turns a failed bpf_object__load() into a message. Checks in this order: shortage of descriptors, memory or permission; a kernel that is
 * too old for the load class; the verifier's log. Called for contexts, the dispatcher and other programs of libspin. If the verifier
 * refuses one of libspin's own programs, the message says that this is a fault of sPIN; for handlers it names the handler's line.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel/features.h"
#include "kernel/probe.h"
#include "kernel/shortage.h"
#include "user/libspin/load/failure.h"
#include "user/libspin/load/verifier.h"

#define SPARE_DESCRIPTORS 8 /* spare descriptors for probes, types and the log */

static unsigned count_descriptors(struct bpf_object *bpf)
{
	struct bpf_program *prog;
	struct bpf_map *map;
	unsigned count = SPARE_DESCRIPTORS;

	bpf_object__for_each_map(map, bpf)
		count++;
	bpf_object__for_each_program(prog, bpf)
		count += bpf_program__autoload(prog);
	return count;
}

int load_failure__shortage(int err, struct bpf_object *bpf, const char *log, char *reason, size_t reason_bytes)
{
	/* with a log these codes may be the verifier's refusal */
	if (*log && (err == -EPERM || err == -EACCES))
		err = 0;
	return kernel_shortage__explain(err, count_descriptors(bpf), reason, reason_bytes);
}

void load_failure__log_lines(const char *log)
{
	while (*log) {
		size_t length = strcspn(log, "\n");

		spin_log("%.*s", (int)length, log);
		log += length + (log[length] == '\n');
	}
}

int load_failure__load_own(struct bpf_object *bpf, const char *log, enum spin_class class, const char *what)
{
	int err = bpf_object__load(bpf);

	return err ? load_failure__explain_own(err, bpf, log, class, what) : 0;
}

int load_failure__of_class(int known, enum spin_class class, const char *log, char *reason, size_t reason_bytes)
{
	size_t length = strlen(reason);

	if (known != -EINVAL || class != SPIN_CLASS_ISOLATED || !spin_verifier__may_be_guess(log) || !kernel_probe__refuses_speculation())
		return known;
	snprintf(reason + length, reason_bytes - length, "; or it is kernel %s: %s; then %suse a newer kernel, or the trusted class",
		 kernel_feature__release(), kernel_feature__speculation(),
		 spin_verifier__is_null(log) ? "test each pointer at once, before the next SPIN_GET, or " : "");
	return -ENOSYS;
}

int load_failure__explain_own(int err, struct bpf_object *bpf, const char *log, enum spin_class class, const char *what)
{
	char reason[SPIN_ERROR_BYTES];
	int known;

	load_failure__log_lines(log);
	known = load_failure__shortage(err, bpf, log, reason, sizeof(reason));
	if (!known)
		known = class__probe(class, reason, sizeof(reason));
	if (known)
		return spin_fail(known, "%s", reason);
	known = spin_verifier__explain_own(log, what, reason, sizeof(reason));
	known = load_failure__of_class(known, class, log, reason, sizeof(reason));
	if (known)
		return spin_fail(known, "%s", reason);
	return spin_fail(err, "the kernel refuses to load %s: %s", what, strerror(-err));
}
