/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests target files, which describe the NIC to model and state only differences from their base. An impossible NIC must be refused with
 * file and line, and with permitted values. Run by tests/run.
 */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hwmodel/traffic.h>

static unsigned failures;
static char path[64] = "/tmp/spin-XXXXXX";

static void fail(const char *what, const char *reason)
{
	printf("FAIL %s: %s\n", what, reason);
	failures++;
}

static const struct case_row {
	const char *text;
	const char *message; /* expected in the error message; NULL: the file is valid */
} cases[] = {
	{ "", NULL },
	{ "# nothing\n\n  \t\n", NULL },
	{ "base = pspin\nhpus = 4 # fewer\n", NULL },
	{ "\thpus=1\r\nclusters\t=\t1", NULL },
	{ "hpus = 4\nbase = pspin\n", ":2: base comes before" },
	{ "base = spin\n", ":1: no target 'spin'" },
	{ "base = spin\n", "spin-integrated" },
	{ "\nhpu = 4\n", ":2: no parameter 'hpu'; the nearest is hpus" },
	{ "clock_mzh = 4\n", "the nearest is clock_mhz" },
	{ "hpus 4\n", ":1: 'hpus 4' is no 'name = value'" },
	{ "scheduler = fair_hpu_time\n", NULL },
	{ "scheduler = fair\n", ":1: scheduler is round_robin or fair_hpu_time, not 'fair'" },
	{ "scheduler = 1\n", "not '1'" },
	{ "hpus = four\n", ":1: 'four' is not a number" },
	{ "hpus = \n", "is not a number" },
	{ "hpus = -1\n", "'-1' is not a number" },
	{ "hpus = 0x8\n", "is not a number" },
	{ "hpus = 1e1\n", "is not a number" },
	{ "hpus = 4 4\n", "'4 4' is not a number" },
	{ "hpus = 4\nclusters = 2\nhpus = 8\n", ":3: hpus is set already, in line 1" },
	{ "hpus = 0\n", ":1: hpus is 1 to 16 HPUs per cluster, not 0" },
	{ "hpus = 99999999999999999999999\n", "is not a number" },
	{ "clock_mhz = 0\n", ":1: clock_mhz is 1 to" },
	{ "clock_mhz = 1300\n", "it is at 1250 and 1600" },
	{ "clusters = 45\n", ":1: clusters is 1 to 44 clusters, not 45" },
	{ "hpus = 17\n", ":1: hpus is 1 to 16" },
	{ "base = spin-discrete\nhpu_threads = 2\nhpus = 8\n", NULL },
	{ "clusters = 4\nhpus = 2\nhpu_threads = 4\n", NULL },
	{ "hpu_threads = 0\n", ":1: hpu_threads is 1 to 16 threads, not 0" },
	{ "hpu_threads = 17\n", ":1: hpu_threads is 1 to 16" },
	{ "hpu_threads = two\n", ":1: 'two' is not a number" },
	{ "base = spin-discrete\nhpus = 8\n", "hpu_threads = 4: hpus = 8 of clusters = 1 can have 2 each" },
	{ "hpu_threads = 2\n", "hpus = 8 of clusters = 4 can have 1 each" },
	{ "clusters = 33\nhpus = 4\nhpu_threads = 2\n", "make 264 threads, and SPIN_PER_HPU has entries for 256" },
	{ "thread_slice_cycles = 15\n", ":1: thread_slice_cycles is 16 to" },
	{ "thread_switch_cycles = 10001\n", ":1: thread_switch_cycles is 0 to 10000" },
	{ "l1_kib = 128\nl1_packet_kib = 128\n", "it has room for 94" },
	{ "l1_packet_kib = 4\n", "no packet of 2048 bytes; 8 KiB do" },
	{ "beat_bytes = 48\n", "beat_bytes = 48 is not a power of two" },
	{ "l1_banks = 63\n", "l1_banks = 63 is not a power of two" },
	{ "icache_ways = 3\n", "powers of two" },
	{ "icache_bytes = 256\nicache_line_bytes = 256\n", "1024 do" },
	{ "mpqs = 65536\nclusters = 3\n", "are home to at most 65535" },
	{ "load_remote_l1 = 4\n", "remote_reach = 11 is a part of load_remote_l1 = 4" },
	{ "beat_bytes = 128\nl1_banks = 16\n", "take 64 in a cycle" },
};

static void write_file(const char *text, size_t bytes)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text, 1, bytes, f) != bytes || fclose(f)) {
		perror(path);
		exit(1);
	}
}

static void expect(const char *what, const char *name, const char *message)
{
	struct pspin_target *target = NULL;
	char err[400] = "";
	int rc = pspin_target__read(name, &target, err, sizeof(err));

	if (!message && (rc || !target))
		fail(what, err);
	if (message && (!rc || target || !strstr(err, message)))
		fail(what, *err ? err : "is taken");
	pspin_target__free(target);
}

static void files_are_read(void)
{
	char text[2000];

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_file(cases[i].text, strlen(cases[i].text));
		expect(cases[i].text, path, cases[i].message);
	}
	memset(text, '#', sizeof(text));
	write_file(text, sizeof(text));
	expect("a long line", path, ":1: the line is longer");
	write_file("hpus\0 = 4\n", 10);
	expect("a zero byte", path, ":1: ");
	expect("a directory", "/tmp", "/tmp");
	expect("no file", "./no.target", "No such file");
	expect("no name", "pspin2", "there are pspin-rtl, pspin,");
}

static void compare_targets(const struct pspin_target *a, const struct pspin_target *b)
{
	struct pspin_parameter p;
	uint64_t x, y;

	for (unsigned i = 0; !pspin_target__parameter(i, &p); i++) {
		pspin_target__get(a, p.name, &x);
		pspin_target__get(b, p.name, &y);
		if (x != y)
			fail(pspin_target__name(a), p.name);
	}
}

/* Each built-in target must equal its file, and be valid. */
static void files_are_built_in(void)
{
	const char *const *names = pspin_target__names();
	glob_t files;
	unsigned i;

	if (glob("hwmodel/targets/*.target", 0, NULL, &files))
		fail("hwmodel/targets", "no files");
	for (i = 0; i < files.gl_pathc; i++) {
		struct pspin_target *target = NULL;
		char err[400] = "";

		if (pspin_target__read(files.gl_pathv[i], &target, err, sizeof(err)) || !pspin_target__find(pspin_target__name(target)))
			fail(files.gl_pathv[i], err);
		else
			compare_targets(target, pspin_target__find(pspin_target__name(target)));
		pspin_target__free(target);
	}
	globfree(&files);
	if (strcmp(names[0], "pspin-rtl"))
		fail(names[0], "is not pspin-rtl");
	for (unsigned n = 0; names[n]; n++) {
		char err[400] = "";

		if (pspin_target__check(pspin_target__find(names[n]), err, sizeof(err)))
			fail(names[n], err);
		i -= n > 0;
	}
	if (i)
		fail("hwmodel/targets", "not all are built in");
}

/* Each parameter must accept its bounds, and nothing beyond them. */
static void bounds_hold(void)
{
	struct pspin_target *target = pspin_target__copy(pspin_target__find("pspin-rtl"));
	struct pspin_parameter p;
	uint64_t value;
	char err[400];

	for (unsigned i = 0; target && !pspin_target__parameter(i, &p); i++) {
		if (pspin_target__set(target, p.name, p.low, err, sizeof(err)) ||
		    pspin_target__set(target, p.name, p.high, err, sizeof(err)) || pspin_target__get(target, p.name, &value) ||
		    value != p.high)
			fail(p.name, "does not take its bounds");
		if ((p.low && !pspin_target__set(target, p.name, p.low - 1, err, sizeof(err))) ||
		    pspin_target__set(target, p.name, p.high + 1, err, sizeof(err)) != -ERANGE || !strstr(err, p.name))
			fail(p.name, "takes what is beyond its bounds");
		if (!*p.unit || !*p.text || !*pspin_target__source(target, p.name))
			fail(p.name, "has no unit or no source");
	}
	if (!target || pspin_target__set(target, "nothing", 1, err, sizeof(err)) != -ENOENT)
		fail("nothing", "is a parameter");
	pspin_target__free(target);
}

/* A NIC with an impossible target must not open, for any program, and the reason must be stated. */
static void nics_are_checked(void)
{
	struct pspin_target *target = pspin_target__copy(pspin_target__find("pspin-rtl"));
	const struct pspin_image image = { .elf = "", .elf_bytes = 0, .payload = "x" };
	struct pspin *nic = NULL;
	char err[400] = "";

	if (!target || pspin_target__set(target, "clock_mhz", 1300, err, sizeof(err)) ||
	    pspin__open_image(&nic, target, &image, err, sizeof(err)) != -EINVAL || nic || !strstr(err, "1250 and 1600"))
		fail("a NIC at 1300 MHz", err);
	pspin_target__free(target);
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0) {
		perror(path);
		return 1;
	}
	close(fd);
	files_are_read();
	files_are_built_in();
	bounds_hold();
	nics_are_checked();
	unlink(path);
	return failures != 0;
}
