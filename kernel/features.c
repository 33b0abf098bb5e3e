/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The table of features: name, first kernel version, and how to test for each. Called by libspin before it loads, and by spinctl and spincc
 * for their messages. No other file has a kernel version or the name of a feature in a message.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <linux/bpf.h>

#include "kernel/features.h"
#include "kernel/probe_bpf.h"

/* XDP programs for frames in several buffers came in the same release as the helper that reads the packet, which all handlers use. */
static int test_fragments(void)
{
	return kernel_bpf__xdp(BPF_F_XDP_HAS_FRAGS);
}

static const struct {
	const char *name, *version;
	unsigned major, minor;
	int (*try)(void); /* 0: supported; -EINVAL or -E2BIG: unknown to the kernel; other errors: could not be tested */
	int needs_may_goto;
} rows[KERNEL_FEATURES] = {
	[KERNEL_DATAGRAMS] = { "datagram handlers", "6.1", 6, 1, test_fragments, 0 },
	[KERNEL_MESSAGES] = { "messages", "6.1", 6, 1, test_fragments, 0 },
	[KERNEL_SENDING] = { "sending packets", "6.1", 6, 1, test_fragments, 0 },
	[KERNEL_ISOLATED] = { "the isolated class", "6.9", 6, 9, kernel_bpf__may_goto, 1 },
	[KERNEL_JUMBO] = { "frames in several buffers", "6.9", 6, 9, kernel_bpf__may_goto, 1 },
};

/* Kernels that distributions package, oldest first. */
static const struct {
	unsigned major, minor;
	const char *where;
} packaged[] = {
	{ 6, 1, "Debian 12 has one" },
	{ 6, 12, "Debian 13 has one, Debian 12 in its backports: `apt install -t bookworm-backports linux-image-amd64`" },
};

const char *kernel_feature__release(void)
{
	static __thread struct utsname name;

	return uname(&name) ? "(unknown)" : name.release;
}

const char *kernel_feature__name(enum kernel_feature feature)
{
	return rows[feature].name;
}

const char *kernel_feature__version(enum kernel_feature feature)
{
	return rows[feature].version;
}

const char *kernel_feature__speculation(void)
{
	return "in the isolated class Linux before 6.17 refuses what only a processor would do that guesses a test wrong";
}

static int is_newer(unsigned major, unsigned minor, unsigned than_major, unsigned than_minor)
{
	return major > than_major || (major == than_major && minor >= than_minor);
}

static int version_has(enum kernel_feature feature)
{
	unsigned major, minor;

	return sscanf(kernel_feature__release(), "%u.%u", &major, &minor) != 2 ||
	       is_newer(major, minor, rows[feature].major, rows[feature].minor);
}

int kernel_feature__has(enum kernel_feature feature)
{
	static int known[KERNEL_FEATURES]; /* 1 yes, -1 no */
	int is = __atomic_load_n(&known[feature], __ATOMIC_RELAXED), err;

	if (is)
		return is > 0;
	if (feature != KERNEL_DATAGRAMS && !kernel_feature__has(KERNEL_DATAGRAMS))
		return 0;
	err = rows[feature].try();
	if (err && err != -EINVAL && err != -E2BIG)
		return version_has(feature);
	__atomic_store_n(&known[feature], err ? -1 : 1, __ATOMIC_RELAXED);
	return !err;
}

static const char *packaged_in(enum kernel_feature feature)
{
	for (size_t i = 0; i < sizeof(packaged) / sizeof(packaged[0]); i++)
		if (is_newer(packaged[i].major, packaged[i].minor, rows[feature].major, rows[feature].minor))
			return packaged[i].where;
	return "build one";
}

const char *kernel_feature__refusal(enum kernel_feature feature, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "kernel %s is too old for %s (Linux %s or newer): boot a newer one (%s)", kernel_feature__release(),
		 rows[feature].name, rows[feature].version, packaged_in(feature));
	return buf;
}

const char *kernel_feature__advice(char *buf, size_t bytes)
{
	enum kernel_feature oldest = KERNEL_DATAGRAMS, newest = KERNEL_DATAGRAMS;
	int used;

	for (int i = 0; i < KERNEL_FEATURES; i++)
		if (is_newer(rows[i].major, rows[i].minor, rows[newest].major, rows[newest].minor))
			newest = (enum kernel_feature)i;
	used = snprintf(buf, bytes, "boot Linux %s or newer for everything (%s)", rows[newest].version, packaged_in(newest));
	if (!kernel_feature__has(oldest) && used > 0 && (size_t)used < bytes)
		snprintf(buf + used, bytes - (size_t)used, "; %s is enough for %s (%s)", rows[oldest].version, rows[oldest].name,
			 packaged_in(oldest));
	return buf;
}

const char *kernel_feature__of_may_goto(char *buf, size_t bytes)
{
	const char *lead = "";
	size_t used = 0;

	buf[0] = '\0';
	for (int i = 0; i < KERNEL_FEATURES && used < bytes; i++) {
		if (!rows[i].needs_may_goto)
			continue;
		used += (size_t)snprintf(buf + used, bytes - used, "%s%s", lead, rows[i].name);
		lead = ", ";
	}
	return buf;
}
