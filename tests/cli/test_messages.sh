#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `spinctl test` with a handler of messages of several packets. A vector (test as text) that passes is changed in one expectation at a time
# (an event, host memory, a matching entry, a verdict, the timeout event after the clock advances): the command must fail with status 1 and
# print line, value and expected value. Run by tests/run.
. "$(dirname "$0")/setup.inc"
cd "$WORK" || exit 1
handler=$ROOT/tests/handlers/messages/msg_default.c
vectors=$ROOT/tests/vectors/payload_returns

if [ "$(id -u)" = 0 ]; then
	engines="host bpf model"
else
	engines="host model"
fi
expect 0 "$SPINCTL" test "$handler" "$vectors/no_payload_handler_is_the_default_action.vec"
says out "no_payload_handler_is_the_default_action.vec  $engines"
if [ "$(id -u)" = 0 ]; then
	says err "skipped: isolated: "
	one_line
	expect 1 "$SPINCTL" test "$handler" "$vectors/no_payload_handler_is_the_default_action.vec" --engine isolated
	says out "isolated: could not run: "
fi

cat >message.vec <<'END'
handler msg_default
idle 100
headers
  eth 02:00:00:00:00:01 > 02:00:00:00:00:02
  ip4 10.0.0.1 > 10.0.0.2
  udp 4000 > 9330
packet
  slmp SYN EOM id 7 off 0
  hex a1a2a3
expect tx proceeded ack
event message length 3 deposited 3
after spin_state.messages=1
after host 0 hex a1a2a3
after me 0 open messages 1 bytes 3
packet
  slmp SYN id 8 off 4
  hex b1
expect tx parked ack
clock 101
event timeout id 8 me none
END
expect 0 "$SPINCC" --no-verify "$handler" -o msg_default.spin
expect 0 "$SPINCTL" test msg_default.spin message.vec --engine model

differs() { # SED-EXPRESSION REASON...: message.vec with one expectation changed
	sed "$1" message.vec >changed.vec
	shift
	cmp -s message.vec changed.vec && fail "the vector was not changed"
	expect 1 "$SPINCTL" test msg_default.spin changed.vec --engine model
	for reason; do
		says out "$reason"
	done
}
from='id 7 from 10.0.0.1 4000 to 9330'
entry='entry 0+65536 serial 0'
differs 's/length 3 deposited 3/length 4/' 'changed.vec:7: packet 1' \
	"event 1                  message $from length 3 $entry deposited 3, expected message $from length 4 $entry"
differs '/^event message/d' "event 1                  message $from length 3 $entry deposited 3, expected none"
differs '/^after me/i event fail header' "event 2                  none, expected fail header $from"
differs 's/hex a1a2a3$/&a4/;0,/a4/s/a4//' 'host memory +0x0000      got       a1 a2 a3 00' 'expected  a1 a2 a3 a4'
differs 's/me 0 open/me 0 free/' 'matching entry 0         open match 0 ignore 0xffffffffffffffff start 0 length 65536'
differs 's/bytes 3$/bytes 4/' 'messages 1 bytes 3, expected open'
differs 's/tx parked ack/drop parked/' 'changed.vec:15: packet 2' 'verdict                  tx parked' ', expected drop parked'
differs 's/^clock 101/clock 100/' 'changed.vec:19: clock 100' 'event 1                  none, expected timeout id 8'
expect 1 "$SPINCTL" test msg_default.spin changed.vec --engine model --json
says out '"clock_ms": 100'
differs 's/^clock/post as 3\n&/' 'changed.vec:20: the entry posted has the index 1, not 3'
differs 's/^clock/unlink 0 busy\n&/' 'changed.vec:20: entry 0 is not busy'
differs 's/after host 0/after host 65534/' 'host memory has 65536 bytes: write `host BYTES` for more'
# idle time registered by the handler
sed 's/\.delivery = SPIN_DELIVER_ME/&, .idle_ms = 100/' "$handler" >msg_default.c
sed -e '/^idle 100/d' -e '/SYN EOM/,/^after me/d' message.vec | awk '/^packet/ && last == $0 { next } { print; last = $0 }' >idle.vec
expect 0 "$SPINCTL" test msg_default.c idle.vec
says out "idle.vec  $engines"
exit $FAILED
