#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# If packages are missing, plain `make` must print one line with their names and how to install them, before it compiles anything.
# Run by tests/run.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MAKELEVEL MFLAGS CC CLANG RISCV_CC PKG_CONFIG
fail() {
	echo "FAIL: $*"
	cat "$work/out"
	exit 1
}

# The makefile without sources, and a list with packages that no machine has.
mkdir -p "$work/tests" "$work/user/lib"
cp Makefile "$work" && cp tests/deps.sh "$work/tests" && cp user/install.mk "$work/user" && cp user/lib/version.h "$work/user/lib"
list() { # FILE-OF-CLANG FILE-OF-HEADER FILE-OF-TEST
	printf 'build:\nclang %s\nlibdw-dev %s\ntests:\ntshark %s\n' "$1" "$2" "$3" >"$work/packages.txt"
}
make_says() {
	make -C "$work" --no-print-directory -n "$@" >"$work/out" 2>&1
}

list /no/bin/no-such-clang /usr/include/no-such-header.h /no/bin/no-such-shark
CLANG=no-such-clang make_says && fail "make goes on"
grep -q "packages that are not installed: clang libdw-dev: run .make deps., as root" "$work/out" || fail "make does not name both"
[ "$(wc -l <"$work/out")" = 1 ] || fail "not one line"
# packages that only tests need are not required, and some goals need no packages
list /bin/sh /bin/sh /no/bin/no-such-shark
make_says deps || fail "make deps is not possible"
[ -z "$("$work/tests/deps.sh" --missing)" ] || fail "the build asks for a test's package"
list /no/bin/no-such-clang /no /no
make_says help || fail "make help is not possible"
# packages installed in other directories than Debian's
list /no/bin/sh /usr/include/../include/../include/stdint.h /no
[ -z "$(CLANG=sh "$work/tests/deps.sh" --missing)" ] || fail "a program in PATH is not found"
[ -z "$(CLANG=/bin/sh "$work/tests/deps.sh" --missing)" ] || fail "a program that a path names is not found"
list /no/bin/sh /bin/sh /no
make_says CLANG=no-such-clang && fail "a tool named on the command line is not looked for"
make_says CLANG=/bin/sh all
grep -q "not installed" "$work/out" && fail "a tool named on the command line is not found"
list /bin/sh /usr/include/stddef.h /no # a header of the compiler's own, in another directory
[ -z "$("$work/tests/deps.sh" --missing)" ] || fail "a header that the compiler finds elsewhere is not found"
# if nothing is missing, no program is run
PATH=/no-such-directory /bin/sh tests/deps.sh --missing >"$work/out" 2>&1 || fail "it needs more than a shell"
[ ! -s "$work/out" ] || fail "with an empty PATH something is missing"

# hides libdw's headers: the real makefile and list
if [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
	unshare --mount sh -c 'mount -t tmpfs none /usr/include/elfutils && exec make -n' >"$work/out" 2>&1 && fail "make goes on without libdw"
	grep -q "not installed: libdw-dev: run .make deps." "$work/out" || fail "make does not name libdw-dev"
fi
exit 0
