/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Creates a veth pair in its own namespace and tries XDP there. Called by `spinctl doctor`. Runs in a child process, so nothing remains. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>

#include <bpf/bpf.h>

#include "kernel/netlink.h"
#include "kernel/probe_bpf.h"
#include "kernel/probe_iface.h"
#include "kernel/probe_pair.h"

#define NEAR_END      "probe0"
#define FAR_END       "probe1"
#define LIMIT_SECONDS 10

static int make_pair(const struct probe_net *net)
{
	struct ifinfomsg fixed = { 0 };
	struct nlattr *info, *data, *peer;
	struct netlink_request r;

	netlink__begin(&r, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &fixed, sizeof(fixed));
	netlink__put_string(&r, IFLA_IFNAME, NEAR_END);
	info = netlink__nest(&r, IFLA_LINKINFO);
	netlink__put_string(&r, IFLA_INFO_KIND, "veth");
	data = netlink__nest(&r, IFLA_INFO_DATA);
	peer = netlink__nest(&r, VETH_INFO_PEER);
	netlink__put_raw(&r, &fixed, sizeof(fixed));
	netlink__put_string(&r, IFLA_IFNAME, FAR_END);
	netlink__nest_end(&r, peer);
	netlink__nest_end(&r, data);
	netlink__nest_end(&r, info);
	return netlink__transact(net->route_fd, &r, NULL, NULL);
}

static int bring_up(const struct probe_net *net, const char *name)
{
	struct ifinfomsg fixed = { .ifi_flags = IFF_UP, .ifi_change = IFF_UP };
	struct netlink_request r;

	netlink__begin(&r, RTM_NEWLINK, 0, &fixed, sizeof(fixed));
	netlink__put_string(&r, IFLA_IFNAME, name);
	return netlink__transact(net->route_fd, &r, NULL, NULL);
}

/* Attaches to the near end, reads the far end, and detaches. */
static int attach(const struct probe_net *net, int ifindex, uint32_t program_flags, uint32_t mode, struct probe_iface *far)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = mode);
	int program = kernel_bpf__xdp_fd(program_flags), link, err;

	if (program < 0)
		return program;
	link = bpf_link_create(program, ifindex, BPF_XDP, &opts);
	err = link < 0 ? -errno : kernel_iface__read(net, FAR_END, far);
	if (link >= 0)
		close(link);
	close(program);
	return err;
}

/* Makes a pair of veth in a namespace of its own, which ends with the process, and tries XDP in each mode on it. */
static void probe_in_child(struct probe_pair *out)
{
	struct probe_iface near, far;
	struct probe_net net = { 0 };

	out->made = unshare(CLONE_NEWNET) ? -errno : kernel_net__open(&net);
	if (!out->made)
		out->made = make_pair(&net);
	if (!out->made)
		out->made = bring_up(&net, NEAR_END);
	if (!out->made)
		out->made = bring_up(&net, FAR_END);
	if (!out->made)
		out->made = kernel_iface__read(&net, NEAR_END, &near);
	if (!out->made)
		out->made = kernel_iface__read(&net, FAR_END, &far);
	if (out->made)
		return;
	out->tso_before = far.features[FEATURE_TSO];
	out->native = attach(&net, near.ifindex, 0, XDP_FLAGS_DRV_MODE, &far);
	if (!out->native) {
		out->one_page_mtu = far.max_mtu;
		out->tso_after = far.features[FEATURE_TSO];
	}
	out->frags = attach(&net, near.ifindex, BPF_F_XDP_HAS_FRAGS, XDP_FLAGS_DRV_MODE, &far);
	if (!out->frags)
		out->frags_mtu = far.max_mtu;
	out->generic = attach(&net, near.ifindex, 0, XDP_FLAGS_SKB_MODE, &far);
}

static void run_child(pid_t parent, int to)
{
	struct probe_pair found = {
		.made = -EIO, .native = -EIO, .generic = -EIO, .frags = -EIO, .tso_before = SETTING_UNKNOWN, .tso_after = SETTING_UNKNOWN
	};
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signal(SIGALRM, SIG_DFL);
	alarm(LIMIT_SECONDS);
	probe_in_child(&found);
	n = write(to, &found, sizeof(found));
	_exit(n != sizeof(found));
}

void kernel_pair__probe(struct probe_pair *out)
{
	struct probe_pair found;
	pid_t parent = getpid(), pid;
	int ends[2];
	ssize_t n;

	*out = (struct probe_pair){
		.made = -EIO, .native = -EIO, .generic = -EIO, .frags = -EIO, .tso_before = SETTING_UNKNOWN, .tso_after = SETTING_UNKNOWN
	};
	if (pipe2(ends, O_CLOEXEC)) {
		out->made = -errno;
		return;
	}
	pid = fork();
	if (!pid)
		run_child(parent, ends[1]);
	close(ends[1]);
	if (pid < 0) {
		out->made = -errno;
	} else {
		do
			n = read(ends[0], &found, sizeof(found));
		while (n < 0 && errno == EINTR);
		if (n == sizeof(found))
			*out = found;
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
}
