/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_PROBE_IFACE_H
#define KERNEL_PROBE_IFACE_H

/* Properties and settings of an interface, read only. Called by libspin and `spinctl doctor`. */
#include <stdint.h>

#include "kernel/probe_net.h"

/* Settings that `ethtool -k` shows: on, off, and whether ethtool -K could change it. */
enum probe_feature {
	FEATURE_GRO,
	FEATURE_GRO_HW,
	FEATURE_LRO,
	FEATURE_TSO,
	FEATURE_TX_CHECKSUM,
	FEATURE_RX_CHECKSUM,
	FEATURE_RX_VLAN,
	FEATURE_TX_VLAN,
	FEATURE_NTUPLE,
	FEATURE_RX_HASH,
	FEATURES
};
enum probe_setting { SETTING_UNKNOWN = -1, SETTING_OFF, SETTING_ON };

/* Bits of the kernel's netdev family (6.3): what a driver's XDP supports. */
enum {
	XDP_CAN_BASIC = 1,
	XDP_CAN_REDIRECT = 2,
	XDP_CAN_NDO_XMIT = 4,
	XDP_CAN_ZEROCOPY = 8,
	XDP_CAN_HW_OFFLOAD = 16,
	XDP_CAN_RX_SG = 32,
	XDP_CAN_NDO_XMIT_SG = 64,
};

/* What the kernel reports of an interface. */
struct probe_iface {
	char name[16];
	int ifindex;
	char kind[24];   /* rtnetlink's ("veth", "bridge"), "loopback", or "" if it has no kind */
	char bus[16];    /* "pci", "virtio"; "" if none */
	char driver[32]; /* driver name from ethtool; "" if the driver reports none */
	uint8_t address[8];
	int up, carrier;
	unsigned mtu;
	unsigned max_mtu;                             /* 0: the driver does not report it */
	unsigned rx_queues, tx_queues;                /* in use */
	unsigned rx_queues_max;                       /* 0: the driver does not report it */
	int combined;                                 /* 1: rx and tx queues come in pairs */
	int peer_ifindex;                             /* of a veth; 0: none */
	int peer_net;                                 /* the id of the peer's namespace here; -1: the same namespace */
	uint32_t native_id, generic_id, offloaded_id; /* programs; 0: none */
	int xdp_known;                                /* 1: the kernel reported xdp_features */
	uint64_t xdp_features;
	unsigned zerocopy_segments; /* most buffers per frame in AF_XDP zero-copy */
	enum probe_setting features[FEATURES];
	uint8_t fixed[FEATURES]; /* 1: cannot be changed */
	int threaded;            /* NAPI in kernel threads; -1: not known; PROBE_THREADED_ABSENT */
};
#define PROBE_THREADED_ABSENT (-2) /* this kernel has no threaded NAPI (before 5.12) */

/* Return 0, -ENODEV or another -errno. */
int kernel_iface__read(const struct probe_net *net, const char *name, struct probe_iface *out);
int kernel_iface__read_index(const struct probe_net *net, int ifindex, struct probe_iface *out);

/* Calls fn with the name of each interface. Returns 0 or -errno. */
int kernel_iface__each(const struct probe_net *net, void (*fn)(void *arg, const char *name), void *arg);

/* Returns 1 if the driver is known to have native XDP. For kernels before 6.3, which do not report it. */
int kernel_iface__driver_has_xdp(const char *driver);

/* Fills in driver, queues and features, which ethtool reads by ioctl. */
void kernel_ethtool__read(int inet_fd, struct probe_iface *iface);

#endif
