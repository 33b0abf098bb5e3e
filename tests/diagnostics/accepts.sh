#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Handlers that are close to what is refused, but valid. spincc must compile them (as root also verify them) and print only the warning
# that the source states ("// warning: WORDS").
. "$(dirname "$0")/../cli/setup.inc"
cd "$WORK" || exit 1
for file in "$ROOT"/tests/diagnostics/accepted/*.c; do
	cp "$file" source.c
	# "/* spincc --trusted: WHY */" in a source: the isolated class cannot run it
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
