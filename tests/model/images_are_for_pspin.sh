#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What each handler's image asks of PsPIN is there: a loader need write program memory and L2 alone; what handlers look at is
# within what the RTL's memory protection lets them (pspin.ld); and no function's frame comes near the 1 KiB of an HPU's stack.
set -eu
spincc=${BUILD:-build}/bin/spincc
out=${BUILD:-build}/tests/model/images
command -v riscv64-unknown-elf-gcc >/dev/null || { echo "skip: no riscv64-unknown-elf-gcc (package gcc-riscv64-unknown-elf)"; exit 77; }
mkdir -p "$out"
failed=0

fail() {
	echo "FAIL $*"
	failed=1
}

# within START BYTES FROM TO
within() {
	[ $(($1)) -ge $(($3)) ] && [ $(($1 + $2)) -le $(($4)) ]
}

segments() {
	riscv64-unknown-elf-readelf -lW "$1" | awk '$1 == "LOAD" { print $3, $4, $5, $6 }'
}

for handler in handlers/*.c tests/handlers/tables.c tests/handlers/mix.c; do
	name=$(basename "$handler" .c)
	elf=$out/$name.elf
	"$spincc" --target rv32 "$handler" -o "$elf" || { fail "$name: spincc"; continue; }
	riscv64-unknown-elf-readelf -h "$elf" | grep -q 'Entry point address: *0x1d000080$' || fail "$name: begins elsewhere"
	segments "$elf" > "$out/$name.segments"
	[ -s "$out/$name.segments" ] || fail "$name: loads nothing"
	while read -r at load file memory; do
		within "$load" "$file" 0x1d000000 0x1d008000 || within "$load" "$file" 0x1c300000 0x1c400000 ||
			within "$load" "$file" 0x1c000000 0x1c010000 || fail "$name: has bytes for $load"
		[ "$at" = "$load" ] || { [ "$load" = 0x1c300000 ] && [ "$at" = 0x10080000 ] && [ "$file" = "$memory" ]; } ||
			fail "$name: $at is loaded to $load"
		[ "$file" = "$memory" ] || within "$at" "$memory" 0x1c300000 0x1c400000 || within "$at" "$memory" 0x1c000000 0x1c010000 ||
			fail "$name: $memory bytes at $at are out of handlers' reach"
	done < "$out/$name.segments"
done

cat > "$out/deep.c" <<'C'
#include <spin/spin.h>

struct tally { uint32_t n; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	volatile uint32_t copy[250];

	for (uint32_t i = 0; i < 250; i++)
		copy[i] = p->length + i;
	state->n = copy[p->length % 250];
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(deep, .payload = f);
C
for target in rv32 fat; do
	if "$spincc" --target $target --no-verify "$out/deep.c" -o "$out/deep.elf" 2> "$out/deep.says"; then
		fail "a handler with 1,000 bytes on the stack is built for $target"
	elif ! grep -q 'of stack; an HPU has 1 KiB' "$out/deep.says"; then
		fail "what is wrong with 1,000 bytes on the stack is not said for $target: $(cat "$out/deep.says")"
	fi
done
exit $failed
