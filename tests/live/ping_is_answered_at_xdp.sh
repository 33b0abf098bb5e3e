#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Handlers must answer and count the pings of a host whose own stack does not answer, over IPv4 and IPv6. Packets that are
# not requests must reach the host, so that neighbour discovery works with a context of all ICMPv6. Without contexts the
# host must answer again. Run by tests/run.
. tests/live/lib.lib.sh
command -v ping >/dev/null || { echo "skip: no ping"; exit 77; }

within() { ns=$1; shift; nsenter --net=/run/netns/"$ns" "$@"; }
# Sets whether the host itself ignores pings (1) or answers them (0).
host_ignores() {
	within $A sh -c "echo $1 >/proc/sys/net/ipv4/icmp_echo_ignore_all && echo $1 >/proc/sys/net/ipv6/icmp/echo_ignore_all" ||
		{ echo "skip: cannot set sysctls of a namespace"; exit 77; }
}
# answered ADDRESS OPTIONS...: each request must get its reply, with its payload
answered() {
	within $B ping -n -q -i 0.05 -W 2 "$@" >"$tmp/ping" 2>&1 || die "ping $*: $(cat "$tmp/ping")"
	grep -q ' 0% packet loss' "$tmp/ping" || die "ping $*: $(cat "$tmp/ping")"
	! grep -qi 'wrong data\|DUP' "$tmp/ping" || die "ping $*: $(cat "$tmp/ping")"
}
unanswered() {
	! within $B ping -n -q -W 1 "$@" >"$tmp/ping" 2>&1 || die "somebody answers ping $*: $(cat "$tmp/ping")"
}
# counted CONTEXT REASON: the number of packets of the context, from its final report
counted() {
	grep '"type": "final"' "$tmp/out" | sed -n "s/.*\"context\": \"$1\", \([^]]*\)].*/\1/p" |
		sed -n "s/.*\"reason\": \"$2\", [^}]*\"packets\": \([0-9]*\)}.*/\1/p"
}
# Ends the owner as a user does.
detach() {
	kill -INT $owner
	wait $owner || die "spinctl run: $(cat "$tmp/err")"
	owner=
}

# A veth accepts frames that XDP sends back only if it has a program as well.
peer=
clean_peer() {
	[ -z "$peer" ] || kill -9 "$peer" 2>/dev/null
	clean
}
trap clean_peer EXIT
within $B "$BUILD/bin/spinctl" run "$BUILD/handlers/copy_to_host.spin" --dev v1 --match "udp dport 1" --interval 0 \
	--ready-file "$tmp/peer" >/dev/null 2>"$tmp/err" &
peer=$!
i=0
while [ ! -e "$tmp/peer" ]; do
	i=$((i + 1))
	[ $i -lt 100 ] || die "not attached: $(cat "$tmp/err")"
	sleep 0.1
done
ip -n $A addr add fd09::1/64 dev v0 nodad && ip -n $B addr add fd09::2/64 dev v1 nodad || { echo "skip: no IPv6"; exit 77; }
host_ignores 0
answered -4 -c 1 10.9.0.1
answered -6 -c 1 fd09::1
host_ignores 1
unanswered -4 -c 1 10.9.0.1
unanswered -6 -c 1 fd09::1

# A context for its own addresses only.
attach "$BUILD/handlers/ping.spin" "$BUILD/handlers/ping.spin" --name ping4 --name ping6 --match "icmp dst 10.9.0.1" \
	--match "icmp6 dst fd09::1"
answered -4 -c 5 10.9.0.1
answered -4 -c 2 -s 0 10.9.0.1
answered -4 -c 2 -s 1472 -p f05a 10.9.0.1
answered -6 -c 4 fd09::1
answered -6 -c 3 -s 1452 -p f05a fd09::1
# Fragments belong to no context: the host receives them, and does not answer.
unanswered -4 -c 1 -s 2000 10.9.0.1
ip -n $A addr add 10.9.0.3/24 dev v0
unanswered -4 -c 1 10.9.0.3
detach
[ "$(counted ping4 replied)" = 9 ] || die "ping4 did not count 9 replies: $(cat "$tmp/out")"
[ "$(counted ping6 replied)" = 7 ] || die "ping6 did not count 7 replies: $(cat "$tmp/out")"
unanswered -4 -c 1 10.9.0.1

# A context for all ICMPv6: the host still resolves addresses, and answers neighbour solicitations.
attach "$BUILD/handlers/ping.spin" --match icmp6
ip -n $A neigh flush dev v0
ip -n $B neigh flush dev v1
answered -6 -c 2 fd09::1
ip -n $A neigh flush dev v0
within $A ping -6 -n -q -c 2 -i 0.05 -W 2 fd09::2 >"$tmp/ping" 2>&1 || die "the host's own ping: $(cat "$tmp/ping")"
ip -n $B neigh show dev v1 | grep -q 'fd09::1 .*lladdr' || die "no neighbour: $(ip -n $B neigh show)"
detach
[ "$(counted ping replied)" = 2 ] || die "ping did not count 2 replies: $(cat "$tmp/out")"
[ "$(counted ping success)" -ge 3 ] || die "neighbour discovery did not pass the context: $(cat "$tmp/out")"

# In the other load class, and with packets given to CPUs.
for how in "--class isolated" "--hpus spread"; do
	# shellcheck disable=SC2086 # two words
	attach "$BUILD/handlers/ping.spin" "$BUILD/handlers/ping.spin" --name ping4 --name ping6 --match "icmp dst 10.9.0.1" \
		--match "icmp6 dst fd09::1" $how
	answered -4 -c 2 10.9.0.1
	answered -6 -c 2 fd09::1
	detach
	[ "$(counted ping4 replied)" = 2 ] && [ "$(counted ping6 replied)" = 2 ] || die "$how: $(cat "$tmp/out")"
done

host_ignores 0
answered -4 -c 2 10.9.0.1
answered -6 -c 2 fd09::1
