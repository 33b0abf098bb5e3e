#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spin-handler(7) has a table of what the papers say about messages. It must contain every return code of handlers, and every vector (test
# as text) for one. Each row must name an existing vector that shows the code. Run by tests/run.
. "$(dirname "$0")/docs.inc"
cd "$WORK" || exit 1
unescape <"$MAN/spin-handler.7" | sed -n '/^\.Ss Messages: what the papers say/,/^\.Ss Load/p' >table
for paper in 'sPIN B.3 and 3.2.1' 'sPIN B.4 and 3.2.2' 'sPIN B.5 and 3.2.3' 'PsPIN 3.2.1' 'PsPIN 3.2.2' 'PsPIN 3.2.3'; do
	grep -q "^$paper" table || fail "no table of $paper"
done

grep '^\.It ' table | grep -v '^\.It Sy' >rows
[ "$(wc -l <rows)" -gt 80 ] || fail "only $(wc -l <rows) rows"
grep -vE '^\.It .+ Ta Pa [a-z0-9_]+/[a-z0-9_]+\.vec$' rows >bad && fail "a row without a vector: $(head -n 1 bad)"
sed 's/.* Ta Pa //' rows | sort -u >named
while read -r vector; do
	[ -f "$ROOT/tests/vectors/$vector" ] || fail "no vector $vector"
done <named
for vector in "$ROOT"/tests/vectors/header_returns/*.vec "$ROOT"/tests/vectors/payload_returns/payload_*.vec \
	"$ROOT"/tests/vectors/payload_returns/completion_*.vec; do
	vector=${vector#"$ROOT"/tests/vectors/}
	grep -qx "$vector" named || fail "not in the table: $vector"
done

sed -n '/^enum spin_\(header\|payload\|completion\)_rc {/,/^}/p' "$ROOT/handlers/include/spin/return.h" |
	grep -oE '^	SPIN_[A-Z_]+' | tr -d '\t' >codes
[ "$(wc -l <codes)" -gt 15 ] || fail "only $(wc -l <codes) return codes are found"
while read -r code; do
	grep -q "^\.It Dv $code Ta" rows || fail "no row of $code"
done <codes

# rows of a code, compared with its vector: a reason or an event
shows() { # CODE LINE
	vector=$(sed -n "s/^\.It Dv $1 Ta Pa //p" rows)
	grep -qE "$2" "$ROOT/tests/vectors/$vector" || fail "$1: $vector has no '$2'"
}
shows SPIN_HEADER_DROP '^expect (tx|drop) header_dropped'
shows SPIN_HEADER_DROP_PENDING '^expect (tx|drop) header_dropped'
shows SPIN_HEADER_PROCEED '^expect (tx|drop) proceeded'
shows SPIN_HEADER_PROCEED_PENDING '^expect (tx|drop) proceeded'
shows SPIN_HEADER_PROCESS_DATA '^expect (tx|drop) success'
shows SPIN_HEADER_PROCESS_DATA_PENDING '^expect (tx|drop) success'
shows SPIN_HEADER_FAIL '^event fail header'
shows SPIN_HEADER_SEGV '^event segv header'
shows SPIN_SUCCESS '^expect (tx|drop) success'
shows SPIN_DROP '^expect (tx|drop) dropped'
shows SPIN_FAIL '^event fail payload'
shows SPIN_SEGV '^event segv payload'
shows SPIN_REPLIED '^event bad_return payload'
shows SPIN_COMPLETION_SUCCESS '^event message'
shows SPIN_COMPLETION_FAIL '^event fail completion'
shows SPIN_COMPLETION_SEGV '^event segv completion'
exit $FAILED
