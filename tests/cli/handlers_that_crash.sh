#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl test must report a handler that crashes or never ends in the host build, continue with the next vector, and end. Run by tests/run.
. "$(dirname "$0")/setup.inc"
cd "$WORK" || exit 1

# try NUMBER STATEMENT: runs a handler with STATEMENT on a packet with NUMBER, and then a vector that passes
try() {
	cat >crash.c <<EOF
#include <spin/spin.h>
struct message { uint32_t d; };
struct state { uint32_t n, a[4]; };
SPIN_STATE(struct state);
static enum spin_payload_rc crash_payload(struct spin_payload *p, struct state *s)
{
	const struct message *m = SPIN_GET(p, 0, struct message);
	if (!m)
		return SPIN_DROP;
	$2
	return SPIN_SUCCESS;
}
SPIN_HANDLERS(crash, .payload = crash_payload);
EOF
	for vector in "bad $1" "good 1"; do
		cat >"${vector% *}.vec" <<EOF
handler crash
packet
  eth 02:00:00:00:00:01 > 02:00:00:00:00:02
  ip4 10.0.0.1 > 10.0.0.2
  udp 4000 > 9000
  le32 ${vector#* }
expect pass success
  unchanged
EOF
	done
	expect 1 timeout -k 1 900 "$SPINCTL" test crash.c bad.vec good.vec --engine host
}

try 0 'if (m->d != 1) s->n = 7 / m->d;'
says out "the host build crashed by a division by zero"
says out "ok    good.vec"
try 77777777 'if (m->d != 1) s->n = s->a[m->d];'
says out "an access outside its memory"
says out "ok    good.vec"
try 0 'while (m->d != 1) spin_add32(&s->n, 1);'
says out "has not ended after 2 s"
says out "crash: 1 of 2 vectors as expected on host"
exit $FAILED
