/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The table of drivers and their support of native XDP. Called by `spinctl check`, and by the probes if the kernel does not report it. The
 * rows were read from the sources of Linux 6.1.192 and 6.12.117: which drivers handle XDP_SETUP_PROG, the xdp_features of 6.12, which
 * drivers test xdp_has_frags, XDP_REDIRECT in the receive path, and the MTU limit where it is a constant. 6.1 has no xdp_features.
 */
#include <stddef.h>
#include <string.h>

#include "kernel/drivers.h"

/* Answers of the table below; in each pair the first is for Linux 6.1, the second for 6.12. */
#define N DRIVER_NO
#define Y DRIVER_YES
#define U DRIVER_UNKNOWN

/* clang-format off */
static const struct driver_row drivers[] = {
	/* name        native    redirect  frags     mtu   source */
	{ "veth",      { Y, Y }, { Y, Y }, { Y, Y }, 3498, "veth.c" },
	{ "virtio_net", { Y, Y }, { Y, Y }, { N, Y }, 0,   "virtio_net.c" },
	{ "tun",       { Y, Y }, { Y, Y }, { N, N }, 0,    "tun.c" },
	{ "ixgbe",     { Y, Y }, { Y, Y }, { N, N }, 0,    "ethernet/intel/ixgbe/ixgbe_main.c" },
	{ "ixgbevf",   { Y, Y }, { N, N }, { N, N }, 0,    "ethernet/intel/ixgbevf/ixgbevf_main.c" },
	{ "i40e",      { Y, Y }, { Y, Y }, { N, Y }, 0,    "ethernet/intel/i40e/i40e_main.c" },
	{ "ice",       { Y, Y }, { Y, Y }, { N, Y }, 0,    "ethernet/intel/ice/ice_main.c" },
	{ "igb",       { Y, Y }, { Y, Y }, { N, N }, 0,    "ethernet/intel/igb/igb_main.c" },
	{ "igc",       { Y, Y }, { Y, Y }, { N, N }, 1500, "ethernet/intel/igc/igc_main.c" },
	{ "mlx4_en",   { Y, Y }, { Y, Y }, { N, N }, 3498, "ethernet/mellanox/mlx4/en_netdev.c" },
	{ "mlx5_core", { Y, Y }, { Y, Y }, { Y, Y }, 0,    "ethernet/mellanox/mlx5/core/en_main.c" },
	{ "bnxt_en",   { Y, Y }, { Y, Y }, { Y, Y }, 0,    "ethernet/broadcom/bnxt/bnxt_xdp.c" },
	{ "ena",       { Y, Y }, { Y, Y }, { N, N }, 0,    "ethernet/amazon/ena/ena_xdp.c" },
	{ "gve",       { N, Y }, { N, Y }, { N, N }, 2032, "ethernet/google/gve/gve_main.c" },
	{ "vmxnet3",   { N, Y }, { N, Y }, { N, N }, 0,    "vmxnet3/vmxnet3_xdp.c" },
	{ "hv_netvsc", { Y, Y }, { Y, Y }, { N, N }, 0,    "hyperv/netvsc_bpf.c" },
	{ "mana",      { Y, Y }, { Y, Y }, { N, N }, 0,    "ethernet/microsoft/mana/mana_bpf.c" },
	{ "mvneta",    { Y, Y }, { Y, Y }, { Y, Y }, 0,    "ethernet/marvell/mvneta.c" },
	{ "mvpp2",     { Y, Y }, { Y, Y }, { N, N }, 0,    "ethernet/marvell/mvpp2/mvpp2_main.c" },
	{ "stmmac",    { Y, Y }, { Y, Y }, { N, N }, 1500, "ethernet/stmicro/stmmac/stmmac_main.c" },
	{ "st_gmac",   { Y, Y }, { Y, Y }, { N, N }, 1500, "ethernet/stmicro/stmmac/stmmac_main.c" },
	{ "sfc",       { Y, Y }, { Y, Y }, { N, N }, 0,    "ethernet/sfc/efx.c" },
	{ "qede",      { Y, Y }, { Y, Y }, { N, N }, 0,    "ethernet/qlogic/qede/qede_main.c" },
	/* redirects to AF_XDP sockets with zero copy; other redirects were not established */
	{ "nfp",       { Y, Y }, { U, U }, { N, N }, 0,    "ethernet/netronome/nfp/nfp_net_common.c" },
	{ "thunderx",  { Y, Y }, { N, N }, { N, N }, 1508, "ethernet/cavium/thunder/nicvf_main.c" },
	{ "tsnep",     { N, Y }, { N, Y }, { N, N }, 0,    "ethernet/engleder/tsnep_main.c" },
	{ "cpsw",      { Y, Y }, { Y, Y }, { N, N }, 0,    "ethernet/ti/cpsw_priv.c" },
	{ "netsec",    { Y, Y }, { Y, Y }, { N, N }, 0,    "ethernet/socionext/netsec.c" },
	{ "vif",       { Y, Y }, { Y, Y }, { N, N }, 0,    "xen-netfront.c" },
	{ "bonding",   { Y, Y }, { U, U }, { U, U }, 0,    "bonding/bond_main.c" },
	{ "netdevsim", { Y, Y }, { N, N }, { N, N }, 0,    "netdevsim/bpf.c" },
	/* no XDP_SETUP_PROG in either kernel */
	{ "e1000e",    { N, N }, { N, N }, { N, N }, 0,    "ethernet/intel/e1000e/netdev.c" },
	{ "e1000",     { N, N }, { N, N }, { N, N }, 0,    "ethernet/intel/e1000/e1000_main.c" },
	{ "r8169",     { N, N }, { N, N }, { N, N }, 0,    "ethernet/realtek/r8169_main.c" },
	{ "tg3",       { N, N }, { N, N }, { N, N }, 0,    "ethernet/broadcom/tg3.c" },
	{ "bridge",    { N, N }, { N, N }, { N, N }, 0,    "(net/bridge)" },
};
/* clang-format on */

const struct driver_row *kernel_drivers__find(const char *name)
{
	for (unsigned i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (!strcmp(drivers[i].name, name))
			return &drivers[i];
	return NULL;
}
