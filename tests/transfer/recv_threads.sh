#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl recv must accept a message from a sender of 3, 4 or 16 threads, each of which sends its own part of the file at the same time as
# the others, as the sender of FPsPIN (PsPIN on an FPGA NIC) does. The received file must be equal to the sent one. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
skip_unless_root
make_nics
PEER=$NS-peer
cd "$WORK" || exit 1

ip netns add "$PEER" && ip -n "$NS" link set v1 netns "$PEER" && ip -n "$PEER" link set v1 up ||
	skip "cannot make a second network namespace"
ip -n "$NS" address add 10.79.0.1/24 dev v0
ip -n "$PEER" address add 10.79.0.2/24 dev v1
ip -n "$PEER" neighbour replace 10.79.0.1 lladdr "$(ip -n "$NS" -o link show v0 | sed 's/.*ether \([^ ]*\) .*/\1/')" dev v1

# the other end of a veth needs a program: without one, frames that XDP sends back are lost there
nsenter --net="/run/netns/$PEER" "$SPINCTL" run "$OBJECT" --dev v1 --match 'udp dport 1' --interval 0 \
	--ready-file other >/dev/null 2>&1 &
i=0
while [ ! -s other ] && [ $i -lt 200 ]; do i=$((i + 1)); sleep 0.05; done

# transfer BYTES THREADS PAYLOAD_BYTES
transfer() {
	head -c "$1" /dev/urandom >sent
	rm -f ready got
	nsenter --net="/run/netns/$NS" "$SPINCTL" recv got --duration 60 --dev v0 --ready-file ready >recv.out 2>recv.err &
	i=0
	while [ ! -s ready ] && [ $i -lt 200 ]; do i=$((i + 1)); sleep 0.05; done
	nsenter --net="/run/netns/$PEER" "$BUILD/tests/tools/slmp_threads" 10.79.0.1 sent "$2" "$3" >send.out 2>&1 ||
		fail "$1 bytes from $2 threads: $(cat send.out)"
	wait $!
	rc=$?
	[ $rc = 0 ] || fail "$1 bytes from $2 threads: recv: status $rc: $(cat recv.err)"
	cmp sent got || fail "$1 bytes from $2 threads are not what was sent"
}

transfer 4194304 4 1456
transfer 16777216 4 1456
transfer 16777216 16 1024
transfer 16777216 3 512
exit $FAILED
