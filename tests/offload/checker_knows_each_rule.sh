#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# For each test program of corpus/, `spinctl check --target nfp` (the checker of the NFP driver's rules) must report the verdict and rule
# that the program states, for each kernel. Each rule of the checker is expected by some program, so a rule that is lost, or reports too
# much, fails here. No root needed. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
. "$ROOT/tests/offload/corpus.inc"
TAB=$(printf '\t')

corpus_list "$ROOT"/tests/offload/corpus/*.c >"$WORK/list"
programs=$(wc -l <"$WORK/list")
[ "$programs" -ge 150 ] || fail "the corpus has $programs programs"
mkdir "$WORK/objects"
corpus_compile_all "$WORK/objects" <"$WORK/list" || fail "the corpus"

# The program's verdict, and its rules.
judged() { # KERNEL OBJECT
	"$SPINCTL" check --target nfp --kernel "$1" "$2" >"$WORK/out" 2>"$WORK/err"
	status=$?
	verdict=$(sed -n '1s/^[^:]*: \([a-z]*\).*/\1/p' "$WORK/out")
	rules=" $(sed -n 's/^  [a-z]*: \([a-z0-9-]*\)[: ].*/\1/p' "$WORK/out" | tr '\n' ' ')"
}

# what is expected on one kernel only is "accept" on the other
while IFS="$TAB" read -r name expected rule only file defines; do
	for kernel in 6.1 6.12; do
		want=$expected
		[ "$only" = - ] || [ "$only" = $kernel ] || want=accept
		judged $kernel "$WORK/objects/$name.o"
		[ "$verdict" = "$want" ] || fail "$name ($defines), Linux $kernel: \"$verdict\", not \"$want\": $(cat "$WORK/err")"
		[ "$want" = accept ] || case $rules in
		*" $rule "*) ;;
		*) fail "$name ($defines), Linux $kernel: rules$rules, not $rule" ;;
		esac
		[ $status = "$([ "$want" = reject ] && echo 1 || echo 0)" ] || fail "$name: exit status $status for $verdict"
	done
done <"$WORK/list"

# every rule has a program, and every expected rule exists
sed -n 's/^	X([A-Z0-9_]*, "\([a-z0-9-]*\)".*/\1/p' "$ROOT/kernel/nfp/rules.h" | sort >"$WORK/rules"
[ "$(wc -l <"$WORK/rules")" -gt 40 ] || fail "the table of rules"
cut -f3 "$WORK/list" | grep -vx -e - | sort -u >"$WORK/expected"
cmp -s "$WORK/rules" "$WORK/expected" || fail "rules without a program, and the reverse: $(diff "$WORK/rules" "$WORK/expected" | grep '^[<>]' | tr '\n' ' ')"

# what only one kernel refuses must be a warning that names it
name=$(awk -F'\t' '$4 == "6.1" { print $1; exit }' "$WORK/list")
expect 0 "$SPINCTL" check --target nfp "$WORK/objects/$name.o"
says out "warn"
says out "(Linux 6.1)"
echo "$programs programs, $(wc -l <"$WORK/rules") rules"
exit $FAILED
