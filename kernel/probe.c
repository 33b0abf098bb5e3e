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

#include "kernel/probe.h"

static uint64_t effective_capabilities(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	unsigned long long caps = 0;

	if (!f)
		return geteuid() == 0 ? ~0ull : 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	fclose(f);
	return caps;
}

int kernel_probe__privileged(void)
{
	uint64_t caps = effective_capabilities();

	if (caps >> CAP_SYS_ADMIN & 1)
		return 1;
	return (caps >> CAP_BPF & 1) && (caps >> CAP_NET_ADMIN & 1) && (caps >> CAP_PERFMON & 1);
}

int kernel_probe__xdp(char *why, size_t why_bytes)
{
	struct utsname name;
	unsigned major, minor;
	int has_ring;

	if (!kernel_probe__privileged()) {
		snprintf(why, why_bytes, "loading handlers into the kernel needs CAP_BPF, CAP_PERFMON and "
			 "CAP_NET_ADMIN: run it as root (sudo)");
		return -EPERM;
	}
	if (!uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	    (major < KERNEL_PROBE_MAJOR || (major == KERNEL_PROBE_MAJOR && minor < KERNEL_PROBE_MINOR))) {
		snprintf(why, why_bytes, "kernel %s is too old: handlers need %d.%d or newer; "
			 "the model (spinctl cost) runs without", name.release, KERNEL_PROBE_MAJOR, KERNEL_PROBE_MINOR);
		return -ENOSYS;
	}
	errno = 0;
	has_ring = libbpf_probe_bpf_map_type(BPF_MAP_TYPE_RINGBUF, NULL);
	if (has_ring != 1) {
		snprintf(why, why_bytes, "this kernel or container refuses bpf(): it needs CONFIG_BPF_SYSCALL, "
			 "and no lockdown or seccomp filter against it");
		return errno == EPERM || has_ring == -EPERM ? -EPERM : -ENOSYS;
	}
	return 0;
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
