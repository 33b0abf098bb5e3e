#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Gives damaged objects and profiles to `spinctl check --target nfp`, the checker of the NFP driver's rules: it must refuse or judge them,
# and exit with 0 or 1 and a reason. 600 files with flipped bytes or truncated, from a fixed seed; very many relocations or programs must not
# take long. No root needed. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
. "$ROOT/tests/offload/corpus.inc"
ROUNDS=${ROUNDS:-600}

for variant in values_003 calls_003 loops_002; do
	corpus_list "$ROOT"/tests/offload/corpus/*.c | awk -F'\t' -v name=$variant '$1 == name' >"$WORK/one"
	corpus_compile_all "$WORK" <"$WORK/one" || fail "$variant"
done
set -- "$WORK"/*.o
# damages one file, and prints how
cat >"$WORK/damage.awk" <<'END'
function random(n) { state = (state * 16807) % 2147483647; return int(state / 7) % n }
BEGIN {
	state = seed * 31 + 7
	for (i = 0; i < 9; i++) random(2)
	if (random(6) == 0) { print "cut", random(size); exit }
	n = 1 + random(8)
	while (n--) print "set", random(4) ? random(size) : size - 1 - random(size < 2500 ? size : 2500), random(256)
}
END
round=0
while [ $round -lt "$ROUNDS" ]; do
	eval "object=\${$((round % $# + 1))}"
	cp "$object" "$WORK/damaged"
	awk -v seed=$round -v size="$(stat -c %s "$object")" -f "$WORK/damage.awk" | while read -r what at byte; do
		if [ "$what" = cut ]; then
			truncate -s "$at" "$WORK/damaged"
		else
			printf "\\$(printf %03o "$byte")" | dd of="$WORK/damaged" bs=1 seek="$at" conv=notrunc status=none
		fi
	done
	timeout 20 "$SPINCTL" check --target nfp "$WORK/damaged" >"$WORK/out" 2>"$WORK/err"
	status=$?
	[ $status = 0 ] || [ $status = 1 ] || fail "round $round ends with $status: $(tail -n 1 "$WORK/err")"
	[ -s "$WORK/out" ] || [ -s "$WORK/err" ] || fail "round $round says nothing"
	! LC_ALL=C grep -q '[^ -~]' "$WORK/out" "$WORK/err" || fail "round $round prints bytes of the object that a terminal obeys"
	round=$((round + 1))
done

# A program of 32,000 loads whose relocations come after many others of its section. It takes minutes if each load's relocation is searched
# for from the first one.
with_relocations() { # NUMBER
	cat >"$WORK/many.s" <<-END
		.section xdp,"ax",@progbits
		.type before,@function
		before:
			.rept $1
			r1 = variable ll
			.endr
		.Lbefore:
		.size before, .Lbefore-before
		.globl program
		.type program,@function
		program:
			.rept 32000
			r1 = variable ll
			.endr
			r0 = 2
			exit
		.Lprogram:
		.size program, .Lprogram-program
		.data
		variable:
			.zero 8
	END
	"${CLANG:-clang}" -target bpf -c "$WORK/many.s" -o "$WORK/many" || fail "$1 relocations"
}
with_relocations 400000
expect 1 timeout 20 "$SPINCTL" check --target nfp "$WORK/many"
says out "program: reject"
says out "global-data"
with_relocations 1100000
expect 1 timeout 20 "$SPINCTL" check --target nfp "$WORK/many"
says err "its code has more than 1048576 relocations"

# libbpf takes no program from a section that is not code, nor does the checker, which reads relocations of code only
sed 's/xdp,"ax"/xdp,"a"/' "$WORK/many.s" >"$WORK/data.s"
"${CLANG:-clang}" -target bpf -c "$WORK/data.s" -o "$WORK/data" || fail "a section that is not code"
expect 1 timeout 20 "$SPINCTL" check --target nfp "$WORK/data"
says err "it has no XDP program"

# 256 programs, each with more ways than the kernel follows: what all of them may take is limited, too
awk 'BEGIN {
	print ".section xdp,\"ax\",@progbits"
	for (i = 0; i < 256; i++) printf ".globl p%d\n.type p%d,@function\np%d:\n", i, i, i
	print "r2 = *(u32 *)(r1 + 0)\nr3 = *(u32 *)(r1 + 4)\nr4 = r2\nr4 += 8\nr6 = 0\nr0 = 2\nif r4 > r3 goto end"
	for (i = 0; i < 30; i++) printf "r5 = *(u8 *)(r2 + 0)\nif r5 == 7 goto l%d\nr6 += %d\nl%d:\n.rept 60\nr7 = 0\n.endr\n", i, 2 ^ i, i
	print "if r6 == 5 goto end\nr0 = 1\nend: exit\n.Lend:"
	for (i = 0; i < 256; i++) printf ".size p%d, .Lend-p%d\n", i, i
}' >"$WORK/ways.s"
"${CLANG:-clang}" -target bpf -c "$WORK/ways.s" -o "$WORK/ways" || fail "256 programs"
expect 0 timeout 100 "$SPINCTL" check --target nfp "$WORK/ways"
says out "it takes more than 1000000 steps"
says out "the object's programs together take more than 16000000 steps"

# profiles: each bad line must be reported by its number
object=$WORK/values_003.o
"$SPINCTL" check --target nfp --save "$WORK/profile" || fail "--save"
expect 0 "$SPINCTL" check --target nfp --profile "$WORK/profile" "$object"
bad_line() { # SED WHAT
	sed "$1" "$WORK/profile" >"$WORK/bad"
	expect 1 "$SPINCTL" check --target nfp --profile "$WORK/bad" "$object"
	says err "$2"
}
bad_line '4s/.*/map_types heap/' "bad:4: map_types"
bad_line 's/^maps_max .*/maps_max 12x/' "maps_max"
bad_line 's/^maps_max .*/maps_max 99999999999/' "maps_max"
bad_line 's/^stack_bytes .*//' "the key stack_bytes is missing"
bad_line '1i\
colour blue' "bad:1: there is no key \"colour\""
bad_line 's/^random .*/random 1\
random 1/' "random is there twice"
bad_line 's/^random .*/random 1 1/' "random needs one value"
# the checker must follow the profile
sed 's/^map_lookup 1/map_lookup 0/' "$WORK/profile" >"$WORK/less"
expect 1 "$SPINCTL" check --target nfp --profile "$WORK/less" "$object"
says out "helper-firmware"
exit $FAILED
