#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs a command as root in a clean clone of this tree, in a Debian guest: full.sh [OPTION...] -- COMMAND...
#
#   --debian 12|13     the root, and its kernel (12)
#   --kernel NAME      a kernel of kernels.txt instead of the root's own: 6.12-bpo
#   --bare             the root without the packages of packages.txt: make deps installs them
#   --built            builds the clone natively first, with the compilers of that root: an emulated build takes 10 to
#                      50 times as long. Objects do not depend on the kernel; the guest verifies what it loads.
#   --tree DIRECTORY   that tree instead of a clean clone
#   --collect PATTERN  files of the clone to bring back, may be repeated
#   --out DIRECTORY    where status, output, dmesg and these files go (build/guest/debian-N)
#   --cpus N, --memory MB, --minutes N  of the guest (2, 4096, 180)
#
# The guest is QEMU's, without KVM. Ends with the command's exit status; 125: the guest did not get that far.
set -eu
. "$(dirname "$0")/full.lib.sh"
. "$(dirname "$0")/speculation"

debian=12 kernel= variant=ready built= tree= out= cpus=2 memory=4096 minutes=180 collect=
while [ $# -gt 0 ]; do
	case $1 in
	--debian) debian=$2 && shift ;;
	--kernel) kernel=$2 && shift ;;
	--bare) variant=bare ;;
	--built) built=1 ;;
	--tree) tree=$2 && shift ;;
	--collect) collect="$collect$2
" && shift ;;
	--out) out=$2 && shift ;;
	--cpus) cpus=$2 && shift ;;
	--memory) memory=$2 && shift ;;
	--minutes) minutes=$2 && shift ;;
	--help) sed -n '3,/^set/s/^# \{0,1\}//p' "$0" && exit 0 ;;
	--) shift && break ;;
	*) fail "unknown option $1, see --help" ;;
	esac
	shift
done
[ $# -gt 0 ] || fail "no command, see --help"
[ "$(id -u)" = 0 ] || fail "making a Debian root needs root"
need qemu-system-x86_64 cpio busybox
: "${out:=$top/build/guest/debian-$debian}"
mkdir -p "$out" "$guests"
rm -rf "${out:?}"/*
image=$("$top/kernel/guest/image.sh" "$debian" $variant)

# The kernel, its modules as a disk, and an initramfs with the modules that disks and network need
fetched=$("$top/kernel/guest/fetch" --modules "${kernel:-$(kernel_of "$debian")}") || { echo "$fetched"; exit 77; }
read -r kernel release vmlinuz tree_of_modules <<END
$fetched
END
modules=$(modules_image "$tree_of_modules" "$release")

work=$(mktemp -d "$guests/run.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 125' INT TERM HUP

initramfs "$release" "$work/initramfs"
mkdir "$work/job"
cp "$top/kernel/guest/full-init.sh" "$work/job/"
printf '%s\n' "$collect" >"$work/job/collect"
quoted "$@" >"$work/job/job"
(cd "$work/job" && find . | cpio --quiet -o -H newc) >>"$work/initramfs"

# The work tree, as a disk of its own
if [ -z "$tree" ]; then
	tree=$work/tree
	git -c advice.detachedHead=false clone -q "$top" "$tree"
	[ -z "$built" ] || build_natively "$debian" "$tree"
fi
make_ext4 "$tree" "$work/work.ext4" 8G
truncate -s 256M "$work/result"

disk() {
	printf -- '-drive if=none,id=%s,format=raw,file=%s,%s -device virtio-blk-pci,drive=%s,serial=%s ' "$1" "$2" "$3" "$1" "$1"
}

# The guest's clock counts its instructions, 2 ns each, so code that waits for a time finds the usual amount of work done, however slow and
# busy the host is. All CPUs of the guest share one thread of the host. With such a clock Linux 6.1 never starts its second CPU (QEMU 7.2:
# it stops at "Booting SMP configuration"), so it uses the host's clock, and a thread for each CPU.
case $kernel in
6.1*) clock="-accel tcg,thread=multi,tb-size=1024" ;;
*) clock="-accel tcg,thread=single,tb-size=1024 -icount shift=1 -rtc clock=vm" ;;
esac
rc=0
# shellcheck disable=SC2046,SC2086
TMPDIR=$work timeout -k 10 "${minutes}m" qemu-system-x86_64 -nodefaults -no-reboot -display none -machine q35 \
	$clock -cpu max,la57=off -smp "$cpus" -m "$memory" \
	-kernel "$vmlinuz" -initrd "$work/initramfs" -append "console=ttyS0 quiet no_timer_check nowatchdog \
tsc=reliable $speculation panic=-1 spin_guest=full ${SPIN_GUEST_APPEND:-}" \
	-serial "file:$out/console" -serial stdio \
	$(disk root "$image" snapshot=on) $(disk modules "$modules" readonly=on) $(disk work "$work/work.ext4" cache=unsafe) \
	$(disk result "$work/result" cache=unsafe) \
	-netdev user,id=net -device virtio-net-pci,netdev=net,romfile= ${SPIN_GUEST_QEMU:-} </dev/null || rc=$?
[ "$rc" != 124 ] || { say "the guest was ended after $minutes minutes"; exit 125; }
if ! tar xf "$work/result" -C "$out" 2>/dev/null || [ ! -s "$out/status" ]; then
	tail -n 20 "$out/console" >&2
	say "the guest ended before its command did; what it said is in $out/console"
	exit 125
fi
exit "$(cat "$out/status")"
