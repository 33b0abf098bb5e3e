/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loads BPF programs with BPF_F_TEST_REG_INVARIANTS: the kernel then refuses a program for which the verifier's bounds of a register
 * contradict each other (reg_invariants.h). Called by tests/vectors/run.c. Its own loads count as well: a program that a vector has loaded
 * with the flag is not loaded again.
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

#include "kernel/probe.h"
#include "tests/common/built.h"
#include "tests/common/loads/reg_invariants.h"
#include "user/libspin/internal.h"
#include <spin/libspin.h>

#define TEST_REG_INVARIANTS (1u << 7) /* BPF_F_TEST_REG_INVARIANTS, Linux 6.8 */
#define WORKERS             2
#define SEEN_MAX            8192

/*
 * Identifies a program: its object, name and instructions, before libbpf relocates them. Variants of an object (load class, bounded loops)
 * have different instructions, so each counts as a program of its own.
 */
struct seen {
	char object[32], program[64];
	size_t count;
	uint64_t hash;
};

static struct seen seen[SEEN_MAX];
static unsigned seen_count;
static char refused[64];         /* the program at which the last load ended; "": none */
static unsigned tried, accepted; /* programs, while load_all is set */
static int load_all, trusted, violation_found;

int __real_bpf_object__load(struct bpf_object *object); /* libbpf's */

static void describe(const struct bpf_object *object, const struct bpf_program *prog, struct seen *out)
{
	const uint8_t *bytes = (const uint8_t *)bpf_program__insns(prog);

	memset(out, 0, sizeof(*out));
	snprintf(out->object, sizeof(out->object), "%s", bpf_object__name(object));
	snprintf(out->program, sizeof(out->program), "%s", bpf_program__name(prog));
	out->count = bpf_program__insn_cnt(prog);
	out->hash = 0xcbf29ce484222325u; /* FNV-1a */
	for (size_t i = 0; i < out->count * sizeof(struct bpf_insn); i++)
		out->hash = (out->hash ^ bytes[i]) * 0x100000001b3u;
}

static int was_seen(const struct seen *wanted)
{
	for (unsigned i = 0; i < seen_count; i++)
		if (!memcmp(&seen[i], wanted, sizeof(*wanted)))
			return 1;
	return 0;
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

int reg_invariants__are_tested(const char **reason)
{
	static int known = -1;

	*reason = geteuid() ? "loading programs needs root"
			    : "this kernel does not know BPF_F_TEST_REG_INVARIANTS, which is there from Linux 6.8 on";
	if (known < 0)
		known = !geteuid() && kernel_has_flag();
	return known;
}

/*
 * Adds the programs of a load to seen[]. A load that fails ends at the refused program: those before it were accepted, those after it were
 * not tried.
 */
static void record_loads(const struct seen *loads, unsigned count, int err)
{
	for (unsigned i = 0; i < count && (!err || refused[0]); i++) {
		const int is_refused = err && !strcmp(loads[i].program, refused);

		if (seen_count < SEEN_MAX && !was_seen(&loads[i]))
			seen[seen_count++] = loads[i];
		tried++;
		accepted += !is_refused;
		if (is_refused)
			return;
	}
}

/* Adds the flag to all programs and loads them. Describes them first, since libbpf changes the instructions during a load. */
int __wrap_bpf_object__load(struct bpf_object *object)
{
	struct seen *loads = NULL, one;
	struct bpf_program *prog;
	struct bpf_map *map;
	unsigned count = 0;
	const char *reason;
	int err;

	if (!reg_invariants__are_tested(&reason))
		return __real_bpf_object__load(object);
	if (load_all && trusted) /* create all maps: the kernel refuses a program that refers to an absent one */
		bpf_object__for_each_map(map, object)
			bpf_map__set_autocreate(map, true);
	bpf_object__for_each_program(prog, object) {
		describe(object, prog, &one);
		if (load_all && trusted) /* load all programs, also those that this handler or this machine does not need */
			bpf_program__set_autoload(prog, true);
		if (load_all && was_seen(&one))
			bpf_program__set_autoload(prog, false);
		bpf_program__set_flags(prog, bpf_program__flags(prog) | TEST_REG_INVARIANTS);
		if (load_all) /* BPF_LOG_STATS has the verdict alone: libbpf does not verify a second time for a log of 16 MB */
			bpf_program__set_log_level(prog, 4);
		if (bpf_program__autoload(prog)) {
			loads = realloc(loads, (count + 1) * sizeof(*loads));
			if (!loads)
				abort();
			loads[count++] = one;
		}
	}
	refused[0] = '\0';
	err = __real_bpf_object__load(object);
	if (!err || load_all)
		record_loads(loads, count, err);
	free(loads);
	return err;
}

static void on_log_line(void *arg, const char *line)
{
	(void)arg;
	sscanf(line, "libbpf: prog '%63[^']': failed to load", refused);
	if (strstr(line, "REG INVARIANTS VIOLATION")) {
		violation_found = 1;
		printf("  %.300s\n", line);
	}
}

/*
 * Loads the programs of a context with that rule. A program that was tried is left out the next time, so a refused one ends only its
 * own try.
 */
static void try_rule(const struct spin_object *object, enum spin_class class, const char *text)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;
	unsigned before;

	if (spin_rule__parse(text, &rule)) {
		printf("FAIL  %s\n", spin_strerror_last());
		violation_found = 1;
		return;
	}
	do {
		before = tried;
		refused[0] = '\0';
		(void)spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx);
		spin_ctx__destroy(ctx);
		ctx = NULL;
	} while (refused[0] && tried > before);
}

/* Returns 1 if a register's bounds contradicted each other. */
static int try_one(const struct spin_object *object, enum spin_class class)
{
	const int takes_all = spin_object__meta(object)->registration.delivery == SPIN_DELIVER_STACK;
	const char *const rules[] = { object__rule(object), "icmp", "ether 0x88b5" };

	trusted = class == SPIN_CLASS_TRUSTED;
	violation_found = 0;
	try_rule(object, class, rules[0]); /* in the trusted class all programs (bpf_object__load()) */
	for (unsigned i = 1; !trusted && takes_all && i < sizeof(rules) / sizeof(rules[0]); i++)
		try_rule(object, class, rules[i]);
	if (violation_found)
		printf("FAIL  %s, %s%s: a register's bounds contradict each other\n", spin_object__meta(object)->name,
		       spin_class_name(class), kernel_probe__may_goto() ? "" : ", with bounded loops");
	return violation_found;
}

static int try_object(const char *path)
{
	struct spin_object *object;
	int failed;

	if (spin_object__open(path, &object)) {
		printf("FAIL  %s\n", spin_strerror_last());
		return 1;
	}
	failed = try_one(object, SPIN_CLASS_TRUSTED);
	/* the isolated class is there from Linux 6.9 on, as is may_goto */
	if (spin_object__meta(object)->registration.delivery != SPIN_DELIVER_ME && kernel_probe__may_goto())
		failed |= try_one(object, SPIN_CLASS_ISOLATED);
	spin_object__close(object);
	fflush(stdout);
	return failed;
}

/* Tries a BPF file that is not a handler's. The load has to succeed: otherwise its programs may not have been verified. */
static int try_plain(const char *path)
{
	struct bpf_object *bpf = bpf_object__open_file(path, NULL);
	int err;

	trusted = 1;
	violation_found = 0;
	err = bpf ? bpf_object__load(bpf) : -errno;
	bpf_object__close(bpf);
	if (violation_found || err)
		printf("FAIL  %s: %s\n", path, violation_found ? "a register's bounds contradict each other" : strerror(-err));
	fflush(stdout);
	return violation_found || err;
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

/* Tries every WORKERS-th object of the directory, from number `first` on. Returns 1 on failure, or if there is no object. */
static int try_directory(const char *directory, int first)
{
	struct dirent **list;
	int count = scandir(directory, &list, is_object, alphasort), failed = count <= 0;
	char path[1024];

	if (failed)
		printf("FAIL  %s has no objects: run make first\n", directory);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, list[i]->d_name);
		if (i % WORKERS == first && ends_with(path, ".spin"))
			failed |= try_object(path);
		else if (i % WORKERS == first && kernel_probe__may_goto()) /* have one variant; the run without bounded loops tries it */
			failed |= try_plain(path);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	return failed;
}

static int try_all(int first)
{
	static const char *const directories[] = {
		"handlers", "test_load", "bpf", "tests/handlers", "tests/loops", "tests/bench", "tests/bench/baselines", "tests/demo",
	};
	char directory[512];
	int failed = 0;

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		snprintf(directory, sizeof(directory), "%s/%s", built_dir(), directories[i]);
		failed |= try_directory(directory, first);
	}
	printf("%u programs tried, of which the kernel took %u\n", tried, accepted);
	failed |= !accepted;
	fflush(stdout);
	return failed;
}

int reg_invariants__try_every_program(void)
{
	int failed = 0, status;

	fflush(stdout);
	load_all = 1;
	spin_set_log(on_log_line, NULL);
	for (int i = 0; i < WORKERS; i++) {
		pid_t worker = fork();

		if (!worker)
			_exit(try_all(i));
		if (worker < 0) {
			printf("FAIL  fork: %s\n", strerror(errno));
			failed = 1;
		}
	}
	while (wait(&status) > 0)
		failed |= !WIFEXITED(status) || WEXITSTATUS(status);
	spin_set_log(NULL, NULL);
	load_all = 0;
	return failed;
}
