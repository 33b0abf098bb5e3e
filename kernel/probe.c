/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel/caps.h"
#include "kernel/probe.h"
#include "kernel/probe_bpf.h"

static int has(uint64_t caps, int cap)
{
	return (int)(caps >> cap & 1);
}

int kernel_probe__privileged_isolated(void)
{
	uint64_t caps = kernel_caps__effective();

	/* all of it is asked for without CAP_SYS_ADMIN, which is laid down meanwhile */
	return has(caps, CAP_BPF) && has(caps, CAP_NET_ADMIN);
}

int kernel_probe__privileged(void)
{
	uint64_t caps = kernel_caps__effective();

	return has(caps, CAP_SYS_ADMIN) || (kernel_probe__privileged_isolated() && has(caps, CAP_PERFMON));
}

static int probe_kernel(char *why, size_t why_bytes)
{
	struct utsname name;
	unsigned major, minor;
	int has_ring;

	if (!uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	    (major < KERNEL_PROBE_MAJOR || (major == KERNEL_PROBE_MAJOR && minor < KERNEL_PROBE_MINOR))) {
		snprintf(why, why_bytes, "kernel %s is too old: handlers need %d.%d or newer; "
			 "the model (spinctl cost) runs without", name.release, KERNEL_PROBE_MAJOR, KERNEL_PROBE_MINOR);
		return -ENOSYS;
	}
	errno = 0;
	has_ring = libbpf_probe_bpf_map_type(BPF_MAP_TYPE_RINGBUF, NULL);
	if (has_ring != 1 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
		snprintf(why, why_bytes, "it cannot be tried what this kernel can do: %s", strerror(errno));
		return -errno;
	}
	if (has_ring != 1) {
		snprintf(why, why_bytes, "this kernel or container refuses bpf(): it needs CONFIG_BPF_SYSCALL, "
			 "and no lockdown or seccomp filter against it");
		return errno == EPERM || has_ring == -EPERM ? -EPERM : -ENOSYS;
	}
	return 0;
}

int kernel_probe__xdp(char *why, size_t why_bytes)
{
	if (kernel_probe__privileged())
		return probe_kernel(why, why_bytes);
	if (kernel_probe__privileged_isolated())
		snprintf(why, why_bytes, "loading handlers of the trusted class needs CAP_PERFMON beside CAP_BPF and "
			 "CAP_NET_ADMIN: run it as root (sudo), or load them isolated (--class isolated)");
	else
		snprintf(why, why_bytes, "loading handlers into the kernel needs CAP_BPF, CAP_PERFMON and "
			 "CAP_NET_ADMIN: run it as root (sudo)");
	return -EPERM;
}

int kernel_probe__xdp_isolated(char *why, size_t why_bytes)
{
	if (!kernel_probe__privileged_isolated()) {
		snprintf(why, why_bytes, "loading isolated handlers into the kernel needs CAP_BPF and CAP_NET_ADMIN: "
			 "run it as root (sudo)");
		return -EPERM;
	}
	if (kernel_probe__copies())
		return probe_kernel(why, why_bytes);
	snprintf(why, why_bytes, "this kernel is too old for the isolated class, which needs 6.9 or newer: load the "
		 "handlers in the trusted class");
	return -ENOSYS;
}

/*
 * What trying gave (0, or -errno), as an answer that *known keeps for all threads: 1
 * yes, -1 no. What fails for want of something else (memory, descriptors, a privilege)
 * is no answer: yes for now, and loading will tell what is wrong.
 */
static int answer(int tried, int *known)
{
	if (!tried || tried == -EINVAL || tried == -E2BIG)
		__atomic_store_n(known, tried ? -1 : 1, __ATOMIC_RELAXED);
	return tried != -EINVAL && tried != -E2BIG;
}

int kernel_probe__fragments(void)
{
	static int known;
	int is = __atomic_load_n(&known, __ATOMIC_RELAXED);

	return is ? is > 0 : answer(kernel_bpf__xdp(BPF_F_XDP_HAS_FRAGS), &known);
}

int kernel_probe__copies(void)
{
	return kernel_probe__fragments() && kernel_probe__may_goto();
}

int kernel_probe__may_goto(void)
{
	static int known;
	int is = __atomic_load_n(&known, __ATOMIC_RELAXED);

	return is ? is > 0 : answer(kernel_bpf__may_goto(), &known);
}

int kernel_probe__virtual(const char *ifname)
{
	static const char *const drivers[] = { "veth", "tun", "virtio_net", "bridge", "dummy", "bonding",
					       "netkit", "ipvlan", "macvlan", "vmxnet3", "hv_netvsc",
					       "vif", "netdevsim", "802.1Q VLAN Support" };
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq req = { 0 };
	int fd, err;

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", ifname);
	req.ifr_data = (void *)&info;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	err = ioctl(fd, SIOCETHTOOL, &req);
	close(fd);
	if (err)
		return strcmp(ifname, "lo") == 0;
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (!strcmp(info.driver, drivers[i]))
			return 1;
	return 0;
}
