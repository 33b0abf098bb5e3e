/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spincc compiles one handler file to one fat object: eBPF programs for the kernel and an rv32 program for the NIC's processor (HPU).
 * main() parses options and runs the builds and checks. The output appears only if all has succeeded.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/spincc/spincc.h"

#define FIELD(name) offsetof(struct spincc, name)

/* clang-format off */
static const struct option_row options[] = {
	{ "output", 'o', OPTION_STRING, "FILE", FIELD(output), "the result", .required = 1 },
	{ "target", 0, OPTION_STRING, "fat|nfp|rv32|host", FIELD(target),
	  "fat: BPF and rv32 in one object; nfp: the same, and a program for a card with hardware XDP; rv32: the HPU's program "
	  "alone; host: a shared object for tests (default: fat)" },
	{ "api", 0, OPTION_STRING, "spin|pspin", FIELD(api),
	  "what the file is written for: <spin/spin.h>, or PsPIN's own runtime, <handler.h> (default: spin)" },
	{ NULL, 'I', OPTION_WORD, "DIR", FIELD(extra), "a directory for #include" },
	{ NULL, 'D', OPTION_WORD, "NAME[=VALUE]", FIELD(extra), "a macro" },
	{ "hpu-flag", 0, OPTION_LIST, "FLAG", FIELD(hpu_flags),
	  "an option for the HPU's compiler, behind its own (--hpu-flag=-Os)" },
	{ "verify", 0, OPTION_FLAG, NULL, FIELD(verify),
	  "try the kernel's verifier (default: if privileged)" },
	{ "no-verify", 0, OPTION_UNFLAG, NULL, FIELD(verify), "do not" },
	{ "trusted", 0, OPTION_FLAG, NULL, FIELD(trusted),
	  "try it for the trusted class only, not for the isolated one" },
	{ "verifier-log", 0, OPTION_FLAG, NULL, FIELD(verifier_log),
	  "print all that the compilers and the verifier say, too" },
	{ "save-temps", 0, OPTION_FLAG, NULL, FIELD(save_temps), "keep the rv32 program as FILE.elf" },
	{ "verbose", 'v', OPTION_FLAG, NULL, FIELD(verbose), "print the commands run" },
	{ 0 },
};
/* clang-format on */

static const char about[] =
	"The object is a BPF ELF file that bpftool(8) and ip-link(8) take as well. The rv32 program and the "
	"handlers' description stand in sections of their own, and a checksum follows the last section. The "
	"output appears only when all has succeeded.\n\n"
	"The handler file is compiled for PsPIN's HPUs by gcc and for the kernel by clang. Its C is judged once, by clang for "
	"eBPF; what any of the tools then refuses is told in one line, FILE:LINE: what is wrong; what to write instead.\n\n"
	"A handler is what both targets can run: no recursion, no calls through pointers, no floating point, no signed "
	"division, no arrays of variable length, no C library and no variables outside the state and tables (constants are "
	"fine). Loops have a bound, pointers that may be NULL are tested, and all local variables together take at most "
	"about 256 bytes.\n\n"
	"As root the kernel's verifier is asked, too, for both classes that handlers are loaded as: trusted, and isolated, "
	"which is loaded without CAP_PERFMON and may do less. That can take minutes: a terminal shows for how many seconds which "
	"program has been verified, elsewhere a line is printed after 10 s. A signal that ends spincc (Ctrl-C) ends that, too.\n\n"
	"With --target nfp the object has one more program, for a card with hardware XDP: Netronome's, whose driver takes lookups in tables "
	"and counters, and no memory that handlers write. What cannot offload is reported by the handler's line. That a program is accepted "
	"by the driver's verifier and JIT is all that is claimed of it; spin-handler(7), \"What a card takes\", has the rules. \"spinctl run "
	"--mode offload\" loads it.\n\n"
	"With --api pspin the file is one for PsPIN's own runtime: it includes <handler.h> and defines init_handlers(). PsPIN's SDK is "
	"not needed. The output is a program for the HPU alone, which spinctl cost runs on the model; spin-pspin(7) says what "
	"each of PsPIN's calls does there.\n\n"
	"The handler API is described in spin-handler(7).";

static const struct command_row command = {
	.name = "spincc",
	.operands = "HANDLER.c",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Compiles a sPIN handler file into one fat object: eBPF for the kernel, rv32 for a PsPIN HPU",
	.options = options,
	.about = about,
	.examples =
		(const struct example_row[]){
			{ "spincc filtering.c -o filtering.spin", "Build an object, and load it once if privileged." },
			{ "spincc --target rv32 --hpu-flag=-fno-unroll-loops filtering.c -o filtering.elf",
			  "A complete PsPIN program, for the model and for simulators of the card, compiled another way." },
			{ "spincc -v --no-verify --save-temps filtering.c -o quiet.spin",
			  "Show the compilers' command lines, keep the rv32 program, leave the kernel out of it." },
			{ "spincc --target nfp --no-verify filtering.c -o card.spin", "Add the program for a card with hardware XDP." },
			{ "spincc --api pspin counter.c -o counter.spin",
			  "A handler file of PsPIN's runtime, for spinctl cost counter.spin --messages 4." },
			{ 0 },
		},
};

/* Returns a message if an option does not fit --api pspin, or NULL. */
static const char *check_pspin_options(const struct spincc *s)
{
	if (strcmp(s->target, "fat") && strcmp(s->target, "rv32"))
		return "--target host and nfp are for files of <spin/spin.h>: with --api pspin there is only the HPU's program";
	if (s->verify > 0 || s->trusted)
		return "--verify and --trusted are the kernel verifier's: it gets nothing of a file compiled with --api pspin";
	return NULL;
}

static int build(struct spincc *s)
{
	char object[PATH_MAX];
	int err;

	if (!strcmp(s->api, "pspin")) {
		temps__path(s, "object", object);
		return build__pspin(s) || (!strcmp(s->target, "fat") && trailer__append(object)) || temps__publish(s, "object");
	}
	if (!strcmp(s->target, "host"))
		return build__host(s) || temps__publish(s, "object");
	if (!strcmp(s->target, "rv32"))
		return build__rv32(s) || temps__publish(s, "object");
	err = build__fat(s);
	if (err)
		return err;
	temps__path(s, "object", object);
	err = trailer__append(object);
	if (!err && s->verify)
		err = verify__object(s, object);
	return err ? err : temps__publish(s, "object");
}

static int compile(struct spincc *s)
{
	int err = 1;

	signals__watch();
	if (!paths__find(s) && !temps__make(s))
		err = build(s) != 0;
	temps__remove(s);
	return err;
}

static int run(int argc, char **argv, const char **operands, struct spincc *s)
{
	unsigned count;
	int status;

	status = options__begin(&command, argc, argv, s, operands, &count);
	if (status >= 0)
		return status;
	s->handler = operands[0];
	if (!strcmp(s->api, "pspin") && check_pspin_options(s)) {
		fprintf(stderr, "spincc: %s; see spincc --help\n", check_pspin_options(s));
		return 2;
	}
	return compile(s);
}

int main(int argc, char **argv)
{
	struct spincc s = { .target = "fat", .api = "spin", .verify = -1 };
	const char **operands;
	int err;

	operands = calloc((size_t)argc + 1, sizeof(*operands));
	if (!operands)
		return 1;
	err = run(argc, argv, operands, &s);
	options__free_list(&s.extra);
	options__free_list(&s.hpu_flags);
	free(operands);
	if (signals__caught()) {
		signal(signals__caught(), SIG_DFL);
		raise(signals__caught());
	}
	return err;
}
