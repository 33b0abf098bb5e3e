#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Makes the initramfs of the driver tests' guests: busybox, ip, ethtool, bpftool, spinctl, two handlers, and the modules of one kernel.
# Called by tests/kernels/drivers.sh and share.sh. Only the programs named here are copied from this machine.
#
# drivers_image.sh MODULES-DIR BUILD OUT.cpio.gz: MODULES-DIR is .../lib/modules/VERSION. CASES selects the cases that the guest runs
# (drivers or share), PROGRAMS are additional programs, OBJECTS are files that are copied to the same paths, OVERLAY is a directory with
# third-party programs and libraries, which take precedence over this machine's.
: "${CASES:=drivers}" "${PROGRAMS:=}" "${OBJECTS:=}" "${OVERLAY:=}"
set -eu
modules=$1 build=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/bin "$root"/lib "$root"/lib64 "$root"/modules "$root"/spin "$root"/proc "$root"/sys "$root"/dev \
	"$root"/tmp "$root"/run
[ -z "$OVERLAY" ] || cp -a "$OVERLAY/." "$root/"

# Lists the modules in load order; those that a kernel has built in or lacks are left out.
: >"$root/modules/order"
add_module() {
	name=$(echo "$1" | tr - _)
	[ -e "$root/modules/$name.ko" ] && return 0
	file=$(find "$modules/kernel" -name "$(echo "$name" | tr _ '?').ko*" | head -n 1)
	[ -n "$file" ] || return 0
	case $file in
	*.xz) xz -dc "$file" >"$root/modules/$name.ko" ;;
	*.zst) zstd -qdc "$file" >"$root/modules/$name.ko" ;;
	*) cp "$file" "$root/modules/$name.ko" ;;
	esac
	for need in $(tr '\0' '\n' <"$root/modules/$name.ko" | sed -n 's/^depends=//p' | tr , ' '); do
		add_module "$need"
	done
	# `name` now has the callee's value: shell functions share their variables
	echo "$(basename "$1" | tr - _).ko" >>"$root/modules/order"
}
for module in virtio_pci virtio_net vmxnet3 e1000e bonding 8021q vxlan geneve macvlan veth; do
	add_module $module
done

# Copies a program with the libraries that it is linked to.
add_program() {
	cp -L "$1" "$root/bin/"
	ldd "$1" 2>/dev/null | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[ \t]*\(\/[^ ]*ld-[^ ]*\) .*/\1/p' |
		while read -r library; do
			mkdir -p "$root$(dirname "$library")"
			[ -e "$root$library" ] || cp -L "$library" "$root$library"
		done
}
for program in busybox ip ethtool bpftool $PROGRAMS; do
	path=$(PATH=$PATH:/usr/sbin:/sbin command -v $program) || { echo "skip: no $program"; exit 77; }
	add_program "$path"
done
add_program "$build/bin/spinctl"
add_program "$build/kernels/datagrams"
cp "$build/handlers/counter.spin" "$build/tests/handlers/rewrite.spin" "$root/spin/"
for object in $OBJECTS; do
	mkdir -p "$root$(dirname "$object")"
	cp "$object" "$root$object"
done
cp "$here/../../tests/cli/doctor.inc" "$here/${CASES}_cases.sh" "$root/spin/"
cp "$here/$CASES.init" "$root/init"
chmod 755 "$root/init"
mkdir -p "$(dirname "$out")"
(cd "$root" && find . | cpio -o -H newc --quiet -R 0:0) | gzip -1 >"$out.part"
mv "$out.part" "$out"
