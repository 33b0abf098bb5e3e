/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * hpu-run: runs one bare program (without an operating system) on one HPU core with ideal memory, and prints its cycles. An installed tool
 * (hpu-run(1)), also run by tests/core/. This file has the command line and the output; the machine is in machine.c.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hwmodel/run/machine.h"

struct options {
	struct machine_options machine;
	const char *path, *from, *to;
	bool json, profile;
};

static void usage(FILE *to)
{
	fputs("usage: hpu-run [OPTION]... PROGRAM\n"
	      "Runs a bare rv32 ELF on one HPU core (RI5CY) with memory that answers in one cycle.\n"
	      "\n"
	      "  --from PLACE       measure from where execution first reaches PLACE (default: the entry)\n"
	      "  --to PLACE         and stop measuring where it then first reaches PLACE (default: the end)\n"
	      "                     PLACE is a symbol, symbol+OFFSET or a number\n"
	      "  --max-cycles N     give up after N cycles (default 100000000000)\n"
	      "  --memory-mib N     size of the heap that brk hands out, in MiB (default 16)\n"
	      "  --profile          list the instructions that cost most of what is measured, by cause\n"
	      "  --json             print one JSON object\n"
	      "  --quiet            the program's own output is dropped\n"
	      "  -h, --help         this text\n"
	      "\n"
	      "The program may lie anywhere: all 4 GiB of addresses are memory, zero until written. It starts at its\n"
	      "entry in machine mode with all registers 0 but ra and sp; sp points below 0xc0000000 at an argc of 0 and\n"
	      "empty argv, envp and auxv. It ends with: ecall, a7 = 93 or 94 (exit code a0); ebreak; wfi; a jump to\n"
	      "itself; a store to the symbol tohost (as riscv-tests do); a return to the start value of ra, or to 0.\n"
	      "An ecall with a7 = 64 writes to stdout or stderr, 214 is brk, 57 close, 62 lseek, 63 read (end of file),\n"
	      "80 fstat (fails); any other is an error, and so is a trap while mtvec is 0.\n"
	      "Exit status: 0 the program ended, whatever its own exit code; 1 it failed; 2 bad usage.\n",
	      to);
}

static void print_causes(const struct machine_result *r)
{
	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++) {
		if (r->stats.cycles[c])
			printf("  %-12s %14" PRIu64 "  %5.1f %%  %s\n", rv32_cause_name(c), r->stats.cycles[c],
			       100.0 * (double)r->stats.cycles[c] / (double)r->stats.cycle, rv32_cause_text(c));
	}
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static void print_text(const struct machine_result *r)
{
	printf("end           %s", r->end);
	if (r->has_exit_code)
		printf(", exit code %" PRId32, r->exit_code);
	printf("\ncycles        %14" PRIu64 "\ninstructions  %14" PRIu64 "\nIPC           %14.3f\n", r->stats.cycle, r->stats.instructions,
	       ratio((double)r->stats.instructions, (double)r->stats.cycle));
	printf("cycles by cause:\n");
	print_causes(r);
	printf("simulated     %14.1f MIPS, %.3f s\n", ratio((double)r->total_instructions, r->wall_s * 1e6), r->wall_s);
}

static void print_json(const struct options *o, const struct machine_result *r)
{
	const char *base = strrchr(o->path, '/');

	printf("{\"program\":\"");
	for (const char *p = base ? base + 1 : o->path; *p; p++) {
		if (*p == '"' || *p == '\\')
			printf("\\%c", *p);
		else if ((unsigned char)*p < ' ')
			printf("\\u%04x", (unsigned char)*p);
		else
			putchar(*p);
	}
	printf("\",\"ok\":%s,\"end\":\"%s\"", r->ok ? "true" : "false", r->end);
	if (r->has_exit_code)
		printf(",\"exit_code\":%" PRId32, r->exit_code);
	printf(",\"cycles\":%" PRIu64 ",\"instructions\":%" PRIu64 ",\"ipc\":%.4f,\"cycles_by_cause\":{", r->stats.cycle,
	       r->stats.instructions, ratio((double)r->stats.instructions, (double)r->stats.cycle));
	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
		printf("%s\"%s\":%" PRIu64, c ? "," : "", rv32_cause_name(c), r->stats.cycles[c]);
	printf("},\"total_instructions\":%" PRIu64 ",\"simulated_mips\":%.1f,\"wall_s\":%.6f}\n", r->total_instructions,
	       ratio((double)r->total_instructions, r->wall_s * 1e6), r->wall_s);
}

static void print_profile(const struct machine *m)
{
	struct machine_hot hot[32];
	unsigned n = machine__hot(m, hot, sizeof(hot) / sizeof(hot[0]));

	printf("hot instructions:\n  %-10s %14s %14s %6s  %-26s %s\n", "pc", "cycles", "instructions", "CPI", "where", "beyond one cycle");
	for (unsigned i = 0; i < n; i++) {
		uint32_t start = 0;
		const char *name = machine__symbol_at(m, hot[i].pc, &start);
		char where[64];

		if (name)
			snprintf(where, sizeof(where), "%.40s+0x%" PRIx32, name, hot[i].pc - start);
		else
			snprintf(where, sizeof(where), "?");
		printf("  0x%08" PRIx32 " %14" PRIu64 " %14" PRIu64 " %6.2f  %-26s", hot[i].pc, hot[i].cycles, hot[i].instructions,
		       ratio((double)hot[i].cycles, (double)hot[i].instructions), where);
		for (unsigned c = 1; c < RV32_CAUSE_COUNT; c++) {
			if (hot[i].by_cause[c])
				printf(" %s=%" PRIu64, rv32_cause_name(c), hot[i].by_cause[c]);
		}
		putchar('\n');
	}
}

static bool parse_count(const char *text, uint64_t max, uint64_t *out)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || v == 0 || v > max)
		return false;
	*out = v;
	return true;
}

/* Returns 0, or a value to end with: exit status 2, or -1 after --help. */
static int parse(struct options *o, int argc, char **argv)
{
	enum { FROM = 256, TO, MAX_CYCLES, MEMORY, PROFILE, JSON, QUIET };
	static const struct option longs[] = {
		{ "from", required_argument, NULL, FROM },
		{ "to", required_argument, NULL, TO },
		{ "max-cycles", required_argument, NULL, MAX_CYCLES },
		{ "memory-mib", required_argument, NULL, MEMORY },
		{ "profile", no_argument, NULL, PROFILE },
		{ "json", no_argument, NULL, JSON },
		{ "quiet", no_argument, NULL, QUIET },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t mib;
	int c;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (c) {
		case FROM:
			o->from = optarg;
			break;
		case TO:
			o->to = optarg;
			break;
		case MAX_CYCLES:
			if (!parse_count(optarg, UINT64_MAX / 2, &o->machine.max_cycles)) {
				fprintf(stderr, "hpu-run: --max-cycles wants a number above 0, not '%s'\n", optarg);
				return 2;
			}
			break;
		case MEMORY:
			if (!parse_count(optarg, 512, &mib)) {
				fprintf(stderr, "hpu-run: --memory-mib wants 1 to 512, not '%s'\n", optarg);
				return 2;
			}
			o->machine.memory_mib = (unsigned)mib;
			break;
		case PROFILE:
			o->profile = o->machine.profile = true;
			break;
		case JSON:
			o->json = true;
			break;
		case QUIET:
			o->machine.quiet = true;
			break;
		case 'h':
			usage(stdout);
			return -1;
		default:
			fputs("hpu-run: see hpu-run --help\n", stderr);
			return 2;
		}
	}
	if (argc - optind != 1) {
		fputs("hpu-run: one PROGRAM is needed; see hpu-run --help\n", stderr);
		return 2;
	}
	o->path = argv[optind];
	return 0;
}

/* Returns the exit status after output. The errno of an earlier failed write is lost; writing one more byte reproduces it. */
static int written(void)
{
	const char *reason;

	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	reason = write(STDOUT_FILENO, "\n", 1) < 0 ? strerror(errno) : NULL;
	fprintf(stderr, "hpu-run: cannot write the output%s%s\n", reason ? ": " : "", reason ? reason : "");
	return 1;
}

int main(int argc, char **argv)
{
	struct options o = { .machine = { .max_cycles = UINT64_C(100000000000), .memory_mib = 16 } };
	struct machine_result result;
	struct machine *machine;
	char err[256];
	int status = parse(&o, argc, argv);

	if (status)
		return status < 0 ? written() : status;
	/* with --json stdout has only the report */
	o.machine.output_to_stderr = o.json;
	machine = machine__open(o.path, &o.machine, err, sizeof(err));
	if (!machine) {
		fprintf(stderr, "hpu-run: %s: %s\n", o.path, err);
		return 1;
	}
	if ((o.from && !machine__place(machine, o.from, &o.machine.from)) || (o.to && !machine__place(machine, o.to, &o.machine.to))) {
		fprintf(stderr, "hpu-run: %s: no such symbol or address for --from or --to; nm lists its symbols\n", o.path);
		machine__close(machine);
		return 2;
	}
	machine__run(machine, o.from ? &o.machine.from : NULL, o.to ? &o.machine.to : NULL, &result);
	fflush(stdout);
	if (!result.ok)
		fprintf(stderr, "hpu-run: %s: %s\n", o.path, result.error);
	if (o.json)
		print_json(&o, &result);
	else
		print_text(&result);
	if (o.profile && !o.json)
		print_profile(machine);
	machine__close(machine);
	return written() || !result.ok;
}
