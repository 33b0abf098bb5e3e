#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A user's project (tests/install/project) in another directory builds its handler and its application, shared and static, against the
# installed tree only, and runs them: of five datagrams, four to its port, the application must print 4 as handled. Run by tests/run;
# attaching needs root.
. "$(dirname "$0")/install.inc"
install_for_use
cp -r "$ROOT/tests/install/project" "$WORK/project"
cd "$WORK/project" || exit 1
ROOT=/nonexistent # for everything below

expect 0 make -s
[ -s ports.spin ] || fail "no ports.spin"
readelf -d watch | grep -q 'NEEDED.*\[libspin.so.0\]' || fail "watch is not linked with libspin.so.0"
programs=./watch
# the libelf.a of elfutils 0.192 (Debian 13) is incomplete: no program that uses it can be linked statically
cat >elf.c <<END
#include <libelf.h>
int main(void) { return elf_version(EV_CURRENT) == EV_NONE || !elf_begin(0, ELF_C_READ, 0); }
END
# shellcheck disable=SC2046
if cc -static elf.c -o elf $(${PKG_CONFIG:-pkg-config} --static --libs libelf) >err 2>&1; then
	expect 0 make -s watch-static
	readelf -d watch-static | grep -q NEEDED && fail "watch-static needs shared libraries"
	programs="$programs ./watch-static"
else
	echo "skip: static: this machine's libelf.a is not complete: $(grep -m 1 undefined err)"
	SKIPPED=1
fi

# a new handler
expect 0 spinctl new apples
expect 0 spinctl test apples.c
says out "1 of 1 vectors as expected"

# the compilers may only use the installed files
spincc -v -I. ports.c -o again.spin 2>&1 | grep -E -o -- '(-I|@|-T)/[^ ]*' | grep -v -F "$PREFIX" &&
	fail "spincc looks outside of the installed tree"

# a staged tree is used by pkg-config's sysroot
DEST=$WORK/stage
expect 0 make -s -C "$(dirname "$(dirname "$(dirname "$(realpath "$OLDPWD/$0" 2>/dev/null || realpath "$0")")")")" \
	BUILD="$BUILD" install PREFIX=/opt/spin DESTDIR="$DEST"
flags=$(PKG_CONFIG_PATH=$DEST/opt/spin/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$DEST ${PKG_CONFIG:-pkg-config} --cflags --libs libspin)
case $flags in
*"-I$DEST/opt/spin/include"*"-L$DEST/opt/spin/lib"*-lspin*) ;;
*) fail "with a sysroot pkg-config says: $flags" ;;
esac

for program in $programs; do
	expect 1 $program nothing.spin lo 1
	says err "nothing.spin"
done
[ $FAILED = 0 ] || exit 1
skip_unless_root
make_nics
ip -n "$NS" address add 10.99.0.1/24 dev v1
ip -n "$NS" neighbour add 10.99.0.2 lladdr 02:00:00:00:00:02 dev v1

for program in $programs; do
	rm -f attached
	in_ns $program ports.spin v0 4 >out 2>err &
	watch=$!
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ -e attached ] && break
		sleep 0.1
	done
	# shellcheck disable=SC3025
	in_ns bash -c 'for i in 1 2 3 4; do echo $i >/dev/udp/10.99.0.2/9000; done; echo 5 >/dev/udp/10.99.0.2/9001'
	wait $watch || fail "$program: $(cat err)"
	printf 'pass success 4\nspin_state.lowest 1024\nspin_state.taken 4\n' | cmp -s - out ||
		fail "$program counts: $(cat out)"
done
[ $FAILED = 0 ] && [ "${SKIPPED:-}" ] && exit 77
exit $FAILED
