/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Damaged fat objects (.spin files: a BPF object that also carries the RISC-V program) must be refused with a reason and must never crash
 * the reader. Tests every truncation, and flipped bytes: with the old trailer (length and checksum at the end), which detects them, and
 * with a recomputed trailer, where later checks detect them or the object is still valid. Each batch runs in a child process. Run by
 * tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <spin/libspin.h>
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
	unlink(path);
	free(good);
	free(work);
	return failed;
}
