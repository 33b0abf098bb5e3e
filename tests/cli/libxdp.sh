#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# libxdp's dispatcher is the XDP program by which several programs share an interface. `spinctl run` must refuse an interface that it holds,
# and advise xdp-loader's command, which also removes its pins; the same program under another name gets `ip link set`. The program here
# only has the dispatcher's name: not every kernel lets libxdp replace its functions. Run by tests/run.
. "$(dirname "$0")/setup.inc"
. "$(dirname "$0")/doctor.inc"
skip_unless_root
make_nics

cat >"$WORK/dispatcher.c" <<'END'
struct xdp_md;
__attribute__((section("xdp"), used)) int xdp_dispatcher(struct xdp_md *ctx) { return 2; }
char gpl[] __attribute__((section("license"), used)) = "GPL";
END
"${CLANG:-clang}" -target bpf -O2 -g -c "$WORK/dispatcher.c" -o "$WORK/dispatcher.o" || exit 1
attach_by_iproute v0 xdpdrv obj "$WORK/dispatcher.o" sec xdp || fail "cannot attach"
expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --duration 0.1
one_line
says err "v0 is held by libxdp's XDP program 'xdp_dispatcher'"
says err "\`xdp-loader unload v0 --all\`"
expect 1 in_ns "$SPINCTL" doctor --dev v0 --json
row v0 "held by" missing "'xdp_dispatcher'"
[ "$(command_of v0 "held by")" = "xdp-loader unload v0 --all" ] || fail "advice: '$(field v0 "held by" advice)'"
# under another name it must not be taken for libxdp's
sed -i s/xdp_dispatcher/other/ "$WORK/dispatcher.c"
"${CLANG:-clang}" -target bpf -O2 -g -c "$WORK/dispatcher.c" -o "$WORK/dispatcher.o"
in_ns ip link set dev v0 xdpdrv off
attach_by_iproute v0 xdpdrv obj "$WORK/dispatcher.o" sec xdp || fail "cannot attach"
expect 1 in_ns "$SPINCTL" doctor --dev v0 --json
[ "$(command_of v0 "held by")" = "ip link set dev v0 xdpdrv off" ] || fail "advice: '$(field v0 "held by" advice)'"
exit $FAILED
