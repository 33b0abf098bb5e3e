#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `spinctl run` with several contexts (handlers with a match rule): 64 of one handler on v0 (native mode) and lo (generic mode) must start,
# and each must count only the packets of its own rule. Overlapping rules, equal or invalid names and ambiguous options must be refused with
# one line, as usage (status 2) or with status 1, and nothing may stay attached. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
make_nics
in_ns ip link set lo up
KV=$BUILD/handlers/kvstore.spin

# bad usage: status 2, one line, nothing attached
for words in "--mode fast" "--class safe" "--match udp --match ip4" "--name a --name b"; do
	expect 2 in_ns "$SPINCTL" run "$OBJECT" --dev v0 $words
	one_line
done
expect 2 in_ns "$SPINCTL" run "$OBJECT" "$KV" --dev v0 --match "udp dport 1"
says err "one --match for each"
many=
for i in 1 2 3 4 5 6 7 8; do many="$many $OBJECT $OBJECT $OBJECT $OBJECT $OBJECT $OBJECT $OBJECT $OBJECT"; done
# shellcheck disable=SC2086
expect 2 in_ns "$SPINCTL" run $many "$OBJECT" --dev v0
one_line

# refused: status 1, one line that contains the names
expect 1 in_ns "$SPINCTL" run "$OBJECT" "$KV" --dev v0 --match "udp dport 9000" --match "udp ip4"
one_line
says err "the rule of kvstore (udp ip4) overlaps with that of filtering (udp dport 9000) on v0"
expect 1 in_ns "$SPINCTL" run "$OBJECT" "$KV" --dev v0 --match "udp dport 1" --match "udp dport 2" --name x --name x
one_line
for name in a_name_that_is_too_long a/b "a b" ""; do
	expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --name "$name"
	one_line
	says err "--name '$name'"
done
expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --match ""
one_line
says err "write udp for all"
expect 2 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --interval soon
one_line
says err "'soon' is not a number of seconds"
expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --dev v0
one_line
expect 1 in_ns "$SPINCTL" run "$OBJECT" "$OBJECT" --dev v0 --match "udp dport 1" --match "udp dport 2" \
	--insert "routes:src=10.0.0.1 port=7"
one_line
says err "write NAME/routes"
expect 1 in_ns "$SPINCTL" run "$OBJECT" "$OBJECT" --dev v0 --match "udp dport 1" --match "udp dport 2" \
	--insert "other/routes:src=10.0.0.1 port=7"
one_line
says err "no context is called other"
in_ns ip -d link show v0 | grep -q prog/xdp && fail "something is still attached"

# 64 contexts of one handler, distinguished by number, on two interfaces, one of which has no native XDP
set --
files= number=0
for file in $many; do
	number=$((number + 1))
	files="$files $file"
	set -- "$@" --match "udp dport $((9000 + number))"
done
# shellcheck disable=SC2086
nsenter --net="/run/netns/$NS" "$SPINCTL" run $files --dev v0 --dev lo "$@" --insert "filtering-64/routes:src=10.0.0.1 port=7000" \
	--ready-file "$WORK/ready" --interval 0 --state >"$WORK/run.out" 2>"$WORK/run.err" &
RUN=$!
i=0
while [ ! -s "$WORK/ready" ] && [ $i -lt 300 ] && kill -0 $RUN 2>/dev/null; do
	i=$((i + 1))
	sleep 0.05
done
[ -s "$WORK/ready" ] || fail "64 contexts did not start: $(cat "$WORK/run.err")"
in_ns sh -c 'command -v bash >/dev/null && bash -c "echo x >/dev/udp/127.0.0.1/9064; echo x >/dev/udp/127.0.0.1/9001; echo x >/dev/udp/127.0.0.1/8000"' 2>/dev/null
expect 0 in_ns "$SPINCTL" status
says out "v0, native mode, process $RUN (spinctl)"
says out "lo, generic mode, process $RUN (spinctl)"
says out "filtering-64 on v0, rule: udp dport 9064"
[ "$(grep -c ' on lo, rule: udp dport 90' "$WORK/out")" = 64 ] || fail "not 64 contexts on lo"
expect 0 in_ns "$SPINCTL" status --dev lo --json
says out '"mode": "generic"'
kill "$RUN"
wait "$RUN" || fail "64 contexts: status $?"
grep -q 'lo: in generic mode: the driver of lo has no native XDP' "$WORK/run.out" || fail "it does not say why generic"
grep -A 5 '^filtering-64, ' "$WORK/run.out" | grep -q '^success  *pass  *1 ' || fail "filtering-64 did not get its packet"
grep -A 5 '^filtering, ' "$WORK/run.out" | grep -q '^success  *pass  *1 ' || fail "filtering did not get its packet"
grep -A 5 '^filtering-2, ' "$WORK/run.out" | grep -q 'success' && fail "filtering-2 got a packet"
grep -A 5 '^lo, packets of no context' "$WORK/run.out" | grep -q '^unmatched  *pass  *1 ' || fail "no unmatched packet on lo"

# native mode on an interface without native XDP
expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev lo --mode native
one_line
says err "native XDP"
# the ready file of an earlier run must be removed
echo old >"$WORK/old"
expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev lo --mode native --ready-file "$WORK/old"
[ -e "$WORK/old" ] && fail "the ready file of an earlier run is still there"
# generic mode on request
start_run v0 --mode generic --duration 0.3 || exit 1
in_ns ip -d link show v0 | grep -q xdpgeneric || fail "not in generic mode"
wait "$RUN" || fail "generic: status $?"
exit $FAILED
