#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs the program of `make stress` (tests/stress/stress.c) for ten seconds. It must also detect an update that is reverted on purpose. Run
# by tests/run.
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
