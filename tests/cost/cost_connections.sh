#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl cost of handlers of TCP segments: the packets that it makes must be whole connections, each with a SYN, as many segments as
# requested, and a FIN. Per connection the header and the completion handler must run once, the payload handler with each segment. --match
# and --sizes must apply. Datagrams, another protocol and packets of more than 9216 bytes must be refused. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
cd "$WORK" || exit 1
SEGMENTS=$BUILD/tests/handlers/seg_vec.spin

# runs HANDLER: prints how often it ran, of the table of `cost` in the file out
runs() {
	awk -v name="$1" '$1 == name && NF >= 9 { print $2; exit }' out
}

# connections N PACKETS OPTION...: N connections of PACKETS segments must have all their handlers
connections() {
	count=$1 packets=$2
	shift 2
	expect 0 "$SPINCTL" cost "$SEGMENTS" --messages "$count" --packets "$packets" --sizes none "$@"
	says out "$count connections made, of $packets packets with"
	[ "$(runs header)" = "$count" ] || fail "$count connections ($*): $(runs header) header handlers"
	[ "$(runs payload)" = $((count * packets)) ] || fail "$count connections of $packets ($*): $(runs payload) payload handlers"
	[ "$(runs completion)" = "$count" ] || fail "$count connections ($*): $(runs completion) completion handlers"
}
connections 10 5
connections 100 1 --payload 1
connections 3 16 --payload 9158
connections 5 3 --match "tcp dport 443 sport 5"
connections 5 3 --match "tcp ip6 dst 2001:db8::7 vlan 9 dscp ef ttl 1-5"
connections 70 2 --match "tcp not src 192.0.2.0/24 sport 1000-2000"

# sizes are of all of a packet; under load they are made again as new connections, which end as well
expect 0 "$SPINCTL" cost "$SEGMENTS" --messages 20 --packets 4 --sizes 64,1000 --json
for reason in success proceeded; do
	says out "\"$reason\""
done
grep -qE '"(no_mpq|beyond_window|dropped|failed|bad_return)"' out && fail "segments are lost: $(grep -B1 -A2 -E 'no_mpq|beyond_window' out)"
expect 0 "$SPINCTL" cost "$SEGMENTS" --messages 20 --sweep hpus=4,8 --payload 64

expect 1 "$SPINCTL" cost "$SEGMENTS" --datagrams 10
says err "takes connections, not datagrams: make them with --messages"
expect 1 "$SPINCTL" cost "$OBJECT" --messages 10
says err "takes datagrams, not messages"
expect 1 "$SPINCTL" cost "$SEGMENTS" --messages 10 --match "udp dport 5"
says err "its rule must be TCP's"
expect 1 "$SPINCTL" cost "$SEGMENTS" --messages 10 --match "tcp ip6" --payload 9157
says err "a packet would have more than 9216 bytes"
expect 0 "$SPINCTL" cost "$SEGMENTS" --messages 10 --match "tcp ip6" --payload 9156 --sizes none

exit $FAILED
