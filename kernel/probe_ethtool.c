/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Reads features, queues and rings of an interface, as ethtool shows them. Called by probe_iface.c and native.c. Changes nothing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>

#include "kernel/probe_iface.h"

/* The kernel's feature names. If several map to one feature, the first one that the driver supports is used. */
static const struct {
	enum probe_feature feature;
	const char *name;
} names[] = {
	{ FEATURE_GRO, "rx-gro" },
	{ FEATURE_GRO_HW, "rx-gro-hw" },
	{ FEATURE_LRO, "rx-lro" },
	{ FEATURE_TSO, "tx-tcp-segmentation" },
	{ FEATURE_TX_CHECKSUM, "tx-checksum-ip-generic" },
	{ FEATURE_TX_CHECKSUM, "tx-checksum-ipv4" },
	{ FEATURE_RX_CHECKSUM, "rx-checksum" },
	{ FEATURE_RX_VLAN, "rx-vlan-hw-parse" },
	{ FEATURE_TX_VLAN, "tx-vlan-hw-insert" },
	{ FEATURE_NTUPLE, "rx-ntuple-filter" },
	{ FEATURE_RX_HASH, "rx-hashing" },
};

static int ethtool_ioctl(int fd, const struct probe_iface *iface, void *command)
{
	struct ifreq req = { .ifr_data = command };

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", iface->name);
	return ioctl(fd, SIOCETHTOOL, &req) ? -errno : 0;
}

static unsigned feature_count(int fd, const struct probe_iface *iface)
{
	struct {
		struct ethtool_sset_info info;
		uint32_t count;
	} set = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ull << ETH_SS_FEATURES } };

	return ethtool_ioctl(fd, iface, &set) || !set.info.sset_mask ? 0 : set.count;
}

static void set_feature(struct probe_iface *iface, const char *name, const struct ethtool_get_features_block *block, uint32_t bit)
{
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		enum probe_feature f = names[i].feature;
		enum probe_setting now = block->active & bit ? SETTING_ON : SETTING_OFF;

		if (strcmp(name, names[i].name) || iface->features[f] == SETTING_ON)
			continue;
		if (iface->features[f] == SETTING_UNKNOWN || now == SETTING_ON || block->available & bit)
			iface->fixed[f] = !(block->available & bit) || block->never_changed & bit;
		iface->features[f] = now;
	}
}

static void read_features(int fd, struct probe_iface *iface)
{
	unsigned count = feature_count(fd, iface), blocks = (count + 31) / 32;
	struct ethtool_gstrings *strings = calloc(1, sizeof(*strings) + (size_t)count * ETH_GSTRING_LEN);
	struct ethtool_gfeatures *state = calloc(1, sizeof(*state) + blocks * sizeof(state->features[0]));

	if (!count || !strings || !state)
		goto out;
	strings->cmd = ETHTOOL_GSTRINGS;
	strings->string_set = ETH_SS_FEATURES;
	strings->len = count;
	state->cmd = ETHTOOL_GFEATURES;
	state->size = blocks;
	if (ethtool_ioctl(fd, iface, strings) || ethtool_ioctl(fd, iface, state))
		goto out;
	for (unsigned i = 0; i < count && i < strings->len; i++) {
		char name[ETH_GSTRING_LEN + 1];

		snprintf(name, sizeof(name), "%.*s", ETH_GSTRING_LEN, (const char *)strings->data + (size_t)i * ETH_GSTRING_LEN);
		set_feature(iface, name, &state->features[i / 32], 1u << i % 32);
	}
out:
	free(strings);
	free(state);
}

void kernel_ethtool__read(int inet_fd, struct probe_iface *iface)
{
	struct ethtool_drvinfo driver = { .cmd = ETHTOOL_GDRVINFO };
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };

	for (unsigned f = 0; f < FEATURES; f++)
		iface->features[f] = SETTING_UNKNOWN;
	if (inet_fd < 0)
		return;
	if (!ethtool_ioctl(inet_fd, iface, &driver))
		snprintf(iface->driver, sizeof(iface->driver), "%s", driver.driver);
	if (!ethtool_ioctl(inet_fd, iface, &channels)) {
		iface->combined = channels.max_combined > 0;
		iface->rx_queues_max = channels.max_rx + channels.max_combined;
		if (channels.rx_count + channels.combined_count)
			iface->rx_queues = channels.rx_count + channels.combined_count;
		if (channels.tx_count + channels.combined_count)
			iface->tx_queues = channels.tx_count + channels.combined_count;
	}
	read_features(inet_fd, iface);
}
