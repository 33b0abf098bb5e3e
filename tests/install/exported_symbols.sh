#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# libspin.so must export the functions that its headers declare, each with a version, and nothing else. Run by tests/run.
. "$(dirname "$0")/install.inc"
install_for_use
cd "$WORK" || exit 1

for header in "$PREFIX"/include/spin/libspin*.h; do
	gcc -E -P -I"$PREFIX/include" -include stdint.h "$header"
done | tr '\n' ' ' | tr ';{' '\n\n' |
	grep -vE "typedef|inline|return" | grep -oE 'spin_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u >declared
[ "$(wc -l <declared)" -gt 40 ] || fail "only $(wc -l <declared) functions are found in the headers"
nm -D --defined-only "$PREFIX/lib/libspin.so" >symbols
awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' symbols | sort -u >exported
diff declared exported >differences || fail "declared (<) and exported (>): $(grep '^[<>]' differences | tr '\n' ' ')"
awk '$2 != "A" && $3 !~ /@@SPIN_[0-9]+\.[0-9]+$/ { print $3 }' symbols >bare
[ -s bare ] && fail "without a version: $(cat bare)"
version=$(spinctl --version | sed 's/spinctl //')
soname=libspin.so.${version%%.*}
readelf -d "$PREFIX/lib/libspin.so" | grep -q "SONAME.*\[$soname\]" || fail "the soname is not $soname"

# the archive as well, so that its internal names cannot clash with a program's
nm --defined-only -g "$PREFIX/lib/libspin.a" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u >global
diff declared global >differences ||
	fail "libspin.a, declared (<) and global (>): $(grep '^[<>]' differences | tr '\n' ' ')"
exit $FAILED
