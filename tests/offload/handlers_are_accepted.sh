#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Handlers of handlers/ as programs for a card (spincc --target nfp): the NFP driver's verifier and JIT must accept those that can be
# offloaded, in a guest of each kernel, with any match rule, and the checker (spinctl check) must agree. spincc must refuse the others with
# a reason. Run by `make check-offload`, and by tests/run if the guests are there.
. "$(dirname "$0")/../cli/setup.inc"
JUDGE=$ROOT/kernel/guest/offload/judge.sh
OFFLOADED="counter empty filtering filter_counts kvget ping"

mkdir "$WORK/programs"
for source in "$ROOT"/handlers/*.c; do
	name=$(basename "$source" .c)
	case " $OFFLOADED " in *" $name "*) continue ;; esac
	"$SPINCC" --target nfp --no-verify "$source" -o "$WORK/refused.spin" 2>"$WORK/err" && fail "$name can offload, it seems: add it here"
	grep -q 'cannot offload' "$WORK/err" || fail "$name: no reason why it cannot offload: $(head -n 1 "$WORK/err")"
done

# check NAME RULE-NAME RULE. Handlers that verify checksums read whole packets, so a large MTU is a warning.
check() {
	program=$WORK/programs/$1-$2.o
	"$SPINCTL" check --target nfp --match "$3" --save-program "$program" --json "$WORK/$1.spin" >"$WORK/json" ||
		fail "$1, rule \"$3\": $(head -n 3 "$WORK/json")"
	grep -qE '"verdict": *"(accept|warn)"' "$WORK/json" && ! grep -qE '"verdict": *"(unknown|reject)"' "$WORK/json" ||
		fail "$1, rule \"$3\": the checker does not accept it"
}
for name in $OFFLOADED; do
	"$SPINCC" --target nfp --no-verify "$ROOT/handlers/$name.c" -o "$WORK/$name.spin" || fail "$name cannot be compiled"
	check "$name" all udp
	check "$name" port "udp dport 9000"
	check "$name" peer "ip4 src 10.0.0.0/8 dst 10.0.0.1 sport 7 dport 9000"
	check "$name" ip6 "ip6 dst 2001:db8::1 dport 9000"
done
[ $FAILED = 0 ] || exit 1
reason=$("$ROOT/kernel/guest/offload/modules.sh" --cached) || skip "of the driver: ${reason#skip: }"

for kernel in 6.1 6.12; do
	"$JUDGE" $kernel-cloud "$WORK/programs" >"$WORK/driver" 2>"$WORK/err" || fail "the guest of $kernel: $(tail -n 2 "$WORK/err")"
	[ "$(wc -l <"$WORK/driver")" = "$(ls "$WORK/programs" | wc -l)" ] || fail "Linux $kernel: not all programs were judged"
	awk -F'\t' -v kernel=$kernel '
		$3 != "accept" { print "  " $1 ": " $3 " " $4 " " $5; bad = 1; next }
		{
			name = $1; sub(/-.*/, "", name)
			if (!(name in least) || $4 < least[name]) least[name] = $4
			if ($4 > most[name]) most[name] = $4
			count[name]++
		}
		END {
			for (name in count)
				printf "accepted by the NFP driver'\''s verifier and JIT (Linux %s): %s, %d rules, %d to %d NFP instructions\n", kernel, name, count[name], least[name], most[name]
			exit bad
		}' "$WORK/driver" || fail "Linux $kernel: the driver refuses what is to be accepted"
done
exit $FAILED
