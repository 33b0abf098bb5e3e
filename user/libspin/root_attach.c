/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Attaches an interface's dispatcher (root.h), its XDP program: alone by a bpf_link, which ends with the process, or shared with other
 * programs by libxdp. Called by attach.c with the first context and after the last one. Callers hold the interface's lock.
 */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <xdp/libxdp.h>

#include "kernel/attach.h"
#include "kernel/probe.h"
#include "kernel/share/dispatcher.h"
#include "kernel/share/share.h"
#include "user/libspin/internal.h"
#include "user/libspin/load/failure.h"
#include "user/libspin/root.h"

static int attach_once(struct spin_nic *nic, enum kernel_attach_mode mode, char *reason, size_t reason_bytes)
{
	int fd;

	root__drop_short(nic->root);
	if (nic->shared)
		return kernel_share__attach(nic->shared, nic->ifindex, nic->name, mode, reason, reason_bytes);
	fd = kernel_attach__link(root__program_fd(nic->root), nic->ifindex, nic->name, mode, reason, reason_bytes);
	if (fd >= 0)
		nic->link_fd = fd;
	return fd;
}

/* If libxdp's dispatcher is attached already, its mode must be used. */
static int choose_mode(const struct spin_nic *nic, enum spin_mode *wanted, char *reason, size_t reason_bytes)
{
	int is_generic = nic->shared ? kernel_dispatcher__is_generic(nic->ifindex) : -1;
	enum spin_mode has = is_generic ? SPIN_MODE_GENERIC : SPIN_MODE_NATIVE;

	*wanted = is_generic < 0 ? nic->wanted : has;
	if (nic->wanted == SPIN_MODE_AUTO || nic->wanted == *wanted)
		return 0;
	snprintf(reason, reason_bytes,
		 "the programs that share %s run in %s mode, and all of them run in the same: take that, or auto, or remove them "
		 "(`xdp-loader unload %s --all`)",
		 nic->name, spin_mode_name(has), nic->name);
	return -EBUSY;
}

/* For SPIN_MODE_AUTO: native, or generic if the driver refuses native. */
static int attach_in_mode(struct spin_nic *nic, char *reason, size_t reason_bytes)
{
	enum spin_mode wanted;
	int err = choose_mode(nic, &wanted, reason, reason_bytes);

	if (err)
		return err;
	nic->refusal[0] = '\0';
	if (wanted != SPIN_MODE_GENERIC) {
		err = attach_once(nic, KERNEL_ATTACH_NATIVE, reason, reason_bytes);
		nic->used = SPIN_MODE_NATIVE;
		if (err >= 0 || wanted == SPIN_MODE_NATIVE || !kernel_attach__may_be_generic(err))
			goto out;
		snprintf(nic->refusal, sizeof(nic->refusal), "%.*s", (int)sizeof(nic->refusal) - 1, reason);
	}
	err = attach_once(nic, KERNEL_ATTACH_GENERIC, reason, reason_bytes);
	nic->used = SPIN_MODE_GENERIC;
out:
	if (err >= 0)
		return 0;
	nic->used = SPIN_MODE_AUTO;
	nic->refusal[0] = '\0';
	return kernel_attach__may_be_generic(err) ? -EOPNOTSUPP : err;
}

/* --- shared --- */

/* Linux 6.13, and older kernels with its fixes, detect that a program's tail calls may change the packet. */
static int explain_load(struct bpf_object *bpf, const char *log, const char *reason)
{
	if (strstr(log, "changes packet data"))
		return spin_fail(
			-EOPNOTSUPP,
			"the dispatcher of the libxdp that is installed takes no programs with tail calls on this kernel (\"Extension "
			"program changes packet data, while original does not\"): install libxdp 1.5.5 or newer, and the tools of its "
			"version, or run without --share");
	if (!*log)
		return spin_fail(-EOPNOTSUPP, "%s", reason);
	return load_failure__explain_own(-EINVAL, bpf, log, SPIN_CLASS_TRUSTED, ROOT_WHAT);
}

/* A loader for root__load(): lets libxdp load the dispatcher and attach it beside other programs of the interface. */
static int load_shared(void *arg, struct bpf_object *bpf, const char *program, const char *log)
{
	struct spin_nic *nic = arg;
	const struct kernel_share_opts opts = { .program = program, .priority = nic->share.priority, .chain = nic->share.chain };
	char reason[SPIN_ERROR_BYTES];
	int err;

	if (!kernel_probe__privileged())
		return spin_fail(-EPERM, "sharing %s takes CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON: run it as root (sudo)", nic->name);
	err = kernel_share__open(bpf, &opts, &nic->shared, reason, sizeof(reason));
	if (!err)
		err = attach_in_mode(nic, reason, sizeof(reason));
	if (!err)
		return 0;
	kernel_share__close(nic->shared);
	nic->shared = NULL;
	return err == -ENOEXEC ? explain_load(bpf, log, reason) : spin_fail(err, "%s", reason);
}

/* A loader for root__load(): loads the dispatcher as a replacement for a function of libxdp's own one. */
static int load_as_extension(void *arg, struct bpf_object *bpf, const char *program, const char *log)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(bpf, program);
	int err = bpf_program__set_attach_target(prog, *(int *)arg, "prog0");

	if (err)
		return spin_fail(err, "libxdp's dispatcher is of a kind that is not known here: %s", strerror(-err));
	bpf_program__set_type(prog, BPF_PROG_TYPE_EXT);
	bpf_program__set_expected_attach_type(prog, 0);
	bpf_program__set_flags(prog, bpf_program__flags(prog) & ~(uint32_t)BPF_F_XDP_HAS_FRAGS);
	err = bpf_object__load(bpf);
	return err ? explain_load(bpf, log, strerror(-err)) : 0;
}

int root_attach__try_share(void)
{
	char reason[SPIN_ERROR_BYTES];
	struct xdp_program *dispatcher;
	struct root *root = NULL;
	int fd, err = kernel_share__possible(reason, sizeof(reason));

	if (err)
		return spin_fail(err, "%s", reason);
	dispatcher = kernel_dispatcher__load(&fd);
	if (!dispatcher)
		return spin_fail(-EOPNOTSUPP, "libxdp's dispatcher is not installed, or the kernel refuses it%s%s",
				 *kernel_dispatcher__message() ? ": " : "", kernel_dispatcher__message());
	err = root__load(&root, &(struct root_loader){ load_as_extension, &fd });
	root__free(root);
	xdp_program__close(dispatcher);
	return err;
}

/* --- both --- */

int root_attach__load(struct spin_nic *nic)
{
	const struct root_loader loader = { load_shared, nic };
	struct root *root;
	int err;

	if (nic->root)
		return 0;
	err = root__load(&root, nic->is_shared ? &loader : NULL);
	if (err) {
		root_attach__free(nic);
		return err;
	}
	__atomic_store_n(&nic->root, root, __ATOMIC_RELEASE);
	return 0;
}

int root_attach__attach(struct spin_nic *nic)
{
	char reason[SPIN_ERROR_BYTES];
	int err = attach_in_mode(nic, reason, sizeof(reason));

	return err ? spin_fail(err, "%s", reason) : 0;
}

int root_attach__is_attached(const struct spin_nic *nic)
{
	return nic->used != SPIN_MODE_AUTO;
}

void root_attach__detach(struct spin_nic *nic)
{
	if (nic->shared)
		kernel_share__detach(nic->shared);
	if (nic->link_fd >= 0)
		close(nic->link_fd);
	nic->link_fd = -1;
	nic->used = SPIN_MODE_AUTO;
	nic->refusal[0] = '\0';
}

void root_attach__free(struct spin_nic *nic)
{
	root_attach__detach(nic);
	kernel_share__close(nic->shared);
	nic->shared = NULL;
	root__free(nic->root);
	nic->root = NULL;
}

static int explain_gone(const struct spin_nic *nic, const char *how)
{
	char name[IF_NAMESIZE];

	if (if_indextoname((unsigned)nic->ifindex, name))
		return spin_fail(-ENOLINK,
				 "somebody else has detached the XDP program of %s (as `%s` "
				 "does): nothing is attached any more",
				 name, how);
	return spin_fail(-ENODEV, "interface %s has gone away: nothing is attached any more", nic->name);
}

/*
 * A link without an interface lost it when the interface was deleted, or was detached by hand. The interface's index tells which, because
 * an index in use is not reassigned.
 */
int root_attach__check(const struct spin_nic *nic)
{
	int ifindex = nic->link_fd < 0 ? 1 : kernel_link__ifindex(nic->link_fd);

	if (nic->shared && root_attach__is_attached(nic))
		return kernel_share__check(nic->shared) ? explain_gone(nic, "xdp-loader unload") : 0;
	if (ifindex < 0)
		return spin_fail(ifindex, "the link to %s cannot be queried", nic->name);
	return ifindex ? 0 : explain_gone(nic, "bpftool link detach");
}
