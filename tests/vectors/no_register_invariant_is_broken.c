/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The verifier's own bounds of a register never contradict each other in a program of ours: where they do the kernel
 * warns (REG INVARIANTS VIOLATION), and forgets what it knew. Every program of every handler, of both variants and both
 * classes, the dispatcher, what spinctl has inside, and the BPF programs of tests are loaded with
 * BPF_F_TEST_REG_INVARIANTS, which makes that an error. Run as root: [NAME...] of handlers.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/common/built.h"
#include <spin/libspin.h>

#define TEST_REG_INVARIANTS (1u << 7) /* BPF_F_TEST_REG_INVARIANTS, Linux 6.8 */
#define WORKERS             2

static int bounded, trusted, broken;

/* In place of libbpf's and the probe's (see the Makefile). */
int __real_bpf_object__load(struct bpf_object *object);
int __wrap_bpf_object__load(struct bpf_object *object);
int __real_kernel_probe__may_goto(void);
int __wrap_kernel_probe__may_goto(void);

int __wrap_kernel_probe__may_goto(void)
{
	return bounded ? 0 : __real_kernel_probe__may_goto();
}

int __wrap_bpf_object__load(struct bpf_object *object)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, object) {
		if (trusted) /* also those that this handler, or this machine, has no use for */
			bpf_program__set_autoload(prog, true);
		bpf_program__set_flags(prog, bpf_program__flags(prog) | TEST_REG_INVARIANTS);
	}
	return __real_bpf_object__load(object);
}

static void take_line(void *arg, const char *line)
{
	static char before[3][256]; /* the lines that lead there */
	static unsigned lines;

	(void)arg;
	if (strstr(line, "REG INVARIANTS VIOLATION")) {
		broken = 1;
		for (unsigned i = 0; i < 3; i++)
			printf("  %s\n", before[(lines + i) % 3]);
		printf("  %.300s\n", line);
	}
	snprintf(before[lines++ % 3], sizeof(before[0]), "%s", line);
}

static int kernel_has_flag(void)
{
	const struct bpf_insn insns[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = TEST_REG_INVARIANTS);
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "invariants", "GPL", insns, 2, &opts);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* 1: a register's bounds contradicted each other. What does not load for another reason has tests of its own. */
static int try_one(const struct spin_object *object, enum spin_class class, int with_bounded)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;

	bounded = with_bounded;
	trusted = class == SPIN_CLASS_TRUSTED;
	broken = 0;
	if (spin_rule__parse("udp", &rule))
		return 1;
	(void)spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx);
	spin_ctx__destroy(ctx);
	if (broken)
		printf("%s, %s%s: a register's bounds contradict each other\n", spin_object__meta(object)->name, spin_class_name(class),
		       with_bounded ? ", with bounded loops" : "");
	return broken;
}

static int try_object(const char *path)
{
	struct spin_object *object;
	int failed;

	if (spin_object__open(path, &object)) {
		printf("%s\n", spin_strerror_last());
		return 1;
	}
	failed = try_one(object, SPIN_CLASS_TRUSTED, 0) | try_one(object, SPIN_CLASS_TRUSTED, 1);
	if (spin_object__meta(object)->registration.delivery != SPIN_DELIVER_ME)
		failed |= try_one(object, SPIN_CLASS_ISOLATED, 0) | try_one(object, SPIN_CLASS_ISOLATED, 1);
	spin_object__close(object);
	fflush(stdout);
	return failed;
}

/* A BPF file that is not a handler's. It has to load: nothing else shows that its programs were looked at. */
static int try_plain(const char *path)
{
	struct bpf_object *bpf = bpf_object__open_file(path, NULL);
	int err;

	trusted = 1;
	broken = 0;
	err = bpf ? bpf_object__load(bpf) : -errno;
	bpf_object__close(bpf);
	if (broken || err)
		printf("%s: %s\n", path, broken ? "a register's bounds contradict each other" : strerror(-err));
	fflush(stdout);
	return broken || err;
}

static int ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), bytes = strlen(end);

	return length > bytes && !strcmp(name + length - bytes, end);
}

static int is_object(const struct dirent *entry)
{
	return ends_with(entry->d_name, ".spin") || ends_with(entry->d_name, ".bpf.o");
}

/* Every WORKERS-th object, from number `first` on. */
static int try_directory(const char *directory, int first)
{
	struct dirent **list;
	int count = scandir(directory, &list, is_object, alphasort), failed = count <= 0;
	char path[1024];

	if (failed)
		printf("%s has no objects: run make first\n", directory);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, list[i]->d_name);
		if (i % WORKERS == first)
			failed |= ends_with(path, ".spin") ? try_object(path) : try_plain(path);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	return failed;
}

static int try_all(int first)
{
	static const char *const directories[] = {
		"handlers", "trial", "bpf", "tests/handlers", "tests/loops", "tests/bench", "tests/bench/baselines", "tests/demo",
	};
	char directory[512];
	int failed = 0;

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		snprintf(directory, sizeof(directory), "%s/%s", built_dir(), directories[i]);
		failed |= try_directory(directory, first);
	}
	fflush(stdout);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0, status;
	char path[512];

	if (geteuid() || !kernel_has_flag()) {
		puts(geteuid() ? "skip: loading programs needs root"
			       : "skip: this kernel does not know BPF_F_TEST_REG_INVARIANTS, which is there from Linux 6.8 on");
		return 77;
	}
	spin_set_log(take_line, NULL);
	for (int i = 1; i < argc; i++)
		failed |= built_object(argv[i], path, sizeof(path)) || try_object(path);
	if (argc > 1)
		return failed;
	for (int i = 0; i < WORKERS; i++)
		if (!fork())
			_exit(try_all(i));
	while (wait(&status) > 0)
		failed |= !WIFEXITED(status) || WEXITSTATUS(status);
	return failed;
}
