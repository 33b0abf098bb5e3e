/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Interfaces: opened by name, or offline for tests. Reference-counted; the last release frees the handle. Called by applications and by
 * contexts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/bpf.h>

#include "user/libspin/internal.h"
#include "kernel/probe.h"
#include "kernel/share/share.h"
#include "user/libspin/requests/egress.h"
#include "user/libspin/root.h"

static struct spin_nic *alloc_nic(const char *name)
{
	struct spin_nic *nic = calloc(1, sizeof(*nic));

	if (!nic)
		return NULL;
	snprintf(nic->name, sizeof(nic->name), "%s", name);
	nic->is_virtual = 1;
	nic->link_fd = -1;
	nic->holders = 1;
	pthread_mutex_init(&nic->lock, NULL);
	return nic;
}

int spin_nic__open(const char *ifname, struct spin_nic **out)
{
	unsigned ifindex = if_nametoindex(ifname);

	*out = NULL;
	kernel_threaded__recover();
	kernel_share__recover();
	if (!ifindex)
		return spin_fail(-ENODEV,
				 "there is no interface %s in this network namespace; `ip link` lists "
				 "them",
				 ifname);
	*out = alloc_nic(ifname);
	if (!*out)
		return spin_fail(-ENOMEM, "no memory to open %s", ifname);
	(*out)->ifindex = (int)ifindex;
	(*out)->is_virtual = kernel_probe__virtual(ifname);
	return 0;
}

int spin_nic__open_offline(struct spin_nic **out)
{
	*out = alloc_nic("offline");
	return *out ? 0 : spin_fail(-ENOMEM, "no memory for an interface");
}

void nic__hold(struct spin_nic *nic)
{
	__atomic_fetch_add(&nic->holders, 1, __ATOMIC_RELAXED);
}

void nic__release(struct spin_nic *nic)
{
	if (__atomic_sub_fetch(&nic->holders, 1, __ATOMIC_ACQ_REL))
		return;
	egress__forget(nic);
	root_attach__free(nic);
	pthread_mutex_destroy(&nic->lock);
	free(nic);
}

struct spin_nic *spin_nic__hold(struct spin_nic *nic)
{
	nic__hold(nic);
	return nic;
}

void spin_nic__close(struct spin_nic *nic)
{
	if (nic)
		nic__release(nic);
}

const char *spin_nic__name(const struct spin_nic *nic)
{
	return nic->name;
}

int spin_nic__ifindex(const struct spin_nic *nic)
{
	return nic->ifindex;
}

int spin_nic__set_mode(struct spin_nic *nic, enum spin_mode mode)
{
	int err = 0;

	if (mode != SPIN_MODE_AUTO && mode != SPIN_MODE_NATIVE && mode != SPIN_MODE_GENERIC && mode != SPIN_MODE_OFFLOAD)
		return spin_fail(-EINVAL, "there is no mode %d", (int)mode);
	pthread_mutex_lock(&nic->lock);
	if (nic->contexts)
		err = spin_fail(-EBUSY, "%s is in use in %s mode: detach its contexts first", nic->name, spin_mode_name(nic->used));
	else
		nic->wanted = mode;
	pthread_mutex_unlock(&nic->lock);
	return err;
}

int spin_nic__set_share(struct spin_nic *nic, const struct spin_share *share)
{
	int err = 0;

	if (!nic->ifindex)
		return spin_fail(-EINVAL, "this handle has no interface, so there is nothing to share");
	if (share && share->chain >> (XDP_REDIRECT + 1))
		return spin_fail(-EINVAL, "chain 0x%x has bits of verdicts that XDP does not have", share->chain);
	pthread_mutex_lock(&nic->lock);
	if (nic->root) {
		err = spin_fail(-EBUSY, "%s has had contexts already: open it again to share it, or not to", nic->name);
	} else {
		nic->is_shared = share != NULL;
		if (share)
			nic->share = *share;
	}
	pthread_mutex_unlock(&nic->lock);
	return err;
}

enum spin_mode spin_nic__mode(struct spin_nic *nic, const char **reason)
{
	enum spin_mode used;

	pthread_mutex_lock(&nic->lock);
	used = nic->used;
	if (reason)
		*reason = nic->refusal[0] ? nic->refusal : NULL;
	pthread_mutex_unlock(&nic->lock);
	return used;
}

const char *spin_mode_name(enum spin_mode mode)
{
	static const char *const names[] = { "auto", "native", "generic", "offload" };

	return (unsigned)mode < sizeof(names) / sizeof(names[0]) ? names[mode] : "unknown";
}

int spin_nic__program_fd(struct spin_nic *nic)
{
	int prog_fd;

	pthread_mutex_lock(&nic->lock);
	prog_fd = nic->root ? root__program_fd(nic->root) : -1;
	pthread_mutex_unlock(&nic->lock);
	return prog_fd;
}
