#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Tests `spinctl run --share`: our handlers and xdp-tools' programs on one interface, in guests whose kernels let programs replace
# functions. See kernel/guest/share_cases.sh. Linux 6.1 gets this machine's libxdp and xdp-tools. Newer kernels, which need libxdp 1.5.5,
# get Debian's newest; with this machine's they must refuse and give that reason. Run by `make check-kernels`.
#
# share.sh [CASE...]; KERNELS: names of kernel/guest/kernels.txt (default: 6.1 6.12). Consoles and rows are kept in $BUILD/kernels/.
: "${BUILD:=build}" "${KERNELS:=6.1 6.12}" "${QEMU:=qemu-system-x86_64}"
limit_s=900
all="filter_first ours_first priority replies generic jumbo killed_beside killed_alone killed_while_loading killed_while_leaving
killed_elsewhere killed_beside_unseen wants refusals removed_by_others xdpdump"
cases=$(echo ${*:-$all} | tr ' ' ,)
here=$(cd "$(dirname "$0")/../.." && pwd)
guest=$here/kernel/guest
. "$guest/speculation"
PATH=$PATH:/usr/sbin:/sbin
skip() { echo "skip: $*"; exit 77; }

[ "$(uname -m)" = x86_64 ] || skip "the guests are x86_64"
for tool in "$QEMU" busybox cpio xz ip ethtool bpftool setpriv nsenter xdp-loader xdp-filter xdpdump "${CC:-gcc}"; do
	command -v "$tool" >/dev/null || skip "no $tool"
done
for file in bin/spinctl handlers/counter.spin tests/handlers/rewrite.spin; do
	[ -e "$BUILD/$file" ] || { echo "FAIL: no $BUILD/$file: make it first"; exit 1; }
done
objects=$(find /usr/lib -path '*/bpf/*' \( -name 'xdp-dispatcher.o' -o -name 'xdpfilt_*.o' -o -name 'xdpdump_*.o' \))
[ -n "$objects" ] || skip "no xdp-dispatcher.o of libxdp in /usr/lib"
kernels=$("$guest/fetch" --modules $KERNELS) || { echo "$kernels"; exit 77; }
mkdir -p "$BUILD/kernels"
"${CC:-gcc}" -O2 -Wall -o "$BUILD/kernels/datagrams" "$guest/datagrams.c" || exit 1
work=$(mktemp -d)
running= guests=
trap 'kill -9 $running 2>/dev/null; wait; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# boot GUEST VMLINUZ MODULES CASES: runs in the background, without virtual time (-icount), in which 6.1 does not start a second CPU.
boot() {
	CASES=share sh "$guest/drivers_image.sh" "$3" "$BUILD" "$work/$1.image" || exit 1
	rm -f "$BUILD/kernels/share-$1.rows"
	setpriv --pdeathsig KILL timeout $limit_s "$QEMU" -accel tcg,thread=multi -cpu max,la57=off -smp 2 -m 700 -nodefaults -no-user-config \
		-no-reboot -display none -kernel "$2" -initrd "$work/$1.image" -serial "file:$BUILD/kernels/share-$1.console" \
		-serial "file:$BUILD/kernels/share-$1.rows" -append "console=ttyS0 quiet no_timer_check nowatchdog clocksource=hpet \
		$speculation panic=-1 cases=$4" </dev/null >"$work/$1.qemu" 2>&1 &
	running="$running $!"
	guests="$guests $1:$4"
}

export PROGRAMS OBJECTS OVERLAY
while read -r name release vmlinuz modules; do
	modules=$modules/lib/modules/$release
	PROGRAMS="nsenter xdp-loader xdp-filter xdpdump" OBJECTS=$objects OVERLAY=
	case $name in
	6.1 | 6.1-*) boot "$name" "$vmlinuz" "$modules" "$cases" ;;
	*)
		[ -n "$*" ] || boot "$name-old" "$vmlinuz" "$modules" old_libxdp
		newest=$("$guest/xdp_tools") || { echo "$name: $newest"; continue; }
		PROGRAMS=nsenter OBJECTS= OVERLAY=${newest#* }
		boot "$name" "$vmlinuz" "$modules" "$cases"
		;;
	esac
done <<END
$kernels
END
wait $running
running=

failed=0
for name in $guests; do
	cases=${name#*:} name=${name%%:*}
	rows=$BUILD/kernels/share-$name.rows
	awk -F '|' -v kernel="$name" '$1 == "row" { printf "%-8s %-22s %s\n", kernel, $2, $3 == "" ? "ok" : "BREAKS: " $3 }' "$rows"
	grep -q '^done' "$rows" && ! grep '^row|' "$rows" | grep -vq '|$' &&
		[ "$(grep -c '^row|' "$rows")" = "$(echo "$cases" | tr , '\n' | wc -l)" ] && continue
	failed=1
	grep -q '^done' "$rows" || tail -n 8 "$BUILD/kernels/share-$name.console" "$work/$name.qemu"
done
exit $failed
