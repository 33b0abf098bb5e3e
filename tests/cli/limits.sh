#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `spinctl limits` lists what an interface accepts (1472 bytes of payload at an MTU of 1500) and guarantees (header handler first); text and
# JSON must have the same rows. `spinctl run` must refuse to start without a feature that --need names, and refuse handlers' memory
# (--handler-mem, mem=) that lies outside host memory, is unaligned, or has more than 16 segments. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
make_nics
COPY=$BUILD/handlers/copy_to_host.spin

expect 0 in_ns "$SPINCTL" limits --dev v0
says out "max_payload_size"
grep -qE '^max_payload_size +1472 bytes' "$WORK/out" || fail "the payload at an MTU of 1500"
grep -qE '^max_puts +16 packets' "$WORK/out" || fail "max_puts"
grep -qE '^no_duplicates +no +yes' "$WORK/out" || fail "no_duplicates: of messages only"
grep -qE '^header_first +yes +yes' "$WORK/out" || fail "header_first: of both"
grep -qE '^in_order +no +no' "$WORK/out" || fail "in_order: of neither"
cp "$WORK/out" "$WORK/text"

# JSON must have the same rows
expect 0 in_ns "$SPINCTL" limits --dev v0 --json
# prints the JSON's rows in the format of the text
awk -F'[":, \t]+' '
	$2 == "name" { name = $3 }
	$2 == "value" { value = $3 }
	$2 == "unit" { print name, value, $3 }
	$2 == "datagrams" { datagrams = $3 }
	$2 == "feature" { feature = $0; sub(/.*: "/, "", feature); sub(/".*/, "", feature) }
	$2 == "has" { has = $3 == "true" ? "yes" : "no" }
	$2 == "first" { print feature, has, $3 }
	$2 == "messages" { print name, datagrams == "true" ? "yes" : "no", $3 == "true" ? "yes" : "no" }
' "$WORK/out" | sort >"$WORK/rows"
awk '/^this kernel/ { features = 1; next }
	NF == 0 { features = 0; next }
	features { first = $NF; has = $(NF - 1); sub(/ +(yes|no) .*/, ""); print $0, has, first; next }
	{ print $1, $2, $3 }' "$WORK/text" | sort >"$WORK/text_rows"
grep -qx "messages yes [0-9.]*" "$WORK/text_rows" || fail "messages on this kernel"
[ "$(wc -l <"$WORK/rows")" -gt 20 ] || fail "rows of the JSON"
grep -vxFf "$WORK/rows" "$WORK/text_rows" >"$WORK/more"
[ "$(wc -l <"$WORK/more")" -le 1 ] || fail "text and JSON differ: $(head -n 3 "$WORK/more")"
grep -vxFf "$WORK/text_rows" "$WORK/rows" >"$WORK/more"
[ ! -s "$WORK/more" ] || fail "text and JSON differ: $(head -n 3 "$WORK/more")"

in_ns ip link set v0 mtu 1400
expect 0 in_ns "$SPINCTL" limits --dev v0
grep -qE '^max_payload_size +1372 bytes' "$WORK/out" || fail "the payload at an MTU of 1400"
expect 0 in_ns "$SPINCTL" limits
grep -qE '^max_payload_size +9188 bytes' "$WORK/out" || fail "the payload on any interface"
expect 1 in_ns "$SPINCTL" limits --dev nosuch
one_line
says err "there is no interface nosuch"

# a modelled card has its own cycles per byte and HPUs
expect 0 "$SPINCTL" limits --target pspin-rtl
grep -qE '^max_cycles_per_byte +0 cycles' "$WORK/out" || fail "cycles per byte of pspin-rtl"
grep -qE '^num_hpus +32 HPUs' "$WORK/out" || fail "HPUs of pspin-rtl"
printf 'max_cycles_per_byte = 7\nclusters = 2\n' >"$WORK/small.target"
expect 0 "$SPINCTL" limits --target "$WORK/small.target"
grep -qE '^max_cycles_per_byte +7 cycles' "$WORK/out" || fail "cycles per byte of a target file"
grep -qE '^num_hpus +16 HPUs' "$WORK/out" || fail "HPUs of a target file"
expect 1 "$SPINCTL" limits --target nosuch
one_line
expect 2 in_ns "$SPINCTL" limits --target pspin-rtl --dev v0
one_line

# features that run requires, by name
expect 0 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --need header_first,budget --duration 0.1
expect 0 in_ns "$SPINCTL" run "$COPY" --dev v0 --need no_duplicates,reliable --duration 0.1
expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --need header_first,no_duplicates,reliable --duration 0.1
one_line
says err "contexts of datagrams on v0 do not have no_duplicates, reliable"
expect 2 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --need header_last --duration 0.1
one_line
says err "spinctl limits"

# the handlers' own memory
expect 0 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --host-kib 8 --handler-mem 0+4096,8184+8 --duration 0.1
expect 0 in_ns "$SPINCTL" run "$COPY" --dev v0 --host-kib 8 --handler-mem 4096+4096 --duration 0.1
expect 0 in_ns "$SPINCTL" run "$COPY" --dev v0 --host-kib 8 --entry 'length=4096 mem=4096+64,4160+8 once' --duration 0.1
expect 0 in_ns "$SPINCTL" run "$COPY" --dev v0 --host-kib 8 --entry 'whole get no-header no-payload no-completion' --duration 0.1
refused() { # REASON ARGUMENT...
	reason=$1
	shift
	expect 1 in_ns "$SPINCTL" run "$@" --dev v0 --duration 0.1
	one_line
	says err "$reason"
}
refused "write START+LENGTH" "$OBJECT" --handler-mem 4096
refused "write START+LENGTH" "$OBJECT" --handler-mem 0+8,
refused "write START+LENGTH" "$COPY" --entry 'mem=8'
refused "multiples of 8" "$OBJECT" --handler-mem 4+8
refused "outside the host memory of 8192 bytes" "$COPY" --host-kib 8 --handler-mem 8192+8
refused "outside the host memory of 8192 bytes" "$COPY" --host-kib 8 --entry 'mem=8192+8'
refused "write mem=0+8 there" "$COPY" --handler-mem 0+8 --entry once
refused "more than the 16 segments" "$OBJECT" --handler-mem "$(seq -s, 1 17 | sed 's/[0-9]*/0+8/g')"

# counters of entries, in reports and in spinctl status
in_ns ip link set lo up
OBJECT=$BUILD/tests/handlers/msg_entry_reach.spin
head -c 3000 /dev/urandom >"$WORK/file"
# other programs on this machine may have contexts as well
own=limits$$
start_run lo --name $own --put --match 'udp dport 9330' --entry 'match=5 length=8192 mem=8192+16' --entry 'match=6' --json
for times in 1 2 3; do
	expect 0 in_ns "$SPINCTL" send "$WORK/file" --to 127.0.0.1 --match 5
done
expect 0 in_ns "$SPINCTL" send "$WORK/file" --to 127.0.0.1 --match 6
for command in mpq status; do
	expect 0 in_ns "$SPINCTL" $command
	awk -v own=$own '/^[^ ].* on .*, rule:/ { is_own = $1 == own } /^$/ { is_own = 0 } is_own' "$WORK/out" >"$WORK/section"
	mv "$WORK/section" "$WORK/out"
	says out "counter of entry 0: 3 successes, 0 failures"
	says out "counter of entry 1: 0 successes, 1 failures"
	[ "$(grep -c 'counter of entry' "$WORK/out")" = 2 ] || fail "spinctl $command: counters of other entries"
	expect 0 in_ns "$SPINCTL" $command --json
	tr -d ' \n\t' <"$WORK/out" | grep -qF '"entry_counters":[{"entry":0,"success":3,"failure":0},{"entry":1,"success":0,"failure":1}]' ||
		fail "spinctl $command --json: $(cat "$WORK/out")"
done
kill -INT $RUN
wait $RUN
tail -n 1 "$WORK/run.out" | tr -d ' ' | grep -qF '"entry_counters":[{"entry":0,"success":3,"failure":0},{"entry":1,' ||
	fail "the last report: $(tail -n 1 "$WORK/run.out")"
OBJECT=$BUILD/tests/handlers/entry_reach.spin # of datagrams, as text
start_run v0 --match 'udp dport 9000'
in_ns ip address add 10.99.0.1/24 dev v1
in_ns ip neighbour add 10.99.0.2 lladdr 02:00:00:00:00:02 dev v1
in_ns bash -c 'echo 1 >/dev/udp/10.99.0.2/9000'
i=0
until in_ns "$SPINCTL" status --dev v0 | grep -q 'counter of entry 0: 1 successes' || [ $((i += 1)) -gt 100 ]; do sleep 0.05; done
kill -INT $RUN
wait $RUN
grep -qx 'counter of entry 0: 1 successes, 0 failures' "$WORK/run.out" || fail "the last report: $(cat "$WORK/run.out")"
exit $FAILED
