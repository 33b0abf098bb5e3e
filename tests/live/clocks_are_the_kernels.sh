#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Handlers on a veth must read the kernel's monotonic clock (within 10 ms, the coarse one 20) and different random numbers, in both load
# classes. The handler rate_limit, set to a burst of 5 and one packet per 10 ms, must pass 5 of 500 datagrams and one more per 10 ms of the
# time they took (5 more are tolerated), and drop the rest. Run by tests/run.
. tests/live/lib.lib.sh
command -v bash >/dev/null || { echo "skip: no bash"; exit 77; }

# send COUNT: sends COUNT datagrams; prints the milliseconds that it took
send() {
	nsenter --net=/run/netns/$B bash -c 'start=$(date +%s%N)
		for ((i = 0; i < $1; i++)); do printf x >/dev/udp/10.9.0.1/9000; done
		echo $((($(date +%s%N) - start) / 1000000))' - "$1" 2>/dev/null
}
detach() {
	kill -INT $owner
	wait $owner || die "spinctl run: $(cat "$tmp/err")"
	owner=
}
# field NAME: a field of the handlers' state, from the final report
field() {
	tr -d '\n' <"$tmp/out" | sed -n "s/.*\"spin_state\.$1\"[^0-9]*\([0-9]*\).*/\1/p"
}
counted() {
	grep '"type": "final"' "$tmp/out" | sed -n "s/.*\"reason\": \"$1\", [^}]*\"packets\": \([0-9]*\)}.*/\1/p"
}
# Milliseconds since boot; equals the handlers' clock on machines that do not sleep.
now() { sed 's/\([0-9]*\)\.\([0-9]*\) .*/\1\20/' /proc/uptime; }

for class in trusted isolated; do
	attach "$BUILD/tests/handlers/clocks.spin" --match "udp dport 9000" --class $class --state
	before=$(now)
	send 2 >/dev/null
	after=$(now)
	detach
	time=$((($(field header_high) * 4294967296 + $(field header_low)) / 1000000))
	coarse=$((($(field coarse_high) * 4294967296 + $(field coarse_low)) / 1000000))
	[ $time -ge $before ] && [ $time -le $((after + 10)) ] || die "$class: $time ms is not between $before and $after"
	[ $coarse -ge $((before - 20)) ] && [ $coarse -le $((after + 10)) ] || die "$class: the coarse clock says $coarse, from $before to $after"
	[ "$(field 'random\[1\]')" != "$(field 'random\[2\]')" ] || die "$class: two random numbers are $(field 'random\[1\]')"
	[ "$(field ttl)" = 64 ] || die "$class: time to live $(field ttl)"

	# one per 10 ms, 5 at once
	attach "$BUILD/handlers/rate_limit.spin" --match "udp dport 9000" --class $class \
		--set spin_state.interval_ns=10000000 --set spin_state.burst=5
	took=$(send 500)
	detach
	passed=$(counted proceeded) dropped=$(counted header_dropped)
	[ $((passed + dropped)) = 500 ] || die "$class: $passed passed, $dropped dropped of 500"
	# the burst, one per interval, and a margin for the difference of the clocks
	[ "$passed" -ge 5 ] && [ "$passed" -le $((5 + took / 10 + 5)) ] || die "$class: $passed of 500 passed in $took ms"
done
echo ok
