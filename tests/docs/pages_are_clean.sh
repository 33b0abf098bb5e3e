#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The pages must be valid mdoc, without remains of their templates, and may only refer to our own pages and to known ones. Run by tests/run.
. "$(dirname "$0")/docs.inc"
command -v mandoc >/dev/null || { echo "skip: no mandoc (package mandoc)"; exit 77; }

for page in spinctl.8 spind.8 spin-memcached.8 spincc.1 hpu-run.1 libspin.3 spin-handler.7 spin-papers.7 spin-pspin.7; do
	[ -s "$MAN/$page" ] || { fail "no page $page"; continue; }
	mandoc -T lint -W warning "$MAN/$page" >"$WORK/lint" || fail "$page: $(head -n 3 "$WORK/lint")"
	grep -n '@[A-Z][A-Z]*@' "$MAN/$page" >"$WORK/left" && fail "$page: $(head -n 1 "$WORK/left")"
	mandoc -T utf8 "$MAN/$page" | sed 's/.\x08//g' >"$WORK/text"
	grep -q '^NAME' "$WORK/text" && grep -q '^SEE ALSO' "$WORK/text" || fail "$page does not render"
	sed -n 's/^\.Xr \([^ ]*\) \([0-9]\).*/\1.\2/p' "$MAN/$page" | sort -u | while read -r name; do
		case $name in bpftool.8 | ip-link.8 | journalctl.1 | memcached.1 | sd-daemon.3 | systemd.1 | systemd.socket.5) ;; *) [ -e "$MAN/$name" ] || echo "$name" ;; esac
	done >"$WORK/unknown"
	[ -s "$WORK/unknown" ] && fail "$page refers to $(tr '\n' ' ' <"$WORK/unknown")"
done
exit $FAILED
