#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# After kill -9 of the owner there is no program, link or map of ours.
. tests/live/lib.lib.sh
ours() { bpftool $1 show | sed -n 's/^\([0-9]*\): .*/\1/p' | sort; }
for kind in prog link map; do ours $kind >"$tmp/$kind.before"; done
attach "$BUILD/handlers/filtering.spin" --match "udp dport 9000"
ip -n $A link show v0 | grep -q "xdp" || die "no XDP program on v0"
ip -n $A link show v0 | grep -q "xdpgeneric" && die "attached in generic mode"
kill -9 $owner
wait $owner 2>/dev/null
unattached || die "v0 still has an XDP program"
i=0
while :; do
	left=
	for kind in prog link map; do
		ours $kind | comm -13 "$tmp/$kind.before" - >"$tmp/new"
		[ -s "$tmp/new" ] && left="$left $kind $(paste -sd, "$tmp/new")"
	done
	[ -z "$left" ] && exit 0
	i=$((i + 1))
	[ $i -lt 50 ] || die "left behind:$left"
	sleep 0.1
done
