#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Compares what `spinctl doctor` and `spinctl limits` report on Debian's kernels with what runs there: doctor.sh [NAME...], names of
# kernel/guest/kernels.txt (default: 5.10 6.1 6.12). Run by `make check-kernels`.
#
# In each guest (a virtual machine) a handler of datagrams, one of messages and one in the isolated class are run. Each must run if and only
# if the doctor says so, and limits must agree. On 5.10 both must say what is missing and which kernel to boot. Exits with 77 and a line
# "skip: WHY" if no guest can be booted.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=build}"
[ $# -gt 0 ] || set -- 5.10 6.1 6.12
! grep -q spin_guest /proc/cmdline || { echo "skip: this is a guest itself"; exit 77; }
for tool in qemu-system-x86_64 cpio setpriv modinfo busybox; do
	command -v $tool >/dev/null || { echo "skip: no $tool (packages.txt)"; exit 77; }
done
kernels=$(kernel/guest/fetch --modules "$@") || { echo "$kernels" | grep '^skip' && exit 77; exit 1; }
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
. tests/cli/doctor.inc
FAILED=0
fail() { echo "FAIL: $name: $*"; FAILED=1; }

# part NAME: prints what the guest printed after "== NAME"
part() { awk -v name="== $1" '/^== / { here = $0 == name; next } here' "$WORK/guest/stdout"; }
# runs NAME: prints 1 if that handler ran, else 0
runs() { part "status $1" | grep -qx 0 && echo 1 || echo 0; }
doctor_row() { grep -E "^[a-z]+ $1 " "$WORK/rows"; }
# agree WHAT RUNS DOCTOR_ROW: a run must succeed if and only if the doctor says so
agree() {
	doctor_row "$3" >"$WORK/row"
	case $2$(cut -d ' ' -f 1 "$WORK/row") in
	1ok | 0note | 0warning | 0missing) ;;
	*) fail "$1: status of the run says $2, the doctor '$(cat "$WORK/row")'" ;;
	esac
}
says() { part "$1" | tr '\n' ' ' | tr -s ' ' | grep -qF "$2" || fail "$1: no '$2' in: $(part "$1" | head -n 4)"; }

echo "$kernels" >"$WORK/kernels"
while read -r name release vmlinuz modules <&3; do
	kernel/guest/tool -m veth 400 "$vmlinuz" "$modules" "$WORK/guest" '
		run() { spinctl run "/objects/$1.spin" --dev lo --duration 0.1 $3 >/tmp/out 2>&1; s=$?; echo "== status $2"; echo $s; echo "== run $2"; cat /tmp/out; }
		echo "== json"; spinctl doctor --json
		echo "== text"; spinctl doctor
		echo "== lo"; spinctl doctor --dev lo
		echo "== limits"; spinctl limits
		echo "== few"; (ulimit -n 12; spinctl run /objects/filtering.spin --dev lo --duration 0.1) 2>&1
		run filtering datagrams
		run copy_to_host messages
		run filtering isolated "--class isolated"' \
		"$BUILD/bin/spinctl" "$BUILD/handlers/filtering.spin" "$BUILD/handlers/copy_to_host.spin" || { fail "no guest"; continue; }
	part json >"$WORK/json"
	is_json "$WORK/json"
	json_rows "$WORK/json" >"$WORK/rows"
	part text >"$WORK/text"
	in_80_columns "$WORK/text"

	agree datagrams "$(runs datagrams)" datagrams
	agree messages "$(runs messages)" messages
	agree "the isolated class" "$(runs isolated)" "isolated datagrams"
	case $(runs datagrams)$(runs isolated) in
	11) want="ok load classes trusted and isolated" ;;
	10) want="note load classes trusted only" ;;
	*) want="missing load classes none" ;;
	esac
	doctor_row "load classes" | grep -q "^$want" || fail "'$(doctor_row "load classes")' instead of '$want'"
	[ "$(part limits | awk '/^messages/ { print $2; exit }')" = "$([ "$(runs messages)" = 1 ] && echo yes || echo no)" ] ||
		fail "limits: $(part limits | grep '^messages')"
	[ "$(runs messages)" = 1 ] || part limits | grep -qE '^reliable +no no' || fail "limits promise messages"
	if [ "$(runs datagrams)" = 1 ]; then
		says text "handlers can run here"
		says few "ulimit -n"
	else
		says text "handlers cannot run here"
	fi
	# a user who asked for the trusted class must not be advised to use it
	part "run datagrams" | grep "in the trusted class" && fail "advice to do what was done"
	case $name in
	5.10)
		says text "is too old for datagram handlers (6.1), messages"
		says text "boot Linux 6.9 or newer for everything"
		says "run datagrams" "too old for datagram handlers (Linux 6.1 or newer)"
		says lo "not in this kernel (since Linux 5.12)"
		;;
	6.1)
		[ "$(runs datagrams)" = 1 ] || fail "datagram handlers: $(part "run datagrams")"
		doctor_row libxdp | grep -q "a program can replace another's function" || fail "libxdp: $(doctor_row libxdp)"
		;;
	*)
		doctor_row messages | grep -q '^ok' || fail "messages: $(doctor_row messages)"
		;;
	esac
	[ "$(runs messages)" = 1 ] || says "run messages" "too old for"
	echo "$name $release: datagrams $(runs datagrams), messages $(runs messages), isolated $(runs isolated)"
done 3<"$WORK/kernels"
exit $FAILED
