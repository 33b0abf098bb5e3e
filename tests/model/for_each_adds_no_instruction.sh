#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The loops that SPIN_FOR_EACH and SPIN_FOR_EACH_WITH (a handler's loops over the payload) generate in the program for the NIC's cores must
# have the same instructions as bare C loops over the same words: loads, adds and the branch only. Run by tests/run.
set -eu
out=${BUILD:-build}/tests/model/for_each
gcc=${RISCV_CC:-riscv64-unknown-elf-gcc}
objdump=riscv64-unknown-elf-objdump
command -v $gcc >/dev/null || { echo "skip: no $gcc (package gcc-riscv64-unknown-elf)"; exit 77; }
mkdir -p "$out"
flags="@hwmodel/image/cflags -Wl,--gc-sections -Wl,--no-warn-rwx-segments -I. -Ihandlers/include
	-T hwmodel/image/pspin.ld hwmodel/image/boot.S"

# Prints the longest loop that contains a load: mnemonics, one per line.
loop() {
	$objdump -d --no-show-raw-insn --disassemble=hpu_payload_ip4 "$1" | awk '
	/^ *[0-9a-f]+:\t/ {
		split($0, f, "\t"); sub(/:.*/, "", f[1]); gsub(/ /, "", f[1])
		n++; name[n] = f[2]; at[f[1]] = n
		if (f[2] ~ /^b/ && match(f[3], /[0-9a-f]+ </)) {
			to = substr(f[3], RSTART, RLENGTH - 2)
			if (to in at) {
				loads = 0
				for (i = at[to]; i <= n; i++) loads += name[i] ~ /^lw/
				if (loads && n - at[to] >= last - first) { first = at[to]; last = n }
			}
		}
	}
	END { for (i = first; i && i <= last; i++) print name[i] }' | sort
}

for unroll in -funroll-loops -fno-unroll-loops; do
for handler in datagrams/sum datagrams/sums; do
	$gcc $flags $unroll -DSPIN_HANDLER_FILE="\"tests/handlers/$handler.c\"" hwmodel/image/entry.c -lgcc -o "$out/ours.elf"
	$gcc $flags $unroll tests/model/baselines/${handler##*/}.c -lgcc -o "$out/bare.elf"
	loop "$out/ours.elf" > "$out/ours"
	loop "$out/bare.elf" > "$out/bare"
	if ! [ -s "$out/ours" ]; then
		echo "FAIL no loop found"; exit 1
	fi
	if ! cmp -s "$out/ours" "$out/bare"; then
		echo "FAIL the loops of $handler differ ($unroll):"; diff "$out/ours" "$out/bare"; exit 1
	fi
	if grep -Evq '^(lw|amoadd.w|add|addi|mv|bltu|bgtu|bne|bgeu|bleu)$' "$out/ours"; then
		echo "FAIL other instructions in the loop of $handler ($unroll):"; sort "$out/ours" | uniq -c; exit 1
	fi
done
done
