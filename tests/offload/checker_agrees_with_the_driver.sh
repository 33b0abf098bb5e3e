#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The checker and the NFP driver's own verifier and JIT, in a guest of each kernel, on the corpus and on random programs. Wherever
# the checker does not say "unknown" it says what the driver says, but for mcpu-v4, which the driver takes for other instructions.
. "$(dirname "$0")/../cli/setup.inc"
. "$ROOT/tests/offload/corpus.inc"
JUDGE=$ROOT/kernel/guest/offload/judge.sh
SEED=${SEED:-2026}

why=$("$ROOT/kernel/guest/offload/modules.sh" --cached) || skip "${why#skip: }"
# what libbpf cannot even open comes to no driver
corpus_list "$ROOT"/tests/offload/corpus/*.c | awk -F'\t' '$3 != "link"' >"$WORK/list"
mkdir "$WORK/objects" "$WORK/generated"
awk -v seed="$SEED" -v count=60 -v to="$WORK/generated" -f "$ROOT/tests/offload/generate.awk"
cp "$ROOT/tests/offload/corpus/corpus.h" "$WORK/generated"
for file in "$WORK"/generated/*.c; do
	printf '%s\t-\t-\t-\t%s\t\n' "$(basename "$file" .c)" "$file" >>"$WORK/list"
done
corpus_compile_all "$WORK/objects" <"$WORK/list" || fail "the programs"

for kernel in 6.1 6.12; do
	"$JUDGE" $kernel-cloud "$WORK/objects" >"$WORK/driver.$kernel" 2>"$WORK/err"
	status=$?
	[ $status != 77 ] || skip "$(sed -n 's/^skip: //p' "$WORK/err")"
	[ $status = 0 ] || { fail "the guest of $kernel: $(tail -n 2 "$WORK/err")"; continue; }
	for object in "$WORK"/objects/*.o; do
		"$SPINCTL" check --target nfp --kernel $kernel "$object" 2>/dev/null | awk -v name="$(basename "$object" .o)" '
			NR == 1 { verdict = $2; sub(/:$/, "", verdict) }
			NR == 2 && match($0, /about [0-9]+/) { count = substr($0, RSTART + 6, RLENGTH - 6) }
			/^  [a-z]*: mcpu-v4:/ { ignored = 1 }
			END { print name, ignored ? "ignored" : verdict == "warn" ? "accept" : verdict ? verdict : "nothing", count + 0 }'
	done >"$WORK/checker.$kernel"
	awk -F'\t' -v kernel=$kernel -v seed="$SEED" '
		FNR == NR { split($0, word, " "); mine[word[1]] = word[2]; count[word[1]] = word[3]; next }
		{ all++ }
		mine[$1] == "unknown" { unknown++; next }
		mine[$1] == "ignored" { ignored++; next }
		mine[$1] != $3 { wrong++; print "  " $1 ": the checker says " mine[$1] ", the driver " $3 " (" $4 " " $5 ")"; next }
		{ same++ }
		$3 == "accept" { counted++; exact += count[$1] == $4 }
		END {
			printf "agreement: %d of %d, %d unknown, %d of mcpu-v4 not compared; instructions: %d of %d exactly (Linux %s, seed %s)\n", same, all, unknown, ignored, exact, counted, kernel, seed
			if (wrong || !all || unknown > all / 20 || exact < counted * 9 / 10) exit 1
		}' "$WORK/checker.$kernel" "$WORK/driver.$kernel" || fail "Linux $kernel: they differ, or the checker knows too little"
done
exit $FAILED
