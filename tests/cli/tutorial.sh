#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs the commands of handlers/README.md in one shell, and compares their output with the text. Run by tests/run.
#
# A line of a text block must appear in the output, in the block's order; numbers and the width of gaps may differ. "..." stands for any
# number of lines. No command of the tutorial may fail.
. "$(dirname "$0")/setup.inc"
skip_unless_root

# names of namespaces, home and build directory as in the text, isolated from the machine's
if [ -z "${TUTORIAL_INSIDE:-}" ]; then
	trap - EXIT
	rm -rf "$WORK"
	mkdir -p /run/netns
	TUTORIAL_INSIDE=1 exec unshare -m "$0" || skip "cannot make a mount namespace"
fi
mount -t tmpfs none /run/netns || skip "cannot mount in a mount namespace"
unset MAKEFLAGS MAKELEVEL MFLAGS
export HOME="$WORK"

awk -v out="$WORK/block" '
	function name(n, kind) { return sprintf("%s.%02d.%s", out, n, kind) }
	/^```sh$/ { n++; file = name(n, "sh"); printf "" >file; next }
	/^```text$/ { file = name(n, "text"); printf "" >file; next }
	/^```/ { file = ""; next }
	file { print >file }
' "$ROOT/handlers/README.md"
ls "$WORK"/block.*.sh >/dev/null || fail "the tutorial has no commands"

{
	echo 'set -e'
	for block in "$WORK"/block.*.sh; do
		echo "exec >${block%.sh}.out 2>&1"
		if [ "$BUILD" != "$ROOT/build" ]; then
			sed "s|\$PWD/build/|$BUILD/|" "$block"
		else
			cat "$block"
		fi
		echo "touch ${block%.sh}.done"
	done
} >"$WORK/typed"
(cd "$ROOT" && exec sh "$WORK/typed" </dev/null)

normal() {
	sed -E 's/[0-9]+(\.[0-9]+)?/N/g; s/[[:space:]]+/ /g; s/^ //; s/ $//' "$1"
}

for block in "$WORK"/block.*.sh; do
	base=${block%.sh}
	if [ ! -e "$base.done" ]; then
		fail "the tutorial ends at: $(cat "$block"): $(tail -n 5 "$base.out")"
		break
	fi
	[ -f "$base.text" ] || continue
	normal "$base.text" | grep -v '^$' >"$WORK/want"
	normal "$base.out" >"$WORK/got"
	awk 'NR == FNR { got[++n] = $0; next }
		$0 == "..." { next }
		{ found = 0; while (at < n && !found) found = got[++at] == $0; if (!found) { print; exit 1 } }
	' "$WORK/got" "$WORK/want" >"$WORK/missing" ||
		fail "after '$(head -n 1 "$block")' the tutorial shows a line that does not come: $(cat "$WORK/missing")
what comes: $(cat "$base.out")"
done
cp "$WORK"/block.*.out "${TUTORIAL_KEEP:-$WORK}/" 2>/dev/null
[ -z "$(ls -A /run/netns)" ] || fail "namespaces are left: $(ls /run/netns)"
exit $FAILED
