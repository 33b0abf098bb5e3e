/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that an isolated handler (of an untrusted user) ends in bounded time for each packet, however it loops. libspin ensures it with a
 * counter of work in a stack slot, which it inserts into every loop. The loops here do without the API's budget of steps, which spincc
 * would insist on, and use the kernel's own instruction for loops (may_goto). Each must be aborted (spin_ctx__run() returns -ETIME) within
 * half a second. A program that writes to the counter's slot, or could, must be refused. Loaded as trusted, without the counter, the same
 * loops must be ended by the kernel after a quarter of a second. Needs root. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/common/expect.h"
#include "tests/common/net/slow.h"
#include "kernel/probe.h"
#include <spin/libspin.h>

/* may_goto: the kernel ends `while (ROUNDS)` after 2^23 rounds, or after a quarter of a second. */
static const char before[] = "#include <spin/spin.h>\n"
			     "#include \"tests/handlers/streams/endless_rounds.h\"\n"
			     "struct state { uint32_t n; uint64_t a[512]; };\n"
			     "SPIN_STATE(struct state);\n"
			     "#define ROUNDS ENDLESS_ROUNDS\n"
			     "#if defined(__bpf__) && !defined(SPIN_BOUNDED_LOOPS)\n"
			     "#define ASM(text, ...) __asm__ volatile(text __VA_ARGS__)\n"
			     "#else\n"
			     "#define ASM(text, ...)\n"
			     "#endif\n"
			     /* 4,000 jumps, each to the one before; the first leads to after them. They are entered at the last one. */
			     "#define CHAIN \".byte 5, 0; .short 4000; .long 0; .rept 4000; .byte 5, 0; .short -2; .long 0; .endr;\"\n"
			     "#define X(statement) statement statement statement statement\n"
			     "static enum spin_payload_rc loops_payload(struct spin_payload *p, struct state *s)\n"
			     "{\n"
			     "";
static const char after[] = "\n\treturn SPIN_SUCCESS;\n"
			    "}\n"
			    "SPIN_HANDLERS(loops, .payload = loops_payload%s);\n";

static const struct loop {
	const char *what, *statement, *registration;
	const char *refused; /* NULL: it is loaded, and aborted when it runs */
} loops[] = {
	{ "endless", "while (ROUNDS) s->n++;", "" },
	{ "endless, touching nothing", "while (ROUNDS) ASM(\"\");", "" },
	{ "two nested", "while (ROUNDS) { while (ROUNDS) s->n++; }", "" },
	{ "three nested", "while (ROUNDS) { while (ROUNDS) { while (ROUNDS) s->n++; } }", "" },
	{ "of long rounds", "while (ROUNDS) { X(X(X(X(*(volatile uint32_t *)&s->n += 1;)))) }", "" },
	{ "with a small budget that it does not ask for", "while (ROUNDS) s->n++;", ", .budget = 100" },
	{ "at the counter's place", "ASM(\"*(u64 *)(r10 - 504) = %0\" :: \"r\"(0ull) : \"memory\"); while (ROUNDS) s->n++;", "",
	  "it uses all of its stack" },
	{ "at the counter's place, by a pointer",
	  "ASM(\"r1 = r10; r1 += -512; *(u32 *)(r1 + 4) = %0\" :: \"r\"(0) : \"r1\", \"memory\"); while (ROUNDS) s->n++;", "",
	  "it uses all of its stack" },
	{ "at the counter's place, by a pointer that it has kept",
	  "ASM(\"r1 = r10; r1 += -8; *(u64 *)(r10 - 16) = r1; r1 = *(u64 *)(r10 - 16); r1 += -500; *(u32 *)(r1 + 0) = %0\" "
	  ":: \"r\"(0) : \"r1\", \"memory\"); while (ROUNDS) s->n++;",
	  "", "it uses all of its stack" },
	{ "at a place that is computed",
	  "ASM(\"r1 = -400; r2 = r10; r2 += r1; *(u32 *)(r2 + 0) = %0\" :: \"r\"(0) : \"r1\", \"r2\", \"memory\"); "
	  "while (ROUNDS) s->n++;",
	  "", "it adds what is not a constant to a pointer to its stack" },
	{ "with a pointer that goes down",
	  "ASM(\"r1 = r10; r1 += -8\" ::: \"r1\"); while (ROUNDS) ASM(\"r1 += -8; *(u32 *)(r1 + 0) = r1\" ::: \"r1\", \"memory\");", "",
	  "it moves a pointer beyond its stack" },
	{ "with an atomic operation, which may load a pointer to its stack",
	  "ASM(\"r1 = 0; *(u64 *)(r10 - 8) = r1; lock *(u64 *)(r10 - 8) += r1\" ::: \"r1\", \"memory\"); while (ROUNDS) s->n++;", "",
	  "it has an atomic operation on its stack" },
	{ "with a jump outside of it that is never reached",
	  "ASM(\".byte 5, 0; .short 1; .long 0; .byte 5, 0; .short -30000; .long 0\"); while (ROUNDS) s->n++;", "",
	  "it jumps outside of itself" },
	{ "with jumps that go back one after the other", "ASM(\".byte 5, 0; .short 4000; .long 0;\" CHAIN); while (ROUNDS) s->n++;", "",
	  "its jumps take too long to follow" },
	{ "with such jumps that are never reached", "ASM(\".byte 5, 0; .short 4001; .long 0;\" CHAIN); while (ROUNDS) s->n++;", "",
	  "its jumps take too long to follow" },
	{ "with such jumps between two uses of its stack",
	  "ASM(\"r1 = 0; *(u64 *)(r10 - 8) = r1; .byte 5, 0; .short 4000; .long 0;\" CHAIN \"r1 = *(u64 *)(r10 - 8)\" ::: \"r1\", \"memory\"); "
	  "while (ROUNDS) s->n++;",
	  "", "its jumps take too long to follow" },
};

/* UDP over IPv4, four bytes of payload, no checksum */
static uint8_t frame[64] = {
	[12] = 8, [14] = 0x45, [17] = 32, [22] = 64, [23] = 17, [24] = 0x66, [25] = 0xce, [26] = 10, [30] = 10, [39] = 12
};
static char directory[] = "/tmp/spin-loops-XXXXXX", source[64], object[64];

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int compile(const struct loop *loop)
{
	const char *build = getenv("BUILD");
	FILE *f = fopen(source, "w");
	char command[512];

	if (!f)
		return -1;
	fputs(before, f);
	fputs(loop->statement, f);
	fprintf(f, after, loop->registration);
	if (fclose(f))
		return -1;
	snprintf(command, sizeof(command), "%s/bin/spincc --no-verify %s -o %s", build ? build : "build", source, object);
	return system(command);
}

static int try_loop(const struct loop *loop)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = SPIN_CLASS_ISOLATED };
	struct spin_object *opened = NULL;
	struct spin_run_result result;
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;
	double start, took;
	int err, failed = 1;

	if (compile(loop) || spin_object__open(object, &opened) || spin_rule__parse("udp", &rule)) {
		printf("%s: it cannot be made: %s\n", loop->what, spin_strerror_last());
		return 1;
	}
	err = spin_ctx__create_opts(NULL, opened, &rule, &opts, &ctx);
	if (loop->refused) {
		failed = err != -EINVAL || !strstr(spin_strerror_last(), loop->refused);
		if (failed)
			printf("%s: %s\n", loop->what, err ? spin_strerror_last() : "it was loaded");
	} else if (err) {
		printf("%s: it was not loaded: %s\n", loop->what, spin_strerror_last());
	} else {
		start = now_s();
		err = spin_ctx__run(ctx, frame, 46, 1, NULL, 0, &result);
		took = now_s() - start;
		/* a limit of 2^27 units is 40 ms of instructions, and most instructions take less time than they are charged */
		failed = err != -ETIME || took > 0.5 * slow_factor();
		if (failed)
			printf("%s: took %.3f s and ended with %d: %s\n", loop->what, took, err, err ? spin_strerror_last() : "no error");
		else
			printf("%s: given up after %.1f ms\n", loop->what, took * 1e3);
	}
	spin_ctx__destroy(ctx);
	spin_object__close(opened);
	return failed;
}

/* Linux ends may_goto loops of a program after 250 ms, checked every 65,535 rounds. Before 6.15 it ends them after 2^23 rounds. */
static int try_trusted(const struct loop *loop)
{
	struct spin_object *opened = NULL;
	struct spin_run_result result;
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;
	double start, took;
	int err, failed;

	if (compile(loop) || spin_object__open(object, &opened) || spin_rule__parse("udp", &rule) ||
	    spin_ctx__create(NULL, opened, &rule, &ctx)) {
		printf("%s, trusted: it cannot be made: %s\n", loop->what, spin_strerror_last());
		return 1;
	}
	start = now_s();
	err = spin_ctx__run(ctx, frame, 46, 1, NULL, 0, &result);
	took = now_s() - start;
	failed = err || took > 1.0 * slow_factor();
	printf("%s, trusted: ended after %.1f ms%s%s\n", loop->what, took * 1e3, err ? ": " : "", err ? spin_strerror_last() : "");
	spin_ctx__destroy(ctx);
	spin_object__close(opened);
	return failed;
}

int main(void)
{
	char reason[256];
	int failed = 0;

	if (geteuid()) {
		puts("skip: loading programs needs root");
		return 77;
	}
	if (!kernel_probe__may_goto()) {
		puts("skip: this kernel has no may_goto: its verifier follows every loop to its end");
		return 77;
	}
	if (kernel_probe__xdp_isolated(reason, sizeof(reason))) {
		printf("skip: %s\n", reason);
		return 77;
	}
	if (!mkdtemp(directory))
		return 1;
	snprintf(source, sizeof(source), "%s/loops.c", directory);
	snprintf(object, sizeof(object), "%s/loops.spin", directory);
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		failed |= try_loop(&loops[i]) | (loops[i].refused ? 0 : try_trusted(&loops[i]));
	unlink(source);
	unlink(object);
	rmdir(directory);
	return failed;
}
