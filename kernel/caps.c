/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Capabilities of the calling thread: reads the effective set, and drops and restores CAP_PERFMON. Called by probe.c, spinctl, and libspin,
 * which loads the isolated class (handlers without direct packet access) without that capability.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "kernel/caps.h"

#define CAPS_PERFMON (1ull << CAP_PERFMON | 1ull << CAP_SYS_ADMIN)

static int get(struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3])
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(SYS_capget, &header, data) ? -errno : 0;
}

static int set_effective(uint64_t effective)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	int err = get(data);

	if (err)
		return err;
	data[0].effective = (uint32_t)effective;
	data[1].effective = (uint32_t)(effective >> 32);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

uint64_t kernel_caps__effective(void)
{
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return get(data) ? 0 : data[0].effective | (uint64_t)data[1].effective << 32;
}

int kernel_caps__drop_for_isolated(uint64_t *saved)
{
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	int err = get(data);

	if (err)
		return err;
	*saved = data[0].effective | (uint64_t)data[1].effective << 32;
	return *saved & CAPS_PERFMON ? set_effective(*saved & ~CAPS_PERFMON) : 0;
}

int kernel_caps__restore(uint64_t saved)
{
	return kernel_caps__effective() == saved ? 0 : set_effective(saved);
}
