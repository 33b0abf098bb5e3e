#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Handlers near the edge that are fine: compiled, and where root runs this verified, without a
# word but the one warning that a source says ("// warning: WORDS").
. "$(dirname "$0")/../cli/setup.inc"
cd "$WORK" || exit 1
for file in "$ROOT"/tests/diagnostics/accepted/*.c; do
	cp "$file" source.c
	# "/* spincc --trusted: WHY */" in a source: what it does cannot be isolated
	"$SPINCC" $(sed -n 's|^/\* spincc \(--[a-z]*\):.*|\1|p' "$file") source.c -o source.spin >out 2>err
	rc=$?
	drop_progress err
	[ $rc = 0 ] || fail "$file: status $rc: $(head -n 3 err)"
	[ -s source.spin ] || fail "$file: no object"
	grep -n " // warning: " source.c | sed 's|^\([0-9]*\):.* // |source.c:\1: |' >expected
	cmp -s expected err || fail "$file: it says '$(head -n 5 err)' instead of '$(cat expected)'"
	rm -f source.spin
done
exit $FAILED
