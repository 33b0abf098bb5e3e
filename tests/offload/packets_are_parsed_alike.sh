#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs the vectors of parsing (tests/vectors/parse: packets and expected results) on the program for an NFP card, in this kernel: it must
# have the expected results. Only vectors whose packets reach no handler are taken, at least 20, because their handler writes its state,
# which no card supports. The handler counter takes its place. Run by tests/run, as root.
. "$(dirname "$0")/../cli/setup.inc"
[ "$(id -u)" = 0 ] || skip "running handlers in the kernel needs root"
cd "$ROOT" || exit 1
count=0
for vector in tests/vectors/parse/*.vec; do
	grep '^expect ' "$vector" | grep -qvE '^expect pass (unmatched|not_ip|not_udp|fragment|ip6_extension|vlan_depth|truncated|ip_malformed|ip_length|ip_checksum|udp_length|udp_checksum)' && continue
	grep -qE '^(after|event|set|entry)' "$vector" && continue
	sed 's/^handler .*/handler counter/' "$vector" >"$WORK/${vector##*/}"
	count=$((count + 1))
done
[ "$count" -ge 20 ] || fail "only $count vectors"
BUILD=$BUILD "$BUILD/tests/vectors/run" --engine nfp --mutate "$WORK"/*.vec >"$WORK/out" 2>&1 || fail "$(grep -v '^ok' "$WORK/out")"
tail -n 1 "$WORK/out"
grep -q "^[1-9][0-9]* checks passed, 0 failed" "$WORK/out" || fail "no checks: $(tail -n 3 "$WORK/out")"
exit $FAILED
