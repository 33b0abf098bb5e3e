#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Compares `spinctl check --target nfp`, the checker of the NFP driver's rules, with that driver's own verifier and JIT, in a guest of each
# kernel, on the programs of corpus/ and on random programs (generate.awk). Both must agree, except for programs of which the checker says
# "unknown" (5 % at most) and for mcpu-v4, instructions that the driver takes for others. 90 % of the instruction counts must be equal. At
# an MTU of 9000 the driver does not attach programs that access more of a packet than its workers have, and the checker must say so. Run by
# `make check-offload`, and by tests/run if the guests are there.
. "$(dirname "$0")/../cli/setup.inc"
. "$ROOT/tests/offload/corpus.inc"
JUDGE=$ROOT/kernel/guest/offload/judge.sh
SEED=${SEED:-2026}
LONG_MTU=9000

reason=$("$ROOT/kernel/guest/offload/modules.sh" --cached) || skip "${reason#skip: }"
# objects that libbpf cannot open never reach a driver
corpus_list "$ROOT"/tests/offload/corpus/*.c | awk -F'\t' '$3 != "link"' >"$WORK/list"
mkdir "$WORK/objects" "$WORK/generated"
awk -v seed="$SEED" -v count=60 -v to="$WORK/generated" -f "$ROOT/tests/offload/generate.awk"
cp "$ROOT/tests/offload/corpus/corpus.h" "$WORK/generated"
for file in "$WORK"/generated/*.c; do
	printf '%s\t-\t-\t-\t%s\t\n' "$(basename "$file" .c)" "$file" >>"$WORK/list"
done
corpus_compile_all "$WORK/objects" <"$WORK/list" || fail "the programs"

# Programs that access bytes deep in the packet are also judged at a large MTU.
mkdir "$WORK/deep"
cp "$WORK"/objects/packet_*.o "$WORK/deep/" || fail "no programs that look into the packet"

# Prints NAME VERDICT COUNT of each object; "ignored" for mcpu-v4.
checked() { # KERNEL DIRECTORY [OPTION...]
	checked_kernel=$1 checked_objects=$2
	shift 2
	for object in "$checked_objects"/*.o; do
		"$SPINCTL" check --target nfp --kernel "$checked_kernel" "$@" "$object" 2>/dev/null | awk -v name="$(basename "$object" .o)" '
			NR == 1 { verdict = $2; sub(/:$/, "", verdict) }
			NR == 2 && match($0, /about [0-9]+/) { count = substr($0, RSTART + 6, RLENGTH - 6) }
			/^  [a-z]*: mcpu-v4:/ { ignored = 1 }
			END { print name, ignored ? "ignored" : verdict == "warn" ? "accept" : verdict ? verdict : "nothing", count + 0 }'
	done
}

# driver KERNEL DIRECTORY OUT [-m MTU]: writes judge.sh's lines to OUT; fails if not every object was judged
driver() {
	driver_kernel=$1 driver_objects=$2 driver_out=$3
	shift 3
	"$JUDGE" "$@" "$driver_kernel-cloud" "$driver_objects" >"$driver_out" 2>"$WORK/err"
	status=$?
	[ $status != 77 ] || skip "$(sed -n 's/^skip: //p' "$WORK/err" "$driver_out")"
	[ $status = 0 ] || { fail "the guest of $driver_kernel: $(tail -n 2 "$WORK/err")"; return 1; }
	[ "$(wc -l <"$driver_out")" = "$(ls "$driver_objects" | wc -l)" ] || { fail "Linux $driver_kernel: not all programs were judged"; return 1; }
}

# compare WHERE CHECKER DRIVER
compare() {
	awk -F'\t' -v where="$1" -v seed="$SEED" '
		FNR == NR { split($0, word, " "); mine[word[1]] = word[2]; count[word[1]] = word[3]; next }
		{ all++ }
		mine[$1] == "unknown" { unknown++; next }
		mine[$1] == "ignored" { ignored++; next }
		mine[$1] != $3 { wrong++; print "  " $1 ": the checker says " mine[$1] ", the driver " $3 " (" $4 " " $5 ")"; next }
		{ same++ }
		$3 == "accept" && count[$1] != $4 { print "  " $1 ": the checker counts " count[$1] " instructions, the driver " $4 }
		$3 == "accept" { counted++; exact += count[$1] == $4 }
		END {
			printf "agreement: %d of %d, %d unknown, %d of mcpu-v4 not compared; instructions: %d of %d exactly (%s, seed %s)\n", same, all, unknown, ignored, exact, counted, where, seed
			if (wrong || !all || unknown > all / 20 || exact < counted * 9 / 10) exit 1
		}' "$2" "$3" || fail "$1: they differ, or the checker knows too little"
}

for kernel in 6.1 6.12; do
	driver $kernel "$WORK/objects" "$WORK/driver" || continue
	checked $kernel "$WORK/objects" >"$WORK/checker"
	compare "Linux $kernel" "$WORK/checker" "$WORK/driver"
	driver $kernel "$WORK/deep" "$WORK/driver" -m $LONG_MTU || continue
	checked $kernel "$WORK/deep" --mtu $LONG_MTU >"$WORK/checker"
	compare "Linux $kernel, MTU $LONG_MTU" "$WORK/checker" "$WORK/driver"
	cut -f 4 "$WORK/driver" | grep -qx attach || fail "Linux $kernel: at an MTU of $LONG_MTU every program can be attached"
done
exit $FAILED
