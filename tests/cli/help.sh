#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Help and version of spinctl and spincc must go to stdout with status 0. Wrong usage must print one line to stderr, with status 2. A full
# disk must be reported with status 1. Run by tests/run.
. "$(dirname "$0")/setup.inc"

for command in "$SPINCTL" "$SPINCC" "$SPINCTL run" "$SPINCTL status" "$SPINCTL cost"; do
	expect 0 $command --help
	says out "usage:"
	[ -s "$WORK/err" ] && fail "$command --help writes to stderr"
	expect 0 $command --version
	expect 2 $command --no-such-option
	one_line
	[ -s "$WORK/out" ] && fail "$command --no-such-option writes to stdout"
done
for command in "$SPINCTL run --help" "$SPINCTL --version" "$SPINCC --help" "$SPINCC --version"; do
	$command >/dev/full 2>"$WORK/err"
	[ $? = 1 ] || fail "$command: a full disk is not reported"
	one_line
done
for command in run status cost; do
	expect 0 "$SPINCTL" help $command
	says out "usage: spinctl $command"
done
expect 0 "$SPINCTL" help
for command in run status cost help; do
	says out "  $command "
done
expect 2 "$SPINCTL"
expect 2 "$SPINCTL" frobnicate
says err "unknown command frobnicate"
expect 2 "$SPINCTL" help frobnicate
expect 2 "$SPINCTL" run
says err "FILE.spin"
expect 2 "$SPINCTL" run "$OBJECT"
says err "--dev IF"
expect 2 "$SPINCTL" run "$OBJECT" extra --dev lo
expect 2 "$SPINCTL" run "$OBJECT" --dev
expect 2 "$SPINCTL" run "$OBJECT" --dev lo --interval -1
expect 2 "$SPINCTL" run "$OBJECT" --dev lo --count 1x
expect 2 "$SPINCTL" status --json=1
expect 2 "$SPINCTL" cost "$OBJECT"
says err "--pcap"
expect 2 "$SPINCC" x.c
says err "-o FILE"
expect 2 "$SPINCC" x.c -o x --target cray
exit $FAILED
