#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# libspin(3) must have a prototype and a description of every function in its headers, and every type, constant and error. Run by tests/run.
. "$(dirname "$0")/docs.inc"
cd "$WORK" || exit 1
headers=$(echo "$ROOT"/user/libspin/include/spin/libspin*.h)
unescape <"$MAN/libspin.3" >page

for header in $headers; do
	gcc -E -P -fpreprocessed -dD "$header"
done >code
tr '\n' ' ' <code | tr ';{' '\n\n' | grep -v typedef | grep -oE 'spin_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u >functions
[ "$(wc -l <functions)" -gt 40 ] || fail "only $(wc -l <functions) functions are found in its headers"
sed -n 's/^\.Fo //p' page | sort | diff functions - >differences ||
	fail "functions in the header (<) and the synopsis (>): $(grep '^[<>]' differences | tr '\n' ' ')"
sed -n 's/^\.It Fn \([^ ]*\).*/\1/p' page | sort | diff functions - >differences ||
	fail "functions in the header (<) and the description (>): $(grep '^[<>]' differences | tr '\n' ' ')"
grep -oE '\b(SPIN|spin)_[A-Za-z0-9_]+' code | sort -u | while read -r name; do
	grep -qwF "$name" page || echo "$name"
done >missing
[ -s missing ] && fail "not in libspin(3): $(tr '\n' ' ' <missing)"
grep -oE -he '-E[A-Z0-9]{2,}' $headers | tr -d - | sort -u >errors
sed -n 's/^\.It Er //p' page | sort -u | diff errors - >differences ||
	fail "errors in the header (<) and the page (>): $(grep '^[<>]' differences | tr '\n' ' ')"

# the text of remarks must be in the page
for words in 'for a person with the next step' 'No packet of another context is lost' 'valid during the call'; do
	tr '\n' ' ' <page | grep -qF "$words" || fail "no '$words' in libspin(3)"
done
exit $FAILED
