# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What image.sh, full.sh and full_check.sh share: names, the cache, chroot and disks. Read with `.`.
top=$(cd "$(dirname "$0")/../.." && pwd)
guests=${SPIN_GUESTS:-/var/cache/spin-guests}

fail() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

say() {
	echo "$(basename "$0"): $*" >&2
}

need() {
	for tool; do
		command -v "$tool" >/dev/null || PATH=$PATH:/usr/sbin:/sbin command -v "$tool" >/dev/null ||
			fail "there is no $tool here (Debian: apt-get install qemu-system-x86 debootstrap busybox-static cpio e2fsprogs)"
	done
}

suite_of() {
	case $1 in
	12 | bookworm) echo bookworm ;;
	13 | trixie) echo trixie ;;
	*) fail "Debian '$1' is not one of 12, 13" ;;
	esac
}

mirror() {
	if [ -n "${DEBIAN_MIRROR:-}" ]; then
		echo "$DEBIAN_MIRROR"
		return
	fi
	cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -v '^ *#' |
		grep -o 'https\{0,1\}://[^ ]*/debian/*\( \|$\)' | head -n 1 | tr -d ' ' | grep . || echo http://deb.debian.org/debian
}

security_mirror() {
	mirror | sed 's|/debian/*$|/debian-security|'
}

# in_tree DIRECTORY COMMAND...: natively, as root of that tree, in its /, with the host's network and kernel
in_tree() {
	[ "${SPIN_GUEST_NS:-}" = 1 ] || fail "in_tree needs a mount namespace of its own"
	for part in proc sys dev dev/pts; do
		mountpoint -q "$1/$part" || mount --bind "/$part" "$1/$part"
	done
	mountpoint -q "$1/run" || mount -t tmpfs tmpfs "$1/run"
	in_root=$1
	shift
	env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
		TERM=dumb chroot "$in_root" "$@"
}

# make_ext4 DIRECTORY IMAGE SIZE
make_ext4() {
	need mke2fs
	rm -f "$2"
	truncate -s "$3" "$2"
	PATH=$PATH:/usr/sbin:/sbin mke2fs -q -F -t ext4 -O ^has_journal -E lazy_itable_init=1,root_owner=0:0 -m 0 -d "$1" "$2" >&2 ||
		fail "mke2fs of $1 failed"
}

# kernel_of RELEASE: the package of its own kernel
kernel_of() {
	echo "$(suite_of "$1")/linux-image-amd64"
}

# kernel_tree PACKAGE|DIRECTORY: the directory it is unpacked in
kernel_tree() {
	if [ -d "$1" ]; then
		echo "$1"
		return
	fi
	fail "no kernel $1"
}

# modules_image KERNEL RELEASE: its modules with their index as a disk that is mounted on /usr/lib/modules
modules_image() {
	modules=$guests/modules-$2.ext4
	if [ ! -f "$modules" ]; then
		(
			flock 9
			[ -f "$modules" ] && exit
			indexed_modules "$1" "$2" "$modules.tmp.d"
			make_ext4 "$modules.tmp.d/lib/modules" "$modules.tmp" 2G
			rm -rf "$modules.d" && mv "$modules.tmp.d" "$modules.d"
			mv "$modules.tmp" "$modules"
		) 9>"$modules.lock"
	fi
	echo "$modules"
}

# indexed_modules KERNEL RELEASE DIRECTORY: a copy of the modules with depmod's files
indexed_modules() {
	rm -rf "$3"
	mkdir -p "$3/lib/modules"
	if [ -d "$1/usr/lib/modules/$2" ]; then
		cp -a "$1/usr/lib/modules/$2" "$3/lib/modules/"
	else
		cp -a "$1/lib/modules/$2" "$3/lib/modules/"
	fi
	rm -f "$3/lib/modules/$2/build" "$3/lib/modules/$2/source"
	depmod -b "$3" "$2"
}

# initramfs KERNEL RELEASE FILE
initramfs() {
	tree_of_modules=$guests/modules-$2.ext4.d
	ram=$(mktemp -d "$guests/run.XXXXXX")
	mkdir -p "$ram/bin" "$ram/modules"
	cp "$(command -v busybox)" "$ram/bin/busybox"
	cp "$top/kernel/guest/full-initramfs.sh" "$ram/init"
	for module in virtio_pci virtio_blk virtio_net crc32c_generic crc32c_intel ext4; do
		modprobe -d "$tree_of_modules" -S "$2" --show-depends "$module" 2>/dev/null
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r file; do
		base=$(basename "$file" .xz)
		case $file in
		*.xz) xz -dc "$file" >"$ram/modules/$base" ;;
		*) cp "$file" "$ram/modules/" ;;
		esac
		echo "$base"
	done >"$ram/modules/list"
	(cd "$ram" && find . | cpio --quiet -o -H newc) >"$3"
	rm -rf "$ram"
}

# quoted ARGUMENT...: a shell line that has them again
quoted() {
	for argument; do
		printf "'%s' " "$(printf '%s' "$argument" | sed "s/'/'\\\\''/g")"
	done
	echo
}
