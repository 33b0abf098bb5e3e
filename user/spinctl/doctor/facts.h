/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_DOCTOR_FACTS_H
#define USER_SPINCTL_DOCTOR_FACTS_H

/*
 * spinctl doctor: reports what this machine can do for handlers. A check is a row of a table: a name, a line that says why it matters, and
 * a function that reads the facts and fills in a row of the report. Shared by all files of doctor/. To add a check, add its row to the
 * table of its file.
 */
#include "kernel/native.h"
#include "kernel/probe_iface.h"
#include "kernel/probe_pair.h"
#include "kernel/probe_process.h"
#include "user/spinctl/spinctl.h"

/* What a check has found, from harmless to serious. */
enum doctor_verdict {
	DOCTOR_LEFT_OUT, /* does not apply here: no row */
	DOCTOR_OK,
	DOCTOR_NOTE,    /* worth knowing; nothing is wrong */
	DOCTOR_WARNING, /* handlers run, but slower or with fewer features than possible */
	DOCTOR_MISSING, /* handlers do not run here until this is fixed */
};
const char *doctor_verdict_name(enum doctor_verdict verdict);

/* A row of the report. */
struct doctor_row {
	const char *section, *about;
	char name[24];
	char device[16]; /* "" for the machine's rows */
	enum doctor_verdict verdict;
	char found[512];
	char advice[512]; /* what the user can do; "": nothing */
};

/* An interface under examination. */
struct doctor_device {
	struct probe_iface iface;
	struct kernel_native native; /* the driver's conditions for native XDP */
	struct probe_iface peer;     /* for a veth */
	int peer_err;                /* 0: peer is known; -ENOENT, -EPERM */
	char peer_net[80];           /* the name of its namespace in messages; "": this one */
	char peer_path[80];          /* for nsenter --net=; "": this one */
	int held;                    /* 1: an XDP program is attached */
	int held_by_us;              /* 1: it is one of sPIN's */
	char holder[512];            /* the process that holds it, as text */
};

/* sPIN's own programs that the doctor loads as a test, each as `spinctl run` loads it (load.h). */
enum test_load_id {
	TEST_LOAD_DISPATCHER,
	TEST_LOAD_DATAGRAM,
	TEST_LOAD_MESSAGE,
	TEST_LOAD_SENDER,
	TEST_LOAD_SEGMENT,
	TEST_LOAD_DISPATCHER_ISOLATED,
	TEST_LOAD_DATAGRAM_ISOLATED,
	TEST_LOAD_SENDER_ISOLATED,
	TEST_LOAD_SEGMENT_ISOLATED,
	TEST_LOAD_STREAM_ISOLATED,
	TEST_LOADS,
};

/* The result of one test load. */
struct test_load {
	int tried;         /* 0: not tried: this process may not load that class, or it was not requested */
	int err;           /* 0: it loaded; else -errno */
	char message[600]; /* the reason, from libspin and the kernel; "" if it loaded */
};

/* What checks may look at: read once, before the first check. */
struct doctor_facts {
	struct probe_process process;
	struct probe_pair pair;
	int may_load;  /* 0, or the -errno of loading an XDP program that only returns XDP_PASS */
	int may_point; /* same for a program with packet pointers, as in the trusted class */
	struct test_load test_loads[TEST_LOADS];
	int all; /* 1: report everything about the machine; 0: only what is missing */
	unsigned possible_cpus;
	unsigned kernel_major, kernel_minor;
	char kernel[65];
	const struct doctor_device *device; /* for checks of an interface; else NULL */
};

/* A check: a row of a table. */
struct doctor_check {
	const char *name, *about;
	void (*look)(const struct doctor_facts *facts, struct doctor_row *row);
};
/* Tables end with a row of zeros. */
extern const struct doctor_check doctor_process_checks[], doctor_kernel_checks[], doctor_load_checks[], doctor_settings_checks[],
	doctor_tools_checks[], doctor_iface_checks[], doctor_veth_checks[];

/* Called by checks: set the row's verdict and finding, and its advice. */
void doctor__found(struct doctor_row *row, enum doctor_verdict verdict, const char *format, ...) __attribute__((format(printf, 3, 4)));
void doctor__advise(struct doctor_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sets the finding "not known" for what only a privileged process can find out. */
void doctor__not_known(struct doctor_row *row);
/* Returns 1 if err only means that this process is not permitted to ask. */
int doctor__cannot_ask(const struct doctor_facts *facts, int err);

/* Reads an interface and, for a veth, its peer. Returns 0, -ENODEV or another -errno. */
int doctor__read_device(const struct probe_net *net, const char *name, struct doctor_device *device);

/* Reads the peer of a veth. The caller has read device->iface. */
void doctor__read_peer(const struct probe_net *net, struct doctor_device *device);

/* How handlers would run on an interface. */
struct doctor_modes {
	enum doctor_verdict native;    /* OK, NOTE (probably), MISSING */
	char reason[320], advice[320]; /* for native, unless OK */
	int runs;                      /* 1: native or generic, and no other program holds it */
};
void doctor__modes(const struct doctor_facts *facts, const struct doctor_device *device, struct doctor_modes *out);
/* Writes the prefix of a command that must run in the peer's namespace: "nsenter --net=/run/netns/c0 ", or "". */
const char *doctor__enter_peer(const struct doctor_device *device, char *buf, size_t bytes);
/* Writes a command that attaches, in the background, a program to the peer that passes all packets except those to UDP port 1. */
const char *doctor__program_for_peer(const struct doctor_device *device, char *buf, size_t bytes);
/* Returns 1 if contexts take frames of several buffers. */
int doctor__long_frames(void);
/* Returns the largest MTU, in bytes, whose frames fit into one buffer for native XDP. */
unsigned doctor__one_page_mtu(const struct doctor_facts *facts);

/* The report: all rows, and the summary. */
struct doctor_report {
	struct doctor_row *rows;
	unsigned count;
	int can_run;
	char summary[700];
};

/* A list of interfaces in the summary. */
struct doctor_list {
	char text[160];
	unsigned count;
};

/* One run of the command. */
struct doctor_exam {
	struct doctor_facts facts;
	struct doctor_report report;
	struct probe_net net;
	unsigned lacks; /* number of things missing */
	struct doctor_list native, generic, held;
	const char *failed_device;
};
/* all: 0 examines only what every handler needs. Returns 0 or -errno; the caller must call doctor_exam__end() in either case. */
int doctor_exam__begin(struct doctor_exam *e, int all);
void doctor_exam__end(struct doctor_exam *e);
void doctor_exam__machine(struct doctor_exam *e);
/* Adds all rows about an interface. Returns 0, -ENODEV or another -errno. */
int doctor_exam__device(struct doctor_exam *e, const char *name);
/* Adds one row about an interface. */
void doctor_exam__line(struct doctor_exam *e, const char *name);
/* Fills in the summary and whether handlers can run. */
void doctor_exam__finalize(struct doctor_exam *e);

void doctor_text__print(const struct doctor_report *report);
void doctor_json__print(const struct doctor_report *report);

#endif
