/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that the message which libspin derives from a verifier log blames the right party: the handler, sPIN's own code, or an old kernel
 * and its missing feature. Uses made-up logs; loads nothing. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "tests/common/expect.h"
#include "user/libspin/internal.h"

#define PARSE                                 \
	"; if (ip + 20 > end) @ parse.h:33\n" \
	"7: (0f) r3 += r4\n"
#define UNBOUNDED "math between pkt pointer and register with unbounded min value is not allowed\nprocessed 9 insns\n"

static void differ(const char *reason, const char *text)
{
	printf("message: %s\n", reason);
	fail(text);
}

static void expect_explained(int err, const char *log, const char *with, const char *without)
{
	char reason[SPIN_ERROR_BYTES] = "";

	expect(err, spin_verifier__explain(log, "x.spin", reason, sizeof(reason)), log);
	if (with && !strstr(reason, with))
		differ(reason, with);
	if (without && strstr(reason, without))
		differ(reason, without);
}

int main(void)
{
	char reason[SPIN_ERROR_BYTES];
	struct utsname kernel;

	uname(&kernel);
	expect_explained(0, "", NULL, NULL);
	/* the verifier has not reached the handler */
	expect_explained(-EINVAL, PARSE UNBOUNDED, "fault of sPIN, not of the handler", "SPIN_GET");
	expect_explained(-EINVAL, PARSE UNBOUNDED, kernel.release, NULL);
	expect_explained(-EINVAL, PARSE UNBOUNDED, "(parse.h:33)", NULL);
	/* the verifier has reached the handler */
	expect_explained(-EINVAL, "; x = *word; @ mine.c:12\n3: (b7) r1 = 0\n" PARSE UNBOUNDED, "mine.c:12: this goes beyond",
			 "fault of sPIN");
	expect_explained(-EINVAL, "; x = *word; @ mine.h:12\n3: (b7) r1 = 0\n" PARSE UNBOUNDED, "mine.h:12: this goes beyond",
			 "fault of sPIN");
	expect_explained(-EINVAL, "; x = *word; @ context.bpf.c:12\n3: (b7) r1 = 0\n" PARSE UNBOUNDED, "fault of sPIN", "mine.c");
	/* unknown: kernels before 6.8 do not print file names */
	expect_explained(-EINVAL, "; if (ip + 20 > end)\n7: (0f) r3 += r4\n" UNBOUNDED, "spincc says whose line", "fault of sPIN");
	/* if the whole program is refused, no instruction is blamed */
	expect_explained(-EINVAL, PARSE "combined stack size of 2 calls is 600. Too large\n", "stack", "fault of sPIN");
	expect_explained(-ENOSYS, "unknown opcode e5\nprocessed 0 insns\n", "too old for this program: it does not know may_goto", "fault");
	expect_explained(-ENOSYS, "unknown opcode e5\nprocessed 0 insns\n", "boot Linux 6.9 or newer", "refuses");
	/* bounded loops are tried only for limits that they may avoid */
	expect(1, spin_verifier__is_limit(PARSE "BPF program is too large. Processed 1000001 insn\n"), "too many steps");
	expect(0, spin_verifier__is_limit(PARSE "the call stack of 9 frames is too deep !\n"), "too many calls");
	expect(0, spin_verifier__is_limit(PARSE UNBOUNDED), "beyond the packet");
	/* refusals that can result from speculative paths, and those that any kernel reports without CAP_PERFMON */
	expect(1, spin_verifier__may_be_guess(PARSE "R1 invalid mem access 'scalar'\n"), "NULL, which a test rules out");
	expect(1, spin_verifier__may_be_guess(PARSE "R4 invalid zero-sized read: u64=[0,4294967295]\n"), "a length, known to be 0");
	expect(1, spin_verifier__may_be_guess(PARSE "BPF program is too large. Processed 1000001 insn\n"), "a loop that is never left");
	expect(0, spin_verifier__may_be_guess(PARSE "R3 pointer comparison prohibited\n"), "pointers that are compared");
	expect(0, spin_verifier__may_be_guess(PARSE "unknown opcode e5\n"), "an old kernel");
	expect(0, spin_verifier__may_be_guess(""), "no log");
	expect(1, spin_verifier__is_null(PARSE "R1 invalid mem access 'scalar'\n"), "NULL is used");
	expect(0, spin_verifier__is_null(PARSE "R4 invalid zero-sized read: u64=[0,4294967295]\n"), "no pointer");
	/* programs that are entirely sPIN's */
	expect(-EINVAL, spin_verifier__explain_own(PARSE UNBOUNDED, "the dispatcher", reason, sizeof(reason)), "the dispatcher");
	if (!strstr(reason, "cannot load the dispatcher") || !strstr(reason, "issue tracker"))
		differ(reason, "the dispatcher, and where to report");
	return 0;
}
