/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that damaged fat objects (.spin files: a BPF object that also carries the RISC-V program) are refused with a reason and never crash
 * the reader. It tries every truncation, and flipped bytes: with the old trailer (length and checksum at the end), which detects them, and
 * with a recomputed trailer, where later checks detect them or the object is still valid. The line information, which is only read for
 * messages, is tested on its own. Each batch runs in a child process. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/btf.h>

#include <spin/libspin.h>
#include "user/libspin/internal.h"
#include "user/libspin/object/line_info.h"
#include "user/libspin/object/trailer.h"

#define BATCH 200

static uint8_t *good, *work;
static size_t good_bytes; /* without the trailer */
static char path[] = "/tmp/spin-object-XXXXXX";

static int read_object(const char *name)
{
	FILE *f = fopen(name, "rb");
	long bytes;

	if (!f)
		return -1;
	fseek(f, 0, SEEK_END);
	bytes = ftell(f);
	rewind(f);
	good = malloc((size_t)bytes);
	work = malloc((size_t)bytes + SPIN_TRAILER_BYTES);
	if (!good || !work || fread(good, 1, (size_t)bytes, f) != (size_t)bytes) {
		fclose(f);
		return -1;
	}
	fclose(f);
	bytes = spin_trailer__check(good, (size_t)bytes);
	good_bytes = bytes > 0 ? (size_t)bytes : 0;
	return bytes > 0 ? 0 : -1;
}

static int write_object(const uint8_t *data, size_t bytes)
{
	FILE *f = fopen(path, "wb");

	if (!f || (bytes && fwrite(data, 1, bytes, f) != bytes)) {
		if (f)
			fclose(f);
		return -1;
	}
	return fclose(f);
}

/* Returns 1 if the object was refused with a reason, 0 if it opened. */
static int is_refused(const uint8_t *data, size_t bytes)
{
	struct spin_object *object;

	if (write_object(data, bytes)) {
		puts("cannot write the damaged object");
		exit(1);
	}
	if (!spin_object__open(path, &object)) {
		size_t image;

		spin_object__image(object, &image);
		spin_object__close(object);
		return 0;
	}
	return strlen(spin_strerror_last()) > 20;
}

static int truncated(unsigned first)
{
	for (unsigned i = first; i < first + BATCH; i++) {
		size_t bytes = (size_t)i * 64;

		if (bytes < good_bytes + SPIN_TRAILER_BYTES && !is_refused(good, bytes)) {
			printf("truncated at %zu: opened\n", bytes);
			return 1;
		}
	}
	return 0;
}

static int change_bytes(unsigned first)
{
	size_t bytes = good_bytes + SPIN_TRAILER_BYTES;

	srandom(first);
	for (unsigned i = 0; i < BATCH; i++) {
		size_t at = (size_t)random() % bytes;

		memcpy(work, good, bytes);
		work[at] ^= (uint8_t)(1 + random() % 255);
		if (!is_refused(work, bytes)) {
			printf("byte %zu flipped: opened\n", at);
			return 1;
		}
	}
	return 0;
}

/* Damage to headers and tables matters most, so half of it is in the first and last parts. */
static int with_new_trailer(unsigned first)
{
	srandom(first);
	for (unsigned i = 0; i < BATCH; i++) {
		unsigned count = 1 + (unsigned)random() % 4;
		size_t bytes = good_bytes;

		memcpy(work, good, good_bytes);
		if (random() % 8 == 0)
			bytes = (size_t)random() % good_bytes;
		for (unsigned c = 0; c < count && bytes > 4096; c++) {
			size_t at = random() & 1   ? (size_t)random() % bytes
				    : random() & 1 ? (size_t)random() % 64
						   : bytes - 1 - (size_t)random() % 4096;

			work[at] = (uint8_t)random();
		}
		spin_trailer__make(work, bytes, work + bytes);
		is_refused(work, bytes + SPIN_TRAILER_BYTES);
	}
	return 0;
}

/* A section at the end of a mapping, before a page without access: reading beyond the section crashes. */
struct guarded {
	const uint8_t *good;
	uint8_t *end;
	size_t bytes;
};

static int guard_bytes(struct guarded *section)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), mapped = (section->bytes + page - 1) / page * page;

	section->end = mmap(NULL, mapped + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (section->end == MAP_FAILED || mprotect(section->end + mapped, page, PROT_NONE))
		return -1;
	section->end += mapped;
	return 0;
}

static int guard_section(const char *name, struct guarded *out)
{
	size_t offset;

	if (spin_elf__section(good, good_bytes, name, &offset, &out->bytes) || !out->bytes)
		return -1;
	out->good = good + offset;
	return guard_bytes(out);
}

/* Copies the first bytes of the section in front of the page, with up to 3 words of them changed; half of them in the headers. */
static const uint8_t *damage(const struct guarded *section, size_t bytes, unsigned changes)
{
	const uint32_t edges[] = { 0, 1, 4, 15, 17, 0x7fffffff, 0xfffffff0, 0xffffffff, (uint32_t)section->bytes, (uint32_t)random() };
	uint8_t *at = section->end - bytes;

	memcpy(at, section->good, bytes);
	for (; changes && bytes >= 64; changes--)
		memcpy(at + (size_t)random() % (random() & 1 ? 16 : bytes / 4) * 4, &edges[(size_t)random() % 10], 4);
	return at;
}

/* Returns 1 if the text is not one that a line has, or none. A function after all records must have none, not that of another function. */
static int find_line(const struct line_info *info, int must_be_found)
{
	char text[128];
	int found = line_info__find(info, "xdp", 1u << 24, 1u << 24, text, sizeof(text));

	if (must_be_found && found) {
		printf("a line of another function: %s\n", text);
		return 1;
	}
	found = line_info__find(info, "xdp", 0, 800, text, sizeof(text));
	if (found == !strchr(text, ':') || strlen(text) >= sizeof(text) - 1 || (must_be_found && !found)) {
		printf("found %d: %s\n", found, text);
		return 1;
	}
	return 0;
}

static int damaged_lines(unsigned first)
{
	struct guarded btf, ext;
	struct line_info info;

	srandom(first);
	if (guard_section(".BTF", &btf) || guard_section(".BTF.ext", &ext)) {
		puts("the object has no line information");
		return 1;
	}
	info = (struct line_info){ damage(&btf, btf.bytes, 0), damage(&ext, ext.bytes, 0), btf.bytes, ext.bytes };
	if (find_line(&info, 1))
		return 1;
	for (unsigned i = 0; i < 10 * BATCH; i++) {
		const int kind = (int)random() % 3; /* cut, changed, or both */

		info.btf_bytes = kind != 1 && random() & 1 ? (size_t)random() % (btf.bytes + 1) : btf.bytes;
		info.ext_bytes = kind != 1 ? (size_t)random() % (random() & 1 ? 256 : ext.bytes + 1) : ext.bytes;
		info.btf = damage(&btf, info.btf_bytes, kind ? (unsigned)random() % 2 : 0);
		info.ext = damage(&ext, info.ext_bytes, kind ? 1 + (unsigned)random() % 3 : 0);
		if (find_line(&info, 0))
			return 1;
	}
	return 0;
}

/* The name of the source file is the last string, and has no end. */
static int endless_name(unsigned first)
{
	static const struct {
		struct btf_header header;
		char strings[8];
	} btf = { { .magic = BTF_MAGIC, .hdr_len = sizeof(struct btf_header), .str_len = sizeof(btf.strings) }, "\0xdp\0a.c" };
	static const uint32_t ext[] = { BTF_MAGIC, 24, 0, 0, 0, 32, 16, 1, 1, 0, 5, 0, 7 << 10, 0 };
	struct guarded section = { .good = (const uint8_t *)&btf, .bytes = sizeof(btf) };
	struct line_info info = { .btf_bytes = sizeof(btf), .ext = (const uint8_t *)ext, .ext_bytes = sizeof(ext) };
	char text[128];

	if (guard_bytes(&section))
		return 1;
	info.btf = damage(&section, sizeof(btf), 0);
	if (line_info__find(&info, "xdp", 0, 0, text, sizeof(text))) {
		printf("a name without an end: %s\n", text);
		return 1;
	}
	section.end[-1] = '\0';
	if (line_info__find(&info, "xdp", 0, 0, text, sizeof(text)) && !strcmp(text, "a.:7"))
		return 0;
	printf("%u: no line of a name with an end\n", first);
	return 1;
}

static int batch(const char *what, int (*run)(unsigned first), unsigned first)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		status = run(first);
		fflush(stdout);
		_exit(status);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 1;
	if (WIFSIGNALED(status))
		printf("%s, batch %u: crashed with signal %d\n", what, first, WTERMSIG(status));
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

int main(void)
{
	const char *build = getenv("BUILD");
	char name[4096];
	int fd = mkstemp(path), failed = 0;

	if (fd < 0)
		return 1;
	close(fd);
	snprintf(name, sizeof(name), "%s/handlers/filtering.spin", build ? build : "build");
	if (read_object(name)) {
		printf("cannot read %s: run make first\n", name);
		failed = 1;
	}
	for (unsigned i = 0; !failed && i * 64 < good_bytes; i += BATCH)
		failed |= batch("truncated", truncated, i);
	for (unsigned i = 0; !failed && i < 5; i++)
		failed |= batch("flipped", change_bytes, i + 1);
	for (unsigned i = 0; !failed && i < 25; i++)
		failed |= batch("with a new trailer", with_new_trailer, i + 1);
	for (unsigned i = 0; !failed && i < 5; i++)
		failed |= batch("line information", damaged_lines, i + 1);
	failed |= batch("a name without an end", endless_name, 1);
	unlink(path);
	free(good);
	free(work);
	return failed;
}
