#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spin-handler(7) has a table of the calls that the sPIN paper offers to handlers (listings B.6, actions, and B.2, memory). It must contain
# every call of the paper, every call of ours, and every vector (test as text) for one. Each row must name an existing vector whose handler
# uses the call. Run by tests/run.
. "$(dirname "$0")/docs.inc"
cd "$WORK" || exit 1
unescape <"$MAN/spin-handler.7" | sed -n '/^\.Ss Actions: what the papers say/,/^\.Ss Load/p' >table
for paper in 'sPIN B.6' 'sPIN B.2'; do
	grep -q "^$paper" table || fail "no table of $paper"
done
grep -q 'PtlHandlerGet.*PtlHandlerAtomic.*without a signature' table || fail "nothing is said of PtlHandlerGet and PtlHandlerAtomic"

grep '^\.It ' table | grep -v '^\.It Sy' >rows
[ "$(wc -l <rows)" -gt 50 ] || fail "only $(wc -l <rows) rows"
grep -vE '^\.It .+ Ta .+ Ta Pa [a-z0-9_]+/[a-z0-9_]+\.vec$' rows >bad && fail "a row without a vector: $(head -n 1 bad)"
sed 's/.* Ta Pa //' rows | sort -u >named
while read -r vector; do
	[ -f "$ROOT/tests/vectors/$vector" ] || fail "no vector $vector"
done <named
for vector in "$ROOT"/tests/vectors/actions*/*.vec "$ROOT"/tests/vectors/listings/*.vec; do
	vector=${vector#"$ROOT"/tests/vectors/}
	grep -qx "$vector" named || fail "not in the table: $vector"
done

# the paper's calls (B.6: PtlHandler...), and the names in B.2 and B.2.1
for call in DMAToHostB DMAToHostNB DMAFromHostB DMAFromHostNB DMACAS DMACASNB DMAFetchAdd DMAFetchAddNB DMATest DMAWait CAS \
	FAdd Yield PutFromHost PutFromDevice CTInc CTGet CTSet "Get\*" "Atomic\*" PtlHPUAllocMem hpu_initial_state handler_host_mem \
	HANDLER_IOVEC PENDING max_user_hdr_size max_payload_size min_fragmentation_limit max_cycles_per_byte; do
	grep -q "^\.It $call Ta" rows || fail "no row of $call"
done
# the calls of our API
cat "$ROOT"/handlers/include/spin/action.h "$ROOT"/handlers/include/spin/put.h "$ROOT"/handlers/include/spin/lock.h \
	"$ROOT"/handlers/include/spin/hpu.h "$ROOT"/handlers/include/spin/copy.h "$ROOT"/handlers/include/spin/buffer.h | sed -n 's/^#define \(spin_[a-z0-9_]*[a-z0-9]\)(.*/\1/p' | sort -u >calls
[ "$(wc -l <calls)" -gt 25 ] || fail "only $(wc -l <calls) calls are found"
while read -r call; do
	[ "$call" = spin_unlock ] || grep -qwF "$call" rows || fail "no row of $call"
done <calls

# the vectors of a row must run a handler that uses the call
: >row
while read -r line; do
	case $line in
	'.It "" '*) ;;
	*) echo "$line" | grep -oE '\b(spin_[a-z0-9_]+[a-z0-9]|SPIN_[A-Z]+)\b' | head -n 1 >row ;;
	esac
	call=$(cat row)
	vector=${line##* Ta Pa }
	case $call in spin_*) ;; *) continue ;; esac
	handler=$(sed -n 's/^handler //p' "$ROOT/tests/vectors/$vector")
	[ -f "$ROOT/handlers/$handler.c" ] && continue
	(cd "$(dirname "$ROOT"/tests/handlers/*/"$handler.c")" && cat "$handler.c" $(sed -n 's/^#include "\(.*\)"$/\1/p' "$handler.c")) |
		grep -qwF "$call" || fail "$vector: its handler $handler has no $call"
done <rows
exit $FAILED
