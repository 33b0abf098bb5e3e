#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `spinctl cost --sweep` costs a handler for each combination of NIC parameters: the 8 points here must be in order, with the same results
# for any number of threads, and text and HTML page must have the same points as JSON. An invalid axis or point must be refused with one
# line that names it. Run by tests/run.
. "$(dirname "$0")/setup.inc"
cd "$WORK" || exit 1

sweep() { # ARGUMENTS...: eight points
	"$SPINCTL" cost "$OBJECT" --datagrams 100 --sweep size=64,512 --sweep clusters=1..4:3 --sweep hpus=2,8 "$@"
}
for threads in 1 2 5 32; do
	expect 0 sweep --threads $threads --json
	mv out json.$threads
	cmp -s json.1 json.$threads || fail "$threads threads have other results"
	[ ! -s err ] || fail "a progress bar on what is not a terminal"
done
at='s/.*"\(size\|clusters\|hpus\)": \([0-9]*\).*/\2/p'
[ "$(sed -n "$at" json.1 | paste -sd ' ')" = "64 1 2 64 1 8 64 4 2 64 4 8 512 1 2 512 1 8 512 4 2 512 4 8" ] ||
	fail "the points are $(sed -n "$at" json.1 | paste -sd ' ')"

# the text must have the same points and figures
expect 0 sweep
[ "$(awk '$3 ~ /^[0-9]+$/ && NF > 8 { print $1, $2, $3 }' out | paste -sd ' ')" = "$(sed -n "$at" json.1 | paste -sd ' ')" ] ||
	fail "text has other points than JSON"
[ "$(awk '$3 ~ /^[0-9]+$/ && NF > 8 { printf "%.1f ", $6 }' out)" = \
	"$(sed -n 's/.*"throughput_gbps": \([0-9.]*\).*/\1/p' json.1 | awk '{ printf "%.1f ", $1 }')" ] ||
	fail "text has other throughput than JSON"
# and so must the page
expect 0 sweep --html page.html
[ "$(grep -c '<tr><td>' page.html)" = 8 ] || fail "the page has not 8 points"
grep -q '</svg>' page.html || fail "the page has no plot"
for words in 'Rule <code>udp</code>' 'target <code>pspin-rtl</code>' '100 datagrams made' 'medians'; do
	grep -qF "$words" page.html || fail "the page does not say '$words'"
done
expect 0 "$SPINCTL" cost "$OBJECT" --datagrams 20 --sweep hpus=1..8 --html ticks.html
for number in 0 2 4 6 8; do
	grep -q "text-anchor=\"middle\">$number</text>" ticks.html || fail "no tick $number on the axis of 1 to 8 HPUs"
done

# a point of a sweep must be the same NIC as a target file's
printf 'base = pspin-rtl\nclusters = 1\nhpus = 2\n' >small.target
expect 0 "$SPINCTL" cost "$OBJECT" --datagrams 100 --target ./small.target --sweep size=64 --json
[ "$(grep throughput_gbps out)" = "$(grep throughput_gbps json.1 | head -n 1)" ] || fail "a target file makes another NIC than its sweep"

wrong() { # REASON AXIS...
	reason=$1
	shift
	for axis; do
		set -- --sweep "$axis"
		expect 1 "$SPINCTL" cost "$OBJECT" --datagrams 10 "$@"
		grep -q -- "$reason" err || fail "--sweep $axis says: $(cat err)"
		[ "$(wc -l <err)" = 1 ] || fail "--sweep $axis says more than a line"
	done
}
wrong 'write NAME=VALUES' hpus 1..4
wrong 'not a parameter of a target' hpu=1 =1
wrong 'values are numbers or ranges' hpus= hpus=a hpus=1,, hpus=4..1 hpus=1..4:0 hpus=1..x hpus=-1 watchdog_cycles=1..5000
wrong 'hpus is 1 to' hpus=0 hpus=1..99
wrong 'at beat_bytes=48: ' beat_bytes=16,48,64,96
wrong 'it is not a whole number\|is not a whole number' clock_mhz=1000,1001
expect 1 "$SPINCTL" cost "$OBJECT" --datagrams 10 --sweep hpus=1 --sweep hpus=2
grep -q 'an axis already' err || fail "two axes of one name: $(cat err)"
expect 2 "$SPINCTL" cost "$OBJECT" --datagrams 10 --threads 2
expect 2 "$SPINCTL" cost "$OBJECT" --datagrams 10 --sweep hpus=1 --budget 100
exit $FAILED
