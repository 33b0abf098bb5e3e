/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads the facts about one interface (mode of XDP, the program on it), and about the peer of a veth. Called by exam.c, which checks them
 * for spinctl doctor, and by run/warn.c, which warns of lost replies. Changes nothing.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "user/spinctl/doctor/facts.h"
#include "kernel/attach.h"

void doctor__read_peer(const struct probe_net *net, struct doctor_device *d)
{
	struct probe_net there;

	if (!d->iface.peer_ifindex) {
		d->peer_err = -ENODEV;
	} else if (d->iface.peer_net < 0) {
		d->peer_err = kernel_iface__read_index(net, d->iface.peer_ifindex, &d->peer);
	} else {
		d->peer_err = kernel_net__open_numbered(net, d->iface.peer_net, &there);
		if (!d->peer_err)
			d->peer_err = kernel_iface__read_index(&there, d->iface.peer_ifindex, &d->peer);
		snprintf(d->peer_net, sizeof(d->peer_net), "%s", there.name);
		snprintf(d->peer_path, sizeof(d->peer_path), "%s", there.path);
		kernel_net__close(&there);
	}
}

/* Returns 1 for a program of sPIN: their names start with "spin_". */
static int is_spin_program(uint32_t program_id)
{
	struct bpf_prog_info info = { 0 };
	uint32_t bytes = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(program_id), is_spin;

	if (fd < 0)
		return 0;
	is_spin = !bpf_obj_get_info_by_fd(fd, &info, &bytes) && !strncmp(info.name, "spin_", 5);
	close(fd);
	return is_spin;
}

int doctor__read_device(const struct probe_net *net, const char *name, struct doctor_device *d)
{
	uint32_t id;
	int err;

	memset(d, 0, sizeof(*d));
	err = kernel_iface__read(net, name, &d->iface);
	if (err)
		return err;
	doctor__read_peer(net, d);
	kernel_native__check(net, &d->iface, &d->native);
	id = d->iface.native_id ? d->iface.native_id : d->iface.generic_id ? d->iface.generic_id : d->iface.offloaded_id;
	d->held = id && kernel_attach__holder(d->iface.ifindex, name, d->holder, sizeof(d->holder));
	d->held_by_us = d->held && is_spin_program(id);
	return 0;
}
