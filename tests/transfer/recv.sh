#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Sends files with `spinctl send` to `spinctl recv`, over a veth. recv must write the complete file or nothing. spinctl mpq and status must
# show from outside what is in flight. Run by tests/run.
. "$(dirname "$0")/recv.inc"

# packet NUMBER FLAGS: sends a packet of message 7
packet() {
	printf "\\$2\\000\\000\\000\\000\\007\\000\\000\\000\\$1$(printf '%064d' 0)" |
		nsenter --net="/run/netns/$PEER" bash -c 'cat >/dev/udp/10.79.0.1/9330'
}

head -c 3000000 /dev/urandom >sent
receive got
send sent --to 10.79.0.1
ended 0
cmp sent got || fail "the file is not what was sent"
grep -q "3000000 bytes" recv.out || fail "no size: $(cat recv.out)"
[ -s recv.err ] && fail "recv says: $(cat recv.err)"

# in generic mode on the loopback interface a train arrives in one piece, so the sender must not send trains
in_ns ip link set lo up
receive near --dev lo --mode generic
in_ns "$SPINCTL" send sent --to 127.0.0.1 --json >send.out 2>send.err || fail "through lo: $(cat send.err)"
ended 0
cmp sent near || fail "the file through lo is not what was sent"
resent=$(sed -n 's/.*"resent_packets": \([0-9]*\),.*/\1/p' send.out)
[ "${resent:-999}" -lt 200 ] || fail "through lo much is sent again: $(cat send.out)"

# an offset says where in host memory the message goes: the file is the message
receive moved
send sent --offset 8 --to 10.79.0.1
ended 0
cmp sent moved || fail "the file of a message with an offset is not what was sent"

# several files one after the other, and an empty one; another port; JSON
: >none
receive many --count 3 --port 7777 --json
send sent none "$SPINCTL" --to 10.79.0.1:7777
ended 0
cmp sent many.1 && cmp none many.2 && cmp "$SPINCTL" many.3 || fail "several files are not what was sent"
[ "$(grep -c '"message_id"' recv.out)" = 3 ] || fail "not an object per message: $(cat recv.out)"

# a message in flight is visible from outside, and is evicted; then another one is accepted
echo before >stays
receive stays
packet 000 100
i=0
until in_ns "$SPINCTL" mpq --dev v0 --json >mpq.out && grep -q '"phase": "open"' mpq.out || [ $i = 20 ]; do i=$((i + 1)); done
says mpq.out '"source": "10.79.0.2"'
says mpq.out '"message_id": 7'
says mpq.out '"packets": 1'
expect 0 in_ns "$SPINCTL" mpq --dev v0
says out "1 in flight"
expect 0 in_ns "$SPINCTL" status --dev v0
says out "dport 9330"
i=0
while [ ! -s recv.err ] && [ $i -lt 200 ]; do i=$((i + 1)); sleep 0.05; done
says recv.err "message 7 from 10.79.0.2"
[ "$(cat stays)" = before ] || fail "half a message is in the file"
packet 040 100
i=0
until in_ns "$SPINCTL" mpq --dev v0 --json >mpq.out && grep -q '"phase": "waiting"' mpq.out || [ $i = 20 ]; do i=$((i + 1)); done
says mpq.out '"parked_packets": 1'
send sent --to 10.79.0.1
ended 0
cmp sent stays || fail "the file after a message that was given up is not what was sent"

# too long, too late, killed: nothing is written
receive long --max-mib 1
expect 1 nsenter --net="/run/netns/$PEER" "$SPINCTL" send sent --to 10.79.0.1
one_line
says err "sent: 10.79.0.1 port 9330: refused, "
ended 1
[ "$(wc -l <recv.err)" = 1 ] || fail "not one line: $(cat recv.err)"
says recv.err "was refused: it has more than the 1048576 bytes that there is room for; give a larger --max-mib"
[ -e long ] && fail "a message that is too long was written"
# among several files, one that is too long is reported, and later ones are accepted
head -c 900000 sent >short
receive some --max-mib 1 --count 2
send short --to 10.79.0.1
expect 1 nsenter --net="/run/netns/$PEER" "$SPINCTL" send sent --to 10.79.0.1
send short --to 10.79.0.1
ended 1
says recv.err "--max-mib"
cmp short some.1 && cmp short some.2 || fail "messages beside one that is too long are not what was sent"
[ -e some.3 ] && fail "a third file of two"
expect 1 in_ns "$SPINCTL" recv late --dev v0 --duration 0.2
says err "0 of 1 messages"
one_line
receive killed
packet 000 100
kill -9 "$RECV"
wait "$RECV" 2>/dev/null
[ -z "$(find . -name 'killed*' -o -name '.spinrecv*' -o -name late)" ] || fail "left: $(ls -A)"
receive again
send sent --to 10.79.0.1
ended 0
cmp sent again || fail "after a killed receiver a file is not what was sent"

expect 2 in_ns "$SPINCTL" recv x --dev v0 --port 0
expect 2 in_ns "$SPINCTL" recv x --dev v0 --max-mib 257
expect 1 in_ns "$SPINCTL" recv nosuch/x --dev v0
one_line
expect 1 in_ns "$SPINCTL" recv /dev/null --dev v0
says err "not a regular file"
expect 1 in_ns "$SPINCTL" recv x --dev v0 --handler "$OBJECT"
says err "takes datagrams"
one_line
exit $FAILED
