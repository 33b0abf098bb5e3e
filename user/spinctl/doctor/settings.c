/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl doctor: the table of checks of kernel settings (JIT, statistics, retpolines, preemption), BTF, bpffs and CPUs. Run by exam.c.
 * Each function fills one row of the report: what was found and what to change.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/spinctl/doctor/facts.h"
#include "kernel/probe_bpf.h"
#include "kernel/textfile.h"

/* Compares a sysctl with its good value, and advises to set it if it differs. */
static void check_sysctl(struct doctor_row *row, const char *path, long good, enum doctor_verdict if_bad, const char *meaning_good,
			 const char *meaning_bad, const char *sysctl)
{
	long value = textfile__number(AT_FDCWD, path, -1);

	if (value < 0 && !access(path, F_OK)) {
		doctor__found(row, DOCTOR_NOTE, "not known: only root may read %s (`sudo spinctl doctor`)", path);
		return;
	}
	if (value < 0) {
		doctor__found(row, DOCTOR_NOTE, "not known: no %s%s", path, strstr(path, "/net/") ? " in this network namespace" : "");
		if (strstr(path, "/net/"))
			doctor__advise(row, "the machine's own has it: `nsenter --net=/proc/1/ns/net spinctl doctor`");
		return;
	}
	doctor__found(row, value == good ? DOCTOR_OK : if_bad, "%ld: %s", value, value == good ? meaning_good : meaning_bad);
	if (value != good)
		doctor__advise(row, "`sysctl -w %s=%ld`", sysctl, good);
}

/* The JIT is probed if possible: only the first network namespace has the setting. */
static void jit(const struct doctor_facts *f, struct doctor_row *row)
{
	static const char path[] = "/proc/sys/net/core/bpf_jit_enable";
	long set = textfile__number(AT_FDCWD, path, -1);
	int compiled = f->may_load ? set > 0 : kernel_bpf__jit();

	if (f->may_load && set < 0)
		doctor__not_known(row);
	else if (compiled > 0 && set == 2)
		doctor__found(row, DOCTOR_WARNING, "on, and every program is dumped to the kernel log");
	else if (compiled > 0)
		doctor__found(row, DOCTOR_OK, "on: programs are compiled");
	else
		doctor__found(row, DOCTOR_WARNING, "off: programs are interpreted, ten times slower or more");
	if (row->verdict == DOCTOR_WARNING)
		doctor__advise(row, "`sysctl -w net.core.bpf_jit_enable=1`, in the first network namespace");
}

static void jit_harden(const struct doctor_facts *f, struct doctor_row *row)
{
	long value = textfile__number(AT_FDCWD, "/proc/sys/net/core/bpf_jit_harden", -1);

	(void)f;
	if (value == 1) /* only unprivileged programs, which sPIN's are not */
		doctor__found(row, DOCTOR_OK, "1: constants of unprivileged programs are blinded, handlers' are not");
	else
		check_sysctl(row, "/proc/sys/net/core/bpf_jit_harden", 0, DOCTOR_WARNING, "constants are not blinded",
			     "every constant in a program is blinded: more instructions per packet", "net.core.bpf_jit_harden");
}

static void stats(const struct doctor_facts *f, struct doctor_row *row)
{
	(void)f;
	check_sysctl(row, "/proc/sys/kernel/bpf_stats_enabled", 0, DOCTOR_WARNING, "off",
		     "every run of a program is timed, which costs a handler more than most of its own work", "kernel.bpf_stats_enabled");
}

static void btf(const struct doctor_facts *f, struct doctor_row *row)
{
	(void)f;
	if (!access("/sys/kernel/btf/vmlinux", R_OK))
		doctor__found(row, DOCTOR_OK, "/sys/kernel/btf/vmlinux");
	else
		doctor__found(row, DOCTOR_NOTE,
			      "no /sys/kernel/btf/vmlinux: tracing tools lack it, handlers do not need "
			      "it");
}

static void bpffs(const struct doctor_facts *f, struct doctor_row *row)
{
	if (f->process.own_bpffs) {
		doctor__found(row, DOCTOR_OK, "/sys/fs/bpf; not needed: handlers pin nothing");
	} else {
		doctor__found(row, DOCTOR_OK,
			      "not at /sys/fs/bpf; not needed: handlers pin nothing. `ip netns exec` hides "
			      "it, `nsenter --net=/run/netns/NAME` does not");
	}
}

static void retpolines(const struct doctor_facts *f, struct doctor_row *row)
{
	char line[256];

	(void)f;
	if (textfile__line(AT_FDCWD, "/sys/devices/system/cpu/vulnerabilities/spectre_v2", line, sizeof(line)))
		doctor__found(row, DOCTOR_NOTE, "not known: no /sys/devices/system/cpu/vulnerabilities/spectre_v2");
	else if (strstr(line, "Retpoline"))
		doctor__found(row, DOCTOR_NOTE,
			      "%.*s: calls, helper returns and indirect jumps (tail calls with a variable "
			      "index) in BPF cost many times what a jump costs; spincc inlines and uses constant indexes",
			      (int)strcspn(line, ";,"), line);
	else
		doctor__found(row, DOCTOR_OK, "none: %s", line);
}

static void preempt_rt(const struct doctor_facts *f, struct doctor_row *row)
{
	(void)f;
	if (textfile__number(AT_FDCWD, "/sys/kernel/realtime", 0) == 1)
		doctor__found(row, DOCTOR_NOTE,
			      "yes: NAPI runs in preemptible threads, so one HPU (a CPU) may be "
			      "interrupted in between packets; compare figures only with such kernels");
	else
		doctor__found(row, DOCTOR_OK, "no");
}

static void cpus(const struct doctor_facts *f, struct doctor_row *row)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN), possible = sysconf(_SC_NPROCESSORS_CONF);
	char last[256], *at;

	(void)f;
	/* "0-1" or "0,2-63": the largest id counts, which is the last */
	if (!textfile__line(AT_FDCWD, "/sys/devices/system/cpu/possible", last, sizeof(last)) && *last) {
		for (at = last + strlen(last); at > last && at[-1] >= '0' && at[-1] <= '9'; at--)
			;
		possible = strtol(at, NULL, 10) + 1;
	}
	doctor__found(row, possible > SPIN_HPUS_MAX ? DOCTOR_MISSING : DOCTOR_OK,
		      "%ld online, %ld possible: each is an "
		      "HPU, of at most %d",
		      online, possible, SPIN_HPUS_MAX);
	if (possible > SPIN_HPUS_MAX)
		doctor__advise(row,
			       "boot with nr_cpus=%d on the kernel's command line, or raise SPIN_HPUS_MAX in "
			       "handlers/include/spin/context.h and build again",
			       SPIN_HPUS_MAX);
}

/* clang-format off */
const struct doctor_check doctor_settings_checks[] = {
	{ "JIT", "Without it BPF is interpreted.", jit },
	{ "JIT hardening", "Blinding constants costs instructions.", jit_harden },
	{ "BPF statistics", "Timing each run of each program costs more than most handlers.", stats },
	{ "BTF", "Types of the kernel, for tracing tools.", btf },
	{ "bpffs", "Where BPF objects are pinned; handlers are not.", bpffs },
	{ "retpolines", "The mitigation of Spectre v2 makes calls and indirect jumps expensive.", retpolines },
	{ "PREEMPT_RT", "A real-time kernel may preempt NAPI.", preempt_rt },
	{ "CPUs", "Each possible CPU has its own counters and is an HPU.", cpus },
	{ 0 },
};
/* clang-format on */
