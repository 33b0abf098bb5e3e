/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The conditions for native XDP that neither rtnetlink nor the kernel's xdp_features report: those of virtio_net and bonding. Called by
 * `spinctl doctor`, and by kernel_attach__link() before it attaches. Changes nothing.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "kernel/cpus.h"
#include "kernel/native.h"
#include "kernel/textfile.h"

/* Feature bits of a virtio-net device (virtio 1.2, 5.1.3). In sysfs they are a string of 0 and 1, indexed by bit number. */
enum {
	GUEST_CSUM = 1,
	CTRL_GUEST_OFFLOADS = 2,
	GUEST_TSO4 = 7,
	GUEST_TSO6 = 8,
	GUEST_ECN = 9,
	GUEST_UFO = 10,
	GUEST_USO4 = 54,
	GUEST_USO6 = 55,
	VIRTIO_BITS = 64
};

/*
 * Before 6.3 virtio_net has no frames in several buffers. It copies each frame into one page, with 256 bytes of headroom, its own header of
 * 12 bytes, Ethernet's of 14, and 320 for the skb's footer. It drops longer frames (seen on 6.1.176), and refuses XDP from an MTU of 4064
 * on.
 */
#define VIRTIO_PAGE_MTU (4096u - 256 - 12 - 14 - 320)

static void set_verdict(struct kernel_native *out, enum kernel_native_verdict verdict, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void set_verdict(struct kernel_native *out, enum kernel_native_verdict verdict, const char *format, ...)
{
	va_list args;

	out->verdict = verdict;
	va_start(args, format);
	vsnprintf(out->reason, sizeof(out->reason), format, args);
	va_end(args);
}

#define SET_ADVICE(OUT, ...) snprintf((OUT)->advice, sizeof((OUT)->advice), __VA_ARGS__)

/* Reads a file of the interface in /sys, unless /sys shows an interface of another namespace. Returns 0 or -errno. */
static int read_sysfs(const struct probe_net *net, const struct probe_iface *iface, const char *file, char *line, size_t bytes)
{
	char path[96];

	if (net->sysfs_fd < 0)
		return -1;
	snprintf(path, sizeof(path), "class/net/%s/ifindex", iface->name);
	if (textfile__number(net->sysfs_fd, path, -1) != iface->ifindex)
		return -1;
	snprintf(path, sizeof(path), "class/net/%s/%s", iface->name, file);
	return textfile__line(net->sysfs_fd, path, line, bytes);
}

unsigned kernel_native__virtio_queues(const struct probe_iface *iface)
{
	int cpus = kernel_cpus__possible();

	return cpus > 0 && iface->rx_queues_max > (unsigned)cpus ? iface->rx_queues_max - (unsigned)cpus : 0;
}

/*
 * virtnet_xdp_set() gives each possible CPU a send queue in addition to those in use, or none if there are not enough. virtnet_xdp_get_sq()
 * does not check which: if more queues are in use than there are CPUs, it takes queue number `in use` + CPU, which does not exist. Seen
 * with XDP_TX on 6.12.107 and 7.2.13: a NULL pointer dereference in virtqueue_get_buf().
 */
static int uses_missing_queues(const struct probe_iface *iface)
{
	int cpus = kernel_cpus__possible();

	return cpus > 0 && iface->rx_queues_max && !iface->native_id && iface->rx_queues > (unsigned)cpus &&
	       iface->rx_queues + (unsigned)cpus > iface->rx_queues_max;
}

/* Returns 1 if the host coalesces packets or leaves checksums undone and this cannot be switched off, 0 if not, -1 if unknown. */
static int has_fixed_offloads(const struct probe_net *net, const struct probe_iface *iface)
{
	static const int offloads[] = { GUEST_CSUM, GUEST_TSO4, GUEST_TSO6, GUEST_ECN, GUEST_UFO, GUEST_USO4, GUEST_USO6 };
	char bits[VIRTIO_BITS + 16];

	if (read_sysfs(net, iface, "device/features", bits, sizeof(bits)) || strlen(bits) < VIRTIO_BITS)
		return -1;
	if (bits[CTRL_GUEST_OFFLOADS] == '1')
		return 0;
	for (unsigned i = 0; i < sizeof(offloads) / sizeof(offloads[0]); i++)
		if (bits[offloads[i]] == '1')
			return 1;
	return 0;
}

static void check_virtio(const struct probe_net *net, const struct probe_iface *iface, struct kernel_native *out)
{
	int offloads = has_fixed_offloads(net, iface);

	if (offloads > 0 || (offloads < 0 && iface->fixed[FEATURE_GRO_HW] && iface->features[FEATURE_GRO_HW] == SETTING_ON)) {
		set_verdict(out, KERNEL_NATIVE_NO,
			    "virtio_net refuses: the host coalesces packets or leaves their checksums undone, "
			    "and lets nobody switch that off");
		SET_ADVICE(out, "start the virtual machine with `ctrl_guest_offloads=on` on its virtio-net device (QEMU), or with "
				"`guest_csum=off,guest_tso4=off,guest_tso6=off,guest_ecn=off,guest_ufo=off`; generic XDP runs as it is");
	} else if (uses_missing_queues(iface)) {
		set_verdict(out, KERNEL_NATIVE_UNSAFE,
			    "virtio_net would crash the kernel when a handler sends: of %s's %u queues %u "
			    "are in use, and not one per CPU (%d) is left",
			    iface->name, iface->rx_queues_max, iface->rx_queues, kernel_cpus__possible());
		SET_ADVICE(out, "`ethtool -L %s combined %u`", iface->name, kernel_native__virtio_queues(iface));
	} else if (iface->mtu > VIRTIO_PAGE_MTU && !(iface->xdp_features & XDP_CAN_RX_SG)) {
		set_verdict(out, KERNEL_NATIVE_UNSAFE,
			    "virtio_net of this kernel (before 6.3) would drop frames that do not fit one page, "
			    "and the MTU is %u",
			    iface->mtu);
		SET_ADVICE(out, "`ip link set dev %s mtu %u`", iface->name, VIRTIO_PAGE_MTU);
	} else if (offloads < 0 && iface->fixed[FEATURE_GRO_HW]) {
		set_verdict(out, KERNEL_NATIVE_PERHAPS,
			    "the host may leave checksums undone without letting anybody switch that off, "
			    "which virtio_net refuses; /sys, which tells, is not this namespace's");
	}
}

/* Bonding modes that support XDP: balance-rr, active-backup, balance-xor, 802.3ad (bond_xdp_check() in the driver). */
static int bond_mode_has_xdp(int mode)
{
	return mode == 0 || mode == 1 || mode == 2 || mode == 4;
}

static void check_card(const struct probe_net *net, const char *name, struct kernel_native *out)
{
	struct kernel_native of_card;
	struct probe_iface card;

	if (kernel_iface__read(net, name, &card))
		return;
	if (card.xdp_known ? !(card.xdp_features & XDP_CAN_BASIC) : !kernel_iface__driver_has_xdp(card.driver)) {
		set_verdict(out, KERNEL_NATIVE_NO, "its card %s, driver %s, has none%s", name, card.driver,
			    card.xdp_known ? "" : ", as far as is known");
		return;
	}
	kernel_native__check(net, &card, &of_card);
	if (of_card.verdict > out->verdict) {
		set_verdict(out, of_card.verdict, "its card %s: %.200s", name, of_card.reason);
		SET_ADVICE(out, "%s", of_card.advice);
	}
}

/* Takes the worst verdict of the bond's interfaces. */
static void check_bond(const struct probe_net *net, const struct probe_iface *iface, struct kernel_native *out)
{
	char mode[32], cards[256], *number, *save = NULL;

	if (read_sysfs(net, iface, "bonding/mode", mode, sizeof(mode)) || read_sysfs(net, iface, "bonding/slaves", cards, sizeof(cards))) {
		set_verdict(out, KERNEL_NATIVE_PERHAPS,
			    "if all cards of the bond have it; /sys, which lists them, is not this "
			    "namespace's");
		return;
	}
	number = strchr(mode, ' ');
	if (number && !bond_mode_has_xdp(atoi(number + 1))) {
		set_verdict(out, KERNEL_NATIVE_NO, "a bond in mode %.*s has none", (int)(number - mode), mode);
		SET_ADVICE(out, "modes balance-rr, active-backup, balance-xor and 802.3ad have it");
		return;
	}
	for (char *name = strtok_r(cards, " ", &save); name && out->verdict < KERNEL_NATIVE_NO; name = strtok_r(NULL, " ", &save))
		check_card(net, name, out);
}

void kernel_native__check(const struct probe_net *net, const struct probe_iface *iface, struct kernel_native *out)
{
	*out = (struct kernel_native){ .verdict = KERNEL_NATIVE_YES };
	if (!strcmp(iface->driver, "virtio_net"))
		check_virtio(net, iface, out);
	else if (!strcmp(iface->driver, "bonding"))
		check_bond(net, iface, out);
}

void kernel_native__check_by_name(const char *ifname, struct kernel_native *out)
{
	struct probe_iface iface = { 0 };
	struct probe_net net;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	*out = (struct kernel_native){ .verdict = KERNEL_NATIVE_YES };
	snprintf(iface.name, sizeof(iface.name), "%s", ifname);
	kernel_ethtool__read(fd, &iface);
	if (fd >= 0)
		close(fd);
	if (strcmp(iface.driver, "virtio_net") && strcmp(iface.driver, "bonding"))
		return;
	if (!kernel_net__open(&net) && !kernel_iface__read(&net, ifname, &iface))
		kernel_native__check(&net, &iface, out);
	kernel_net__close(&net);
}
