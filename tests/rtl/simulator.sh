#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# simulator.sh PSPIN CLUSTERS OUT: links simulator.cpp with the simulator that PsPIN's own Makefile has built in the checkout. It
# builds nothing of PsPIN; what is missing is said.
pspin=$1 clusters=$2 out=$3
die() {
	echo "rtl-check: $*" >&2
	exit 1
}

[ -n "$pspin" ] || die "give a checkout of PsPIN: make rtl-check PSPIN=DIRECTORY; tests/rtl/README.md says more"
case $clusters in 1 | 4) ;; *) die "CLUSTERS=$clusters: it is 1 or 4" ;; esac
model=$(cd "$pspin/hw/verilator_model" 2>/dev/null && pwd) || die "$pspin is no checkout of PsPIN: it has no hw/verilator_model"
for file in lib/libpspin.so obj_dir_release/Vpspin_verilator.h; do
	[ -e "$model/$file" ] || die "$model/$file is not there: build PsPIN's simulator first, as its docs/compile.md says"
done
include=${VERILATOR_ROOT:-$(${VERILATOR:-verilator} --getenv VERILATOR_ROOT 2>/dev/null)}/include
[ -e "$include/verilated.h" ] || die "no $include/verilated.h: set VERILATOR_ROOT to what PsPIN's simulator was built with"
command -v "${CXX:-c++}" >/dev/null || die "no C++ compiler: install g++"
mkdir -p "$(dirname "$out")" &&
	${CXX:-c++} -std=c++17 -O2 -w -I"$model/obj_dir_release" -isystem "$include" -isystem "$include/vltstd" -o "$out" \
		"$(dirname "$0")/simulator.cpp" "$model/lib/libpspin.so" -Wl,-rpath,"$model/lib" ||
	die "simulator.cpp does not link with $model/lib/libpspin.so"
