#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A file goes over the network with spinctl send and recv; recv writes it when it is whole, or not at all. spinctl mpq
# and status show what is in flight from outside.
. "$(dirname "$0")/setup.inc"
need_root
make_nics
PEER=$NS-peer
cleanup_peer() {
	ip netns del "$PEER" 2>/dev/null
	cleanup
}
trap cleanup_peer EXIT
cd "$WORK" || exit 1

ip netns add "$PEER" && ip -n "$NS" link set v1 netns "$PEER" && ip -n "$PEER" link set v1 up ||
	skip "cannot make a second network namespace"
ip -n "$NS" address add 10.79.0.1/24 dev v0
ip -n "$PEER" address add 10.79.0.2/24 dev v1
ip -n "$PEER" neighbour replace 10.79.0.1 lladdr "$(ip -n "$NS" -o link show v0 | sed 's/.*ether \([^ ]*\) .*/\1/')" dev v1

# any program at the other end of a veth: what XDP sends back is lost there without one
nsenter --net="/run/netns/$PEER" "$SPINCTL" run "$OBJECT" --dev v1 --match 'udp dport 1' --interval 0 \
	--ready-file other >/dev/null 2>&1 &
i=0
while [ ! -s other ] && [ $i -lt 200 ]; do i=$((i + 1)); sleep 0.05; done

# receive OPTIONS...: in the background, attached when this returns
receive() {
	rm -f ready
	# not by the function: this has to be the process that is killed
	nsenter --net="/run/netns/$NS" "$SPINCTL" recv --duration 30 "$@" --dev v0 --ready-file ready >recv.out 2>recv.err &
	RECV=$!
	i=0
	while [ ! -s ready ] && [ $i -lt 200 ]; do i=$((i + 1)); sleep 0.05; done
	[ -s ready ] || fail "recv $*: not ready: $(cat recv.err)"
}

ended() { # STATUS
	wait "$RECV"
	got=$?
	[ "$got" = "$1" ] || fail "recv: status $got instead of $1: $(cat recv.err)"
}

send() {
	nsenter --net="/run/netns/$PEER" "$SPINCTL" send "$@" >send.out 2>send.err || fail "send $*: $(cat send.err)"
}

# a packet of message 7 by hand: number of the packet, flags
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

# several, one after the other, and one of no bytes; another port; JSON
: >none
receive many --count 3 --port 7777 --json
send sent none "$SPINCTL" --to 10.79.0.1:7777
ended 0
cmp sent many.1 && cmp none many.2 && cmp "$SPINCTL" many.3 || fail "several files are not what was sent"
[ "$(grep -c '"message_id"' recv.out)" = 3 ] || fail "not an object per message: $(cat recv.out)"

# what is in flight is seen from outside, and given up; then another one is taken
echo before >stays
receive stays
packet 000 100
i=0
until in_ns "$SPINCTL" mpq --json >mpq.out && grep -q '"phase": "open"' mpq.out || [ $i = 20 ]; do i=$((i + 1)); done
says mpq.out '"source": "10.79.0.2"'
says mpq.out '"message_id": 7'
says mpq.out '"packets": 1'
expect 0 in_ns "$SPINCTL" mpq --dev v0
says out "1 in flight"
expect 0 in_ns "$SPINCTL" status
says out "dport 9330"
i=0
while [ ! -s recv.err ] && [ $i -lt 200 ]; do i=$((i + 1)); sleep 0.05; done
says recv.err "message 7 from 10.79.0.2"
[ "$(cat stays)" = before ] || fail "half a message is in the file"
packet 040 100
i=0
until in_ns "$SPINCTL" mpq --json >mpq.out && grep -q '"phase": "waiting"' mpq.out || [ $i = 20 ]; do i=$((i + 1)); done
says mpq.out '"parked_packets": 1'
send sent --to 10.79.0.1
ended 0
cmp sent stays || fail "the file after a message that was given up is not what was sent"

# in pieces: nine times as long as host memory, of any length, from a pipe, one after the other and beside messages
head -c 9437185 /dev/urandom >pieces
head -c 700003 pieces >few
receive cut --max-mib 1 --count 6
send pieces few --piece-kib 256 --to 10.79.0.1
says send.out "pieces: 39 messages, 9437185 bytes"
send few --to 10.79.0.1
cat pieces | nsenter --net="/run/netns/$PEER" "$SPINCTL" send - --piece-kib 100 --to 10.79.0.1 >send.out || fail "pieces of a pipe"
send pieces --piece-kib 1024 --to 10.79.0.1 # one place at a time
send none --piece-kib 64 --to 10.79.0.1 # nothing to cut
ended 0
cmp pieces cut.1 && cmp few cut.2 && cmp few cut.3 && cmp pieces cut.4 && cmp pieces cut.5 && cmp none cut.6 ||
	fail "files in pieces are not what was sent"
says recv.out "cut.1: 39 messages from 10.79.0.2 port "
[ -s recv.err ] && fail "recv says: $(cat recv.err)"
# killed halfway: nothing is written, and the next one is taken, whichever it is
mkfifo slow
for next in "--piece-kib 128" ""; do
	receive rest --max-mib 1
	(head -c 600000 pieces; exec sleep 30) >slow &
	writer=$!
	nsenter --net="/run/netns/$PEER" "$SPINCTL" send slow --piece-kib 128 --to 10.79.0.1 >send.out 2>&1 &
	sender=$!
	sleep 1
	[ -z "$(find . -name 'rest*' -o -name '.spinrecv*')" ] || fail "half a file has a name: $(ls -A)"
	kill -9 $sender
	kill $writer
	wait $sender $writer 2>/dev/null
	i=0
	until nsenter --net="/run/netns/$PEER" "$SPINCTL" send few $next --to 10.79.0.1 >send.out 2>&1 || [ $i = 10 ]; do
		i=$((i + 1))
	done
	ended 0
	cmp few rest || fail "the file after one that stopped halfway is not what was sent"
	says recv.err "a file from 10.79.0.2 port "
	says recv.err " stopped at byte "
	says recv.err "its other pieces are missing"
	rm -f rest
done
# transfers by hand: a piece is missing, bytes are not the sender's, another version; what comes then is taken
hand() { # FILE MATCH [HDR-DATA]
	send "$1" --to 10.79.0.1 --match "$2" --hdr-data "${3:-0}"
}
printf '\0\0\0\1\0\0\0\7\0\0\0\0\0\0\1\54\0\0\0\144\0\0\0\0' >open # version 1, id 7, 300 bytes, pieces of 100
printf '\0\0\0\2\0\0\0\7\0\0\0\0\0\0\1\54\0\0\0\144\0\0\0\0' >newer
printf '\0\0\0\0\0\0\1\54\0\0\0\0\0\0\0\1' >end # 300 bytes, digest 1
head -c 100 pieces >piece
receive hand --max-mib 1 --count 2
hand newer 0x8000000100000000
hand open 0x8000000100000000
hand piece 0x8000000200000007 0
hand piece 0x8000000200000007 200 # the one at 100 is missing
i=0
until grep -q "given up" recv.err || [ $i = 200 ]; do i=$((i + 1)); sleep 0.1; done
says recv.err "has its sender a newer one"
says recv.err "stopped at byte 100 of 300, its other pieces are missing: given up"
hand open 0x8000000100000000
for at in 0 100 0 200; do hand piece 0x8000000200000007 $at; done
hand end 0x8000000300000007
send few --piece-kib 256 --to 10.79.0.1
says recv.err "the digest of its 300 bytes is not its sender's"
send few --to 10.79.0.1
ended 1
cmp few hand.1 && cmp few hand.2 || fail "files beside bad ones are not what was sent"
[ -z "$(find . -name 'hand.3' -o -name '.spinrecv*')" ] || fail "left: $(ls -A)"
# too long, not in time, killed: nothing is written
receive long --max-mib 1
nsenter --net="/run/netns/$PEER" "$SPINCTL" send sent --to 10.79.0.1 >send.out 2>&1
ended 1
says recv.err "--max-mib"
[ -e long ] && fail "a message that is too long was written"
# of several, one that is too long is told, and those behind it are taken
head -c 900000 sent >short
receive some --max-mib 1 --count 2
send short sent short --to 10.79.0.1
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
says err "no regular file"
expect 1 in_ns "$SPINCTL" recv x --dev v0 --handler "$OBJECT"
says err "takes datagrams"
one_line
exit $FAILED
