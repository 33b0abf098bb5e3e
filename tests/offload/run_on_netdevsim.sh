#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Tests `spinctl run --mode offload` in a guest, on netdevsim: the kernel's own offload path, which binds, attaches and keeps maps, but runs
# no packets. The program must be attached, filled, read out and detached; nothing may be left when it ends, is killed or loses its device;
# each refusal must name its cause. Run by `make check-offload`, and by tests/run if the guests are there.
. "$(dirname "$0")/../cli/setup.inc"
here=$ROOT/kernel/guest/offload
# shellcheck disable=SC2086
reason=$("$here/modules.sh" --cached ${KERNELS:-6.1-cloud}) || skip "${reason#skip: }"
cd "$WORK" || exit 1
# netdevsim's maps have at most two entries
cat >small.c <<'END'
#include <spin/spin.h>

struct route {
	SPIN_KEY(spin_be32, src);
	SPIN_READ_ONLY(uint32_t, port);
	SPIN_COUNTER(packets);
};
struct limits { uint32_t least, dropped; };

SPIN_TABLE(routes, struct route, 2);
SPIN_STATE(struct limits, .least = 7);

static enum spin_payload_rc small_payload(struct spin_payload *p, struct limits *limits)
{
	struct route *route = SPIN_FIND(routes, spin_src_addr4(p));

	if (p->length < limits->least) {
		spin_add32(&limits->dropped, 1);
		return SPIN_DROP;
	}
	if (route) {
		spin_set_dst_port(p, (spin_be16)route->port);
		spin_count(&route->packets, 1);
	}
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(small, .payload = small_payload);
END
"$SPINCC" --target nfp --no-verify small.c -o small.spin || fail "small.c cannot be compiled"
cp "$OBJECT" filtering.spin

cat >inside.sh <<'END'
set -u
bad() { echo "FAIL: $*"; }
progs() { ls /sys/kernel/debug/netdevsim/netdevsim1/bpf_bound_progs | wc -l; }
ready() { tries=0; until [ -e "$1" ] || [ $tries = 100 ]; do sleep 0.1; tries=$((tries + 1)); done; }
mount -t debugfs debug /sys/kernel/debug
mount -t bpf bpf /sys/fs/bpf
mkdir -p /run /tmp
echo "1 1" >/sys/bus/netdevsim/new_device
dev=$(ls /sys/bus/netdevsim/devices/netdevsim1/net)
/objects/ip link set dev "$dev" up
/objects/ip link add veth0 type veth peer name veth1

# attached, filled, read out, detached
spinctl run small.spin --dev "$dev" --mode offload --uncounted --match 'udp dport 9000' --insert 'routes:src=10.0.0.1 port=7' \
	--set spin_state.least=9 --interval 0 --ready-file ready1 --state --json >one.json 2>one.err &
run=$!
ready ready1
/objects/ip link show dev "$dev" | grep -q xdpoffload || bad "nothing is attached: $(cat one.err)"
[ "$(progs)" != 0 ] || bad "the device has no program"
spinctl status >status.txt 2>&1
grep -q "^$dev, offload mode" status.txt || bad "status does not tell it: $(cat status.txt)"
# one context per interface
spinctl run small.spin --dev "$dev" --mode offload --uncounted --duration 1 >two.out 2>two.err && bad "a second one is attached"
grep -q "$dev is held by the offloaded XDP program" two.err || bad "the second one's reason: $(cat two.err)"
kill -INT $run
wait $run || bad "status of the first: $(cat one.err)"
grep -q '"routes\[0\].port": *7\|routes\[0\].port.*7' one.json || bad "the table is not read out: $(cat one.json)"
grep -q 'spin_state.least.*9' one.json || bad "the state is not read out: $(cat one.json)"
/objects/ip link show dev "$dev" | grep -q xdp && bad "still attached after the end"
[ "$(progs)" = 0 ] || bad "$(progs) programs are left after the end"

# killed: nothing is left
spinctl run small.spin --dev "$dev" --mode offload --uncounted --interval 0 --ready-file ready >kill.out 2>kill.err &
run=$!
ready ready
kill -9 $run
wait $run 2>/dev/null
tries=0
until [ "$(progs)" = 0 ] || [ $tries = 50 ]; do sleep 0.1; tries=$((tries + 1)); done
/objects/ip link show dev "$dev" | grep -q xdp && bad "attached after kill -9"
[ "$(progs)" = 0 ] || bad "$(progs) programs are left after kill -9"

# refusals must name their cause
spinctl run filtering.spin --dev "$dev" --mode offload --duration 1 2>err && bad "65,536 entries fit"
grep -q "$dev: the device has no room" err || bad "of a large table: $(cat err)"
spinctl run small.spin --dev veth0 --mode offload --duration 1 2>err && bad "a veth offloads"
grep -q "veth0 does not offload XDP programs" err || bad "of a veth: $(cat err)"
spinctl run small.spin --dev lo --mode offload --duration 1 2>err && bad "lo offloads"
grep -q "lo does not offload XDP programs" err || bad "of lo: $(cat err)"
echo N >/sys/kernel/debug/netdevsim/netdevsim1/ports/0/bpf_xdpoffload_accept
spinctl run small.spin --dev "$dev" --mode offload --uncounted --duration 1 2>err && bad "attached although the device refuses"
grep -q "the card of $dev does not take the program" err || bad "of a refusal to attach: $(cat err)"
spinctl run small.spin --dev "$dev" --mode offload,native --uncounted --match 'udp dport 9000' --insert 'routes:src=10.0.0.1 port=7' \
	--duration 0.2 --state --json >native.json 2>err || bad "native mode instead: $(cat err)"
grep -q "native mode instead" err || bad "of native mode instead: $(cat err)"
grep -q '"mode": *"native"' native.json || bad "not in native mode: $(cat native.json)"
grep -q 'routes\[0\].port.*7\|routes\[1\].port.*7' native.json || bad "the table is not filled again: $(cat native.json)"
echo Y >/sys/kernel/debug/netdevsim/netdevsim1/ports/0/bpf_xdpoffload_accept
echo N >/sys/kernel/debug/netdevsim/netdevsim1/bpf_bind_accept
spinctl run small.spin --dev "$dev" --mode offload --uncounted --duration 1 2>err && bad "bound although the device refuses"
[ -s err ] || bad "no reason of a refusal to bind"
echo Y >/sys/kernel/debug/netdevsim/netdevsim1/bpf_bind_accept
echo N >/sys/kernel/debug/netdevsim/netdevsim1/bpf_bind_verifier_accept
spinctl run small.spin --dev "$dev" --mode offload --uncounted --duration 1 2>err && bad "loaded although the driver's verifier refuses"
grep -q "the driver of $dev, refuses the program for the card" err || bad "of a driver's verifier: $(cat err)"
echo Y >/sys/kernel/debug/netdevsim/netdevsim1/bpf_bind_verifier_accept
# the interface goes away
spinctl run small.spin --dev "$dev" --mode offload --uncounted --interval 0 --ready-file ready2 >gone.out 2>gone.err &
run=$!
ready ready2
echo 1 >/sys/bus/netdevsim/del_device
wait $run && bad "it goes on without its interface"
grep -q "has gone away" gone.err || bad "of an interface that is gone: $(cat gone.err)"
echo end
END
ip=$(command -v ip) || skip "no ip (packages.txt)"
# in a subshell: guest.lib.sh has traps and functions with the same names
guest() {
	(
		. "$here/guest.lib.sh"
		in_guest "$1" "netdevsim veth" "cd /objects && sh ./inside.sh >/dev/ttyS1 2>&1" "$SPINCTL" "$ip" small.spin filtering.spin inside.sh
	)
}
for kernel in ${KERNELS:-6.1-cloud}; do
	guest "$kernel" >said || { tail -n 20 said; grep -q '^skip:' said && exit 77; fail "no guest of $kernel"; }
	grep '^FAIL: ' said | sed "s/^FAIL: /$kernel: /" >faults
	grep -v '^end' said
	while read -r line; do fail "$line"; done <faults
	[ -s faults ] && FAILED=1
	grep -q '^end' said || fail "$kernel: the test did not come to its end"
done
exit $FAILED
