/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests objects of spincc --api pspin (programs for PsPIN's own runtime) that are truncated, changed or handmade. libspin must refuse all
 * of them. The reader of their description or the model must refuse them too, or the program must stay in its own memory. Nothing may
 * crash. Batches run in child processes. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/libspin/object/pspin_object.h"
#include "user/libspin/object/trailer.h"

#include "hwmodel/nic/nic.h"
#include "user/libspin/internal.h"

#define BATCH 150

static uint8_t *good, *work;
static size_t bytes; /* without the trailer */
static size_t description;
static char path[] = "/tmp/spin-pspin-XXXXXX";
static int failures;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	printf("FAIL %s (%s)\n", what, spin_strerror_last());
	failures++;
}

static void die(const char *what)
{
	printf("FAIL %s\n", what);
	exit(1);
}

static void compile(void)
{
	const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
	char line[512];
	struct stat st;
	long elf_bytes;
	FILE *f;

	snprintf(line, sizeof(line), "%s/bin/spincc --api pspin -o %s tests/pspin/flow_counter.c", build, path);
	f = system(line) ? NULL : fopen(path, "rb");
	if (!f || fstat(fileno(f), &st) || !(good = malloc((size_t)st.st_size)) || !(work = malloc((size_t)st.st_size)) ||
	    fread(good, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
		die("no object");
	fclose(f);
	elf_bytes = spin_trailer__check(good, (size_t)st.st_size);
	if (elf_bytes <= 0)
		die("no trailer");
	bytes = (size_t)elf_bytes;
}

/* libspin must refuse it, with and without a recomputed trailer. */
static int is_refused(const uint8_t *data, size_t length)
{
	uint8_t trailer[SPIN_TRAILER_BYTES];
	struct spin_object *object;
	FILE *f = fopen(path, "wb");

	spin_trailer__make(data, length, trailer);
	if (!f || fwrite(data, 1, length, f) != length || fwrite(trailer, 1, sizeof(trailer), f) != sizeof(trailer) || fclose(f))
		die("cannot write");
	if (!spin_object__open(path, &object)) {
		spin_object__close(object);
		return 0;
	}
	return strlen(spin_strerror_last()) > 20;
}

/* Opens it as spinctl cost does. Returns 0 if it opened. */
static int open_and_run(const uint8_t *data, size_t length)
{
	struct pspin_image image = { .elf = data,
				     .elf_bytes = length,
				     .framing = PSPIN_FRAMING_RAW,
				     .bytes_in_l1 = SPIN_WHOLE_PACKET,
				     .scratchpad_bytes = PSPIN_API_SCRATCHPAD_BYTES };
	struct pspin_target target = *pspin_target__find("pspin-rtl");
	struct pspin_offer offer = { .frame = good, .frame_bytes = 64, .end_of_message = 1 };
	struct pspin_api api;
	struct pspin *nic;
	char err[512] = "";
	int rc = pspin_object__read("changed.spin", data, length, &api);

	if (rc)
		return rc;
	target.watchdog_cycles = 20000;
	image.entries_at = api.entries_at;
	rc = pspin__open_image(&nic, &target, &image, err, sizeof(err));
	if (rc)
		return strlen(err) > 10 ? rc : 0;
	pspin__offer(nic, &offer);
	pspin__run(nic, UINT64_MAX);
	pspin__close(nic);
	return 0;
}

static void field(size_t offset, uint32_t value, int want, const char *text)
{
	struct pspin_api api;

	memcpy(work, good, bytes);
	memcpy(work + description + offset, &value, sizeof(value));
	check(pspin_object__read("changed.spin", work, bytes, &api) == want, text);
	check(!want || strstr(spin_strerror_last(), text), text);
	check(is_refused(work, bytes), "libspin opens a changed description");
}

static void descriptions(void)
{
	for (description = 0; description + sizeof(struct pspin_api) <= bytes; description++)
		if (!memcmp(good + description, PSPIN_API_MAGIC, 8))
			break;
	if (description + sizeof(struct pspin_api) > bytes)
		die("there is no description");
	field(0, 0x12345678, -EINVAL, "wrong mark");
	field(8, 2, -EINVAL, "another version");
	field(12, 8, -EINVAL, "is invalid");
	field(16, 0, -EINVAL, "where no handler memory is");
	field(16, 0x1c000001, -EINVAL, "where no handler memory is");
	field(16, 0x1c3ffff4, -EINVAL, "where no handler memory is");
	field(16, 0xfffffff0, -EINVAL, "where no handler memory is");
	field(16, 0x1c3ffff0, 0, "the last place there is"); /* start-up code does not fill it, as the model reports */
	check(open_and_run(work, bytes) == -EINVAL, "handlers where start-up leaves none");
}

static int batch(unsigned first)
{
	static const uint8_t flips[] = { 0x01, 0x80, 0xff };
	const size_t step = bytes / (2 * BATCH) + 1;

	for (unsigned i = first; i < first + BATCH; i++) {
		size_t at = i * step;

		if (at >= bytes)
			break;
		if (!is_refused(good, at)) {
			printf("FAIL cut at %zu: opened by libspin\n", at);
			return 1;
		}
		open_and_run(good, at);
		memcpy(work, good, bytes);
		work[at] ^= flips[i % 3];
		if (!is_refused(work, bytes)) {
			printf("FAIL flipped at %zu: opened by libspin\n", at);
			return 1;
		}
		open_and_run(work, bytes);
	}
	/* the file header and section headers, byte by byte */
	for (unsigned i = 0; i < 52 + 3 * 32 && !first; i++) {
		memcpy(work, good, bytes);
		work[i] ^= 0xff;
		open_and_run(work, bytes);
		memcpy(work, good, bytes);
		work[bytes - 1 - i] ^= 0xff;
		open_and_run(work, bytes);
	}
	return 0;
}

int main(void)
{
	int fd, status;

	if (system("riscv64-unknown-elf-gcc --version >/dev/null 2>&1")) {
		printf("skip: no riscv64-unknown-elf-gcc (package gcc-riscv64-unknown-elf)\n");
		return 77;
	}
	fd = mkstemp(path);
	close(fd);
	compile();
	check(!open_and_run(good, bytes), "the object as it is");
	check(is_refused(good, bytes), "libspin opens the object");
	check(strstr(spin_strerror_last(), "is compiled with --api pspin") != NULL, "libspin says why not");
	descriptions();
	for (unsigned first = 0; first < 2 * BATCH; first += BATCH) {
		pid_t pid = fork();

		if (!pid)
			_exit(batch(first));
		waitpid(pid, &status, 0);
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			printf("FAIL the batch from %u on: status 0x%x\n", first, status);
			failures++;
		}
	}
	unlink(path);
	return failures != 0;
}
