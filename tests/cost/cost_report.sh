#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl cost (a handler on the modelled NIC): a packet's latency must be the sum of its stages, and its cycles the sum of their causes,
# alone, cold and under load. The closed form (cycles = constant + cycles per byte * size) must fit the cycles of all measured sizes. Page
# and trace must be complete documents with the same figures. A --budget (rate in Gbit/s) that the NIC cannot reach must give status 1. Run
# by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
WELL_FORMED=$BUILD/tests/tools/well_formed
cd "$WORK" || exit 1
HISTOGRAM=$BUILD/handlers/histogram.spin

json() { # PATH: prints the value at a path like latency.alone.mean_ps of ./json; [] iterates over an array
	awk -v want="$1" '
		function path(  i, p) { p = ""; for (i = 1; i <= depth; i++) p = p (name[i] == "" ? "[]" : (p == "" ? "" : ".") name[i]); return p }
		{
			key = ""; value = $0
			sub(/^\t*/, "", value); sub(/,$/, "", value)
			if (match(value, /^"[^"]*": /)) { key = substr(value, 2, RLENGTH - 4); value = substr(value, RLENGTH + 1) }
			if (value == "{" || value == "[") { if (depth || key != "") name[++depth] = key; else top = 1; next }
			if (value == "}" || value == "]") { if (depth) depth--; next }
			here = path(); if (key != "") here = here (here == "" ? "" : ".") key; else here = here "[]"
			gsub(/"/, "", value)
			if (here == want) print value
		}' json
}
about() { # WHAT A B: A must equal B except for rounding
	awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && b != "" && d <= 1e-6 * (b < 0 ? -b : b) + 1e-3) }' ||
		fail "$1: '$2', not '$3'"
}
below() { # WHAT A B: A must be less than B
	awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && b != "" && a + 0 < b + 0) }' || fail "$1: '$2' is not below '$3'"
}

make_messages="--messages 6 --packets 32 --values 1024 --set spin_state.messages=6"
expect 0 "$SPINCTL" cost "$HISTOGRAM" $make_messages --json --html page.html --trace trace.json
cp out json
"$WELL_FORMED" json json || fail "the report is not JSON"
expect 0 "$SPINCTL" cost "$HISTOGRAM" $make_messages --json --html again.html --trace again.json
for file in json:out page.html:again.html trace.json:again.json; do
	cmp -s "${file%:*}" "${file#*:}" || fail "another ${file%:*} the second time"
done

# stages must add up in each pass, and causes in total
for way in alone cold loaded; do
	sum=$(for stage in arrive her queue dispatch copy wait runtime handler feedback out; do
		json "latency.$way.mean_ps_by_stage.$stage"
	done | awk '{ sum += $1 } END { if (NR == 10) printf "%.6f", sum }')
	about "stages of a packet, $way" "$sum" "$(json "latency.$way.mean_ps")"
done
sum=$(json packet.mean_cycles)
about "causes" "$(for cause in issue load_use jump branch fetch muldiv misaligned memory l1 l2 remote icache flush dma command blocked thread; do
	json "mean_cycles_per_packet_by_cause.$cause"
done | awk '{ sum += $1 } END { printf "%.6f", sum }')" "$sum"
# the time of the stage "handler" must equal the cycles of a packet's handlers
about "bodies" "$(json latency.alone.mean_ps_by_stage.handler)" "$(awk -v c="$sum" 'BEGIN { printf "%.6f", c * 1000 }')"
below "alone" "$(json latency.alone.median_ps)" "$(json latency.loaded.median_ps)"
[ "$(json 'handlers[].runs' | paste -sd ' ')" = "192 6" ] || fail "192 payload tasks and 6 completions: $(json 'handlers[].runs')"
# a payload task takes a constant time per 32-bit number, so cycles must grow with the size
[ "$(json 'sizes[].size_bytes' | paste -sd ' ')" = "64 256 512 1024" ] || fail "sizes: $(json 'sizes[].size_bytes')"
json 'sizes[].warm_median_cycles' >cycles
[ "$(sort -n cycles | paste -sd ' ')" = "$(paste -sd ' ' cycles)" ] && [ "$(sort -u cycles | wc -l)" = 4 ] ||
	fail "cycles do not grow with the size: $(paste -sd ' ' cycles)"

# the closed form must fit its points: no residual may exceed the reported worst one
json 'closed_form[].handler' | grep -qx payload || fail "no closed form of the payload handler"
a=$(json 'closed_form[].constant_cycles' | head -n 1) b=$(json 'closed_form[].cycles_per_byte' | head -n 1)
residual=$(json 'closed_form[].worst_residual_cycles' | head -n 1)
below "the residual" "$residual" 20
below "cycles per byte" 0 "$b"
json 'sizes[].packet_bytes' | paste - cycles | awk -v a="$a" -v b="$b" -v most="$residual" '
	{ d = $2 - a - b * $1; if (d < 0) d = -d; if (d > most + 1) { print "off by", d, "at", $1; exit 1 } }' ||
	fail "the closed form misses its points"

# throughput, rates met and HPUs must be consistent
gbps=$(json throughput.gbit_per_s) packets=$(json throughput.million_packets_per_s)
about "Ethernet's 38 bytes" "$(json throughput.gbit_per_s_with_ethernet_38_bytes)" \
	"$(awk -v g="$gbps" -v p="$packets" 'BEGIN { printf "%.9f", g + p * 38 * 8 / 1000 }')"
for i in 1 2 3; do
	rate=$(json 'hpus_needed[].line_rate_gbit_per_s' | sed -n ${i}p)
	about "reached at $rate" "$(json 'hpus_needed[].reached' | sed -n ${i}p)" "$(awk -v g="$gbps" -v r="$rate" 'BEGIN { printf "%.9f", g / r }')"
	awk -v reached="$(json 'hpus_needed[].reached' | sed -n ${i}p)" -v met="$(json 'hpus_needed[].is_met' | sed -n ${i}p)" \
		'BEGIN { exit !((reached >= 0.995) == (met == "true")) }' || fail "the verdict at $rate"
done
about "energy" "$(json throughput.energy_upper_bound_nj_per_packet)" "$(awk -v p="$packets" 'BEGIN { printf "%.9f", 6100 / p }')"
[ "$(json throughput.packets)" -ge 2048 ] || fail "too few packets for a rate"
json 'hpu_occupancy.busy_hpus[]' | awk -v most="$(json hpus)" '$1 < 0 || $1 > most { exit 1 } END { exit !NR }' ||
	fail "HPUs at work: $(json 'hpu_occupancy.busy_hpus[]' | head -n 3)"

# the page must be well-formed and self-contained, with every plot and the report's figures
"$WELL_FORMED" xml page.html || fail "the page is not well-formed"
for title in 'Throughput against packet size' 'Throughput against handler length' 'Latency by stage' \
	'HPUs at work over time, under load' 'Cycles of a packet by cause'; do
	grep -qF "<title>$title</title>" page.html || fail "no plot '$title'"
done
[ "$(grep -c '<svg ' page.html)" = 5 ] || fail "not five plots"
grep -Eiq 'src=|href=|url\(|@import|<script|<link' page.html && fail "the page is not self-contained"
grep -q 'name="viewport"' page.html && grep -q 'prefers-color-scheme:dark' page.html && grep -q '@media(max-width' page.html ||
	fail "the page is not for phones, or not for the dark"
grep -q "histogram.c:" page.html || fail "no source lines in the page"
grep -qF "$(printf '%.1f' "$gbps") Gbit/s" page.html || fail "the page's throughput is not the report's"
[ "$(grep -c '<tr><th scope="row">' page.html)" -gt 20 ] || fail "tables without row headers"
# axes must have round numbers, and the page must state the limit of the HPUs alone, even where its curve leaves the plot
for number in 50 100 200 500 1000; do
	grep -q "text-anchor=\"middle\">$number</text>" page.html || fail "no tick $number on the axis of sizes"
done
sed -n 's/.*HPUs alone, up to \([0-9]*\)<.*/\1/p' page.html >most
[ -s most ] || fail "the page does not say what HPUs alone could do"

# the trace must be valid JSON with every task of every packet, on named tracks
"$WELL_FORMED" json trace.json || fail "the trace is not JSON"
tasks=$(grep -c '"ph": "X", "name": "payload", "pid": 3' trace.json)
[ "$tasks" = "$(json throughput.packets)" ] || fail "$tasks payload tasks in the trace, $(json throughput.packets) packets"
[ "$(grep -c '"ph": "X", "name": "packet", "pid": 1' trace.json)" = "$tasks" ] || fail "not as many packets on the wire"
[ "$(grep -c '"name": "thread_name", "pid": 3' trace.json)" = "$(json hpus)" ] || fail "not a track for each HPU"
grep '"name": "in packet memory"' trace.json | tail -n 1 | grep -q '"bytes": 0}' || fail "packet memory is not empty in the end"
[ "$(grep -c '"ph": "b"' trace.json)" = "$(grep -c '"ph": "e"' trace.json)" ] || fail "commands that do not end"

# a budget
expect 0 "$SPINCTL" cost "$HISTOGRAM" $make_messages --sizes none --budget 0.001
expect 1 "$SPINCTL" cost "$HISTOGRAM" $make_messages --sizes none --budget 1000000
one_line
says err "misses 1e+06 Gbit/s at packets of 1494 bytes"
says err "short"
says out "line rate"
expect 1 "$SPINCTL" cost "$HISTOGRAM" $make_messages --sizes 64,512 --budget 1000000
[ "$(wc -l <err)" = 3 ] || fail "not a line for each size: $(cat err)"
says err "packets of 62 bytes"

# the bottleneck: the interface with the maximum number of commands in flight; the link; the port through which all HPUs access L2
bound() { # RESOURCE WAITS WORDS...: a run with WORDS must be bound by RESOURCE; WAITS: whether HPUs wait for commands
	resource=$1 waits=$2
	shift 2
	expect 0 "$SPINCTL" cost "$@" --sizes none --json
	cp out json
	[ "$(json throughput.bound_by)" = "$resource" ] && [ "$(json throughput.hpus_wait_for_commands)" = $waits ] ||
		fail "$*: bound by $(json throughput.bound_by), not $resource; waits for commands: $(json throughput.hpus_wait_for_commands)"
}
bound "DMA to host" true "$BUILD/handlers/copy_to_host.spin" --messages 16 --payload 24
bound "DMA to host" true "$BUILD/handlers/copy_to_host.spin" --messages 60 --payload 36
bound sends false "$BUILD/handlers/pingpong.spin" --messages 60 --payload 36 # each send comes from another cluster than the one before
bound HPUs false "$BUILD/handlers/copy_from_host.spin" --messages 60 --payload 36 # its waits also occur alone, so they are not contention
bound link false "$BUILD/handlers/copy_to_host.spin" --messages 16 --payload 1024
below "the wire" 0.99 "$(json throughput.busy.link)"
bound "L2 port" false "$BUILD/handlers/filter_counts.spin" --datagrams 64 --payload 36 --match 'udp src 10.0.0.1' --insert 'routes:src=10.0.0.1 port=7000'
# counters in cluster 0's L1: HPUs of the other clusters wait for its port most of the time
cat >crowded.c <<'C'
#include <spin/spin.h>

struct crowded { uint32_t count[1024]; };
SPIN_STATE(struct crowded);

static enum spin_payload_rc crowded_payload(struct spin_payload *p, struct crowded *state)
{
	SPIN_FOR_EACH(p, uint32_t, value)
		spin_add32(&state->count[*value & 1023], 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(crowded, .payload = crowded_payload, .state_placement = SPIN_STATE_IN_L1, .delivery = SPIN_DELIVER_ME);
C
expect 0 "$SPINCC" --no-verify crowded.c -o crowded.spin
CROWDED=crowded.spin make_messages="--messages 6 --packets 32 --values 1024"
bound "L1 port for other clusters" false "$CROWDED" $make_messages
[ "$(json throughput.hpus_wait_for_memory)" = true ] && json throughput.bound_text | grep -q '^L1 of cluster 0: ' ||
	fail "the memory that is waited for is not named: $(json throughput.bound_text)"
below "the port of that L1" 0.9 "$(json 'throughput.busy.L1 port for other clusters')"
below "HPUs wait for it" 0.25 "$(json throughput.hpu_time_waiting_for_that_memory)"
# a rate that is missed must need more HPUs than there are, with the cycles under load
needed=$(json 'hpus_needed[].hpus_loaded_packet_bytes' | head -n 1)
[ "$(json 'hpus_needed[].is_met' | head -n 1)" = false ] || fail "it reaches 100 Gbit/s"
below "HPUs there" "$(json hpus)" "$needed"
below "HPUs by the cycles alone" "$(json 'hpus_needed[].hpus_packet_bytes' | head -n 1)" "$(json hpus)"
expect 0 "$SPINCTL" cost "$CROWDED" $make_messages --sizes none
says out '100 Gbit/s is missed with 32 HPUs, though '
says out 'the limit is L1 of cluster 0, port'
# figures must be labelled with what they measure
for words in 'bytes (mean)' "a packet's mean cycles" 'cycles (means)' '(mean of ' 'mean cycles/packet' 'mean ns/packet' 'median'; do
	says out "$words"
done

# throughput must equal the offered rate if the NIC can keep up
expect 0 "$SPINCTL" cost "$OBJECT" --datagrams 300 --sizes none --payload 484 --gbps 1 --json
cp out json
below "1 Gbit/s" "$(json throughput.gbit_per_s)" 1.01
below "1 Gbit/s" 0.99 "$(json throughput.gbit_per_s)"
expect 0 "$SPINCTL" cost "$OBJECT" --datagrams 300 --sizes none --payload 484 --gbps 1 --html slow.html
says out "offered were 1 Gbit/s: whether more is reached was not tried"
grep -q 'is offered no more than 1 Gbit/s' slow.html || fail "the page says that what was not offered is not reached"

# generated datagrams, and those of a capture in other sizes
[ "$(json mean_packet_bytes)" = 512 ] && [ "$(json frames)" = 300 ] || fail "datagrams: $(json frames) of $(json mean_packet_bytes) bytes"
{
	printf '\324\303\262\241\002\000\004\000\000\000\000\000\000\000\000\000\377\377\000\000\001\000\000\000'
	printf '\0\0\0\0\0\0\0\0\074\0\0\0\074\0\0\0\002\0\0\0\0\001\002\0\0\0\0\002\010\0'
	printf '\105\0\0\056\0\0\0\0\100\021\146\275\012\0\0\001\012\0\0\002\020\0\043\050\0\032\0\0abcdefghijklmnopqr'
} >trace.pcap
expect 0 "$SPINCTL" cost "$OBJECT" --pcap trace.pcap --sizes 64,1000 --json
cp out json
[ "$(json 'sizes[].packet_bytes' | paste -sd ' ')" = "64 1000" ] || fail "resized: $(json 'sizes[].packet_bytes')"
[ "$(json handled_packets)" = 1 ] || fail "the capture itself has one packet"

for wrong in "--gbps 50 --budget 100" "--budget fast" "--budget 0" "--gbps -1" "--sizes 64," "--sizes 27" "--sizes 9217" "--sizes large" "--framing x" \
	"--header x" "--datagrams 1" "--payload x"; do
	expect 2 "$SPINCTL" cost "$HISTOGRAM" --messages 1 $wrong
	one_line
done
expect 2 "$SPINCTL" cost --messages 1
expect 2 "$SPINCTL" cost "$HISTOGRAM" --image x --payload y --messages 1
expect 2 "$SPINCTL" cost --image x --messages 1
expect 1 "$SPINCTL" cost "$HISTOGRAM" --datagrams 1
says err "takes messages, not datagrams"
expect 1 "$SPINCTL" cost "$HISTOGRAM" --messages 1 --html nowhere/page.html
says err "cannot write nowhere/page.html"
# a FIFO or a symbolic link must be written to, not replaced
mkfifo pipe
cat pipe >piped.html &
expect 0 "$SPINCTL" cost "$HISTOGRAM" --messages 1 --html pipe
wait $!
[ -p pipe ] || fail "a pipe was replaced"
grep -q '</html>' piped.html || fail "no page came through the pipe"
ln -s linked.html link.html
: >linked.html
expect 0 "$SPINCTL" cost "$HISTOGRAM" --messages 1 --html link.html
[ -L link.html ] && grep -q '</html>' linked.html || fail "a link was replaced"
expect 1 "$SPINCTL" cost "$HISTOGRAM" --messages 1 --trace nowhere/trace.json
says err "cannot write nowhere/trace.json"
exit $FAILED
