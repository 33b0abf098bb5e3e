#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `make bench`: runs all benchmarks and merges their rows into $BUILD/bench.json. Fails only if something could not be
# measured.
: "${BUILD:=build}"
export BUILD
dir=$BUILD/tests/bench/rows
rm -rf "$dir"
mkdir -p "$dir"
failed=0

# part NAME COMMAND...: runs COMMAND, which stores its rows in $dir/NAME.json
part() {
	name=$1
	shift
	"$@"
	case $? in
	0) ;;
	77) echo "skip: $name was not measured" ;;
	*)
		echo "bench: $name could not be measured" >&2
		failed=1
		;;
	esac
	echo
}

part xdp "$BUILD/tests/bench/xdp" "$dir/xdp.json"
part contexts "$BUILD/tests/bench/contexts" "$dir/contexts.json"
part mpq "$BUILD/tests/bench/mpq" "$dir/mpq.json"
part two_cpus "$BUILD/tests/bench/two_cpus" "$dir/two_cpus.json"
part puts "$BUILD/tests/bench/puts" "$dir/puts.json"
part receive "$BUILD/tests/bench/receive" "$dir/receive.json"
part pingpong "$BUILD/tests/bench/pingpong" "$dir/pingpong.json"
part hits "$BUILD/tests/bench/hits" "$dir/hits.json"
part slmp "$BUILD/tests/bench/slmp" "$dir/slmp.json"
part send "$BUILD/tests/bench/send" "$dir/send.json"
part flood "$BUILD/tests/bench/flood" "$dir/flood.json"
part hpus "$BUILD/tests/bench/hpus" "$dir/hpus.json"
part ring "$BUILD/tests/bench/ring" "$dir/ring.json"
part sockets "$BUILD/tests/bench/sockets" "$dir/sockets.json"
part tenants "$BUILD/tests/bench/tenants" "$dir/tenants.json"
part memcached "$BUILD/tests/bench/memcached" "$dir/memcached.json"
part streams "$BUILD/tests/bench/streams" "$dir/streams.json"
part iss tests/bench/iss.sh "$dir/iss.rows"
part model "$BUILD/tests/bench/model" "$dir/model.json"

"$BUILD/tests/bench/merge" "$BUILD/bench.json" "$dir"/* || failed=1
exit $failed
