/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl doctor: finds out whether an interface would take an XDP program in native mode (in its driver), from what the driver checks.
 * Attaches nothing. Called by exam.c and by the checks of interfaces.
 */
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "user/spinctl/doctor/facts.h"
#include "kernel/features.h"

/* In bytes, for a driver that cannot be asked: a 4 KiB page minus headroom (256), skb_shared_info (320) and Ethernet with two tags (22). */
#define ONE_PAGE_MTU 3498

int doctor__long_frames(void)
{
	return kernel_feature__has(KERNEL_JUMBO);
}

unsigned doctor__one_page_mtu(const struct doctor_facts *facts)
{
	return facts->pair.one_page_mtu ? facts->pair.one_page_mtu : ONE_PAGE_MTU;
}

static void set_unavailable(struct doctor_modes *out, const char *reason, ...) __attribute__((format(printf, 2, 3)));
static void set_unavailable(struct doctor_modes *out, const char *reason, ...)
{
	va_list args;

	out->native = DOCTOR_MISSING;
	va_start(args, reason);
	vsnprintf(out->reason, sizeof(out->reason), reason, args);
	va_end(args);
}

#define ADVISE(OUT, ...) snprintf((OUT)->advice, sizeof((OUT)->advice), __VA_ARGS__)

const char *doctor__enter_peer(const struct doctor_device *d, char *buf, size_t bytes)
{
	const char *path = d->peer_err ? "/run/netns/NAME" : d->peer_path;

	snprintf(buf, bytes, "%s%s%s", *path ? "nsenter --net=" : "", path, *path ? " " : "");
	return buf;
}

static void check_veth(const struct doctor_facts *f, const struct doctor_device *d, struct doctor_modes *out)
{
	const struct probe_iface *me = &d->iface, *peer = &d->peer;
	unsigned largest = doctor__long_frames() && f->pair.frags_mtu ? f->pair.frags_mtu : doctor__one_page_mtu(f);
	char prefix[128];

	doctor__enter_peer(d, prefix, sizeof(prefix));
	if (!me->peer_ifindex) {
		set_unavailable(out, "its peer is gone or not told: native XDP on veth needs both ends");
	} else if (!d->peer_err && me->rx_queues < peer->tx_queues) {
		set_unavailable(out, "the peer %s sends on %u queues, %s receives on %u: native XDP on veth wants at least as many",
				peer->name, peer->tx_queues, me->name, me->rx_queues);
		ADVISE(out, "`%sethtool -L %s tx %u`", prefix, peer->name, me->rx_queues);
	} else if (!d->peer_err && peer->mtu > largest) {
		set_unavailable(out, "the MTU of its peer %s is %u, the largest for native XDP is %u", peer->name, peer->mtu, largest);
		ADVISE(out, "`%sip link set dev %s mtu %u`", prefix, peer->name, largest);
	}
}

static void check_driver(const struct doctor_facts *f, const struct doctor_device *d, struct doctor_modes *out)
{
	const struct probe_iface *me = &d->iface;

	if (me->xdp_known ? !(me->xdp_features & XDP_CAN_BASIC) : !kernel_iface__driver_has_xdp(me->driver)) {
		if (!strcmp(me->kind, "loopback"))
			set_unavailable(out, "the loopback interface has no driver that could");
		else
			set_unavailable(out, "%s%s has none%s", *me->driver ? "the driver " : "its driver", me->driver,
					me->xdp_known ? "" : ", as far as is known");
	} else if (d->native.verdict >= KERNEL_NATIVE_NO) {
		set_unavailable(out, "%s", d->native.reason);
		ADVISE(out, "%s", d->native.advice);
	} else if (d->native.verdict == KERNEL_NATIVE_PERHAPS) {
		out->native = DOCTOR_NOTE;
		snprintf(out->reason, sizeof(out->reason), "perhaps: %s", d->native.reason);
	} else if (strcmp(me->kind, "veth") && me->mtu > doctor__one_page_mtu(f) &&
		   !(doctor__long_frames() && me->xdp_features & XDP_CAN_RX_SG)) {
		set_unavailable(out, "MTU %u: native XDP takes frames that fit one page, about %u", me->mtu, doctor__one_page_mtu(f));
		ADVISE(out, "`ip link set dev %s mtu %u`", me->name, doctor__one_page_mtu(f));
	}
	if (out->native == DOCTOR_OK && !me->xdp_known) {
		out->native = DOCTOR_NOTE;
		snprintf(out->reason, sizeof(out->reason),
			 "probably: the kernel does not tell (6.3 and newer do), the driver %s "
			 "is known to have it",
			 me->driver);
	}
}

void doctor__modes(const struct doctor_facts *f, const struct doctor_device *d, struct doctor_modes *out)
{
	*out = (struct doctor_modes){ .native = DOCTOR_OK };
	/* a veth whose peer prevents native XDP reports no XDP at all, so the peer is checked first */
	if (!strcmp(d->iface.kind, "veth"))
		check_veth(f, d, out);
	if (out->native != DOCTOR_MISSING)
		check_driver(f, d, out);
	out->runs = !d->held || d->held_by_us;
}
