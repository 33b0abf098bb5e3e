/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include "user/libspin/iface.h"
#include "kernel/probe_iface.h"

int iface__read(const struct spin_nic *nic, struct iface *out)
{
	struct probe_iface found = { 0 };
	struct probe_net net;
	int err;

	memset(out, 0, sizeof(*out));
	if (!nic->ifindex)
		return 0;
	err = kernel_net__open(&net);
	if (!err)
		err = kernel_iface__read_index(&net, nic->ifindex, &found);
	kernel_net__close(&net);
	if (err == -ENODEV)
		return spin_fail(err, "interface %s has gone away", nic->name);
	if (err)
		return spin_fail(err, "cannot ask the kernel about %s: %s", nic->name, strerror(-err));
	out->mtu = found.mtu;
	if (!found.xdp_known)
		out->redirects = kernel_iface__driver_has_xdp(found.driver);
	else if (!strcmp(found.kind, "veth")) /* it says that it sends them when a program is there, ours for instance */
		out->redirects = !!(found.xdp_features & XDP_CAN_REDIRECT);
	else
		out->redirects = !(~found.xdp_features & (XDP_CAN_REDIRECT | XDP_CAN_NDO_XMIT));
	return 0;
}
