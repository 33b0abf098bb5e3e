# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Shell functions for guests with a whole Debian: names, the cache, chroot and disks. Sourced by image.sh (makes the root file systems),
# full.sh (runs a command in a guest) and full_check.sh (runs the tests in several guests).
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
			fail "there is no $tool here (Debian: apt-get install qemu-system-x86 debootstrap busybox-static cpio e2fsprogs kmod)"
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

# in_tree DIRECTORY COMMAND...: runs the command natively as root, chrooted to that tree, with the host's network and kernel. Its mounts go
# away with it.
in_tree() {
	unshare --mount sh -ec 'root=$1
		shift
		mount --rbind "$root" "$root" # must be a mount point: ip netns requires one at /
		for part in proc sys dev dev/pts; do
			mount --bind "/$part" "$root/$part"
		done
		mount -t tmpfs tmpfs "$root/run"
		exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
			TERM=dumb chroot "$root" "$@"' sh "$@"
}

# make_ext4 DIRECTORY IMAGE SIZE
make_ext4() {
	need mke2fs
	rm -f "$2"
	truncate -s "$3" "$2"
	PATH=$PATH:/usr/sbin:/sbin mke2fs -q -F -t ext4 -O ^has_journal -E lazy_itable_init=1,root_owner=0:0 -m 0 -d "$1" "$2" >&2 ||
		fail "mke2fs of $1 failed"
}

# kernel_of RELEASE: prints the name of its own kernel in kernels.txt
kernel_of() {
	case $(suite_of "$1") in
	bookworm) echo 6.1 ;;
	trixie) echo 6.12 ;;
	esac
}

# modules_image DIRECTORY RELEASE: makes a disk of the modules in that directory's lib/modules, with their index
modules_image() {
	modules=$guests/modules-$2.ext4
	if [ ! -f "$modules" ]; then
		(
			flock 9
			[ ! -f "$modules" ] || exit 0
			indexed_modules "$1" "$2" "$modules.tmp.d"
			make_ext4 "$modules.tmp.d/lib/modules" "$modules.tmp" 2G
			rm -rf "$modules.d" && mv "$modules.tmp.d" "$modules.d"
			mv "$modules.tmp" "$modules"
		) 9>"$modules.lock"
	fi
	echo "$modules"
}

# indexed_modules FROM RELEASE TO: a copy of the modules with depmod's files
indexed_modules() {
	need depmod
	rm -rf "$3"
	mkdir -p "$3/lib/modules"
	cp -a "$1/lib/modules/$2" "$3/lib/modules/"
	rm -f "$3/lib/modules/$2/build" "$3/lib/modules/$2/source"
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$3" "$2"
}

# initramfs RELEASE FILE
initramfs() {
	indexed=$guests/modules-$1.ext4.d
	ram=$(mktemp -d "$guests/run.XXXXXX")
	mkdir -p "$ram/bin" "$ram/modules"
	cp "$(command -v busybox)" "$ram/bin/busybox"
	cp "$top/kernel/guest/full-initramfs.sh" "$ram/init"
	for module in virtio_pci virtio_blk virtio_net crc32c_generic crc32c_intel ext4; do
		PATH=$PATH:/usr/sbin:/sbin modprobe -d "$indexed" -S "$1" --show-depends "$module" 2>/dev/null
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r file; do
		base=$(basename "$file" .xz)
		case $file in
		*.xz) xz -dc "$file" >"$ram/modules/$base" ;;
		*) cp "$file" "$ram/modules/" ;;
		esac
		echo "$base"
	done >"$ram/modules/list"
	(cd "$ram" && find . | cpio --quiet -o -H newc) >"$2"
	rm -rf "$ram"
}

# quoted ARGUMENT...: prints a shell line that expands to the same arguments
quoted() {
	for argument; do
		printf "'%s' " "$(printf '%s' "$argument" | sed "s/'/'\\\\''/g")"
	done
	echo
}

# build_natively RELEASE DIRECTORY: builds that tree with the compilers of that root, on the host's kernel
build_natively() {
	"$top/kernel/guest/image.sh" --run "$2" "$1" make -j"$(nproc)" -k tests >"$out/build" 2>&1 ||
		say "make tests natively: not all could be built, the guest tells; see $out/build"
}
