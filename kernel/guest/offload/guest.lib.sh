# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Boots a guest that runs COMMAND, for the tests of offload to a card. Sourced by judge.sh and cases.sh, which set `here`:
# in_guest KERNEL OURS COMMAND FILE...
#
# OURS names modules of modules.sh to be loaded, as one argument. Prints what COMMAND wrote to /dev/ttyS1 or stdout, and returns
# its exit status.
: "${BUILD:=$here/../../../build}"
skip() { echo "skip: $*"; exit 77; }
die() { echo "${0##*/}: $*" >&2; exit 1; }

for tool in qemu-system-x86_64 cpio setpriv flock busybox modinfo; do
	command -v $tool >/dev/null || skip "no $tool (packages.txt)"
done

in_guest() {
	kernel=$1 wanted=$2 command=$3
	shift 3
	for file in "$@"; do
		[ -e "$file" ] || die "no $file: make build/guest/${file##*/}"
	done
	mkdir -p "$BUILD/guest"
	# A live run holds the lock of its directory, even if it is in another PID namespace.
	exec 7>"$BUILD/guest/lock"
	flock 7
	for out in "$BUILD"/guest/run.*; do
		[ ! -d "$out" ] || flock -n "$out/lock" rm -rf "$out" || :
	done
	out=$(mktemp -d "$BUILD/guest/run.XXXXXX")
	exec 8>"$out/lock"
	flock 8
	exec 7>&-
	trap 'rm -rf "$out"' EXIT
	trap 'exit 1' INT TERM HUP
	"$here/modules.sh" "$kernel" >"$out/found" || { rc=$?; cat "$out/found"; exit $rc; }
	read -r name release vmlinuz modules ours <"$out/found"
	options=
	for module in $wanted; do
		[ -e "$ours/$module.ko" ] && options="$options -m $ours/$module.ko" || options="$options -m $module"
	done
	setpriv --pdeathsig KILL "$here/../tool" $options "${SPIN_GUEST_SECONDS:-300}" "$vmlinuz" "$modules" "$out" "$command" "$@" && ended=1 || ended=
	# also prints what was written before the guest broke down
	[ ! -e "$out/stdout" ] || tr -d '\r' <"$out/stdout"
	[ ! -e "$out/stderr" ] || tr -d '\r' <"$out/stderr" >&2
	[ "$ended" ] || die "the guest of $kernel was lost, or not done in ${SPIN_GUEST_SECONDS:-300} s (SPIN_GUEST_SECONDS)"
	return "$(cat "$out/status")"
}
