#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Measures the speed of the modelled core (instructions per second of hpu-run, which counts cycles) on one host core, and relative to
# qemu-riscv32 (functional only) in the same run, with the programs of tests/bench/programs. Run by bench.sh (`make bench`). Usage: iss.sh
# [FILE for JSON rows, one per line]
BUILD=${BUILD:-build}
RISCV_CC=${RISCV_CC:-riscv64-unknown-elf-gcc}
RUNS=${RUNS:-3}
out=${1:-/dev/null}
dir=$BUILD/tests/bench
programs="crc32 matmul sort hash list machine"

for tool in "$RISCV_CC" qemu-riscv32; do
	command -v "$tool" >/dev/null 2>&1 && continue
	echo "skip: no $tool (packages gcc-riscv64-unknown-elf, qemu-user)"
	exit 77
done
[ -x "$BUILD/bin/hpu-run" ] || { echo "no $BUILD/bin/hpu-run: build first" >&2; exit 1; }
mkdir -p "$dir" || exit 1
: >"$out" || exit 1

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
now() { date +%s.%N; }
number() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p"; }

printf '%-10s %12s %12s %12s %8s\n' program instructions 'MIPS timed' 'MIPS qemu' ratio
mips_all=
ratio_all=
for p in $programs; do
	elf=$dir/$p.elf
	$RISCV_CC -march=rv32imac -mabi=ilp32 -O2 -ffreestanding -nostdlib -nostartfiles -static \
		tests/bench/programs/start.S "tests/bench/programs/$p.c" -lgcc -o "$elf" || exit 1
	ours=
	theirs=
	i=0
	while [ $i -lt "$RUNS" ]; do
		json=$("$BUILD/bin/hpu-run" --json "$elf" 2>"$dir/$p.ours") || exit 1
		count=$(echo "$json" | number total_instructions)
		ours="$ours $(echo "$json" | number simulated_mips)"
		start=$(now)
		qemu-riscv32 "$elf" >"$dir/$p.theirs" || exit 1
		end=$(now)
		theirs="$theirs $(echo "$count $start $end" | awk '{ print $1 / ($3 - $2) / 1e6 }')"
		i=$((i + 1))
	done
	cmp -s "$dir/$p.ours" "$dir/$p.theirs" || { echo "$p: output differs from qemu's" >&2; exit 1; }
	mips=$(printf '%s\n' $ours | median)
	qemu=$(printf '%s\n' $theirs | median)
	ratio=$(echo "$mips $qemu" | awk '{ printf "%.3f", $1 / $2 }')
	printf '%-10s %12s %12.0f %12.0f %8s\n' "$p" "$count" "$mips" "$qemu" "$ratio"
	mips_all="$mips_all $mips"
	ratio_all="$ratio_all $ratio"
done
mips=$(printf '%s\n' $mips_all | median)
ratio=$(printf '%s\n' $ratio_all | median)
worst=$(printf '%s\n' $ratio_all | sort -n | head -n 1)
slowest=$(printf '%s\n' $mips_all | sort -n | head -n 1)
awk -v m="$mips" -v w="$slowest" -v r="$ratio" -v q="$worst" 'BEGIN {
	printf "{\"name\":\"iss.mips\",\"value\":%.1f,\"unit\":\"MIPS\",\"lowest\":%.1f,\"target\":500,\"ok\":%s}\n", m, w, (m >= 500 ? "true" : "false")
	printf "{\"name\":\"iss.vs_qemu\",\"value\":%.3f,\"unit\":\"ratio\",\"lowest\":%.3f,\"target\":0.15,\"ok\":%s}\n", r, q, (r >= 0.15 ? "true" : "false")
}' | tee "$out"
