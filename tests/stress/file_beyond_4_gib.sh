#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Sends a file of 4100 MiB and 14 bytes by spinctl send to spinctl recv, in several messages, since offsets in a message have 32 bits. The
# received file must be the same. Run by `make stress`; skips if there is no room for 5 GB.
. tests/live/lib.lib.sh
receiver= helper=
trap 'kill -9 $receiver $helper 2>/dev/null; clean' EXIT
[ "$(df --output=avail -k "$tmp" | tail -n 1)" -gt 6000000 ] || { echo "skip: $tmp has no room for 5 GB"; exit 77; }
truncate -s 4100M "$tmp/file"
echo "beyond 4 GiB" >>"$tmp/file"

# without an XDP program at the other end of the veth, acknowledgements that XDP sends back would be lost
nsenter --net=/run/netns/$B "$BUILD/bin/spinctl" run "$BUILD/tests/handlers/deliver.spin" --dev v1 --match "udp dport 1" \
	--interval 0 --ready-file "$tmp/helper" >/dev/null 2>"$tmp/err" &
helper=$!
nsenter --net=/run/netns/$A "$BUILD/bin/spinctl" recv "$tmp/got" --dev v0 --ready-file "$tmp/ready" >"$tmp/out" 2>"$tmp/err" &
receiver=$!
i=0
until [ -e "$tmp/ready" ] && [ -e "$tmp/helper" ]; do
	i=$((i + 1))
	[ $i -lt 200 ] || die "not attached: $(cat "$tmp/err")"
	sleep 0.05
done
nsenter --net=/run/netns/$B "$BUILD/bin/spinctl" send "$tmp/file" --to 10.9.0.1 || die "the file is not taken"
wait $receiver || die "the receiver: $(cat "$tmp/err")"
receiver=
cmp "$tmp/got" "$tmp/file" || die "the file is not what was sent"
cat "$tmp/out"
