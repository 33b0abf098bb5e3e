#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# simulator.sh PSPIN CLUSTERS OUT, run by `make rtl-check`: links simulator.cpp with PsPIN's Verilator model. A model that was built in the
# checkout is used unchanged; otherwise PsPIN's own Makefile builds one from a copy next to OUT, and the checkout is not changed. With
# CLUSTERS=1 that copy has only cluster 0 and simulates about four times as fast.
pspin=$1 clusters=$2 out=$3
rtl=$(cd "$(dirname "$0")" && pwd)
die() {
	echo "rtl-check: $*" >&2
	exit 1
}

[ -n "$pspin" ] || die "give a checkout of PsPIN: make rtl-check PSPIN=DIRECTORY; tests/rtl/README.md says more"
case $clusters in 1 | 4) ;; *) die "CLUSTERS=$clusters: it is 1 or 4" ;; esac
hw=$(cd "$pspin/hw" 2>/dev/null && pwd) && [ -d "$hw/verilator_model" ] ||
	die "$pspin is not a checkout of PsPIN: it has no hw/verilator_model"
# Debian's verilator does not find itself when VERILATOR_ROOT is set, and PsPIN's Makefile needs it set.
verilator=${VERILATOR:-verilator}
[ -n "$VERILATOR_ROOT" ] || verilator="env -u VERILATOR_ROOT $verilator"
root=${VERILATOR_ROOT:-$(${VERILATOR:-verilator} --getenv VERILATOR_ROOT 2>/dev/null)}
[ -e "$root/include/verilated.h" ] || die "no Verilator headers: install verilator, or set VERILATOR_ROOT"
command -v "${CXX:-c++}" >/dev/null || die "no C++ compiler: install g++"
mkdir -p "$(dirname "$out")" || exit 1

is_built() {
	[ -e "$1/lib/libpspin.so" ] && [ -e "$1/obj_dir_release/Vpspin_verilator.h" ]
}

# Replaces clusters 1 to 3 by stubs: they are active, accept no task and issue no request.
keep_one_cluster() {
	awk '
		/end else begin : gen_cluster_sync/ {
			while ((getline line < absent) > 0)
				print line
			found = 1
		}
		{ print }
		END { exit !found }
	' absent="$rtl/absent_cluster.svh" "$hw/src/pspin.sv" >src/pspin.sv &&
		sed '/gen_fill_tcdm_cluster/s/< NUM_CLUSTERS/< 1/' "$hw/src/pspin_verilator.sv" >src/pspin_verilator.sv
}

# build DIRECTORY: builds the copy's model if a source has changed or the last build did not complete.
build() {
	if is_built "$1/hw/verilator_model" && [ -e "$1/done" ] &&
		[ -z "$(find "$hw/src" "$hw/deps" "$hw/verilator_model" "$rtl/absent_cluster.svh" "$rtl/register_file_1w_multi_port_read.sv" "$0" -newer "$1/done" -type f | head -n 1)" ]; then
		return 0
	fi
	command -v "${VERILATOR:-verilator}" >/dev/null || die "verilator is not installed: PsPIN's model cannot be built"
	echo "rtl-check: builds PsPIN's model in $1: up to half an hour, some GB of memory; $1/log" >&2
	rm -rf "$1" && mkdir -p "$1/hw" && cp -R "$hw/src" "$hw/deps" "$hw/verilator_model" "$1/hw/" || exit 1
	cache=$1/hw/deps/scm/latch_scm/register_file_1w_multi_port_read.sv
	[ -e "$cache" ] || die "$hw has no deps/scm/latch_scm: build the model in the checkout"
	cp "$rtl/register_file_1w_multi_port_read.sv" "$cache" || exit 1
	# Fixes a bug of PsPIN: cluster_rb.sv accepts a packet that needs exactly the free space in front of the head, and then overwrites
	# other packets (tests/rtl/README.md).
	ring=$1/hw/src/pkt_scheduler/cluster_rb.sv
	sed -i 's/push_size < head_ptr_q/push_size <= head_ptr_q/' "$ring" && grep -q 'push_size <= head_ptr_q' "$ring" ||
		die "$hw/src/pkt_scheduler/cluster_rb.sv does not compare push_size with head_ptr_q: build the model in the checkout"
	if [ "$clusters" = 1 ]; then
		(cd "$1/hw" && keep_one_cluster) || die "$hw/src/pspin.sv has no gen_cluster_sync: build the model in the checkout, or CLUSTERS=4"
	fi
	# From Verilator 5 on verilated.cpp refers to a thread pool, which PsPIN's Makefile does not link.
	threads=$root/include/verilated_threads.cpp
	grep -q threadPoolp "$root/include/verilated.cpp" 2>/dev/null && [ -e "$threads" ] || threads=
	(
		unset MAKEFLAGS MFLAGS MAKELEVEL
		# OPT_FAST is passed to the makefile that Verilator writes. With its own default, -Os, g++ takes twice the time.
		make -C "$1/hw/verilator_model" release VERILATOR_ROOT="$root" VERILATOR_BIN= VERILATOR_CMD="$verilator" \
			OPT_FAST="${OPT_FAST:--O1}" \
			VERILATOR_COMPILER_WORKERS="${JOBS:-$(nproc)}" \
			LIB_RELEASE_FLAGS="-fPIC -std=c++14 -Os -shared -Iobj_dir_release -I$root/include -I$root/include/vltstd -Iinclude $threads"
	) >"$1/log" 2>&1 || {
		grep -v '^verilator\|%Error: Command Failed' "$1/log" | tail -n 5 | cut -c 1-200 >&2
		die "PsPIN's model does not build: $1/log"
	}
	touch "$1/done"
}

model=$hw/verilator_model
if ! is_built "$model"; then
	copy=$(cd "$(dirname "$out")" && pwd)/pspin-$clusters
	build "$copy"
	model=$copy/hw/verilator_model
fi
${CXX:-c++} -std=c++17 -O2 -w -I"$model/obj_dir_release" -isystem "$root/include" -isystem "$root/include/vltstd" -o "$out" \
	"$rtl/simulator.cpp" "$model/lib/libpspin.so" -Wl,-rpath,"$model/lib" ||
	die "simulator.cpp does not link with $model/lib/libpspin.so"
