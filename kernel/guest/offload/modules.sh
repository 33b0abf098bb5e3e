#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Builds the kernel modules of the offload guest: modules.sh [--cached] [NAME...], names of ../kernels.txt (default: 6.1-cloud 6.12-cloud).
# Run by `make check-offload`, and by guest.lib.sh for each guest.
#
# Prints a line for each kernel: NAME RELEASE VMLINUZ MODULES OURS; OURS has netdevsim.ko and nfp_oracle.ko. They are built
# from Debian's source of exactly that kernel and our shim, once for each kernel and content of the shim, and kept in the
# cache of `fetch`; no kernel source enters this tree. Several instances may run at a time, and may be killed.
# With --cached nothing is downloaded or built, and no network is used.
# Exits with 77 and a line "skip: WHY" if the kernel, its source or a compiler is not available.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${SPIN_GUESTS:-/var/cache/spin-guests}
netdevsim=drivers/net/netdevsim nfp=drivers/net/ethernet/netronome/nfp
skip() { echo "skip: $*"; exit 77; }

cached=
[ "${1:-}" != --cached ] || { cached=1; shift; }
[ $# -gt 0 ] || set -- 6.1-cloud 6.12-cloud
[ "$(uname -m)" = x86_64 ] || skip "the guests are amd64, and this machine is not"
for tool in make xz modinfo flock; do
	command -v $tool >/dev/null || skip "no $tool (packages.txt)"
done
cc=$(command -v gcc-12 || command -v gcc) || skip "no gcc (packages.txt)" # Debian's kernels are built with gcc-12
recipe=1 # change the number whenever the way to build changes
stamp=$(echo $recipe | cat - "$here/Kbuild" "$here/nfp_shim.c" | cksum | cut -d ' ' -f 1)

# is_cached NAME: prints its line, as the main loop does
is_cached() {
	version=$(awk -v name="$1" '$1 == name { print $3 }' "$cache/versions" 2>/dev/null) && [ -n "$version" ] || return 1
	to=$cache/$1-$version
	vmlinuz=$(find "$to/binary" -type f -name 'vmlinuz*' 2>/dev/null)
	release=$(find "$to/modules/lib/modules" -mindepth 1 -maxdepth 1 -printf '%f\n' 2>/dev/null)
	[ -n "$vmlinuz" ] && [ -n "$release" ] && [ -e "$to/ours-$stamp" ] || return 1
	echo "$1 $release $vmlinuz $to/modules $to/ours-$stamp"
}

if [ "$cached" ]; then
	for name in "$@"; do
		is_cached "$name" || skip "the modules for $name are not built: make check-offload"
	done
	exit 0
fi
found=$("$here/../fetch" --modules --headers --source $netdevsim --source $nfp "$@") || {
	rc=$?
	echo "$found"
	exit $rc
}

# build RELEASE HEADERS SOURCE TO
build() {
	rm -rf "$4".part.* # left by a killed run, whose compilers may still run
	part=$(mktemp -d "$4.part.XXXXXX")
	cp -r "$3/$netdevsim" "$3/$nfp" "$here/Kbuild" "$here/nfp_shim.c" "$part/"
	if ! make -C "$2/usr/src/linux-headers-$1" M="$part" CC="$cc" CONFIG_NETDEVSIM=m -j2 modules >"$part/log" 2>&1 9>&-; then
		echo "modules.sh: the modules for $1 cannot be built; the end of $part/log:" >&2
		tail -n 20 "$part/log" >&2
		return 1
	fi
	mkdir "$part/ours"
	strip -g -o "$part/ours/netdevsim.ko" "$part/netdevsim/netdevsim.ko"
	strip -g -o "$part/ours/nfp_oracle.ko" "$part/nfp_oracle.ko"
	mv "$part/ours" "$4"
	rm -rf "$part"
}

# A lock of its own, so that others can use the kernels while this compiles.
exec 9>"$cache/lock.modules"
flock 9
echo "$found" | while read -r name release vmlinuz modules headers source; do
	ours=$(dirname "$modules")/ours-$stamp
	[ -e "$ours" ] || build "$release" "$headers" "$source" "$ours" || exit 1
	touch "$ours"
	# removes builds of other contents of the shim that were not used for a week
	find "$(dirname "$modules")" -maxdepth 1 -name 'ours-*' ! -path "$ours" -mtime +7 -exec rm -rf {} +
	echo "$name $release $vmlinuz $modules $ours"
done
