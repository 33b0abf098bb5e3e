#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# On a veth, packets that XDP sends back are lost if the other end has no XDP program. `spinctl run` must report this once if it happens,
# and only then. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
command -v ethtool >"$WORK/ethtool" || skip "ethtool is missing"
PEER=$NS-peer
cd "$WORK" || exit 1

ip netns add "$NS" && ip netns add "$PEER" && ip -n "$NS" link add v0 type veth peer name v1 netns "$PEER" &&
	ip -n "$NS" addr add 10.9.0.1/24 dev v0 && ip -n "$PEER" addr add 10.9.0.2/24 dev v1 &&
	ip -n "$NS" link set v0 up && ip -n "$PEER" link set v1 up || skip "cannot make network namespaces with veth here"

cat >echo.c <<'END'
#include <spin/spin.h>
SPIN_NO_STATE;
static enum spin_payload_rc echo_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	(void)unused;
	return spin_reply(p, 4);
}
SPIN_HANDLERS(echo, .payload = echo_payload);
END
expect 0 "$SPINCC" echo.c -o echo.spin
OBJECT=echo.spin
NOTE="spinctl: v0: packets sent back are lost: its peer v1 has no XDP program; attach one that passes packets on, "\
"\`nsenter --net=/run/netns/$PEER spinctl run $BUILD/handlers/copy_to_host.spin --dev v1 --match 'udp dport 1' --interval 0 &\`, or "\
"start this command again with --mode generic"

gro() {
	nsenter --net="/run/netns/$PEER" ethtool -K v1 gro "$1" >ethtool 2>&1 || fail "cannot set GRO: $(cat ethtool)"
}
send() { # N: sends this many datagrams
	nsenter --net="/run/netns/$PEER" bash -c 'for ((i = 0; i < $1; i++)); do printf ping >/dev/udp/10.9.0.1/9000; done' \
		bash "$1" || fail "cannot send"
}
end_run() {
	kill -INT $RUN
	wait $RUN || fail "spinctl run: status $?: $(cat run.err)"
	grep -Eq '^replied +tx +[1-9]' run.out || fail "nothing was sent back: $(cat run.out)"
}
says_once() { # CASE
	printf '%s\n' "$NOTE" | cmp -s - run.err || fail "$1: not the note, once: $(cat run.err)"
}
says_nothing() { # CASE
	[ -s run.err ] && fail "$1: $(cat run.err)"
}

gro off
start_run v0 --interval 0.1 || exit 1
sleep 0.3
says_nothing "a note before there are replies"
send 2
sleep 0.5
says_once "while it runs"
send 2
sleep 1.3
end_run
says_once "at the end"

start_run v0 --interval 0 || exit 1
send 2
end_run
says_once "counted at the end only"

start_run v0 --mode generic --interval 0 || exit 1
send 2
end_run
says_nothing "generic mode"

# with GRO alone, NAPI does not poll the ring that receives the replies
gro on
start_run v0 --interval 0 || exit 1
send 2
end_run
says_once "GRO on"
gro off

# runs the command of the note unchanged; it ends when its namespace's interface is deleted
xdp() { ip -n "$PEER" link show v1 | grep -q 'prog/xdp'; }
start_run v0 --interval 0.1 || exit 1
(
	PATH=${SPINCTL%/*}:$PATH
	eval "$(printf '%s\n' "$NOTE" | sed 's/^[^`]*`\([^`]*\)`.*/\1/')" >there.out 2>&1
	echo $! >there.pid
)
there=$(cat there.pid)
i=0
until xdp || [ $((i += 1)) -gt 200 ]; do sleep 0.05; done
xdp || fail "the command of the note attaches nothing: $(cat there.out)"
send 2
end_run
says_nothing "an XDP program at the other end"

# the other end changes, and replies are lost again
start_run v0 --interval 0.1 || exit 1
send 2
sleep 0.3
kill -INT "$there"
i=0
while xdp && [ $((i += 1)) -lt 200 ]; do sleep 0.05; done
sleep 1
send 2
sleep 0.3
end_run
says_once "the program at the other end goes away while it runs"
exit $FAILED
