/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include "user/libspin/send.h"

static int timed_out(const struct spin_sender *s, const struct send_message *m, const struct spin_send_report *report)
{
	double seconds = s->opts.timeout_ms / 1000.0;

	if (!report->acknowledged)
		return spin_fail(-ETIMEDOUT,
				 "%s: no acknowledgement within %.1f s, not even of the first packet: is a context "
				 "for messages attached there (spinctl recv)%s, and is there no firewall in between?",
				 s->peer, seconds, s->opts.put ? ", one that takes put and has a matching entry," : "");
	return spin_fail(-ETIMEDOUT,
			 "%s: no acknowledgement for %.1f s; %llu of %u bytes were acknowledged: the receiver ended, or "
			 "has no room (spinctl mpq shows there what it waits for)",
			 s->peer, seconds, (unsigned long long)report->bytes, m->bytes);
}

int send_why(const struct spin_sender *s, const struct send_message *m, const struct spin_send_report *report, int err)
{
	switch (err) {
	case -ETIMEDOUT:
		return timed_out(s, m, report);
	case -ECONNREFUSED:
		return spin_fail(err,
				 "%s: connection refused, %llu of %u bytes were acknowledged: neither a context nor a socket has "
				 "this port; start the receiver there (spinctl recv), or name another port",
				 s->peer, (unsigned long long)report->bytes, m->bytes);
	case -EFBIG:
		return spin_fail(err,
				 "%s: refused, %llu of %u bytes were acknowledged: the message is longer than the receiver has "
				 "room for; give it more there (spinctl recv --max-mib, spinctl run --host-kib, or a longer matching "
				 "entry), or send it in shorter messages",
				 s->peer, (unsigned long long)report->bytes, m->bytes);
	case -ECANCELED:
		return spin_fail(err, "%s: given up; %llu of %u bytes were acknowledged", s->peer, (unsigned long long)report->bytes,
				 m->bytes);
	case -EMSGSIZE:
		return spin_fail(err,
				 "%s: packets of %u bytes have become too long for the way there; send the message again, it "
				 "will be cut shorter",
				 s->peer, m->stride);
	case -EFAULT:
		return spin_fail(err, "the message's data cannot be read: was its file cut while it was sent?");
	case -EPERM:
	case -EACCES:
		return spin_fail(err, "%s: %s: a firewall of this machine keeps packets from going there", s->peer, strerror(-err));
	default:
		return spin_fail(err, "%s: cannot send: %s; %llu of %u bytes were acknowledged", s->peer, strerror(-err),
				 (unsigned long long)report->bytes, m->bytes);
	}
}
