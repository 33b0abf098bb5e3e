#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tests/run -j N must run N tests at a time, long ones first, and one computing test in addition, with lower priority. A test that exceeds
# its time limit must fail and be killed, and kill -9 of the runner must end its tests. Invalid N and scripts that cannot be executed must
# be refused. Run by tests/run.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "FAIL: $*"
	cat "$work/out"
	exit 1
}
: >"$work/out"
tests/run -l >"$work/all"
for list in computing_tests long_tests; do
	sed -n "/^$list=\"/,/^\"/p" tests/run | sed '1d;$d' >"$work/listed"
	[ -s "$work/listed" ] || fail "tests/run has no $list"
	grep -vxFf "$work/all" "$work/listed" && fail "$list of tests/run names tests that are not there"
done
mkdir -p "$work/tests/unit" "$work/tests/cli"
cp tests/alone "$work/tests"
# with its own lists, and a time limit of 1 second
sed -e 's|^computing_tests="|&\nunit/sums\nunit/computes|' -e 's|^long_tests="|&\nunit/long|' -e 's/all_of "$1" 180/all_of "$1" 1/' tests/run >"$work/tests/run"
chmod +x "$work/tests/run"
cd "$work" || exit 1

# add GROUP/NAME: adds a test whose body is read from stdin
add() {
	{ echo "#!/bin/sh"; echo "cd '$work'"; cat; } >"tests/$1.sh"
	chmod +x "tests/$1.sh"
}
# Each test waits until both have started.
for name in one two; do
	add cli/$name <<-END
	touch $name.began
	for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ -e one.began ] && [ -e two.began ] && exit 0
		sleep 0.1
	done
	exit 1
	END
done
add unit/first <<-END
	touch first.runs
	echo first >>order
	sleep 0.5
	rm first.runs
END
add unit/long <<-END
	echo long >>order
END
# Computing tests run in addition to two others, with lower priority, and only one at a time.
add unit/sums <<-END
	echo sums >>order
	touch sums.runs
	if [ -e beside ]; then
		[ "\$(nice)" = \$((\$(cat beside) + 5)) ] || exit 1
		for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			[ -e one.began ] && [ -e two.began ] && break
			sleep 0.1
		done
	fi
	rm sums.runs
	[ ! -e beside ] || [ "\$try" != 20 ]
END
add unit/computes <<-END
	echo computes >>order
	[ ! -e beside ] || [ ! -e sums.runs ]
END

mkdir tests/docs && touch tests/docs/forgotten.sh

run() {
	rm -f order ./*.began ./*.runs
	SPIN_TEST_SLOW=1 BUILD=build tests/run "$@" >out 2>&1
}

run -j 2 cli || fail "two tests do not run at the same time"
[ "$(tail -n 1 out)" = "2 passed, 0 failed, 0 skipped" ] || fail "does not count two tests"
run -j1 cli
grep -q '^FAIL .* cli/one' out || fail "-j 1 runs two tests at the same time"
nice >beside
run -j 2 cli unit/computes unit/sums || fail "no computing test runs beside two others, or two of them do"
rm beside
run -j 4 unit/first unit unit/sums || fail "a group"
[ "$(tail -n 1 out)" = "4 passed, 0 failed, 0 skipped" ] || fail "a test that is named twice runs twice"
run -j 1 unit || fail "-j 1"
[ "$(paste -sd ' ' order)" = "long first sums computes" ] || fail "the order is $(paste -sd ' ' order)"
run docs && fail "a script that cannot be executed is not noticed"
for wrong in 0 x 1x ""; do
	run -j "$wrong" unit && fail "takes -j '$wrong'"
	grep -q '^usage: ' out || fail "-j '$wrong': does not say how it is used"
done

mkdir -p tests/install
add install/endless <<-END
	exec sleep 1000.$$
END
run install && fail "a test without an end passes"
grep -q '| timed out after [0-9]* s: more than 1 s on an idle machine' out || fail "does not say that a test has timed out"
pgrep -f "sleep 1000.$$" >/dev/null && fail "a test that has timed out still runs"

SPIN_TEST_SLOW=1 BUILD=build setsid tests/run install >out 2>&1 &
runner=$!
for try in 1 2 3 4 5 6 7 8 9 10; do
	pgrep -f "^sleep 1000.$$" >/dev/null && break
	sleep 0.2
done
pgrep -f "^sleep 1000.$$" >/dev/null || fail "the test to be left does not run"
kill -9 $runner
for try in 1 2 3 4 5 6 7 8 9 10; do
	pgrep -f "sleep 1000.$$" >/dev/null || break
	sleep 0.2
done
pgrep -f "sleep 1000.$$" >/dev/null && fail "a test outlives a runner that is killed"
true
