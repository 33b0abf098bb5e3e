/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"
#include "kernel/probe.h"

int spin_nic__open(const char *ifname, struct spin_nic **out)
{
	unsigned ifindex = if_nametoindex(ifname);
	struct spin_nic *nic;

	*out = NULL;
	if (!ifindex)
		return spin_fail(-ENODEV, "there is no interface %s in this network namespace; `ip link` lists "
				 "them", ifname);
	nic = calloc(1, sizeof(*nic));
	if (!nic)
		return spin_fail(-ENOMEM, "no memory to open %s", ifname);
	snprintf(nic->name, sizeof(nic->name), "%s", ifname);
	nic->ifindex = (int)ifindex;
	nic->is_virtual = kernel_probe__virtual(ifname);
	*out = nic;
	return 0;
}

void spin_nic__close(struct spin_nic *nic)
{
	free(nic);
}

const char *spin_nic__name(const struct spin_nic *nic)
{
	return nic->name;
}

int spin_nic__ifindex(const struct spin_nic *nic)
{
	return nic->ifindex;
}
