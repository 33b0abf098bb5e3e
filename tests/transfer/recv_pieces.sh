#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Files longer than the receiver's memory are sent in pieces by `spinctl send` to `spinctl recv`, also from a pipe. Each file must arrive
# whole. Of a sender that is killed, or of pieces that are missing, damaged or too long, nothing may be written, recv must say why, and the
# next file must be accepted. Run by tests/run.
. "$(dirname "$0")/recv.inc"

: >none
# in pieces: nine times as long as host memory, of any length, from a pipe, one after the other and mixed with messages
head -c 9437185 /dev/urandom >pieces
head -c 700003 pieces >few
receive cut --max-mib 1 --count 6
send pieces few --piece-kib 256 --to 10.79.0.1
says send.out "pieces: 39 messages, 9437185 bytes"
send few --to 10.79.0.1
cat pieces | nsenter --net="/run/netns/$PEER" "$SPINCTL" send - --piece-kib 100 --to 10.79.0.1 >send.out || fail "pieces of a pipe"
send pieces --piece-kib 1024 --to 10.79.0.1 # host memory holds one piece at a time
send none --piece-kib 64 --to 10.79.0.1 # nothing to cut
ended 0
cmp pieces cut.1 && cmp few cut.2 && cmp few cut.3 && cmp pieces cut.4 && cmp pieces cut.5 && cmp none cut.6 ||
	fail "files in pieces are not what was sent"
says recv.out "cut.1: 39 messages from 10.79.0.2 port "
[ -s recv.err ] && fail "recv says: $(cat recv.err)"
# killed halfway: nothing is written, and the next file is accepted, in pieces or not
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
# pieces longer than the receiver's memory are refused, and the next file is accepted
receive large --max-mib 1 --count 2
expect 1 nsenter --net="/run/netns/$PEER" "$SPINCTL" send pieces --piece-kib 2048 --to 10.79.0.1
one_line
says err "refused, "
says err "smaller --piece-kib"
for i in 1 2; do send few --piece-kib 256 --to 10.79.0.1; done
ended 1
cmp few large.1 && cmp few large.2 || fail "files behind one that was refused are not what was sent"
says recv.err "--piece-kib"
# handmade transfers: a missing piece, changed bytes, another version; the next file is accepted
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
hand piece 0x8000000200000007 200 # the piece at 100 is missing
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
# A pipe that has filled one piece, and then fills none in the ten seconds after which a file is given up. Somebody else's message that
# is too long ends nothing.
(head -c 140000 pieces; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do head -c 5000 pieces; done) >drops
receive drip --max-mib 1
(
	head -c 140000 pieces
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		sleep 1
		head -c 5000 pieces
	done
) | nsenter --net="/run/netns/$PEER" "$SPINCTL" send - --piece-kib 128 --to 10.79.0.1 >send.out 2>send.err &
sender=$!
sleep 3
expect 1 nsenter --net="/run/netns/$PEER" "$SPINCTL" send piece --match 0x8000000100000000 --to 10.79.0.1
says err "refused, "
wait $sender || fail "a slow pipe: $(cat send.err)"
ended 0
cmp drops drip || fail "the file of a slow pipe is not what was sent"
says recv.err "was refused"
[ -z "$(find . -name 'hand.3' -o -name '.spinrecv*')" ] || fail "left: $(ls -A)"
exit $FAILED
