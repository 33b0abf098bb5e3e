#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Compares compilers and flags for handlers: mean cycles of the packet handler on one modelled core with a warm cache, for each set of
# flags, and the geometric mean of each set relative to ours (hwmodel/image/cflags). Run by hand, to choose those flags. Usage:
# [PAYLOAD=bytes] compilers.sh [FILE for JSON rows, one per line]
BUILD=${BUILD:-build}
dir=$BUILD/tests/bench/compilers
PAYLOAD=${PAYLOAD:-480}
out=${1:-/dev/null}
mkdir -p "$dir" || exit 1
: >"$out" || exit 1
dir=$(cd "$dir" && pwd)

for tool in riscv64-unknown-elf-gcc clang; do
	command -v "$tool" >/dev/null 2>&1 && continue
	echo "skip: no $tool (packages gcc-riscv64-unknown-elf, clang)"
	exit 77
done

# Wrapper that compiles C by clang instead of gcc, without options that clang does not know. gcc assembles and links.
cat >"$dir/clang" <<'END'
#!/bin/sh
case " $* " in
*"entry.c "*) ;;
*) exec riscv64-unknown-elf-gcc "$@" ;;
esac
n=$#
while [ $n -gt 0 ]; do
	case $1 in
	@*) set -- "$@" $(cat "${1#@}") ;;
	*) set -- "$@" "$1" ;;
	esac
	shift
	n=$((n - 1))
done
n=$#
while [ $n -gt 0 ]; do
	case $1 in
	-mtune=*|-fno-ipa-*|-falign-loops=*|-Wa,*|-mno-strict-align) ;; # it cannot be told that unaligned accesses are fine
	*) set -- "$@" "$1" ;;
	esac
	shift
	n=$((n - 1))
done
exec clang --target=riscv32-unknown-elf -mno-relax -Wno-unused-command-line-argument -Wno-pass-failed "$@"
END
chmod +x "$dir/clang"

# packets HANDLER: prints the options for its packets
handlers="reduce histogram aggregate strided_ddt filtering kvstore pingpong counter"
packets() {
	case $1 in
	reduce) echo "--messages 2 --packets 8 --set spin_state.messages=2" ;;
	histogram) echo "--messages 2 --packets 8 --values 1024 --set spin_state.messages=2" ;;
	aggregate|strided_ddt|pingpong) echo "--messages 2 --packets 8" ;;
	filtering) echo "--datagrams 16 --insert routes:src=10.0.0.1,port=7000" ;;
	*) echo "--datagrams 16" ;;
	esac
}

# cost HANDLER COMPILER FLAGS: prints cycles, or nothing
cost() {
	handler=$1
	compiler=$2
	flags=
	for f in $3; do
		flags="$flags --hpu-flag=$f"
	done
	RISCV_CC=$compiler "$BUILD/bin/spincc" --no-verify $flags -o "$dir/$handler.spin" "handlers/$handler.c" 2>"$dir/log" || return
	"$BUILD/bin/spinctl" cost "$dir/$handler.spin" $(packets "$handler") --payload "$PAYLOAD" --sizes none --json >"$dir/json" 2>>"$dir/log" || return
	awk -F'[:,]' '/"handler": "payload"/ { p = 1 } p && /"cycles_warm"/ { w = 1 } w && /"mean"/ { print $2 + 0; exit }' "$dir/json"
}

first=
header() {
	printf '%-44s' 'flags'
	for h in $handlers; do printf ' %11s' "$h"; done
	printf ' %8s\n' 'relative'
}

# row NAME COMPILER FLAGS
row() {
	line=
	for h in $handlers; do
		line="$line $(cost "$h" "$2" "$3" | grep . || echo -)"
	done
	[ -n "$first" ] || first=$line
	echo "$line" | awk -v name="$1" -v first="$first" -v json="$out" '{
		n = split(first, base)
		printf "%-44s", name
		for (i = 1; i <= n; i++) {
			printf " %11s", $i == "-" ? "-" : sprintf("%.1f", $i)
			if ($i != "-" && base[i] != "-" && base[i] > 0) { sum += log($i / base[i]); count++ }
		}
		relative = count ? exp(sum / count) : 0
		printf " %8.3f%s\n", relative, count < n ? " (" n - count " not built)" : ""
		printf "{\"name\":\"compilers.%s\",\"value\":%.4f,\"unit\":\"ratio\",\"built\":%d}\n", name, relative, count >> json
	}'
}

gcc=riscv64-unknown-elf-gcc
header
row 'ours (gcc -O2 -funroll-loops ...)' $gcc ''
row 'gcc -O3 -funroll-loops' $gcc '-O3'
row 'gcc -O2 -fno-unroll-loops' $gcc '-fno-unroll-loops'
row 'gcc -O3 -fno-unroll-loops' $gcc '-O3 -fno-unroll-loops'
row 'gcc -O2 -funroll-loops -finline-functions' $gcc '-finline-functions'
row 'gcc -Os -fno-unroll-loops' $gcc '-Os -fno-unroll-loops'
row 'gcc, default tuning, strict alignment' $gcc '-mtune=rocket -mstrict-align'
row 'gcc, no alignment of loops' $gcc '-fno-align-loops -fno-align-functions'
row 'gcc, loops at 16' $gcc '-falign-loops=16'
row 'clang -O2' "$dir/clang" '-fno-unroll-loops'
row 'clang -O3 -funroll-loops' "$dir/clang" '-O3'
row 'clang -Os' "$dir/clang" '-Os -fno-unroll-loops'
