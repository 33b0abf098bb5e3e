#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The programs in libspin(3) and spin-handler(7) build from the installed pages' text, and run.
. "$(dirname "$0")/install.inc"
install_for_use
cd "$WORK" || exit 1

program_of() { # PAGE: the first display of EXAMPLES, as text
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$PREFIX/share/man/$1" | sed -n '/^\.Bd -literal/,/^\.Ed/p' |
		sed -e '/^\.Bd/d' -e '/^\.Ed/,$d' -e 's/\\-/-/g' -e 's/\\e/\\/g' -e 's/\\&//g'
}

program_of man3/libspin.3 >count.c
program_of man7/spin-handler.7 >tally.c
# shellcheck disable=SC2046
expect 0 cc -Wall -Wextra -Werror $(pkg-config --cflags libspin) count.c -o count $(pkg-config --libs libspin)
expect 0 spincc tally.c -o tally.spin
[ -s "$WORK/err" ] && fail "spincc warns: $(cat "$WORK/err")"
expect 2 ./count
expect 1 ./count nothing.spin lo
[ $FAILED = 0 ] || exit 1
need_root
make_nics
ip -n "$NS" address add 10.99.0.1/24 dev v1
ip -n "$NS" neighbour add 10.99.0.2 lladdr 02:00:00:00:00:02 dev v1
in_ns ./count tally.spin v0 >out 2>err &
count=$!
while kill -0 $count 2>/dev/null; do
	in_ns bash -c 'echo 1 >/dev/udp/10.99.0.2/9000'
	sleep 0.05
done
wait $count || fail "count: $(cat err)"
grep -qx 'success [0-9]*' out || fail "count prints: $(cat out)"
exit $FAILED
