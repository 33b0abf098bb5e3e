#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Install must put everything below DESTDIR and PREFIX, without paths of the build; uninstall must remove everything. Run by tests/run.
. "$(dirname "$0")/install.inc"
DEST="$WORK/a directory"
TREE=$DEST/opt/spin
to="PREFIX=/opt/spin"

has() { [ -f "$TREE/$1" ] || fail "no $1 in the installed tree"; }

expect 0 make_in_tree install $to DESTDIR="$DEST"
for file in bin/spinctl bin/spincc bin/hpu-run lib/libspin.a lib/libspin.so lib/libspin.so.0 lib/pkgconfig/libspin.pc \
	include/spin/libspin.h share/man/man8/spinctl.8 share/man/man1/spincc.1 share/man/man1/hpu-run.1 share/man/man3/libspin.3 \
	share/man/man3/spin_ctx__attach.3 share/man/man7/spin-handler.7 share/man/man7/spin-papers.7 share/man/man7/spin-pspin.7 share/bash-completion/completions/spinctl \
	share/spin/handlers/include/spin/spin.h share/spin/bpf/context.bpf.c share/spin/hwmodel/image/pspin.ld share/spin/hwmodel/image/pspin/link.ld share/spin/handlers/include/pspin/hal/pulp.h \
	share/spin/handlers/filtering.c lib/spin/filtering.spin share/spin/wireshark/slmp.lua; do
	has $file
done
version=$("$TREE/bin/spinctl" --version | sed 's/spinctl //')
has "lib/libspin.so.$version"
says_pc() { grep -qxF "$1" "$TREE/lib/pkgconfig/libspin.pc" || fail "libspin.pc has no line $1"; }
says_pc "Version: $version"
says_pc 'prefix=/opt/spin'
says_pc 'libdir=${prefix}/lib'

# no path of the build or staging directory
grep -rlF -e "$DEST" -e "$ROOT" -e "$BUILD" "$TREE" >"$WORK/leaks" &&
	fail "paths of this machine are in: $(cat "$WORK/leaks")"
find "$DEST" ! -type l -perm /022 >"$WORK/open"
[ -s "$WORK/open" ] && fail "others may write: $(cat "$WORK/open")"
find "$DEST" -xtype l >"$WORK/dangling"
[ -s "$WORK/dangling" ] && fail "links to nothing: $(cat "$WORK/dangling")"

# reinstall, then uninstall; other files must be kept
expect 0 make_in_tree install $to DESTDIR="$DEST"
echo theirs >"$TREE/share/spin/handlers/theirs.c"
expect 0 make_in_tree uninstall $to DESTDIR="$DEST"
[ "$(find "$DEST" ! -type d)" = "$TREE/share/spin/handlers/theirs.c" ] ||
	fail "uninstall leaves $(find "$DEST" ! -type d | head -n 3)"
rm -rf "$DEST"

# existing directories are kept, ours are removed
mkdir -p "$TREE/share/man/man8" "$TREE/bin"
(cd "$DEST" && find . | sort) >"$WORK/before"
expect 0 make_in_tree install $to DESTDIR="$DEST" LIBDIR=/opt/spin/lib/x-y-z
has lib/x-y-z/libspin.so.0
says_lib() { grep -qxF 'libdir=${prefix}/lib/x-y-z' "$TREE/lib/x-y-z/pkgconfig/libspin.pc" || fail "libspin.pc: LIBDIR"; }
says_lib
expect 0 make_in_tree uninstall $to DESTDIR="$DEST" LIBDIR=/opt/spin/lib/x-y-z
(cd "$DEST" && find . | sort) >"$WORK/after"
cmp -s "$WORK/before" "$WORK/after" || fail "uninstall: $(diff "$WORK/before" "$WORK/after" | head -n 5)"

expect 2 make_in_tree uninstall $to DESTDIR="$DEST"
says err "nothing is installed"
expect 2 make_in_tree install PREFIX=opt DESTDIR="$DEST"
says err "absolute"

# an installed tree needs no source, and installing must not write to a source tree that is built
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	export ROOT BUILD DEST
	expect 0 unshare -m sh -c 'mount --bind "$ROOT" "$ROOT" && mount -o remount,bind,ro "$ROOT" &&
		{ case $BUILD in "$ROOT"/*) ;; *) mount --bind "$BUILD" "$BUILD" && mount -o remount,bind,ro "$BUILD" ;; esac; } &&
		make -s --no-print-directory -C "$ROOT" BUILD="$BUILD" install PREFIX=/opt/spin DESTDIR="$DEST"'
fi
exit $FAILED
