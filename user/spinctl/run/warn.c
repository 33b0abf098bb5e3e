/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Warnings of spinctl run and recv: about handlers that were loaded for short packets only, and about interfaces on which packets that
 * handlers send back are lost silently (a veth whose peer has no XDP program). Each is printed once, on stderr. Called by run.c and recv.c.
 */
#include <string.h>

#include "user/spinctl/doctor/facts.h"
#include "user/tool/notify.h"
#include "user/spinctl/run/warn.h"

#define LOOK_AGAIN_S 1

static struct {
	int may_lose[RUN_DEVICES_MAX]; /* 1: in native mode, and no warning yet */
	uint64_t replies;              /* at the last check */
	double next_look_s;
} note;

/* Returns the packets that all contexts have sent back. Each context is on each interface. */
static uint64_t count_replies(const struct session *set)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < set->contexts; i++) {
		int messages = session__takes_messages(&set->context[i]);

		for (unsigned reason = 0; reason < SPIN_REASON_COUNT; reason++)
			if (messages ? counters__acknowledged((enum spin_reason)reason)
				     : spin_reason_verdict((enum spin_reason)reason) == SPIN_VERDICT_TX)
				sum += set->context[i].counts.packets[reason];
	}
	return sum;
}

/*
 * Returns 1 only for a veth whose peer is visible and has no native XDP program. With GRO alone, frames that are sent to the peer wait
 * in a ring that is never emptied, and are dropped when it is full.
 */
static int loses_replies(const struct probe_net *net, struct doctor_device *d, const char *name)
{
	if (kernel_iface__read(net, name, &d->iface) || strcmp(d->iface.kind, "veth"))
		return 0;
	doctor__read_peer(net, d);
	return !d->peer_err && !d->peer.native_id;
}

/* Returns 1 if it printed the warning. */
static int warn_if_lost(const struct probe_net *net, const char *name)
{
	struct doctor_device d = { 0 };
	char command[512];

	if (!loses_replies(net, &d, name))
		return 0;
	report_error("%s: packets sent back are lost: its peer %s has no XDP program; attach one that passes packets on, `%s`, or "
		     "start this command again with --mode generic",
		     name, d.peer.name, doctor__program_for_peer(&d, command, sizeof(command)));
	return 1;
}

/* Loops over long packets were too much for the verifier, so the handlers were loaded for shorter ones. */
static void warn_of_long_packets(const struct session *set)
{
	for (unsigned i = 0; i < set->contexts; i++) {
		const uint32_t most = spin_ctx__longest_packet(set->context[i].ctx);

		if (most < SPIN_LINEAR_BYTES_MAX)
			report_error("%s: its loops are too much for this kernel's verifier with long packets: IP packets of more than %u "
				     "bytes pass without handlers, and are counted as too_long",
				     set->context[i].name, most);
	}
}

void run_warn__start(const struct session *set)
{
	warn_of_long_packets(set);
	for (unsigned i = 0; i < set->devices; i++)
		note.may_lose[i] = spin_nic__mode(set->device[i].nic, NULL) == SPIN_MODE_NATIVE;
}

void run_warn__lost_replies(const struct session *set)
{
	const uint64_t now = count_replies(set);
	struct probe_net net;

	if (now == note.replies || now_s() < note.next_look_s)
		return;
	note.replies = now;
	note.next_look_s = now_s() + LOOK_AGAIN_S;
	if (!kernel_net__open(&net))
		for (unsigned i = 0; i < set->devices; i++)
			if (note.may_lose[i] && warn_if_lost(&net, spin_nic__name(set->device[i].nic)))
				note.may_lose[i] = 0;
	kernel_net__close(&net);
}
