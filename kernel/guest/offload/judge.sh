#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Prints the NFP driver's verdicts on programs: judge.sh [-m MTU] KERNEL DIRECTORY, KERNEL of ../kernels.txt.
#
# Boots the kernel with every *.o and *.spin of DIRECTORY and prints judge.c's lines: OBJECT PROGRAM accept INSTRUCTIONS, or
# OBJECT PROGRAM reject STAGE MESSAGE. Exits with 0 if every object was judged, 77 and "skip: WHY" if there is no guest.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/guest.lib.sh"
mtu=
[ "${1:-}" != -m ] || { mtu="-m $2"; shift 2; }
[ $# = 2 ] || { sed -n '3s/^# //p' "$0" >&2; exit 2; }
kernel=$1 directory=$2
set --
for file in "$directory"/*.o "$directory"/*.spin; do
	[ ! -e "$file" ] || set -- "$@" "$file"
done
[ $# -gt 0 ] || die "$directory has no *.o and no *.spin"
objects=$(printf '%s\n' "$@" | sed "s|.*/|./|; s/'/'\\\\''/g; s/.*/'&'/" | LC_ALL=C sort | tr '\n' ' ')
# through its own port, so that output before a guest broke down is not lost
in_guest "$kernel" nfp_oracle "cd /objects && exec judge $mtu nfp0 $objects >/dev/ttyS1" "$BUILD/guest/judge" "$@"
