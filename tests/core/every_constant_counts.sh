#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Mutation test of hwmodel/core/timing.h, the cycles of the modelled RISC-V core: makes one constant at a time smaller by one and runs
# timing_rows, which compares the core with measured rows. timing_rows must fail each time; a change that it does not notice fails this
# test. Run by tests/run.
BUILD=${BUILD:-build}
CC=${CC:-cc}
dir=$BUILD/tests/core/mutants
rows=$BUILD/tests/core/timing_rows.elf
flags="-std=gnu11 -O0 -w -I. -Ihwmodel/include -Itests/core"
mkdir -p "$dir" || exit 1

"$BUILD/tests/core/timing_rows" >"$dir/log" 2>&1
case $? in
0) ;;
77) cat "$dir/log"; exit 77 ;;
*) echo "the timing rows fail as they are; see timing_rows"; exit 1 ;;
esac

for f in hwmodel/core/*.c hwmodel/elf.c tests/core/timing_rows.c; do
	name=$(basename "$f" .c)
	$CC $flags -c "$f" -o "$dir/$name.o" || exit 1
done

failed=0
count=0
for constant in $(sed -n 's/^#define \(TIMING_[A-Z0-9_]*\) .*/\1/p' hwmodel/core/timing.h); do
	value=$(sed -n "s/^#define $constant //p" hwmodel/core/timing.h)
	count=$((count + 1))
	changed=$((value - 1))
	objects=
	mkdir -p "$dir/$constant"
	for f in hwmodel/core/*.c hwmodel/elf.c tests/core/timing_rows.c; do
		name=$(basename "$f" .c)
		object=$dir/$name.o
		if grep -q "$constant" "$f"; then
			object=$dir/$constant/$name.o
			$CC $flags -D$constant=$changed -c "$f" -o "$object" || exit 1
		fi
		objects="$objects $object"
	done
	$CC $objects -o "$dir/$constant/rows" || exit 1
	if ROWS_ELF=$rows "$dir/$constant/rows" >/dev/null 2>&1; then
		echo "$constant: $changed instead of $value goes unnoticed"
		failed=$((failed + 1))
	fi
	rm -rf "${dir:?}/$constant"
done
[ "$count" -gt 0 ] || { echo "no constants found in hwmodel/core/timing.h"; exit 1; }
echo "$((count - failed)) of $count timing constants are held by a row"
[ "$failed" -eq 0 ]
