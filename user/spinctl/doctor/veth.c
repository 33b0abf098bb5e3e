/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl doctor: the table of checks of veth pairs, which lose packets silently with some settings of either end. Run by exam.c. Each
 * function fills one row of the report: what was found and what to change.
 */
#include <errno.h>
#include <string.h>

#include "user/spinctl/builtin.h"
#include "user/spinctl/doctor/facts.h"

#define PASS_THROUGH_HANDLER "copy_to_host" /* passes all packets except those that its rule matches */

static const char *peer_name(const struct doctor_facts *f)
{
	return f->device->peer_err ? "PEER" : f->device->peer.name;
}

/* Advises an ethtool setting of the peer, in its namespace. */
static void advise_peer(const struct doctor_facts *f, struct doctor_row *row, const char *lead, const char *setting)
{
	char prefix[128];

	doctor__advise(row, "%s: `%sethtool -K %s %s`", lead, doctor__enter_peer(f->device, prefix, sizeof(prefix)), peer_name(f), setting);
}

const char *doctor__program_for_peer(const struct doctor_device *device, char *buf, size_t bytes)
{
	char prefix[128], handler[PATH_MAX];

	if (!builtin__lookup(PASS_THROUGH_HANDLER, handler))
		snprintf(handler, sizeof(handler), "FILE.spin");
	snprintf(buf, bytes, "%sspinctl run %s --dev %s --match 'udp dport 1' --interval 0 &",
		 doctor__enter_peer(device, prefix, sizeof(prefix)), handler, device->peer.name);
	return buf;
}

static void peer(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct doctor_device *d = f->device;
	char prefix[128];

	if (!d->iface.peer_ifindex) {
		doctor__found(row, DOCTOR_WARNING, "none: a veth without its other end receives nothing");
		return;
	}
	if (!d->peer_err) {
		doctor__found(row, d->peer.up ? DOCTOR_OK : DOCTOR_WARNING, "%s in %s, %s", d->peer.name,
			      *d->peer_net ? d->peer_net : "this namespace", d->peer.up ? "up" : "down");
		if (!d->peer.up)
			doctor__advise(row, "`%sip link set dev %s up`", doctor__enter_peer(d, prefix, sizeof(prefix)), d->peer.name);
		return;
	}
	doctor__found(row, DOCTOR_NOTE, "interface %d of a network namespace that %s", d->iface.peer_ifindex,
		      d->peer_err == -ENOENT ? "no process visible here has, nor /run/netns" : "only root may look into");
	doctor__advise(row,
		       d->peer_err == -ENOENT ? "run it where that namespace is visible"
					      : "to look into it: `sudo spinctl doctor --dev %s`",
		       d->iface.name);
}

static void checksums(const struct doctor_facts *f, struct doctor_row *row)
{
	enum probe_setting tx = f->device->peer_err ? SETTING_UNKNOWN : f->device->peer.features[FEATURE_TX_CHECKSUM];

	if (tx == SETTING_OFF) {
		doctor__found(row, DOCTOR_OK, "the peer %s finishes checksums itself", peer_name(f));
		return;
	}
	doctor__found(row, DOCTOR_NOTE,
		      "%s: UDP from a local sender carries a partial one (the bare pseudo-header sum). "
		      "Handlers accept it on virtual interfaces; one that answers at XDP sets it right",
		      tx == SETTING_ON ? "the peer leaves them to hardware that does not exist"
				       : "not known whether the peer finishes them");
	advise_peer(f, row, "for full checksums", "tx off");
}

static void xdp_tx(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct doctor_device *d = f->device;
	char command[512];

	if (!d->peer_err && d->peer.native_id) {
		doctor__found(row, DOCTOR_OK, "delivered: the peer has an XDP program");
		return;
	}
	if (d->peer_err) {
		doctor__found(row, DOCTOR_NOTE,
			      "not known: the peer is not visible; packets that handlers send back are "
			      "lost unless it has an XDP program, any will do");
		return;
	}
	doctor__found(row, DOCTOR_WARNING, "lost: packets that handlers send back reach the peer only if it has an XDP program%s",
		      d->peer.features[FEATURE_GRO] == SETTING_ON
			      ? "; with GRO alone they wait in its ring, and are dropped when 256 are there"
			      : "");
	doctor__advise(row, "if handlers send, any program: `%s`; or attach them with --mode generic",
		       doctor__program_for_peer(d, command, sizeof(command)));
}

static void tso(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_pair *pair = &f->pair;
	int seen = !pair->made && pair->tso_before == SETTING_ON && pair->tso_after == SETTING_OFF;

	doctor__found(row, DOCTOR_NOTE,
		      "native XDP switches the peer's segmentation offload off%s: TCP to %s drops to a half "
		      "or a fifth while any program is attached; never the handlers' fault",
		      seen ? " (seen on a pair of our own)" : "", f->device->iface.name);
	doctor__advise(row, "if TCP matters more than handlers' speed: `spinctl run ... --mode generic`");
}

static void cpu_time(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct probe_iface *i = &f->device->iface;
	int napi = i->native_id || i->features[FEATURE_GRO] == SETTING_ON;

	if (i->threaded > 0) {
		doctor__found(row, DOCTOR_OK, "NAPI threads: handlers run on CPU time of their own");
	} else {
		doctor__found(row, DOCTOR_NOTE,
			      "%s: handlers run on the sender's CPU, in its time: measure with threaded "
			      "NAPI in both arms",
			      i->threaded ? "not known whether NAPI is threaded; if not" : "NAPI is not threaded");
		if (napi) /* /sys may belong to another namespace */
			doctor__advise(row,
				       "give it threads: `unshare -m sh -c 'mount -t sysfs s /sys && echo 1 >/sys/class/net/%s/threaded'`",
				       i->name);
		else
			doctor__advise(row,
				       "threads need NAPI, which a veth has with GRO: `ethtool -K %s gro on`, then look here "
				       "again",
				       i->name);
	}
}

static void queue_rule(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct doctor_device *d = f->device;
	struct doctor_modes modes;

	if (d->peer_err) {
		doctor__found(row, DOCTOR_NOTE,
			      "not known: the peer is not visible; native XDP needs its tx queues to be no "
			      "more than %u, the rx queues here",
			      d->iface.rx_queues);
		return;
	}
	doctor__modes(f, d, &modes);
	doctor__found(row, d->iface.rx_queues < d->peer.tx_queues ? DOCTOR_WARNING : DOCTOR_OK,
		      "%u rx here, %u tx at the "
		      "peer: native XDP wants at least as many here",
		      d->iface.rx_queues, d->peer.tx_queues);
	if (d->iface.rx_queues < d->peer.tx_queues)
		doctor__advise(row, "%s", modes.advice);
}

static void namespaces(const struct doctor_facts *f, struct doctor_row *row)
{
	(void)f;
	doctor__found(row, DOCTOR_OK,
		      "`ip netns exec NAME` mounts another /sys, without bpffs; `nsenter "
		      "--net=/run/netns/NAME` keeps this one");
}

/* clang-format off */
const struct doctor_check doctor_veth_checks[] = {
	{ "peer", "What one end of a veth sends is what the other receives; settings of the one make traps of the other.",
	  peer },
	{ "queue rule", "veth refuses native XDP if the peer may send on more queues than are received on.", queue_rule },
	{ "checksums", "A local sender leaves the UDP checksum to the interface, and veth has no hardware to do it.",
	  checksums },
	{ "XDP_TX", "veth delivers what XDP sends only to an end that has an XDP program itself.", xdp_tx },
	{ "TCP on the same link", "Native XDP takes frames one by one, so the sender must not give it 64 KB ones.", tso },
	{ "CPU time", "Without threads of its own a veth's receiver runs inside the sender's system call.", cpu_time },
	{ "entering netns", "How a command gets into a network namespace decides which /sys it sees.", namespaces },
	{ 0 },
};
/* clang-format on */
