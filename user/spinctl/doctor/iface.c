/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl doctor: the table of checks that apply to every interface (link state, mode of XDP, MTU, offloads). Run by exam.c. Each function
 * fills one row of the report from facts that were read before.
 */
#include <string.h>

#include <linux/capability.h>

#include "user/spinctl/doctor/facts.h"
#include "kernel/probe.h"

#define IFACE(F) (&(F)->device->iface)

static void kind(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_iface *i = IFACE(f);

	doctor__found(row, DOCTOR_OK, "%s%s%s%s%s",
		      *i->kind  ? i->kind
		      : *i->bus ? i->bus
				: "no kind told",
		      *i->kind || !*i->bus ? "" : " device", *i->driver ? ", driver " : "", i->driver,
		      kernel_probe__virtual(i->name) ? "; software only" : "");
}

static void state(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_iface *i = IFACE(f);
	char prefix[128];

	doctor__found(row, i->up && i->carrier ? DOCTOR_OK : DOCTOR_WARNING, "%s%s", i->up ? "up" : "down",
		      i->up && !i->carrier ? ", no carrier: no packet arrives"
		      : i->up              ? ""
					   : ": no packet arrives");
	if (!i->up)
		doctor__advise(row, "`ip link set dev %s up`", i->name);
	else if (!i->carrier && !strcmp(i->kind, "veth"))
		doctor__advise(row, "its other end is down: `%sip link set dev %s up`",
			       doctor__enter_peer(f->device, prefix, sizeof(prefix)), f->device->peer_err ? "PEER" : f->device->peer.name);
	else if (!i->carrier)
		doctor__advise(row, "plug the cable in, or look at `ethtool %s`", i->name);
}

static void mtu(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_iface *i = IFACE(f);
	const struct doctor_device *d = f->device;
	int by_peer = !strcmp(i->kind, "veth") && i->peer_ifindex && !d->peer_err;
	unsigned page = doctor__one_page_mtu(f), frames = by_peer ? d->peer.mtu : i->mtu;
	char peer[64] = "";

	if (by_peer && frames != i->mtu)
		snprintf(peer, sizeof(peer), ", its peer has %u, which is what arrives", frames);
	if (frames <= page)
		doctor__found(row, DOCTOR_OK, "%u%s; one buffer per frame (up to %u)", i->mtu, peer, page);
	else
		doctor__found(row, DOCTOR_NOTE, "%u%s; a frame of more than %u does not fit one buffer%s", i->mtu, peer, page,
			      doctor__long_frames() ? ": handlers get it in several" : ": handlers get it in generic mode only");
}

static void features(const struct doctor_facts *f, struct doctor_row *row)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} bits[] = { { XDP_CAN_BASIC, "basic" },
		     { XDP_CAN_REDIRECT, "redirect" },
		     { XDP_CAN_NDO_XMIT, "ndo-xmit" },
		     { XDP_CAN_ZEROCOPY, "xsk-zerocopy" },
		     { XDP_CAN_HW_OFFLOAD, "hw-offload" },
		     { XDP_CAN_RX_SG, "rx-sg" },
		     { XDP_CAN_NDO_XMIT_SG, "ndo-xmit-sg" } };
	const struct probe_iface *i = IFACE(f);
	char has[128] = "";

	for (unsigned b = 0; b < sizeof(bits) / sizeof(bits[0]); b++)
		if (i->xdp_features & bits[b].bit)
			snprintf(has + strlen(has), sizeof(has) - strlen(has), "%s%s", *has ? ", " : "", bits[b].name);
	if (!i->xdp_known)
		doctor__found(row, DOCTOR_NOTE, "not known: the kernel tells since 6.3");
	else if (i->xdp_features & XDP_CAN_ZEROCOPY && i->zerocopy_segments > 1)
		doctor__found(row, DOCTOR_OK, "%s; zero-copy frames of up to %u buffers", has, i->zerocopy_segments);
	else
		doctor__found(row, DOCTOR_OK, "%s", *has ? has : "none in the driver");
}

static void holder(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct doctor_device *d = f->device;

	if (!d->held) {
		doctor__found(row, DOCTOR_OK, "no XDP program is attached");
	} else if (d->held_by_us) {
		doctor__found(row, DOCTOR_NOTE, "%s", d->holder);
		doctor__advise(row,
			       "it is sPIN's: `spinctl status --dev %s` shows its handlers; another process has to wait "
			       "for its end",
			       IFACE(f)->name);
	} else {
		char *next = strstr(d->holder, ": ");

		doctor__found(row, DOCTOR_MISSING, "%.*s", next ? (int)(next - d->holder) : (int)strlen(d->holder), d->holder);
		doctor__advise(row, "%s", next ? next + 2 : "remove that program");
	}
}

static void native(const struct doctor_facts *f, struct doctor_row *row)
{
	struct doctor_modes modes;

	doctor__modes(f, f->device, &modes);
	/* generic mode is still possible, so this is a warning only */
	doctor__found(row, modes.native == DOCTOR_MISSING ? DOCTOR_WARNING : modes.native, "%s%s%s",
		      modes.native == DOCTOR_MISSING ? "no: " : "yes", modes.native == DOCTOR_NOTE ? ", " : "", modes.reason);
	if (*modes.advice)
		doctor__advise(row, "%s", modes.advice);
}

static void generic(const struct doctor_facts *f, struct doctor_row *row)
{
	if (f->device->iface.native_id)
		doctor__found(row, DOCTOR_OK, "yes, but not together with the native program that is attached");
	else
		doctor__found(row, DOCTOR_OK, "yes: after the kernel made a socket buffer, so slower than native");
}

static void queues(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_iface *i = IFACE(f);
	/* virtio_net needs some of its queues for sending */
	unsigned more = !strcmp(i->driver, "virtio_net") ? kernel_native__virtio_queues(i) : i->rx_queues_max;
	char prefix[128];

	doctor__found(row, i->rx_queues > 1 ? DOCTOR_OK : DOCTOR_NOTE, "%u rx, %u tx%s", i->rx_queues, i->tx_queues,
		      i->rx_queues > 1                   ? ""
		      : i->rx_queues_max == 1 && *i->bus ? ", as many as it can have: handlers run on one HPU "
							   "at a time"
							 : ": handlers run on one HPU at a time");
	if (i->rx_queues > 1)
		return;
	if (!strcmp(i->kind, "veth") && i->rx_queues_max > 1)
		doctor__advise(row, "`ethtool -L %s rx %u`, and as many to send on: `%sethtool -L %s tx %u`", i->name, i->rx_queues_max,
			       doctor__enter_peer(f->device, prefix, sizeof(prefix)), f->device->peer_err ? "PEER" : f->device->peer.name,
			       i->rx_queues_max);
	else if (!strcmp(i->kind, "veth"))
		doctor__advise(row,
			       "for more make the pair again: `ip link add %s numrxqueues 4 type veth peer name PEER "
			       "numtxqueues 4`",
			       i->name);
	else if (more > 1)
		doctor__advise(row, "`ethtool -L %s %s %u`", i->name, i->combined ? "combined" : "rx", more);
}

/*
 * virtio_net gives each possible CPU a queue for what XDP sends, in addition to those in use. If it has too few, all CPUs share
 * the queues under a lock (drivers/net/virtio_net.c, virtnet_xdp_set). Queues can be changed only while no program is attached.
 */
static void xdp_queues(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_iface *i = IFACE(f);
	unsigned cpus = f->possible_cpus;

	if (strcmp(i->driver, "virtio_net"))
		return;
	if (i->native_id) {
		doctor__found(row, DOCTOR_NOTE, "not known while a program is attached: the driver tells the sum of all queues");
	} else if (i->rx_queues + cpus <= i->rx_queues_max) {
		doctor__found(row, DOCTOR_OK, "%u in use and one per CPU (%u) for what XDP sends, of %u", i->rx_queues, cpus,
			      i->rx_queues_max);
	} else {
		doctor__found(row, DOCTOR_WARNING, "%u in use and %u CPUs, but only %u in all: %s", i->rx_queues, cpus, i->rx_queues_max,
			      i->rx_queues > cpus ? "the driver would send on queues that do not exist, so handlers run in generic mode"
						  : "what handlers send shares queues under a lock, which is slow");
		if (i->rx_queues_max > cpus)
			doctor__advise(row, "before attaching: `ethtool -L %s combined %u`", i->name, i->rx_queues_max - cpus);
		else
			doctor__advise(row,
				       "give the virtual machine's card two queues per CPU, in QEMU: `-netdev "
				       "tap,queues=%u,... -device virtio-net-pci,mq=on,vectors=%u,...`",
				       2 * cpus, 4 * cpus + 2);
	}
}

static const char *format_threads(const struct doctor_facts *f, const char *ifname, char *buf, size_t bytes)
{
	char prefix[32];

	snprintf(prefix, sizeof(prefix), "napi/%s-", ifname);
	if (f->process.kernel_threads_visible)
		snprintf(buf, bytes, "%u such threads run", kernel_process__count(prefix));
	else
		snprintf(buf, bytes, "not visible from here");
	return buf;
}

static void threaded(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_iface *i = IFACE(f);
	char seen[32];

	if (i->threaded == PROBE_THREADED_ABSENT)
		doctor__found(row, DOCTOR_OK,
			      "not in this kernel (since Linux 5.12): handlers run in the softirq of the CPU "
			      "that the packet came to");
	else if (i->threaded < 0 && kernel_process__can(&f->process, CAP_SYS_ADMIN))
		doctor__found(row, DOCTOR_NOTE,
			      "not known: /sys shows another network namespace, and this kernel or container "
			      "lets nobody mount one of its own");
	else if (i->threaded < 0)
		doctor__found(row, DOCTOR_NOTE,
			      "not known: /sys shows another network namespace, and only root can mount "
			      "one of its own (`sudo spinctl doctor`)");
	else if (i->threaded)
		doctor__found(row, DOCTOR_OK, "on: each receive queue has a kernel thread, napi/%s-*, which is an HPU (%s)", i->name,
			      format_threads(f, i->name, seen, sizeof(seen)));
	else
		doctor__found(row, DOCTOR_OK, "off: handlers run in the softirq of the CPU that the packet came to");
}

static const char *setting_name(enum probe_setting s)
{
	return s == SETTING_UNKNOWN ? "not told" : s == SETTING_ON ? "on" : "off";
}

static void gro(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_iface *i = IFACE(f);
	enum probe_setting lro = i->features[FEATURE_LRO];

	doctor__found(row, lro == SETTING_ON ? DOCTOR_NOTE : DOCTOR_OK, "GRO %s, hardware GRO %s, LRO %s%s",
		      setting_name(i->features[FEATURE_GRO]), setting_name(i->features[FEATURE_GRO_HW]), setting_name(lro),
		      lro == SETTING_ON ? "; LRO ends while a program is attached" : "");
	if (lro == SETTING_ON)
		doctor__advise(row, "`ethtool -K %s lro off`", i->name);
}

static void sending(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_iface *i = IFACE(f);

	doctor__found(row, DOCTOR_OK, "TSO %s, tx checksum offload %s", setting_name(i->features[FEATURE_TSO]),
		      setting_name(i->features[FEATURE_TX_CHECKSUM]));
}

static void vlan(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_iface *i = IFACE(f);
	int rx = i->features[FEATURE_RX_VLAN] == SETTING_ON, veth = !strcmp(i->kind, "veth");
	char prefix[128];
	int tag_aside = veth ? f->device->peer_err || f->device->peer.features[FEATURE_TX_VLAN] == SETTING_ON : rx;

	doctor__found(row, tag_aside ? DOCTOR_NOTE : DOCTOR_OK, "rx %s, tx %s%s", setting_name(i->features[FEATURE_RX_VLAN]),
		      setting_name(i->features[FEATURE_TX_VLAN]),
		      !tag_aside ? ""
		      : veth     ? "; a tag that a local sender adds may stay in the packet's metadata, where XDP does not see it"
				 : "; the card takes the tag out of the frame, so XDP sees tagged and untagged packets alike");
	if (!tag_aside)
		return;
	doctor__advise(row, "if VLANs matter to a rule: `%sethtool -K %s %s off`",
		       veth ? doctor__enter_peer(f->device, prefix, sizeof(prefix)) : "",
		       !veth                 ? i->name
		       : f->device->peer_err ? "PEER"
					     : f->device->peer.name,
		       veth ? "txvlan" : "rxvlan");
}

static void hardware(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_iface *i = IFACE(f);
	int nfp = !strcmp(i->driver, "nfp") || !strcmp(i->driver, "netdevsim");

	if (i->xdp_known ? !!(i->xdp_features & XDP_CAN_HW_OFFLOAD) : nfp)
		doctor__found(row, DOCTOR_OK, "the card can run XDP programs itself");
	else
		doctor__found(row, DOCTOR_OK, "none: programs run on the host's CPUs");
}

static void steering(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_iface *i = IFACE(f);
	int rss = i->features[FEATURE_RX_HASH] == SETTING_ON, ntuple = i->features[FEATURE_NTUPLE] == SETTING_ON;
	int can = i->features[FEATURE_NTUPLE] == SETTING_OFF && !i->fixed[FEATURE_NTUPLE];

	if (!*i->bus)
		return; /* only cards have it */
	doctor__found(row, can ? DOCTOR_NOTE : DOCTOR_OK, "receive hashing %s, ntuple filters %s", rss ? "on" : "off",
		      ntuple ? "on"
		      : can  ? "off"
			     : "not in this driver");
	if (can)
		doctor__advise(row, "to steer a message to a queue by rule: `ethtool -K %s ntuple on`", i->name);
}

/* clang-format off */
const struct doctor_check doctor_iface_checks[] = {
	{ "kind", "Drivers differ in what they give to XDP; software interfaces may carry unfinished checksums.", kind },
	{ "state", "Packets arrive on interfaces that are up and have a carrier.", state },
	{ "MTU", "A frame that fits one page is one piece for XDP; longer ones come as fragments.", mtu },
	{ "XDP features", "What the driver says that its XDP can do.", features },
	{ "held by", "One XDP program holds an interface; sPIN never replaces somebody else's.", holder },
	{ "native", "Handlers run in the driver, before the kernel makes a socket buffer.", native },
	{ "generic", "Handlers run after that, on any interface.", generic },
	{ "queues", "Each receive queue is processed by one CPU at a time.", queues },
	{ "XDP send queues", "virtio_net has a queue for each CPU's XDP, or a lock around shared ones.", xdp_queues },
	{ "threaded NAPI", "Receive queues in kernel threads of their own are HPUs that can be placed on CPUs.", threaded },
	{ "receive offloads", "Coalescing makes one packet of several: native XDP comes before GRO, and cannot be together "
	  "with LRO.", gro },
	{ "send offloads", "Segmentation and checksums that the sender leaves to the interface.", sending },
	{ "VLAN offload", "A tag outside the frame is not seen by XDP.", vlan },
	{ "XDP offload", "Cards like Netronome's run XDP programs themselves.", hardware },
	{ "steering", "Which packets come to which queue: by hash, or by rules.", steering },
	{ 0 },
};
/* clang-format on */
