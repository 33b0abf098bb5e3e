#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tests/run: a test that fails twice is a failure. A test that fails once and then passes three times is reported as unsteady. Names select
# tests. Run by tests/run.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "FAIL: $*"
	cat "$work/out"
	exit 1
}
mkdir -p "$work/tests/unit" "$work/tests/cli"
cp tests/run tests/alone "$work/tests"
cd "$work" || exit 1

# add GROUP/NAME SUCCEEDS FAILS: adds a test that passes from attempt SUCCEEDS on, except in attempt FAILS
add() {
	cat >"tests/$1.sh" <<-END
	#!/bin/sh
	echo . >>"$work/$(basename "$1").runs"
	runs=\$(wc -l <"$work/$(basename "$1").runs")
	[ \$runs -ge $2 ] && [ \$runs != $3 ]
	END
	chmod +x "tests/$1.sh"
}
add unit/steady 1 0
add unit/once 2 0
add unit/often 2 3
add cli/never 99 0

run() {
	rm -f ./*.runs
	SPIN_TEST_SLOW=1 BUILD=build tests/run "$@" >out 2>&1
}

run unit/steady || fail "a test that passes"
grep -qx '1 passed, 0 failed, 0 skipped' out || fail "does not count one test"
run once || fail "a test that failed once must not end the run as failed"
grep -q 'unit/once: failed once, then passed three times' out || fail "does not tell of an unsteady test"
grep -q '^Unsteady, 1 of those that passed:' out && grep -qx '1 passed, 0 failed, 0 skipped' out || fail "does not count an unsteady test"
(STRICT=1 run once) && fail "STRICT=1 takes an unsteady test"
run often && fail "a test that fails in its repetitions passes"
run never && fail "a test that always fails passes"
grep -q '^0 passed, 1 failed' out || fail "does not count a failure once"
run unit && fail "a group with a failure passes"
grep -q '^Unsteady, 1 ' out && [ "$(tail -n 1 out)" = "2 passed, 1 failed, 0 skipped" ] || fail "does not count a group"
run nothing && fail "takes a name that no test has"
grep -q "no test or group 'nothing'" out || fail "does not name what it does not know"
run -l cli || fail "-l"
[ "$(cat out)" = cli/never ] || fail "-l lists something else"
