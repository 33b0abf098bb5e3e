/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names what a failed bpf() call ran out of: descriptors, memory or permission. libspin calls this before it blames the kernel's version or
 * the handler. Nothing stays open.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernel/features.h"
#include "kernel/shortage.h"

#define DESCRIPTORS_MAX 256 /* descriptors tried at a time; objects need fewer */

/* Returns 0 if `count` descriptors can be opened now, or -errno. */
static int try_descriptors(unsigned count)
{
	int fds[DESCRIPTORS_MAX], err = 0;
	unsigned n = 0;

	while (!err && n < count && n < DESCRIPTORS_MAX) {
		fds[n] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (fds[n] < 0)
			err = -errno;
		else
			n++;
	}
	while (n > 0)
		close(fds[--n]);
	return err == -EMFILE || err == -ENFILE ? err : 0;
}

int kernel_shortage__explain(int err, unsigned descriptors, char *reason, size_t reason_bytes)
{
	struct rlimit limit = { 0 };
	unsigned major = 0, minor = 0;

	if (err != -EMFILE && err != -ENFILE) {
		int counted = descriptors ? try_descriptors(descriptors) : 0;

		err = counted ? counted : err;
	}
	switch (err) {
	case -EMFILE:
		getrlimit(RLIMIT_NOFILE, &limit);
		snprintf(reason, reason_bytes,
			 "this process may have %llu descriptors open, which are too few: raise the limit "
			 "(`ulimit -n %llu`) and try again",
			 (unsigned long long)limit.rlim_cur, limit.rlim_cur < 1024 ? 1024ull : 4 * (unsigned long long)limit.rlim_cur);
		return err;
	case -EAGAIN: /* the verifier returns this only if a signal is pending */
		snprintf(reason, reason_bytes, "a signal interrupted the kernel while it verified the program");
		return err;
	case -ENFILE:
		snprintf(reason, reason_bytes,
			 "this machine has as many files open as it may: raise the limit (`sysctl -w "
			 "fs.file-max=1000000`), or end what holds so many");
		return err;
	case -ENOMEM:
		snprintf(reason, reason_bytes,
			 "the kernel has no memory left for it: free some, raise the memory limit of the "
			 "container or control group, or make tables and host memory smaller");
		return err;
	case -EPERM:
	case -EACCES:
		sscanf(kernel_feature__release(), "%u.%u", &major, &minor);
		if (major == 5 && minor < 11 && !getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur != RLIM_INFINITY)
			snprintf(reason, reason_bytes,
				 "bpf() is refused: before Linux 5.11 its memory counts as locked, of which "
				 "%llu KiB are allowed: raise the limit (`ulimit -l unlimited`)",
				 (unsigned long long)limit.rlim_cur >> 10);
		else
			snprintf(reason, reason_bytes,
				 "bpf() is refused (%s) though this process has the capabilities: a seccomp "
				 "filter, a BPF LSM program, lockdown or a container's user namespace forbids it; `spinctl "
				 "doctor` looks for them",
				 strerror(-err));
		return -EPERM;
	}
	return 0;
}
