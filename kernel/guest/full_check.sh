#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Does what users do, on Debian's own kernels: full_check.sh [DEBIAN[:KERNEL]...]; run by make check-kernels FULL=1.
#
# For each root and kernel (12 13 12:6.12-bpo) a guest gets a clean clone, built natively in that root. It compiles and
# verifies handlers there, then runs the vectors, the live tests, spinctl test, recv and send, and the demo; with CHECK=1 it
# runs `make demo` and all of `make check` instead. Prints a row for each step; logs are in build/guest/full/. Exits with 1 if a step
# failed.
set -eu
. "$(dirname "$0")/full.lib.sh"

out=$top/build/guest/full
[ $# -gt 0 ] || set -- 12 13 12:6.12-bpo
[ "$(id -u)" = 0 ] || { echo "skip: making Debian roots needs root"; exit 77; }

# In the guest: runs each step with a log, and prints a line "RESULT SECONDS STEP" for it
steps() {
	cat <<'END'
mkdir -p build/guest
step() {
	name=$1
	shift
	start=$(date +%s)
	rc=0
	"$@" >"build/guest/$name.log" 2>&1 </dev/null || rc=$?
	case $rc in
	0) result=ok ;;
	77) result=skip ;;
	*) result=FAIL ;;
	esac
	echo "$result $(($(date +%s) - start)) $name $(uname -r)"
	[ "$result" != FAIL ] || tail -n 15 "build/guest/$name.log" | sed 's/^/      | /'
	[ "$result" != skip ] || sed -n 's/^skip: /      | skip: /p' "build/guest/$name.log"
}
step build make
for handler in filtering aggregate; do
	step "spincc-$handler" build/bin/spincc "handlers/$handler.c" -o "/tmp/$handler.spin"
done
END
	if [ "${CHECK:-}" = 1 ]; then
		cat <<'END'
step demo make demo
step check make check
tail -n 60 build/guest/check.log
END
		return
	fi
	cat <<'END'
# 6.1 leaves out what it cannot verify, as vectors/bpf with bounded loops does; it has no isolated class, and skips that
step vectors-host build/tests/vectors/run --engine host
step vectors-bpf build/tests/vectors/run --engine bpf --partial 133
step vectors-isolated build/tests/vectors/run --engine isolated --partial 133
for handler in filtering kvstore; do
	step "test-$handler" build/bin/spinctl test "handlers/$handler.c"
done
step recv sh tests/transfer/recv.sh
step send sh tests/transfer/send.sh
step live tests/run live
sed 's/^/      | /' build/guest/live.log
step demo make demo
END
}

failed=0
for guest; do
	debian=${guest%%:*} kernel=
	[ "$guest" = "$debian" ] || kernel=${guest#*:}
	dir=$out/$debian${kernel:+-$kernel}
	mkdir -p "$dir"
	echo "Debian $debian${kernel:+ with kernel $kernel}"
	rc=0
	"$top/kernel/guest/full.sh" --debian "$debian" ${kernel:+--kernel "$kernel"} --built --out "$dir" --minutes "${MINUTES:-240}" \
		--collect 'build/guest/*.log' --collect 'build/tests/log' --collect 'build/*.json' -- \
		sh -c "$(steps)" >"$dir.rows" 2>&1 || rc=$?
	cat "$dir.rows"
	[ $rc = 0 ] && ! grep -q '^FAIL ' "$dir.rows" || failed=1
done
exit $failed
