/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl doctor: the table of checks of what the kernel's bpf() can do. Each feature is tried, not derived from the kernel's version. Run
 * by exam.c; each function fills one row of the report.
 */
#include <errno.h>
#include <string.h>

#include <linux/bpf.h>

#include "user/spinctl/doctor/facts.h"
#include "kernel/features.h"
#include "kernel/probe_bpf.h"
#include "user/libspin/root.h"

static void version(const struct doctor_facts *f, struct doctor_row *row)
{
	char has[200] = "", lacks[200] = "", advice[400];

	for (int i = 0; i < KERNEL_FEATURES; i++) {
		enum kernel_feature feature = (enum kernel_feature)i;
		char *to = kernel_feature__has(feature) ? has : lacks;

		snprintf(to + strlen(to), sizeof(has) - strlen(to), "%s%s (%s)", *to ? ", " : "", kernel_feature__name(feature),
			 kernel_feature__version(feature));
	}
	doctor__found(row,
		      !*has    ? DOCTOR_MISSING
		      : *lacks ? DOCTOR_NOTE
			       : DOCTOR_OK,
		      "%s: %s%s%s%s", f->kernel, *has ? "has " : "", has, *lacks ? *has ? "; is too old for " : "is too old for " : "",
		      lacks);
	if (*lacks)
		doctor__advise(row, "%s%s", kernel_feature__advice(advice, sizeof(advice)),
			       *has ? ""
				    : "; until then `spinctl "
				      "cost` shows what handlers cost on an HPU");
}

/* Fills in the row for a feature that was probed. err: the probe's result. */
static void report_probe(const struct doctor_facts *f, struct doctor_row *row, int err, enum doctor_verdict if_absent, const char *present,
			 const char *absent)
{
	if (!err)
		doctor__found(row, DOCTOR_OK, "%s", present);
	else if (doctor__cannot_ask(f, err))
		doctor__not_known(row);
	else
		doctor__found(row, if_absent, "%s: %s", strerror(-err), absent);
}

static void xdp(const struct doctor_facts *f, struct doctor_row *row)
{
	report_probe(f, row, f->may_load, DOCTOR_MISSING, "bpf() loads XDP programs",
		     "bpf() refuses an XDP program that only "
		     "passes");
	if (row->verdict == DOCTOR_MISSING)
		doctor__advise(row, "use a kernel with CONFIG_BPF_SYSCALL=y and CONFIG_NET=y, and no seccomp filter or BPF LSM "
				    "program against bpf()");
}

static void attach(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_pair *p = &f->pair;

	if (p->made) {
		if (doctor__cannot_ask(f, p->made))
			doctor__not_known(row);
		else if (p->made == -EPERM)
			doctor__found(row, DOCTOR_NOTE,
				      "not tried: a network namespace of its own needs CAP_SYS_ADMIN (`sudo "
				      "spinctl doctor`)");
		else
			doctor__found(row, DOCTOR_NOTE,
				      "not tried: cannot make a veth pair in a network namespace of its "
				      "own (%s)",
				      strerror(-p->made));
		return;
	}
	if (doctor__cannot_ask(f, p->native))
		doctor__not_known(row);
	else if (p->native || p->generic)
		doctor__found(row, p->native && p->generic ? DOCTOR_MISSING : DOCTOR_WARNING,
			      "on a veth pair of its own: "
			      "native %s, generic %s",
			      p->native ? strerror(-p->native) : "works", p->generic ? strerror(-p->generic) : "works");
	else
		doctor__found(row, DOCTOR_OK, "native and generic, by bpf_link: tried on a veth pair of its own");
	if (row->verdict == DOCTOR_MISSING)
		doctor__advise(row, "use a kernel with bpf_link for XDP (5.9 or newer), and no security module against it");
}

static void maps(const struct doctor_facts *f, struct doctor_row *row)
{
	static const struct {
		const char *name;
		uint32_t type, flags;
	} needed[] = { { "ARRAY (mapped)", BPF_MAP_TYPE_ARRAY, BPF_F_MMAPABLE },
		       { "PROG_ARRAY", BPF_MAP_TYPE_PROG_ARRAY, 0 },
		       { "RINGBUF", BPF_MAP_TYPE_RINGBUF, 0 },
		       { "PERCPU_ARRAY", BPF_MAP_TYPE_PERCPU_ARRAY, 0 } };
	char has[128] = "", lacks[128] = "", advice[400];

	for (unsigned i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		int err = kernel_bpf__map(needed[i].type, needed[i].flags);
		char *to = err ? lacks : has;

		if (doctor__cannot_ask(f, err)) {
			doctor__not_known(row);
			return;
		}
		snprintf(to + strlen(to), sizeof(has) - strlen(to), "%s%s", *to ? ", " : "", needed[i].name);
	}
	doctor__found(row, *lacks ? DOCTOR_MISSING : DOCTOR_OK, "%s%s%s", has, *lacks ? "; not " : "", lacks);
	if (*lacks)
		doctor__advise(row, "%s", kernel_feature__advice(advice, sizeof(advice)));
}

static void redirect_maps(const struct doctor_facts *f, struct doctor_row *row)
{
	int cpu = kernel_bpf__map(BPF_MAP_TYPE_CPUMAP, 0), dev = kernel_bpf__map(BPF_MAP_TYPE_DEVMAP, 0);

	report_probe(f, row, cpu ? cpu : dev, DOCTOR_NOTE, "CPUMAP, DEVMAP", "CPUMAP or DEVMAP are not there");
}

static void arena(const struct doctor_facts *f, struct doctor_row *row)
{
	report_probe(f, row, kernel_bpf__map(KERNEL_MAP_ARENA, 0), DOCTOR_NOTE, "works", "since 6.9; handlers do without");
}

static void atomics(const struct doctor_facts *f, struct doctor_row *row)
{
	char advice[400];

	report_probe(f, row, kernel_bpf__atomics(), DOCTOR_MISSING, "compare-and-swap and fetch-and-add (-mcpu=v3)", "since 5.12");
	if (row->verdict == DOCTOR_MISSING)
		doctor__advise(row, "switch the JIT on (`sysctl -w net.core.bpf_jit_enable=1`), and %s",
			       kernel_feature__advice(advice, sizeof(advice)));
}

static void frags(const struct doctor_facts *f, struct doctor_row *row)
{
	int err = kernel_bpf__xdp(BPF_F_XDP_HAS_FRAGS);

	if (!err && !f->pair.made && !f->pair.frags)
		doctor__found(row, DOCTOR_OK, "works, on veth up to MTU %u%s %u", f->pair.frags_mtu,
			      doctor__long_frames() ? "; in one buffer up to" : "; not used: handlers take frames of one buffer, up to",
			      f->pair.one_page_mtu);
	else
		report_probe(f, row, err, DOCTOR_NOTE, "programs load", "since 5.18; jumbo frames then need generic XDP");
}

static void test_run(const struct doctor_facts *f, struct doctor_row *row)
{
	int run = kernel_bpf__test_run(0), live = kernel_bpf__test_run(1);

	report_probe(f, row, run ? run : live, DOCTOR_NOTE, "PROG_TEST_RUN, with live frames, too",
		     run ? "PROG_TEST_RUN does not work: spinctl test cannot use the bpf engine"
			 : "PROG_TEST_RUN without live frames (since 5.18)");
}

static void libxdp(const struct doctor_facts *f, struct doctor_row *row)
{
	int err = kernel_bpf__freplace();

	if (!f->may_load && !err && root_attach__try_share())
		doctor__found(row, DOCTOR_NOTE, "a program can replace another's function, but `spinctl run --share` does not work: %s",
			      spin_strerror_last());
	else
		report_probe(
			f, row, f->may_load ? f->may_load : err, DOCTOR_NOTE,
			"a program can replace another's function, and libxdp's dispatcher takes sPIN's: `spinctl run --share` works",
			"a program cannot replace another's function here, so libxdp's dispatcher does not work: no `spinctl run --share`; "
			"contexts of one process share an interface without it");
}

static void fentry(const struct doctor_facts *f, struct doctor_row *row)
{
	int err = kernel_bpf__fentry();

	report_probe(f, row, f->may_load ? f->may_load : err, DOCTOR_NOTE, "works",
		     "xdpdump and bpftool prog profile "
		     "cannot watch programs; spinctl record does not need it");
}

/* clang-format off */
const struct doctor_check doctor_kernel_checks[] = {
	{ "version", "What handlers can have of this kernel, and the first one that has it: tried where that is allowed.",
	  version },
	{ "XDP programs", "Handlers are XDP programs: the kernel must load them.", xdp },
	{ "attaching", "Native XDP runs in the driver, generic XDP after the kernel made a socket buffer; a bpf_link ends "
	  "with its process.", attach },
	{ "maps", "State is in mapped arrays, contexts are called through a PROG_ARRAY, events come through a RINGBUF.",
	  maps },
	{ "atomics", "HPU memory is shared: counters and locks are atomics of BPF's instruction set version 3.", atomics },
	{ "frags", "Frames longer than a page arrive in several buffers; programs must say that they take them.", frags },
	{ "test run", "spinctl test and the benches run packets through handlers without an interface.", test_run },
	{ "redirect maps", "Send packets to another CPU or another interface from XDP.", redirect_maps },
	{ "arena", "Memory shared with the application without bounds checks; handlers do without.", arena },
	{ "libxdp", "libxdp puts several programs on one interface by replacing functions of its dispatcher (freplace).",
	  libxdp },
	{ "fentry", "Tools that watch XDP programs enter and exit need it.", fentry },
	{ 0 },
};
/* clang-format on */
