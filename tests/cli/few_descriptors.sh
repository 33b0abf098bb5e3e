#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# With too few file descriptors (ulimit -n) `spinctl run` must fail and say so, whichever step runs out of them. It must not blame the
# kernel's age, the verifier or the handler. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
make_nics

failed=0 ended=
for limit in $(seq 4 2 80); do
	if in_ns sh -c "ulimit -n $limit && exec \"\$@\"" sh "$SPINCTL" run "$OBJECT" --dev v0 --duration 0.01 >"$WORK/out" 2>"$WORK/err"; then
		ended=$limit
		break
	fi
	failed=$((failed + 1))
	grep -qE "ulimit -n|[Tt]oo many open files|error while loading shared libraries" "$WORK/err" || fail "$limit descriptors: $(cat "$WORK/err")"
	grep -qE "too old|verifier|fault" "$WORK/err" && fail "$limit descriptors: $(cat "$WORK/err")"
done
[ "$failed" -gt 3 ] || fail "it runs with $ended descriptors: the test shows nothing"
[ "$ended" ] || fail "it does not run with 80 descriptors: $(cat "$WORK/err")"
echo "fails up to $((ended - 2)) descriptors"
exit $FAILED
