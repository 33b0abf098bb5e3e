/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_DOCTOR_DOCTOR_H
#define USER_SPINCTL_DOCTOR_DOCTOR_H

/*
 * What this machine can do for handlers: tables of checks, each a name, a
 * line of text that says why one asks, and a function that looks at the facts and
 * fills in a row. To add a check, add its row to the table of its file.
 */
#include "kernel/native.h"
#include "kernel/probe_iface.h"
#include "kernel/probe_pair.h"
#include "kernel/probe_process.h"
#include "user/spinctl/spinctl.h"

enum doctor_verdict {
	DOCTOR_LEFT_OUT, /* does not apply here: no row */
	DOCTOR_OK,
	DOCTOR_NOTE,    /* worth knowing; nothing is wrong */
	DOCTOR_WARNING, /* handlers run, but slower or with less than could be */
	DOCTOR_MISSING, /* handlers do not run here until this is done */
};
const char *doctor_verdict_name(enum doctor_verdict verdict);

struct doctor_row {
	const char *section, *about;
	char name[24];
	char device[16]; /* "" for the machine's rows */
	enum doctor_verdict verdict;
	char found[512];
	char advice[512]; /* what to do; "": nothing */
};

/* An interface under examination. */
struct doctor_device {
	struct probe_iface iface;
	struct kernel_native native; /* what its driver makes native XDP depend on */
	struct probe_iface peer;     /* of a veth */
	int peer_err;                /* 0: peer is known; -ENOENT, -EPERM */
	char peer_net[80];           /* how to name its namespace; "": this one */
	char peer_path[80];          /* for nsenter --net=; "": this one */
	int held;                    /* 1: an XDP program is attached */
	int held_by_us;              /* 1: it is one of sPIN's */
	char holder[512];            /* who holds it, in words */
};

/* What of ours the kernel loads, each as `spinctl run` would (load.h). */
enum test_load_id {
	TEST_LOAD_DISPATCHER,
	TEST_LOAD_DATAGRAM,
	TEST_LOAD_MESSAGE,
	TEST_LOAD_SENDER,
	TEST_LOAD_DISPATCHER_ISOLATED,
	TEST_LOAD_DATAGRAM_ISOLATED,
	TEST_LOAD_SENDER_ISOLATED,
	TEST_LOADS,
};

struct test_load {
	int tried;         /* 0: not, because this process may not load that class, or nobody asked */
	int err;           /* 0: it loaded; else -errno */
	char message[600]; /* why not, as the library and the kernel say it; "" if it loaded */
};

struct doctor_facts {
	struct probe_process process;
	struct probe_pair pair;
	int may_load;  /* 0, or the -errno of loading an XDP program that only passes */
	int may_point; /* the same, of one that handlers of the trusted class look like */
	struct test_load test_loads[TEST_LOADS];
	int all; /* 1: everything about the machine is asked; 0: only what is missing */
	unsigned possible_cpus;
	unsigned kernel_major, kernel_minor;
	char kernel[65];
	const struct doctor_device *device; /* for checks of an interface */
};

struct doctor_check {
	const char *name, *about;
	void (*look)(const struct doctor_facts *facts, struct doctor_row *row);
};
/* Tables end with a row of zeros. */
extern const struct doctor_check doctor_process_checks[], doctor_kernel_checks[], doctor_load_checks[], doctor_settings_checks[],
	doctor_tools_checks[], doctor_iface_checks[], doctor_veth_checks[];

/* For checks: what was found, and what to do about it. */
void doctor__found(struct doctor_row *row, enum doctor_verdict verdict, const char *format, ...) __attribute__((format(printf, 3, 4)));
void doctor__advise(struct doctor_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for what only a privileged process can learn. */
void doctor__not_known(struct doctor_row *row);
/* 1 if err only says that this process may not ask. */
int doctor__cannot_ask(const struct doctor_facts *facts, int err);

/* Reads an interface and, for a veth, its peer. 0, -ENODEV or another -errno. */
int doctor__read_device(const struct probe_net *net, const char *name, struct doctor_device *device);

/* Looks for the other end of a veth whose `iface` is read. */
void doctor__read_peer(const struct probe_net *net, struct doctor_device *device);

/* How handlers would run on an interface. */
struct doctor_modes {
	enum doctor_verdict native;    /* OK, NOTE (probably), MISSING */
	char reason[320], advice[320]; /* of native, unless OK */
	int runs;                      /* 1: native or generic, and nobody else is there */
};
void doctor__modes(const struct doctor_facts *facts, const struct doctor_device *device, struct doctor_modes *out);
/* What to put before a command so that it runs where the peer lives: "nsenter --net=/run/netns/c0 ", or "". */
const char *doctor__enter_peer(const struct doctor_device *device, char *buf, size_t bytes);
/* A command that attaches a program to the peer which passes on all but what is sent to port 1; in the background. */
const char *doctor__program_for_peer(const struct doctor_device *device, char *buf, size_t bytes);
/* 1: contexts take frames of several buffers. A test holds this to what `spinctl run` does. */
int doctor__long_frames(void);
/* The largest MTU whose frames fit into one buffer for native XDP. */
unsigned doctor__one_page_mtu(const struct doctor_facts *facts);

struct doctor_report {
	struct doctor_row *rows;
	unsigned count;
	int can_run;
	char summary[700];
};

/* Interfaces of a kind, for the summary. */
struct doctor_list {
	char text[160];
	unsigned count;
};

/* One run of the command. */
struct doctor_exam {
	struct doctor_facts facts;
	struct doctor_report report;
	struct probe_net net;
	unsigned lacks; /* things missing */
	struct doctor_list native, generic, held;
	const char *failed_device;
};
/* all: 0 asks of the machine only what handlers cannot do without. 0 or -errno; end it in either case. */
int doctor_exam__begin(struct doctor_exam *e, int all);
void doctor_exam__end(struct doctor_exam *e);
void doctor_exam__machine(struct doctor_exam *e);
/* All about an interface; -ENODEV. */
int doctor_exam__device(struct doctor_exam *e, const char *name);
/* One row about it. */
void doctor_exam__line(struct doctor_exam *e, const char *name);
/* Fills in the summary and whether handlers can run. */
void doctor_exam__finalize(struct doctor_exam *e);

void doctor_text__print(const struct doctor_report *report);
void doctor_json__print(const struct doctor_report *report);

#endif
