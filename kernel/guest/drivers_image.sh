#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Makes the initramfs of the driver tests' guests: busybox, ip, ethtool, bpftool, spinctl, two handlers, and the modules
# of one kernel. Called by tests/kernels/drivers.sh and share.sh. Nothing of the machine but the programs named here gets in.
#
# drivers_image.sh MODULES-DIR BUILD OUT.cpio.gz: MODULES-DIR is .../lib/modules/VERSION. CASES is whose guest it is (drivers or share),
# PROGRAMS what it has besides, OBJECTS are files that it has where this machine has them, OVERLAY is a directory with others' programs
# and libraries, which go before this machine's.
: "${CASES:=drivers}" "${PROGRAMS:=}" "${OBJECTS:=}" "${OVERLAY:=}"
set -eu
modules=$1 build=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/bin "$root"/lib "$root"/lib64 "$root"/modules "$root"/spin "$root"/proc "$root"/sys "$root"/dev \
	"$root"/tmp "$root"/run
[ -z "$OVERLAY" ] || cp -a "$OVERLAY/." "$root/"

# Modules in the order in which they can be loaded; those that a kernel has built in or lacks are left out.
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
	# `name` was the callee's, too: a shell function has no variables of its own
	echo "$(basename "$1" | tr - _).ko" >>"$root/modules/order"
}
for module in virtio_pci virtio_net vmxnet3 e1000e bonding 8021q vxlan geneve macvlan veth; do
	add_module $module
done

# Programs with the libraries that they are linked with.
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
