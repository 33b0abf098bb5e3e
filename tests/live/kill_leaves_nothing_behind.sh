#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# After kill -9 of the process that owns an attachment (`spinctl run`) no program, link or map of sPIN may remain. Run by tests/run.
. tests/live/lib.lib.sh
# held KIND: ids of the objects that the owner has descriptors of; for a link also its program
held() { sed -n "s/^$1_id:[ \t]*//p" /proc/$owner/fdinfo/* 2>/dev/null | sort -u; }
attach "$BUILD/handlers/filtering.spin" --match "udp dport 9000"
ip -n $A link show v0 | grep -q "xdp" || die "no XDP program on v0"
ip -n $A link show v0 | grep -q "xdpgeneric" && die "attached in generic mode"
for kind in prog link map; do
	held $kind >"$tmp/$kind"
	[ -s "$tmp/$kind" ] || die "the owner has no $kind"
done
kill -9 $owner
wait $owner 2>/dev/null
unattached || die "v0 still has an XDP program"
i=0
while :; do
	left=
	for kind in prog link map; do
		for id in $(cat "$tmp/$kind"); do
			! bpftool $kind show id "$id" >/dev/null 2>&1 || left="$left $kind $id"
		done
	done
	[ -z "$left" ] && exit 0
	i=$((i + 1))
	[ $i -lt 50 ] || die "left behind:$left"
	sleep 0.1
done
