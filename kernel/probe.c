/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks whether this process may load handlers, and what kind of interface a name is. Called by libspin before it loads, and by spinctl
 * and spincc. Nothing stays loaded.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel/caps.h"
#include "kernel/features.h"
#include "kernel/probe.h"
#include "kernel/probe_bpf.h"
#include "kernel/shortage.h"

static int has_cap(uint64_t caps, int cap)
{
	return (int)(caps >> cap & 1);
}

int kernel_probe__privileged_isolated(void)
{
	uint64_t caps = kernel_caps__effective();

	/* the isolated class is loaded with CAP_SYS_ADMIN dropped, so CAP_SYS_ADMIN alone is not enough */
	return has_cap(caps, CAP_BPF) && has_cap(caps, CAP_NET_ADMIN);
}

int kernel_probe__privileged(void)
{
	uint64_t caps = kernel_caps__effective();

	return has_cap(caps, CAP_SYS_ADMIN) || (kernel_probe__privileged_isolated() && has_cap(caps, CAP_PERFMON));
}

static int probe_kernel(char *reason, size_t reason_bytes)
{
	int has_ring, err;

	if (!kernel_feature__has(KERNEL_DATAGRAMS)) {
		char refusal[400];

		kernel_feature__refusal(KERNEL_DATAGRAMS, refusal, sizeof(refusal));
		snprintf(reason, reason_bytes, "%s; the model (spinctl cost) runs without", refusal);
		return -ENOSYS;
	}
	errno = 0;
	has_ring = libbpf_probe_bpf_map_type(BPF_MAP_TYPE_RINGBUF, NULL);
	if (has_ring == 1)
		return 0;
	err = kernel_shortage__explain(has_ring < 0 ? has_ring : -errno, 1, reason, reason_bytes);
	if (err)
		return err;
	snprintf(reason, reason_bytes, "this kernel has no BPF, or not all of it: use one with CONFIG_BPF_SYSCALL=y and CONFIG_NET=y");
	return -ENOSYS;
}

int kernel_probe__xdp(char *reason, size_t reason_bytes)
{
	if (kernel_probe__privileged())
		return probe_kernel(reason, reason_bytes);
	if (kernel_probe__privileged_isolated())
		snprintf(reason, reason_bytes,
			 "loading handlers of the trusted class needs CAP_PERFMON in addition to CAP_BPF and "
			 "CAP_NET_ADMIN: run it as root (sudo), or load them isolated (--class isolated)");
	else
		snprintf(reason, reason_bytes,
			 "loading handlers into the kernel needs CAP_BPF, CAP_PERFMON and "
			 "CAP_NET_ADMIN: run it as root (sudo)");
	return -EPERM;
}

int kernel_probe__xdp_isolated(char *reason, size_t reason_bytes)
{
	if (!kernel_probe__privileged_isolated()) {
		snprintf(reason, reason_bytes,
			 "loading isolated handlers into the kernel needs CAP_BPF and CAP_NET_ADMIN: "
			 "run it as root (sudo)");
		return -EPERM;
	}
	if (kernel_feature__has(KERNEL_ISOLATED))
		return probe_kernel(reason, reason_bytes);
	if (kernel_feature__has(KERNEL_DATAGRAMS)) {
		char refusal[400];

		kernel_feature__refusal(KERNEL_ISOLATED, refusal, sizeof(refusal));
		snprintf(reason, reason_bytes, "%s, or load the handlers in the trusted class", refusal);
		return -ENOSYS;
	}
	return probe_kernel(reason, reason_bytes);
}

int kernel_probe__refuses_speculation(void)
{
	static int known; /* 1 yes, -1 no */
	int is = __atomic_load_n(&known, __ATOMIC_RELAXED);
	uint64_t saved;

	if (is)
		return is > 0;
	if (kernel_caps__drop_for_isolated(&saved))
		return 0;
	is = kernel_bpf__speculative_load() == -EACCES ? 1 : -1;
	kernel_caps__restore(saved);
	__atomic_store_n(&known, is, __ATOMIC_RELAXED);
	return is > 0;
}

int kernel_probe__fragments(void)
{
	return kernel_feature__has(KERNEL_DATAGRAMS);
}

int kernel_probe__copies(void)
{
	return kernel_feature__has(KERNEL_JUMBO);
}

/* The programs that copy the packet need may_goto, so this feature decides. */
int kernel_probe__may_goto(void)
{
	return kernel_feature__has(KERNEL_JUMBO);
}

int kernel_probe__virtual(const char *ifname)
{
	static const char *const drivers[] = { "veth",   "tun",     "virtio_net", "bridge",    "dummy", "bonding",   "netkit",
					       "ipvlan", "macvlan", "vmxnet3",    "hv_netvsc", "vif",   "netdevsim", "802.1Q VLAN Support",
					       "vxlan",  "geneve",  "team" };
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
