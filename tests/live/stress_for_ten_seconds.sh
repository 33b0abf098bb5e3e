#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs `make stress` (tests/stress/stress.c: messages and datagrams from all sides, no update of shared memory may be lost) for ten seconds;
# it must pass. With STRESS_BREAK=1, which reverts an update on purpose, it must fail with status 1 and name the counter. Run by tests/run.
: "${BUILD:=build}"
"$BUILD/tests/stress/stress" 10 || exit
out=$(STRESS_BREAK=1 "$BUILD/tests/stress/stress" 2)
rc=$?
case $rc,$out in
1,*FAIL*added*) ;;
*)
	echo "FAIL: a lost update is not noticed (status $rc): $out"
	exit 1
	;;
esac
