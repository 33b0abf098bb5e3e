#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl run --cost: packets of a live context also run in the model, with the context's tables. All 50 packets must be sampled and take
# the cycles that spinctl cost reports; with --cost-every 10 about 200 of 2,000. After kill -9 neither the ring of samples nor the XDP
# program may remain in the kernel. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
skip_unless_root
make_nics
cd "$WORK" || exit 1
ip -n "$NS" addr add 10.0.0.1/24 dev v0
ip netns add "$NS-far" && ip -n "$NS" link set v1 netns "$NS-far" || skip "no second namespace"
ip -n "$NS-far" addr add 10.0.0.2/24 dev v1
ip -n "$NS-far" link set v1 up

start() { # WORDS...: starts spinctl run with WORDS; $RUNS is its process
	rm -f ready
	nsenter --net="/run/netns/$NS" "$SPINCTL" run "$OBJECT" --dev v0 --match "udp dport 9000" --insert 'routes:src=10.0.0.2 port=7000' \
		--ready-file ready "$@" >out 2>err &
	RUNS=$!
	for i in $(seq 100); do
		[ -e ready ] && return
		kill -0 $RUNS 2>/dev/null || break
		sleep 0.1
	done
	fail "spinctl run $*: $(cat err)"
	exit 1
}
send() { # COUNT: sends packets
	nsenter --net="/run/netns/$NS-far" bash -c 'for ((i = 0; i < $0; i++)); do printf 16.bytes.of.text >/dev/udp/10.0.0.1/9000; done' "$1"
}
stop() {
	sleep 0.3
	kill -INT $RUNS
	wait $RUNS || fail "spinctl run ends with $?: $(cat err)"
}
number() { # KEY FILE: prints the last value of KEY in a line of JSON
	grep -o "\"$1\": [0-9.e+-]*" "$2" | tail -n 1 | sed 's/.*: //'
}

# every packet is sampled: all must be counted, and the warm ones must take the cycles that spinctl cost reports
expect 0 "$SPINCTL" cost "$OBJECT" --datagrams 20 --payload 16 --sizes none --json --match 'udp src 10.0.0.2 dport 9000' \
	--insert 'routes:src=10.0.0.2 port=7000'
mv out alone
cycles=$(grep -o '"median_cycles": [0-9.e+-]*' alone | head -n 1 | sed 's/.*: //')
start --cost --cost-every 1 --interval 0 --json
send 50
stop
tail -n 1 out >final
[ "$(number sampled_packets final)" = 50 ] || fail "sampled: $(cat final)"
[ "$(number missed_packets final)" = 0 ] || fail "missed: $(cat final)"
[ "$(number faulty_packets final)" = 0 ] || fail "faulty: $(cat final)"
[ "$(number min_cycles final)" = "$cycles" ] || fail "cycles: $(number min_cycles final), and spinctl cost says $cycles"
awk -v ns="$(number ns_per_packet final)" 'BEGIN { exit !(ns > 0) }' || fail "ns per packet: $(cat final)"
grep -q '"reason": "success", "verdict": "pass", "packets": 50' final || fail "the context's own counts: $(cat final)"

# one in ten is sampled at random: about 200 of 2,000 (standard deviation 13), so the bounds below are not reached by chance
start --cost --cost-every 10 --interval 0.2
send 2000
stop
grep -q "^ *cost filtering .* HPU cycles a packet ($cycles to " out || fail "no line with cycles: $(cat out)"
grep -q '^ *cost v0 .* ns a packet here' out || fail "no line with ns: $(cat out)"
sampled=$(sed -n 's/.*HPU cycles a packet .* mean of \([0-9]*\);.*/\1/p' out | tail -n 1)
[ "${sampled:-0}" -gt 100 ] && [ "$sampled" -lt 330 ] || fail "$sampled of 2000 are not a tenth: $(cat out)"

# without --cost there must be no cost output
start --interval 0 --json
send 5
stop
grep -q '"cost"\|ns_per_packet' out && fail "cost without --cost: $(cat out)"

# after kill -9 neither the ring nor the program may remain
start --cost --cost-every 2 --interval 0.1
held() { sed -n 's/^map_id:[ \t]*//p' /proc/$RUNS/fdinfo/* 2>/dev/null | sort -u; }
ring=$(for map in $(held); do bpftool map show id "$map"; done | sed -n 's/^\([0-9]*\): .*name spin_tap .*/\1/p')
[ -n "$ring" ] || fail "the ring has another name than this test looks for"
send 20
kill -9 $RUNS
wait $RUNS 2>/dev/null
for i in $(seq 50); do
	bpftool map show id "$ring" >/dev/null 2>&1 || break
	sleep 0.1
done
bpftool map show id "$ring" 2>/dev/null && fail "a ring is left"
ip -n "$NS" -d link show v0 | grep -q 'prog/xdp' && fail "a program is left"

in_ns "$SPINCTL" run "$OBJECT" --dev v0 --cost --cost-every 0 >out 2>err
[ $? = 2 ] || fail "one in none: $(cat err)"
expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --cost --cost-target nowhere
says err 'cost-target'
exit $FAILED
