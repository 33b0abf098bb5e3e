/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl doctor: the table of checks of this process: capabilities, load classes, memlock, seccomp, lockdown. Run by exam.c. Each function
 * fills one row of the report: what was found and what to change.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <linux/capability.h>

#include "user/spinctl/doctor/facts.h"
#include "kernel/shortage.h"
#include "user/spinctl/doctor/load.h"

#ifndef CAP_PERFMON /* headers before 5.8 */
#define CAP_PERFMON 38
#define CAP_BPF     39
#endif

static void capabilities(const struct doctor_facts *f, struct doctor_row *row)
{
	static const struct {
		int number, needed;
		const char *name;
	} all[] = { { CAP_BPF, 1, "CAP_BPF" },
		    { CAP_NET_ADMIN, 1, "CAP_NET_ADMIN" },
		    { CAP_PERFMON, 0, "CAP_PERFMON" },
		    { CAP_SYS_ADMIN, 0, "CAP_SYS_ADMIN" } };
	char has[128] = "", lacks[128] = "";
	int enough = kernel_process__can(&f->process, CAP_SYS_ADMIN), needed = 1;

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char *to = kernel_process__can(&f->process, all[i].number) ? has : lacks;

		if (to == lacks && all[i].needed)
			needed = 0;
		snprintf(to + strlen(to), sizeof(has) - strlen(to), "%s%s", *to ? ", " : "", all[i].name);
	}
	enough |= needed;
	doctor__found(row,
		      !enough  ? DOCTOR_MISSING
		      : *lacks ? DOCTOR_NOTE
			       : DOCTOR_OK,
		      "%s%s%s", *has ? has : "none of those needed", *lacks ? "; not " : "", lacks);
	if (!enough)
		doctor__advise(row, "run it as root (`sudo spinctl doctor`), or give the program what it needs: `setcap "
				    "cap_bpf,cap_net_admin,cap_perfmon+ep $(command -v spinctl)`");
}

/* Reports why not even an XDP program that only returns XDP_PASS loads. */
static void report_no_class(const struct doctor_facts *f, struct doctor_row *row)
{
	char reason[400];

	if (f->may_load != -EPERM && f->may_load != -EACCES && kernel_shortage__explain(f->may_load, 0, reason, sizeof(reason))) {
		doctor__found(row, DOCTOR_MISSING, "none: %s", reason);
		return;
	}
	doctor__found(row, DOCTOR_MISSING, "none: loading an XDP program that only passes fails: %s", strerror(-f->may_load));
	doctor__advise(row, geteuid() ? "run it as root (`sudo spinctl doctor`)"
				      : "ask whoever runs this container or machine for CAP_BPF and CAP_NET_ADMIN in the first "
					"user namespace, and for no seccomp filter against bpf()");
}

static void load_classes(const struct doctor_facts *f, struct doctor_row *row)
{
	int trusted = doctor_load__has(f->test_loads, SPIN_CLASS_TRUSTED);
	int isolated = doctor_load__has(f->test_loads, SPIN_CLASS_ISOLATED);

	if (f->may_load)
		report_no_class(f, row);
	else if (trusted && isolated)
		doctor__found(row, DOCTOR_OK, "%s and %s", spin_class_name(SPIN_CLASS_TRUSTED), spin_class_name(SPIN_CLASS_ISOLATED));
	else if (trusted)
		doctor__found(row, DOCTOR_NOTE, "%s only: why, the rows of handlers say", spin_class_name(SPIN_CLASS_TRUSTED));
	else if (isolated)
		doctor__found(row, DOCTOR_NOTE,
			      "%s only%s%s%s, so packets are copied: payload loops take several times "
			      "longer",
			      spin_class_name(SPIN_CLASS_ISOLATED), f->may_point ? ": variable packet pointers are refused (" : "",
			      f->may_point ? strerror(-f->may_point) : "", f->may_point ? ")" : "");
	else
		doctor__found(row, DOCTOR_MISSING, "none: why, the rows of handlers say");
	if (!f->may_load && !trusted && (f->may_point == -EACCES || f->may_point == -EPERM))
		doctor__advise(row,
			       "for the %s class add CAP_PERFMON: `setcap cap_bpf,cap_net_admin,cap_perfmon+ep "
			       "$(command -v spinctl)`",
			       spin_class_name(SPIN_CLASS_TRUSTED));
}

static void memlock(const struct doctor_facts *f, struct doctor_row *row)
{
	uint64_t need = 64ull << 20;
	char limit[32] = "unlimited";

	if (f->process.memlock_bytes != UINT64_MAX)
		snprintf(limit, sizeof(limit), "%" PRIu64 " KiB", f->process.memlock_bytes >> 10);
	if (f->kernel_major > 5 || (f->kernel_major == 5 && f->kernel_minor >= 11)) {
		doctor__found(row, DOCTOR_OK,
			      "%s; of no importance: since 5.11 the kernel does not count BPF memory "
			      "against it",
			      limit);
	} else {
		int low = f->process.memlock_bytes < need && !kernel_process__can(&f->process, CAP_SYS_RESOURCE);

		doctor__found(row, low ? DOCTOR_WARNING : DOCTOR_OK,
			      "%s; before 5.11 maps and programs count "
			      "against it",
			      limit);
		if (low)
			doctor__advise(row, "raise it before starting: `ulimit -l unlimited`");
	}
}

static void seccomp(const struct doctor_facts *f, struct doctor_row *row)
{
	int filtered = f->process.seccomp_filters > 0;

	if (f->process.seccomp_filters < 0)
		doctor__found(row, DOCTOR_NOTE, "not known: /proc/self/status has no line Seccomp");
	else
		doctor__found(row,
			      filtered && f->may_load ? DOCTOR_WARNING
			      : filtered              ? DOCTOR_NOTE
						      : DOCTOR_OK,
			      "%s", filtered ? "system calls are filtered" : "no filter");
	if (filtered && f->may_load)
		doctor__advise(row, "allow bpf() in the container's profile, for Docker: `docker run --security-opt "
				    "seccomp=unconfined ...`");
}

static void lockdown(const struct doctor_facts *f, struct doctor_row *row)
{
	const char *mode = f->process.lockdown;

	doctor__found(row, !strcmp(mode, "confidentiality") ? DOCTOR_NOTE : DOCTOR_OK, "%s%s",
		      *mode ? mode : "none: the kernel has it not, or does not show it",
		      !strcmp(mode, "confidentiality") ? ": programs that read kernel memory are refused; handlers do "
							 "not"
						       : "");
}

static void unprivileged(const struct doctor_facts *f, struct doctor_row *row)
{
	int value = f->process.unprivileged_bpf;

	if (value < 0) {
		doctor__found(row, DOCTOR_NOTE, "not known: no /proc/sys/kernel/unprivileged_bpf_disabled");
	} else if (value == 0) {
		doctor__found(row, DOCTOR_NOTE,
			      "0: every user may load some kinds of BPF programs; XDP is not among them, "
			      "so handlers gain nothing");
		doctor__advise(row, "close it: `sysctl -w kernel.unprivileged_bpf_disabled=2`");
	} else {
		doctor__found(row, DOCTOR_OK, "%d: BPF for privileged processes only, which is how handlers are loaded", value);
	}
}

static void user_namespace(const struct doctor_facts *f, struct doctor_row *row)
{
	if (!f->process.own_user_namespace) {
		doctor__found(row, DOCTOR_OK, "the first one: capabilities count for bpf()");
		return;
	}
	doctor__found(row, f->may_load ? DOCTOR_MISSING : DOCTOR_NOTE, "not the first one: the capabilities in here are none for bpf()");
	if (f->may_load)
		doctor__advise(row, "run it outside, or a container whose root is the machine's (for Docker: `docker run "
				    "--userns=host --privileged ...`)");
}

static void container(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_process *p = &f->process;
	char name[48] = "";

	if (*p->container)
		snprintf(name, sizeof(name), "%s%s", p->container, p->pid_namespace ? ", " : "");
	if (!p->pid_namespace) {
		doctor__found(row, DOCTOR_OK, "%s%sall processes are visible", name, *name ? ": " : "");
		return;
	}
	doctor__found(row, DOCTOR_NOTE,
		      "%sa PID namespace of its own: owners of XDP programs outside and kernel threads "
		      "(napi/...) are not visible by name",
		      name);
	doctor__advise(row, "to see them run it outside, or for Docker: `docker run --pid=host ...`");
}

/* clang-format off */
const struct doctor_check doctor_process_checks[] = {
	{ "capabilities", "Loading needs CAP_BPF and CAP_NET_ADMIN, the trusted class CAP_PERFMON as well; CAP_SYS_ADMIN "
	  "stands for all of them and is needed to look into other network namespaces.", capabilities },
	{ "load classes", "Trusted handlers read the packet where it lies; isolated ones load without CAP_PERFMON and "
	  "read a copy, which is slower.", load_classes },
	{ "memlock", "Before kernel 5.11 BPF maps counted as locked memory of the process.", memlock },
	{ "seccomp", "A filter of system calls, as containers have, may refuse bpf().", seccomp },
	{ "lockdown", "A locked-down kernel refuses some BPF programs even to root.", lockdown },
	{ "unprivileged bpf", "Whether users without privileges may call bpf(): handlers do not need it.", unprivileged },
	{ "user namespace", "Capabilities of a user namespace other than the first do not count for loading XDP "
	  "programs.", user_namespace },
	{ "container", "A PID namespace hides who holds an interface, and the threads NAPI runs in.", container },
	{ 0 },
};
/* clang-format on */
