#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spin-pspin(7) must name every call and macro of the headers for PsPIN's handler files, and none that does not exist. Its complete file
# must compile. Run by tests/run.
. "$(dirname "$0")/docs.inc"
cd "$WORK" || exit 1
unescape <"$MAN/spin-pspin.7" >page

# functions and macros of the headers; names that end in _ are private
for header in $(cd "$ROOT/handlers/include/pspin" && find . -name '*.h' ! -name assert.h); do
	gcc -w -E -P -fpreprocessed -dD "$ROOT/handlers/include/pspin/$header" 2>/dev/null
done >code
{
	grep -oE '\b[a-z][a-z0-9_]*\(' code | tr -d '(' | grep -E '^(spin|amo|futex|rt|hal)_|^(load_reserved|store_conditional|compare_and_swap)$'
	sed -n 's/^PSPIN_AMO_(\([a-z_]*\),.*/\1/p; s/^[a-z ]*[* ]\([a-z]*\)(.*) *\(__attribute__.*\)*;$/\1/p' code
	sed -n 's/^#define \([A-Z][A-Z_]*\)(.*/\1/p' code
} | grep -vE '_$|^(AND|STRINGIFY|LABEL|TRACING_DUMMY_INSTR|PSPIN_AMO_)$' | sort -u >names
for name in spin_dma amo_swap futex_lock_s printf memcpy GET_IP_UDP_PLD spin_rw_lock_w_unlock rt_core_id; do
	grep -qx $name names || fail "the headers' names are not found: $name"
done
while read -r name; do
	grep -qwF -e "$name" page || echo "$name"
done <names >missing
[ -s missing ] && fail "not in spin-pspin(7): $(tr '\n' ' ' <missing)"

sed -n '/^\.Ss Calls/,/^\.Sh DIFF/s/^\.It //p' page | grep -oE 'Fn [a-z_]+' | sed 's/Fn //' | sort -u >told
while read -r name; do
	grep -qwF -e "$name" code || echo "$name"
done <told | grep -v '^spin__public_memcpy$' >unknown
[ -s unknown ] && fail "spin-pspin(7) has what no header has: $(tr '\n' ' ' <unknown)"

need_hpu_compiler
awk '/^\.Bd -literal/ { n++; next } /^\.Ed/ { if (n == 2) exit; next } n == 2' page >counter.c
expect 0 "$SPINCC" --api pspin -o counter.spin counter.c
expect 0 "$SPINCTL" cost counter.spin --messages 4 --packets 16 --payload 484 --sizes none
exit $FAILED
