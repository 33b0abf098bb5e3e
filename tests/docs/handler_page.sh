#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spin-handler(7) must contain every public name of the handler API and every reason; the vectors that it names must exist.
# Run by tests/run.
. "$(dirname "$0")/docs.inc"
cd "$WORK" || exit 1
unescape <"$MAN/spin-handler.7" >page

# skips headers that say they are not for handlers; names that end in _ are private, those that end in _H are include guards
for header in "$ROOT"/handlers/include/spin/*.h; do
	grep -qi 'not for handlers' "$header" || gcc -w -E -P -fpreprocessed -dD "$header" 2>/dev/null
done | grep -oE '\b(SPIN|spin)_[A-Za-z0-9_]+' | grep -vE '_H?$' | sort -u >names
grep -oE '^SPIN_INLINE .*\bspin_[a-z0-9_]+\(' "$ROOT/handlers/include/spin/target/host.h" | grep -oE 'spin_[a-z0-9_]+\(' |
	tr -d '(' | grep -v '_$' | sort -u >>names
for name in SPIN_HANDLERS SPIN_GET spin_set16 spin_cas32 SPIN_HEADER_DROP_PENDING spin_ntoh16 SPIN_HEADERS_ONLY; do
	grep -qx $name names || fail "the headers' names are not found: $name"
done
while read -r name; do
	grep -qwF -e "$name" page || echo "$name"
done <names >missing
[ -s missing ] && fail "not in spin-handler(7): $(tr '\n' ' ' <missing)"

# every code of each kind must have its own entry
sed -n '/^enum spin_\(header\|payload\|completion\)_rc {/,/^}/p' "$ROOT/handlers/include/spin/return.h" |
	grep -oE '^	SPIN_[A-Z_]+' | tr -d '\t' >codes
while read -r code; do
	grep -qx "\.It Dv $code" page || echo "$code"
done <codes >missing
[ "$(wc -l <codes)" -gt 15 ] || fail "only $(wc -l <codes) return codes are found"
[ -s missing ] && fail "no entry for: $(tr '\n' ' ' <missing)"

sed -n 's/^	X(\([A-Z0-9_]*\), *\([A-Z]*\), *"\(.*\)").*/\1 \2 \3/p' "$ROOT/handlers/include/spin/reason.h" |
	while read -r name verdict text; do
		row=".It $(echo "$name" | tr A-Z a-z) Ta $(echo "$verdict" | tr A-Z a-z) Ta $text"
		grep -qxF "$row" page || echo "$row"
	done >missing
[ -s missing ] && fail "reasons: $(head -n 2 missing)"
[ "$(grep -c ' Ta .* Ta ' page)" -gt 15 ] || fail "hardly a reason in the page"
[ "$(grep -c '^\.It$' page)" -ge 6 ] || fail "the order of the tests is not in the page"

longest=$(printf '#include <spin/reason.h>\nSPIN_IP_BYTES_MAX\n' | gcc -E -P -I"$ROOT/handlers/include" - | tail -n 1)
grep -q "^IP packets of up to ${longest%u} bytes;" page || fail "the longest packet, $longest, is not in the page"

grep -oE '[a-z0-9_]+/[a-z0-9_]+\.vec' page | sort -u >vectors
[ "$(wc -l <vectors)" -gt 40 ] || fail "only $(wc -l <vectors) vectors are named"
while read -r vector; do
	[ -f "$ROOT/tests/vectors/$vector" ] || fail "no vector $vector"
done <vectors
# rows of the table of codes, compared with vectors that show them: verdict, reason, event
row() { # CODE VECTOR
	vector=$ROOT/tests/vectors/$2.vec
	want=$(sed -n 's/^expect \([a-z]*\) \([a-z_]*\).*/\1 Ta \2/p' "$vector" | head -n 1)
	event=$(sed -n 's/^event \([a-z_]*\).*/\1/p' "$vector" | head -n 1)
	grep -q "^\.It Dv $1 Ta $want Ta ${event:--} Ta" page || fail "the table of codes has no row $1: $want ${event:--}"
}
row SPIN_HEADER_PROCEED returns/header_proceed_runs_nothing_more
row SPIN_HEADER_DROP returns/header_drop_runs_completion_only
row SPIN_HEADER_FAIL returns/header_fail
row SPIN_HEADER_SEGV returns/header_segv
row SPIN_SUCCESS returns/all_three_in_order
row SPIN_DROP returns/payload_drop_counts_dropped_bytes
row SPIN_REPLIED rewrite/reply_as_long_as_the_request
row SPIN_FAIL returns/payload_fail
row SPIN_SEGV returns/payload_segv

# all vectors that show a handler's return code must be named
for vector in "$ROOT"/tests/vectors/returns/*.vec; do
	grep -qF "returns/$(basename "$vector")" page || fail "not named: returns/$(basename "$vector")"
done
exit $FAILED
