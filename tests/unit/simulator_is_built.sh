#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs tests/rtl/simulator.sh, which builds PsPIN's Verilator model, with a fake checkout of PsPIN. It must build from a patched copy, with
# one cluster or all, only when sources have changed, and use existing builds of the checkout, which stays as it is. Sources that it cannot
# patch must be refused. Neither Verilator nor PsPIN is needed. Run by tests/run.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failures=0
check() {
	eval "$2" && return
	echo "FAIL $1"
	failures=1
}

pspin=$dir/pspin
cache=hw/deps/scm/latch_scm/register_file_1w_multi_port_read.sv
mkdir -p "$pspin/hw/src" "$(dirname "$pspin/$cache")" "$pspin/hw/verilator_model" "$dir/verilator/include"
touch "$dir/verilator/include/verilated.h"
echo '// of the checkout' >"$pspin/$cache"
ring=hw/src/pkt_scheduler/cluster_rb.sv
mkdir -p "$(dirname "$pspin/$ring")"
echo 'else if (push_size < head_ptr_q) begin' >"$pspin/$ring"
printf '%s\n' 'if (0) begin : gen_cluster_async' 'end else begin : gen_cluster_sync' 'end' >"$pspin/hw/src/pspin.sv"
echo 'for (genvar i = 0; i < NUM_CLUSTERS; i++) begin : gen_fill_tcdm_cluster' >"$pspin/hw/src/pspin_verilator.sv"
cat >"$pspin/hw/verilator_model/Makefile" <<'MAKE'
release:
	mkdir -p lib obj_dir_release
	cp ../src/pspin.sv lib/libpspin.so
	touch obj_dir_release/Vpspin_verilator.h
	echo once >>../../times
MAKE
simulator() {
	CXX=true VERILATOR=true VERILATOR_ROOT=$dir/verilator tests/rtl/simulator.sh "$pspin" "$1" "$dir/out/simulator" 2>"$dir/said"
}
files=$(find "$pspin" | sort)

simulator 1
check "it builds a model of one cluster" '[ $? = 0 ] && grep -q gen_cluster_absent "$dir/out/pspin-1/hw/verilator_model/lib/libpspin.so"'
check "the instruction cache has flip-flops" 'grep -q always_ff "$dir/out/pspin-1/$cache" && ! grep -q checkout "$dir/out/pspin-1/$cache"'
check "no comment begins with Verilator's name, which it takes for a command" '! grep -qiE "(//|/\*) *verilator" tests/rtl/*.sv*'
check "a packet is not put over another one" 'grep -q "push_size <= head_ptr_q" "$dir/out/pspin-1/$ring"'
check "the testbench fills one cluster" 'grep -q "i < 1;" "$dir/out/pspin-1/hw/src/pspin_verilator.sv"'
simulator 4
check "it builds a model of all clusters" '[ $? = 0 ] && cmp -s "$pspin/hw/src/pspin.sv" "$dir/out/pspin-4/hw/verilator_model/lib/libpspin.so"'
simulator 4
check "it does not build twice" '[ $? = 0 ] && [ "$(wc -l <"$dir/out/pspin-4/times")" = 1 ]'
sleep 0.02
echo '// changed' >>"$pspin/hw/src/pspin.sv"
simulator 4
check "it builds again what has changed" 'grep -q changed "$dir/out/pspin-4/hw/verilator_model/lib/libpspin.so"'
check "it leaves the checkout alone" '[ "$(find "$pspin" | sort)" = "$files" ]'

echo '// not as it was' >"$pspin/hw/src/pspin.sv"
simulator 1
check "it refuses sources whose clusters it does not find" '[ $? != 0 ] && grep -q gen_cluster_sync "$dir/said"'
printf '%s\n' 'end else begin : gen_cluster_sync' >"$pspin/hw/src/pspin.sv"
echo 'else if (fits) begin' >"$pspin/$ring"
simulator 4
check "it refuses a packet buffer that it does not know" '[ $? != 0 ] && grep -q "does not compare push_size" "$dir/said"'
echo 'else if (push_size <= head_ptr_q) begin' >"$pspin/$ring"
simulator 4
check "it takes a packet buffer that needs no change" '[ $? = 0 ]'
rm -rf "$dir/out"
make -s -C "$pspin/hw/verilator_model" release
simulator 1
check "it takes what was built in the checkout" '[ $? = 0 ] && [ ! -e "$dir/out/pspin-1" ]'
simulator 2
check "it refuses two clusters" '[ $? != 0 ] && grep -q "it is 1 or 4" "$dir/said"'
exit $failures
