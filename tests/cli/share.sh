#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `spinctl run --share`, which attaches beside other XDP programs by libxdp: on this machine's kernel it must attach and detach, or be
# refused with the reason. A damaged record in /run/spin, or one without a program, must not affect any program. Tests with another program
# are in kernels/share.sh. Run by tests/run.
. "$(dirname "$0")/setup.inc"
. "$(dirname "$0")/doctor.inc"
skip_unless_root
make_nics

for bad in "--chain pass" "--priority 5" "--share --chain pass,maybe" "--share --chain pass," "--share --chain ''" \
	"--share --priority 4294967294"; do
	eval expect 2 in_ns '"$SPINCTL"' run '"$OBJECT"' --dev v0 --duration 0.1 $bad
	one_line
done

left() {
	in_ns ip link show v0 | grep -o 'prog/xdp.*'
	find /sys/fs/bpf/xdp -name "dispatch-$index-*" 2>/dev/null
	grep -l "^$index " /run/spin/share.* 2>/dev/null
}
index=$(in_ns cat /proc/net/dev_mcast | awk '$2 == "v0" { print $1; exit }')
[ -n "$index" ] || index=$(ip -n "$NS" -o link show v0 | cut -d: -f1)

expect 0 in_ns "$SPINCTL" doctor --dev v0 --json
can=$(field v0 libxdp verdict)
if [ "$can" = ok ]; then
	expect 0 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --share --duration 0.1 --interval 0
else
	expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --share --duration 0.1 --interval 0
	one_line
	says err freplace
	says err "without --share"
fi
[ -z "$(left)" ] || fail "left behind: $(left)"
# without --share nothing has changed
expect 0 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --duration 0.1 --interval 0

cat >"$WORK/pass.c" <<'END'
struct xdp_md;
__attribute__((section("xdp"), used)) int spin_root(struct xdp_md *ctx) { return 2; }
char gpl[] __attribute__((section("license"), used)) = "GPL";
END
"${CLANG:-clang}" -target bpf -O2 -g -c "$WORK/pass.c" -o "$WORK/pass.o" || exit 1
attach_by_iproute v0 xdpdrv obj "$WORK/pass.o" sec xdp || fail "cannot attach"
mkdir -p /run/spin
for line in "$index 0123456789abcdef 1" "$index 0 1" "" "-1 1 1" "99999999999999999999 zz" "$index ffffffffffffffffffffffff"; do
	record=/run/spin/share.$$
	echo "$line" >"$record"
	expect 0 in_ns "$SPINCTL" limits
	[ ! -e "$record" ] || { fail "a record stays: '$line'"; rm -f "$record"; }
	in_ns ip link show v0 | grep -q prog/xdp || fail "a record took another's program: '$line'"
done
exit $FAILED
