#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl cost of several handlers on one modelled NIC: each has its own packets, state and report. Of two handlers, a greedy one must get
# more than 80 % of the HPUs' time under the target's scheduler round_robin, and about half under fair_hpu_time (42 to 58 %). Text, JSON and
# page must agree. Impossible settings must be refused with a one-line message. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
need_hpu_compiler
WELL_FORMED=$BUILD/tests/tools/well_formed
cd "$WORK" || exit 1

# A handler that runs as many rounds per packet as its state says.
cat >rounds.c <<'EOF'
#include <spin/spin.h>

#ifndef STATE_WORDS
#define STATE_WORDS 1
#endif
#ifndef DELIVERY
#define DELIVERY SPIN_DELIVER_STACK
#endif
struct rounds { uint32_t limit, sum, more[STATE_WORDS]; };
SPIN_STATE(struct rounds, .limit = 10);
#ifdef BUFFER
SPIN_BUFFER(uint32_t, buffer, BUFFER);
#endif

static enum spin_payload_rc rounds_payload(struct spin_payload *p, struct rounds *state)
{
	uint32_t left = state->limit, sum = 0;

	SPIN_WHILE(p, left) {
		left--;
		sum += left;
	}
	spin_add32(&state->sum, sum);
	return SPIN_DROP;
}

SPIN_HANDLERS(rounds, .payload = rounds_payload, .delivery = DELIVERY, .state_placement = PLACEMENT);
EOF
expect 0 "$SPINCC" --no-verify -DPLACEMENT=SPIN_STATE_IN_L2 rounds.c -o rounds.spin
expect 0 "$SPINCC" --no-verify -DPLACEMENT=SPIN_STATE_IN_L2 -DDELIVERY=SPIN_DELIVER_ME rounds.c -o messages.spin
printf 'scheduler = fair_hpu_time\n' >fair.target

number() { # FILE KEY N: prints the Nth value of the key
	sed -n "s/.*\"$2\": \([0-9.e+-]*\),\{0,1\}\$/\1/p" "$1" | sed -n "${3:-1}p"
}
holds() { # WHAT EXPRESSION: the awk expression must be true
	awk "BEGIN { exit !($2) }" || fail "$1: $2"
}

two() { # WORDS...: runs the same program as two contexts, of which the first is greedy
	"$SPINCTL" cost rounds.spin rounds.spin --match 'udp dport 9000' --match 'udp dport 9001' --datagrams 1500 --payload 64 \
		--set 1/spin_state.limit=300 "$@"
}
expect 0 two --json
mv out turn.json
expect 0 two --target ./fair.target --json
mv out fair.json
expect 0 two --target ./fair.target --json
cmp -s out fair.json || fail "the same input has another output"
expect 0 two --target ./fair.target --weights 1,3 --json
mv out weighted.json

for file in turn fair weighted; do
	for i in 1 2; do
		[ "$(number $file.json handled_packets $i)" = 1500 ] || fail "context $i of $file handled $(number $file.json handled_packets $i)"
	done
done
grep -q '"scheduler": "round_robin"' turn.json && grep -q '"scheduler": "fair_hpu_time"' fair.json || fail "the report does not name the scheduler"
holds "in turn, the greedy one has most of the HPU time" "$(number turn.json share_of_hpu_time 1) > 0.8"
holds "by HPU time, half" "$(number fair.json share_of_hpu_time 1) > 0.42 && $(number fair.json share_of_hpu_time 1) < 0.58"
holds "against a weight of 3, less" "$(number weighted.json share_of_hpu_time 1) < $(number fair.json share_of_hpu_time 1) - 0.05"
holds "Jain's index in turn" "$(number turn.json jains_index_of_hpu_time_by_weight) < 0.75"
holds "and by HPU time" "$(number fair.json jains_index_of_hpu_time_by_weight) > 0.95 && $(number fair.json jains_index_of_hpu_time_by_weight) <= 1"
holds "the polite one's flow is done the sooner" "$(number fair.json flow_completion_ps 2) * 2 < $(number turn.json flow_completion_ps 2)"
holds "and alone the soonest" "$(number fair.json flow_completion_alone_ps 2) < $(number fair.json flow_completion_ps 2)"
holds "slowdown" "$(number turn.json slowdown 2) > 2 * $(number turn.json slowdown 1)"

# the text must have the same figures, and a report for each context
expect 0 two --target ./fair.target
mv out text
for i in 1 2; do
	awk -v n=$i '$1 == n && $2 == "rounds" { printf "%d %.1f %.1f\n", $3, $4, $5 }' text >row
	[ "$(cat row)" = "$(number fair.json handled_packets $i) $(awk "BEGIN { printf \"%.1f %.1f\", \
		$(number fair.json flow_completion_ps $i) / 1e6, $(number fair.json flow_completion_alone_ps $i) / 1e6 }")" ] ||
		fail "context $i is '$(cat row)' in the text"
	grep -q -- "--- context $i of 2" text || fail "context $i has no report"
done
[ "$(grep -c '^bound by what contexts share' text)" = 2 ] || fail "a report tells a bound of a NIC that is shared"
grep -qF "$(awk "BEGIN { printf \"Jain's index: %.3f of HPU time\", $(number fair.json jains_index_of_hpu_time_by_weight) }")" text ||
	fail "the text has another Jain's index"
grep -qi "memories of its own" text || fail "the report does not say what is assumed"

# there must be one complete page: first shares and completion times, then the sections of each context's own page, except plots that
# only make sense for a context alone on a NIC
expect 0 two --target ./fair.target --html page.html --json
cmp -s out fair.json || fail "a page changes the report"
expect 0 two --target ./fair.target --html again.html
cmp -s out text || fail "a page changes the text"
cmp -s page.html again.html || fail "the same input has another page"
"$WELL_FORMED" xml page.html || fail "the page is not well-formed"
grep -Eiq 'src=|href=|url\(|@import|<script|<link' page.html && fail "the page is not self-contained"
grep -q 'name="viewport"' page.html && grep -q 'prefers-color-scheme:dark' page.html && grep -q '@media(max-width' page.html ||
	fail "the page is not for phones, or not for the dark"
for title in 'HPUs at work over time' 'Share of the HPUs at work over time' 'Flow completion time'; do
	[ "$(grep -cF "<title>$title</title>" page.html)" = 1 ] || fail "not one plot '$title'"
done
[ "$(grep -c '<svg ' page.html)" = 7 ] || fail "not three plots in front, and latency and cycles of each context"
sed -n 's/.* id="\([^"]*\)".*/\1/p' page.html | sort | uniq -d >twice
[ -s twice ] && fail "ids that are there twice: $(cat twice)"
for i in 1 2; do
	grep -q "<h2 id=\"context$i\">Context $i of 2: rounds</h2>" page.html || fail "context $i has no section"
	for part in throughput latency cycles lines assumed; do
		grep -q "<h3 id=\"context$i-$part\">" page.html || fail "context $i has no $part"
	done
	flow=$(awk "BEGIN { printf \"<td>%.1f</td><td>%.1f</td><td>%.2f</td><td>1</td><td>%.1f %%\", \
		$(number fair.json flow_completion_ps $i) / 1e6, $(number fair.json flow_completion_alone_ps $i) / 1e6, \
		$(number fair.json slowdown $i), 100 * $(number fair.json share_of_hpu_time $i) }")
	grep -qF "<tr><th scope=\"row\">$i rounds</th><td>1500</td>$flow" page.html || fail "context $i is not '$flow' in the page"
	grep -qF "<title>alone: $(awk "BEGIN { printf \"%.6g\", $(number fair.json flow_completion_alone_ps $i) / 1e6 }")</title>" page.html ||
		fail "no bar for context $i alone"
done
for index in jains_index_of_hpu_time_by_weight jains_index_of_speed; do
	grep -qF "<b>$(awk "BEGIN { printf \"%.3f\", $(number fair.json $index) }")</b>" page.html || fail "the page has another $index"
done
grep -q 'on the NIC: .* bound by what contexts share' page.html || fail "a section tells a bound of a NIC that is shared"
expect 0 two --target ./fair.target --weights 1,3 --html weighted.html
grep -qF "<td>3</td><td>$(awk "BEGIN { printf \"%.1f %%\", 100 * $(number weighted.json share_of_hpu_time 2) }")" weighted.html ||
	fail "the page does not have the weights' shares"

# names must be escaped; if the page cannot be written, the command must fail without a report
cp fair.target '<b>&"x.target'
expect 0 "$SPINCTL" cost rounds.spin rounds.spin rounds.spin rounds.spin rounds.spin --match 'udp dport 9000' --match 'udp dport 9001' \
	--match 'udp dport 9002' --match 'udp dport 9003' --match 'udp dport 9004' --datagrams 50 --target './<b>&"x.target' --html five.html
"$WELL_FORMED" xml five.html || fail "the page of five is not well-formed"
grep -qF '<title>5 contexts on &lt;b&gt;&amp;&quot;x' five.html || fail "the target's name: $(grep '<title>5' five.html)"
grep -qF '<b>&"' five.html && fail "a name is markup"
grep -q '<h2 id="context5">' five.html || fail "no section for the fifth"
expect 1 two --html nowhere/page.html
one_line
says err "cannot write nowhere/page.html"
[ -s out ] && fail "output without the page"

# --set applies to one handler or to all; "alone" figures must not depend on the other contexts
expect 0 "$SPINCTL" cost rounds.spin --match 'udp dport 9001' --datagrams 1500 --payload 64 --json
[ "$(number out median_cycles 1)" = "$(number turn.json median_cycles "$(grep -c '"median_cycles"' out | awk '{ print $1 + 1 }')")" ] ||
	fail "the polite one takes other cycles alone than alone in company"
expect 0 "$SPINCTL" cost rounds.spin rounds.spin --match 'udp dport 9000' --match 'udp dport 9001' --datagrams 200 --payload 64 \
	--set spin_state.limit=50 --json
[ "$(number out flow_completion_alone_ps 1)" = "$(number out flow_completion_alone_ps 2)" ] || fail "all were to have 50 rounds"

# messages; a payload size per handler; three contexts, one of them compiled from source
expect 0 "$SPINCTL" cost messages.spin messages.spin --match 'udp dport 9000' --match 'udp dport 9001' --messages 8 --packets 16 \
	--payload 64,512 --json
[ "$(number out handled_packets 1) $(number out handled_packets 2)" = "128 128" ] || fail "messages: $(grep handled_packets out)"
[ "$(number out mean_packet_bytes 1) $(number out mean_packet_bytes 2)" = "102 550" ] || fail "payload: $(grep mean_packet_bytes out)"
expect 0 "$SPINCTL" cost rounds.spin rounds.c rounds.spin -DPLACEMENT=SPIN_STATE_IN_L1 --match 'udp dport 9000' --match 'udp dport 9001' \
	--match 'udp dport 9002' --datagrams 100 --json
[ "$(grep -c '"flow_completion_ps"' out)" = 3 ] || fail "not three contexts"

# one capture, split by the rules: 12 datagrams to 9000, 4 to 9001, an ARP frame and one to 9002
frame() { # PORT as two octal escapes
	printf '\0\0\0\0\0\0\0\0\074\0\0\0\074\0\0\0'
	printf '\002\0\0\0\0\001\002\0\0\0\0\002\010\0'
	printf '\105\0\0\056\0\0\0\0\100\021\146\275\012\0\0\001\012\0\0\002'
	printf '\020\0'
	printf "$1"
	printf '\0\032\0\0'
	printf '\300\0\0\0\0\001\0\0\0\0abcdefgh' # an SLMP header, for handlers of messages: both first and last packet
}
{
	printf '\324\303\262\241\002\000\004\000\000\000\000\000\000\000\000\000\377\377\000\000\001\000\000\000'
	for i in 1 2 3 4; do
		frame '\043\050'
		frame '\043\051'
		frame '\043\050'
		frame '\043\050'
	done
	frame '\043\052'
	printf '\0\0\0\0\0\0\0\0\074\0\0\0\074\0\0\0'
	printf '\377\377\377\377\377\377\002\0\0\0\0\002\010\006'
	head -c 46 /dev/zero
} >trace.pcap
expect 0 "$SPINCTL" cost rounds.spin rounds.spin --match 'udp dport 9000' --match 'udp dport 9001' --pcap trace.pcap --json
[ "$(number out handled_packets 1) $(number out handled_packets 2)" = "12 4" ] || fail "the capture is split: $(grep handled_packets out)"
expect 0 "$SPINCTL" cost messages.spin rounds.spin --match 'udp dport 9002' --match 'udp dport 9001' --pcap trace.pcap --json
mv out both.json
grep -q '"context": 2' both.json || fail "a capture may have packets of both kinds"

# --- what must be refused ---

wrong() { # STATUS TEXT WORDS...: spinctl cost WORDS must fail with STATUS and a line that contains TEXT
	status=$1 text=$2
	shift 2
	expect "$status" "$SPINCTL" cost "$@"
	one_line
	says err "$text"
	[ -s out ] && fail "output in spite of: $text"
}
A='udp dport 9000' B='udp dport 9001'
wrong 2 "2 handlers and 0 rules: give each handler its --match" rounds.spin rounds.spin --datagrams 10
wrong 2 "2 handlers and 1 rules" rounds.spin rounds.spin --match "$A" --datagrams 10
wrong 2 "2 handlers and 3 rules" rounds.spin rounds.spin --match "$A" --match "$B" --match udp --datagrams 10
wrong 2 "one handler has one --match" rounds.spin --match "$A" --match "$B" --datagrams 10
wrong 1 "can match both the rule of handler 1 (udp dport 9000) and that of handler 2 (udp)" rounds.spin rounds.spin --match "$A" \
	--match udp --datagrams 10
wrong 1 "handler 1 (udp dport 9000) and that of handler 3" rounds.spin rounds.spin rounds.spin --match "$A" --match "$B" \
	--match 'udp src 10.0.0.1' --datagrams 10
wrong 1 "packets of both kinds can only be those of a capture" rounds.spin messages.spin --match "$A" --match "$B" --datagrams 10
wrong 1 "takes datagrams, not messages" rounds.spin rounds.spin --match "$A" --match "$B" --messages 10
wrong 1 "no packet is its own; its rule is udp dport 9003" rounds.spin rounds.spin --match "$A" --match 'udp dport 9003' --pcap trace.pcap
wrong 2 "exclude each other" rounds.spin rounds.spin --match "$A" --match "$B" --datagrams 10 --pcap trace.pcap
for words in "--sweep hpus=1" "--trace x.json" "--budget 100" "--advise" "--sizes 64"; do
	wrong 2 "several handlers have one table" rounds.spin rounds.spin --match "$A" --match "$B" --datagrams 10 $words
done
wrong 2 "--weights is of several handlers" rounds.spin --datagrams 10 --weights 1
for words in 0 1,2,3 1, x 1001; do
	wrong 2 "--weights is a number from 1 to 1000, or one for each of the 2 handlers" rounds.spin rounds.spin --match "$A" --match "$B" \
		--datagrams 10 --weights "$words"
done
wrong 1 "which knows no weights; set scheduler = fair_hpu_time in a target file" rounds.spin rounds.spin --match "$A" --match "$B" \
	--datagrams 10 --weights 1,2
wrong 2 "--payload is 1 to 9158 bytes" rounds.spin rounds.spin --match "$A" --match "$B" --datagrams 10 --payload 64,0
wrong 1 "--set 3/spin_state.limit=1: it is of handler 3, and there are 2" rounds.spin rounds.spin --match "$A" --match "$B" --datagrams 10 \
	--set 3/spin_state.limit=1
wrong 2 "one operand too many" rounds.spin 2 3 4 5 6 7 8 9 --datagrams 10
wrong 1 "cannot open" rounds.spin none.spin --match "$A" --match "$B" --datagrams 10

# six contexts that fit alone but not together: 800 KB of state each, in 4 MiB of handler memory
expect 0 "$SPINCC" --no-verify -DPLACEMENT=SPIN_STATE_IN_L2 -DSTATE_WORDS=200000 rounds.c -o large.spin
set -- --match "$A" --match "$B" --match 'udp dport 9002' --match 'udp dport 9003' --match 'udp dport 9004' --match 'udp dport 9005'
wrong 1 "do not fit with the other contexts'" large.spin large.spin large.spin large.spin large.spin large.spin "$@" --datagrams 10
# buffers of 128 KiB in each L1
expect 0 "$SPINCC" --no-verify -DPLACEMENT=SPIN_STATE_IN_L2 -DBUFFER=2048 rounds.c -o buffers.spin
wrong 1 "memory of clusters and buffers of 131072 bytes do not fit with the other contexts'" buffers.spin buffers.spin buffers.spin \
	buffers.spin buffers.spin buffers.spin "$@" --datagrams 10
wrong 1 "the watchdog stopped it" rounds.spin rounds.spin --match "$A" --match "$B" --datagrams 10 --set 1/spin_state.limit=10000 \
	--watchdog 3000

exit $FAILED
