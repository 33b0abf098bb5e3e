#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The programs in libspin(3) and spin-handler(7) must build from the text of the installed pages, and run. Run by tests/run.
. "$(dirname "$0")/install.inc"
install_for_use
cd "$WORK" || exit 1

program_of() { # PAGE N: prints display N of EXAMPLES as text
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$PREFIX/share/man/$1" |
		awk -v wanted="$2" '/^\.Bd -literal/ { n++ } /^\.Bd -literal/,/^\.Ed/ { if (n == wanted) print }' |
		sed -e '/^\.Bd/d' -e '/^\.Ed/,$d' -e 's/\\-/-/g' -e 's/\\e/\\/g' -e 's/\\&//g'
}

program_of man3/libspin.3 1 >count.c
program_of man3/libspin.3 2 >take.c
program_of man3/libspin.3 3 >share.c
program_of man3/libspin.3 4 >ring.c
program_of man7/spin-handler.7 1 >tally.c
for program in count take share ring; do
	# shellcheck disable=SC2046
	expect 0 cc -Wall -Wextra -Werror $(${PKG_CONFIG:-pkg-config} --cflags libspin) $program.c -o $program $(${PKG_CONFIG:-pkg-config} --libs libspin)
	expect 2 ./$program
	expect 1 ./$program nothing.spin lo
done
expect 0 spincc tally.c -o tally.spin
[ -s "$WORK/err" ] && fail "spincc warns: $(cat "$WORK/err")"
[ $FAILED = 0 ] || exit 1
skip_unless_root
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

# both ports count in the same state
in_ns ./share tally.spin v0 >out 2>err &
share=$!
while kill -0 $share 2>/dev/null; do
	in_ns bash -c 'echo 1 >/dev/udp/10.99.0.2/9000; echo 1 >/dev/udp/10.99.0.2/9001' && sent=$((${sent:-0} + 2))
	sleep 0.1
done
wait $share || fail "share: $(cat err)"
[ "$(cat err)" = 'share: packets may be handled twice' ] || fail "share says: $(cat err)"
counted=$(sed -n 's/^spin_state.datagrams //p' out)
[ "${counted:-0}" -ge 2 ] && [ "$counted" -le "$sent" ] || fail "share counts, of $sent datagrams: $(cat out)"

in_ns ./ring tally.spin v0 >out 2>err &
ring=$!
while kill -0 $ring 2>/dev/null; do
	in_ns bash -c 'echo ring >/dev/udp/10.99.0.2/9000'
	sleep 0.05
done
wait $ring || fail "ring: $(cat err)"
[ "$(grep -c '^10\.99\.0\.1 port [0-9]*: 5 bytes: ring$' out)" = 3 ] || fail "ring prints: $(cat out)"

in_ns ip link set lo up
head -c 500000 /dev/urandom >sent
in_ns ./take "$PREFIX/share/spin/handlers/copy_to_host.spin" lo >taken 2>err &
take=$!
i=0
until in_ns ip link show lo | grep -q 'prog/xdp' || [ $((i += 1)) -gt 200 ]; do sleep 0.05; done
expect 0 in_ns spinctl send sent --to 127.0.0.1 --timeout 1.5
wait $take || fail "take: $(cat err)"
cmp sent taken || fail "take writes something else than was sent"
exit $FAILED
