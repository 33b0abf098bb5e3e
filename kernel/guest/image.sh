#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Makes the Debian root file systems of guests (full.sh), once, and keeps them: image.sh [--tree] RELEASE bare|ready,
# or image.sh --run DIRECTORY RELEASE COMMAND...
#
# Prints the path of an ext4 image, or with --tree of the directory that it is made from. RELEASE is 12 or 13.
# --run runs a command natively, on the host's kernel, in the ready root with DIRECTORY as its /work.
# bare: debootstrap's minbase, git, make, ca-certificates, kmod; `make deps` must install the rest.
# ready: the same after `make deps`. Roots are kept in $SPIN_GUESTS (/var/cache/spin-guests) and never change once they have
# their name, so several guests may use one. A killed run leaves only files that the next one removes.
# Needs root and a Debian mirror: the host's, or DEBIAN_MIRROR.
set -eu
. "$(dirname "$0")/full.lib.sh"

usage="usage: image.sh [--tree] 12|13 bare|ready, or image.sh --run DIRECTORY 12|13 COMMAND..."
[ $# -ge 2 ] || fail "$usage"

# Runs in its own mount namespace, so its mounts go away with it, however it ends.
if [ "${SPIN_GUEST_NS:-}" != 1 ]; then
	SPIN_GUEST_NS=1 exec unshare --mount --pid --fork --kill-child "$0" "$@"
fi

if [ "$1" = --run ]; then
	[ $# -ge 4 ] || fail "$usage"
	root=$("$0" --tree "$3" ready)
	mount --bind "$2" "$root/work"
	mount -t tmpfs tmpfs "$root/tmp"
	shift 3
	in_tree "$root" sh -c 'cd /work && exec "$@"' sh "$@"
	exit
fi

tree=
[ "$1" = --tree ] && tree=1 && shift
[ $# = 2 ] || fail "$usage"
suite=$(suite_of "$1")
variant=$2

# debootstrap_into DIRECTORY
debootstrap_into() {
	debootstrap --variant=minbase --include=git,make,ca-certificates,kmod "$suite" "$1" "$(mirror)" >"$1.log" 2>&1 ||
		{ tail -n 20 "$1.log" >&2; fail "debootstrap of $suite from $(mirror) failed"; }
	{
		echo "deb $(mirror) $suite main"
		echo "deb $(mirror) $suite-updates main"
		echo "deb $(security_mirror) $suite-security main"
		[ "$suite" != bookworm ] || echo "deb $(mirror) bookworm-backports main"
	} >"$1/etc/apt/sources.list"
	# the host's resolver must not leak into the guest
	: >"$1/etc/resolv.conf"
	echo spin-guest >"$1/etc/hostname"
	echo "127.0.0.1 localhost spin-guest" >"$1/etc/hosts"
	mkdir -p "$1/work"
	rm -f "$1"/var/cache/apt/archives/*.deb "$1.log"
}

# make_ready DIRECTORY: installs what `make deps` installs, by the list of this tree
make_ready() {
	cp "$top/packages.txt" "$1/tmp/" && mkdir -p "$1/tmp/tests" && cp "$top/tests/deps.sh" "$1/tmp/tests/"
	cp /etc/resolv.conf "$1/etc/"
	in_tree "$1" /tmp/tests/deps.sh >&2 || fail "the packages of packages.txt cannot be installed in $suite"
	rm -rf "$1/tmp/packages.txt" "$1/tmp/tests" "$1"/var/cache/apt/archives/*.deb
	: >"$1/etc/resolv.conf"
}

case $variant in
bare) name=$suite-bare ;;
ready) name=$suite-ready-$(cat "$top/packages.txt" "$top/tests/deps.sh" | sha256sum | cut -c 1-12) ;;
*) fail "image.sh: '$variant' is neither bare nor ready" ;;
esac
mkdir -p "$guests"
exec 9>"$guests/$name.lock"
flock 9

if [ ! -d "$guests/$name" ]; then
	need debootstrap
	rm -rf "$guests/$name.tmp" "$guests/$name.tmp.log"
	say "making $guests/$name"
	if [ "$variant" = bare ]; then
		debootstrap_into "$guests/$name.tmp"
	else
		# a root of an earlier list already has most of the packages
		from=$(ls -dt "$guests/$suite"-ready-???????????? 2>/dev/null | head -n 1)
		cp -a "${from:-$("$0" --tree "$1" bare 9>&-)}" "$guests/$name.tmp"
		make_ready "$guests/$name.tmp"
	fi
	mv "$guests/$name.tmp" "$guests/$name"
fi
if [ -n "$tree" ]; then
	echo "$guests/$name"
	exit 0
fi
if [ ! -f "$guests/$name.ext4" ]; then
	make_ext4 "$guests/$name" "$guests/$name.ext4.tmp" 8G
	mv "$guests/$name.ext4.tmp" "$guests/$name.ext4"
fi
echo "$guests/$name.ext4"
