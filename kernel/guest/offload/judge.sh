#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What the NFP driver of a kernel says of programs: judge.sh [-m MTU] KERNEL DIRECTORY, KERNEL of ../kernels.txt.
#
# Boots the kernel with every *.o and *.spin of DIRECTORY and prints judge.c's lines: OBJECT PROGRAM accept INSTRUCTIONS, or
# OBJECT PROGRAM reject STAGE MESSAGE. Ends with 0 if every object was judged, 77 and "skip: WHY" where there is no guest.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${BUILD:=$here/../../../build}"
seconds=${SPIN_GUEST_SECONDS:-300}
mtu=
[ "${1:-}" != -m ] || { mtu="-m $2"; shift 2; }
[ $# = 2 ] || { sed -n '3s/^# //p' "$0" >&2; exit 2; }
kernel=$1 directory=$2
skip() { echo "skip: $*"; exit 77; }
die() { echo "judge.sh: $*" >&2; exit 1; }

for tool in qemu-system-x86_64 cpio setpriv flock busybox modinfo; do
	command -v $tool >/dev/null || skip "no $tool (packages.txt)"
done
[ -x "$BUILD/guest/judge" ] || die "no $BUILD/guest/judge: make build/guest/judge"
set --
for file in "$directory"/*.o "$directory"/*.spin; do
	[ ! -e "$file" ] || set -- "$@" "$file"
done
[ $# -gt 0 ] || die "$directory has no *.o and no *.spin"
found=$("$here/modules.sh" "$kernel") || { rc=$?; echo "$found"; exit $rc; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
trap 'exit 1' INT TERM HUP
echo "$found" | {
	read -r name release vmlinuz modules ours
	echo "vmlinuz=$vmlinuz modules=$modules ours=$ours"
} >"$out/found"
. "$out/found"
setpriv --pdeathsig KILL "$here/../tool" -m "$ours/nfp_oracle.ko" "$seconds" "$vmlinuz" "$modules" "$out" \
	"cd /objects && judge $mtu nfp0 $(printf '%s\n' "$@" | sed 's|.*/||' | LC_ALL=C sort | tr '\n' ' ') >/dev/ttyS1" \
	"$BUILD/guest/judge" "$@" || die "the guest of $kernel failed"
tr -d '\r' <"$out/stdout"
tr -d '\r' <"$out/stderr" >&2
exit "$(cat "$out/status")"
