/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl dump: prints the host memory of a context (memory that loaded handlers share with their application), in any process, as hex or
 * raw. main.c runs it through dump_command. It only reads: the memory is a BPF map, and handlers may write to it at the same time.
 */
#include <linux/capability.h>

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/lib/atomic_file.h"
#include "kernel/caps.h"
#include "user/spinctl/introspect.h"
#include "user/spinctl/status.h"

#define ROW_BYTES 16

static struct dump_options {
	const char *device, *context, *output;
	unsigned from, length;
} options;

#define FIELD(name) offsetof(struct dump_options, name)

/* clang-format off */
static const struct option_row rows[] = {
	{ "dev", 0, OPTION_STRING, "IF", FIELD(device), "the context is on this interface" },
	{ "context", 0, OPTION_STRING, "NAME", FIELD(context), "the context's name (default: the only one of this network namespace)" },
	{ "from", 0, OPTION_UINT, "BYTE", FIELD(from), "the first byte (default: 0)" },
	{ "length", 0, OPTION_UINT, "BYTES", FIELD(length), "how many (default: 0, to the end)" },
	{ "output", 'o', OPTION_STRING, "FILE", FIELD(output),
	  "the bytes as they are, to a file or - for standard output (default: hex, to standard output)" },
	{ 0 },
};
/* clang-format on */

/* The contexts that match the options. Interface names are those of this network namespace. */
struct search {
	unsigned found;
	uint32_t program_id;
	char names[256]; /* "aggregate on eth0, reduce on eth1" */
};

static void add_context(struct search *s, const struct status_interface *on, const struct status_context *context)
{
	size_t at = strlen(s->names);

	if (s->found && s->program_id == context->program_id)
		return; /* the same context on another interface */
	s->found++;
	s->program_id = context->program_id;
	snprintf(s->names + at, sizeof(s->names) - at, "%s%s on %s", at ? ", " : "", context->name, on->device);
}

static void on_interface(void *arg, const struct status_interface *on)
{
	if (!on->here || (options.device && strcmp(on->device, options.device)))
		return;
	for (unsigned i = 0; i < on->contexts; i++)
		if (!options.context || !strcmp(on->context[i].name, options.context))
			add_context(arg, on, &on->context[i]);
}

static int find(uint32_t *program_id)
{
	struct search s = { 0 };
	int err = status__each(on_interface, &s);

	if (err)
		return report_error("cannot list what is attached: %s", strerror(-err));
	if (!s.found)
		return report_error("no context%s%s%s%s is attached in this network namespace; spinctl status lists all of this machine",
				    options.context ? " " : "", options.context ? options.context : "", options.device ? " on " : "",
				    options.device ? options.device : "");
	if (s.found > 1)
		return report_error("%u contexts are attached: say which with --context or --dev: %s", s.found, s.names);
	*program_id = s.program_id;
	return DONE;
}

/* Maps the host memory of a context's program to *memory and sets *bytes to its size. */
static int open_memory(uint32_t program_id, struct introspect_section *memory, size_t *bytes)
{
	struct introspect_section rodata = { .fd = -1 };
	const struct spin_config *config = NULL;
	uint32_t maps[INTROSPECT_MAPS_MAX];
	int count = introspect__context_maps(program_id, maps);

	*bytes = 0;
	for (int i = 0; i < count; i++)
		if ((memory->mem || introspect_map__open(maps[i], "spin_host", memory)) && !rodata.mem)
			introspect_section__open(maps[i], ".rodata", &rodata);
	if (rodata.mem)
		config = introspect_section__variable(&rodata, "spin_config", ".rodata", sizeof(*config));
	if (config)
		*bytes = config->host_bytes;
	introspect_section__close(&rodata);
	if (count < 0)
		return report_error("the context has ended in the meantime; spinctl status lists those that are there");
	if (!memory->mem || !*bytes || *bytes > memory->bytes)
		return report_error("the context's handlers have no host memory: they take datagrams, and use none");
	return DONE;
}

static void print_row(FILE *to, size_t at, const uint8_t *byte, size_t bytes)
{
	fprintf(to, "%08zx", at);
	for (size_t i = 0; i < ROW_BYTES; i++) {
		fputs(i % 8 ? " " : "  ", to);
		if (i < bytes)
			fprintf(to, "%02x", byte[i]);
		else
			fputs("  ", to);
	}
	fputs("  |", to);
	for (size_t i = 0; i < bytes; i++)
		fputc(isascii(byte[i]) && isprint(byte[i]) ? byte[i] : '.', to);
	fputs("|\n", to);
}

/* Same format as hexdump -C: a run of equal rows is printed as one *, and the last line is the end offset. */
static void print_hex(FILE *to, const uint8_t *memory, size_t from, size_t length)
{
	uint8_t row[ROW_BYTES], last[ROW_BYTES];
	int starred = 0;

	for (size_t at = 0; at < length; at += ROW_BYTES) {
		size_t bytes = length - at < ROW_BYTES ? length - at : ROW_BYTES;

		memcpy(row, memory + from + at, bytes); /* handlers may change it at any time */
		if (at && bytes == ROW_BYTES && !memcmp(row, last, ROW_BYTES)) {
			if (!starred)
				fputs("*\n", to);
			starred = 1;
			continue;
		}
		starred = 0;
		print_row(to, from + at, row, bytes);
		memcpy(last, row, bytes);
	}
	fprintf(to, "%08zx\n", from + length);
}

static int write_file(const uint8_t *memory, size_t bytes)
{
	struct atomic_file file;
	int err = atomic_file__open(&file, options.output, "spindump");

	if (!err && (fwrite(memory, 1, bytes, file.file) != bytes || fflush(file.file)))
		err = errno ? -errno : -EIO;
	if (!err)
		err = atomic_file__publish(&file);
	atomic_file__close(&file);
	return err ? report_error("cannot write %s: %s", options.output, atomic_file__reason(err)) : DONE;
}

static int dump(const struct introspect_section *memory, size_t have)
{
	const uint8_t *mem = (const uint8_t *)memory->mem;
	size_t length = options.length ? options.length : have - options.from;

	if (options.from > have || length > have - options.from)
		return report_error("bytes %u to %zu: the context has %zu bytes of host memory; write a smaller --from or --length",
				    options.from, options.from + length, have);
	if (!options.output)
		print_hex(stdout, mem, options.from, length);
	else if (!strcmp(options.output, "-"))
		fwrite(mem + options.from, 1, length, stdout); /* main() checks ferror() */
	else
		return write_file(mem + options.from, length);
	return DONE;
}

static int run(const char **operands, unsigned count)
{
	struct introspect_section memory = { .fd = -1 };
	uint32_t program_id = 0;
	size_t have = 0;
	int status;

	(void)operands;
	(void)count;
	if (!(kernel_caps__effective() >> CAP_SYS_ADMIN & 1))
		return report_error("dump reads the memory of other processes' contexts, for which the kernel wants CAP_SYS_ADMIN: "
				    "run it as root (sudo)");
	status = find(&program_id);
	if (!status)
		status = open_memory(program_id, &memory, &have);
	if (!status)
		status = dump(&memory, have);
	introspect_section__close(&memory);
	return status;
}

static const struct command_row row = {
	.name = "spinctl dump",
	.summary = "Shows or saves the host memory of a context that runs",
	.options = rows,
	.notes = "Needs root.",
	.about = "Host memory is where messages are put and where handlers write for their application (libspin's "
		 "spin_ctx__host_memory()). It is read as it stands, of whichever process's context, while handlers go on writing: "
		 "what comes together only with a message's event may be half there before.\n"
		 "\n"
		 "A file gets its name when it is whole.",
	.examples =
		(const struct example_row[]){
			{ "spinctl dump --from 4096 --length 64", "64 bytes in hex, of this network namespace's only context." },
			{ "spinctl dump --dev eth0 --context reduce -o - | od -t u4", "All of one context's, as 32-bit numbers." },
			{ 0 },
		},
};

const struct subcommand dump_command = { "dump", &row, run, &options };
