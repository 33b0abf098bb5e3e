#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# make accuracy's figures: every row can be measured, of the idle ones 95 % are exact, and half of those under load are at most
# 1 % off; and all of it is the same a second time.
: "${BUILD:=build}"
command -v "${RISCV_CC:-riscv64-unknown-elf-gcc}" >/dev/null || { echo "skip: no riscv64-unknown-elf-gcc (package gcc-riscv64-unknown-elf)"; exit 77; }
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
failed=0

"$BUILD/tests/accuracy/accuracy" "$out/one.json" >"$out/one" || { echo "FAIL not every row could be measured:"; grep failed: "$out/one"; failed=1; }
tail -n 4 "$out/one"
for figure in idle.exact_share load.median_error; do
	awk -v name="\"accuracy.$figure\"" 'index($0, name) { here = 1 } here && /"ok"/ { exit !/true/ }' "$out/one.json" ||
		{ echo "FAIL $figure"; failed=1; }
done
"$BUILD/tests/accuracy/accuracy" "$out/two.json" >"$out/two"
cmp "$out/one" "$out/two" || { echo "FAIL a second run differs"; failed=1; }
exit $failed
