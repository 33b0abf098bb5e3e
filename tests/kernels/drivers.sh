#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Handlers on the drivers that virtual machines and their users have: two guests under QEMU, joined by taps and bridges in a
# network namespace of their own, which ends with the test. In each case the doctor is asked, then two handlers are attached,
# count and reply, and are detached: what happened must be what the doctor said. See kernel/guest/drivers_cases.sh.
#
# drivers.sh [CASE...]; KERNELS: directories of unpacked kernel packages
: "${BUILD:=build}"
all="virtio virtio_cloud virtio_advised virtio_few_queues vmxnet3 e1000e bond bond_e1000e vlan vxlan geneve macvlan"
cases=$(echo "${*:-$all}" | tr ' ' ,)
here=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "skip: $*"; exit 77; }

if [ "${DRIVERS_INSIDE:-}" != 1 ]; then
	[ "$(uname -m)" = x86_64 ] || skip "guests are x86_64"
	for tool in qemu-system-x86_64 busybox cpio xz ip ethtool bpftool unshare; do
		PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || skip "no $tool"
	done
	[ -c /dev/net/tun ] || skip "no /dev/net/tun: the guests are joined by taps"
	own="unshare --net --mount"
	[ "$(id -u)" = 0 ] || own="unshare --map-root-user --net --mount"
	$own ip tuntap add mode tap multi_queue name t0 2>/dev/null || skip "no namespace with taps of its own"
	DRIVERS_INSIDE=1 exec $own "$0" "$@"
fi

work=$(mktemp -d)
guests=
clean() {
	for guest in $guests; do kill -9 "$guest" 2>/dev/null; done
	wait 2>/dev/null
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM

# Links 0 to 8, each a bridge with a tap of the receiver (rN) and of the sender (sN); 7 and 8 are one, for a bond.
queues_of() { case $1 in 1 | 2 | 3 | 7 | 8) echo 4 ;; 4) echo 2 ;; *) echo 1 ;; esac }
make_tap() {
	if [ "$2" -gt 1 ]; then
		ip tuntap add mode tap multi_queue name "$1"
	else
		ip tuntap add mode tap name "$1"
	fi
	ip link set dev "$1" mtu 9000 master "$3" up
}
make_links() {
	for n in 0 1 2 3 4 5 6 7 8; do
		bridge=b$n
		[ $n = 8 ] && bridge=b7 || { ip link add $bridge mtu 9000 type bridge && ip link set dev $bridge up; }
		make_tap r$n "$(queues_of $n)" $bridge
		[ $n = 8 ] || make_tap s$n 1 $bridge
	done
}

# card ROLE LINK MODEL[,OPTION...]: QEMU's words for one
card() {
	queues=1 role=02
	[ "$1" = r ] && queues=$(queues_of "$2") role=01
	many=
	[ "$queues" -gt 1 ] && many=",queues=$queues"
	echo "-netdev tap,id=$1$2,ifname=$1$2,script=no,downscript=no,vhost=off$many"
	many=
	[ "$queues" -gt 1 ] && many=",mq=on,vectors=$((2 * queues + 2))"
	echo "-device $3,netdev=$1$2,mac=52:54:00:00:0$2:$role,romfile=$many"
}

# guest ROLE VMLINUZ CPUS CARDS...: in the background; its rows come to $work/ROLE.rows
guest() {
	guest_role=$1 vmlinuz=$2 cpus=$3
	shift 3
	qemu-system-x86_64 -accel tcg,thread=multi -cpu max,la57=off -smp "$cpus" -m 700 -nodefaults \
		-no-reboot -display none -kernel "$vmlinuz" -initrd "$image" -serial "file:$work/$guest_role.console" \
		-serial "file:$work/$guest_role.rows" -append "console=ttyS0 ${VERBOSE:-quiet} no_timer_check nowatchdog tsc=reliable \
		mitigations=off panic=-1 role=$guest_role cases=$cases" "$@" >"$work/$guest_role.qemu" 2>&1 &
	guests="$guests $!"
}

cloud="ctrl_guest_offloads=off"
start() {
	guest sender "$1" 1 $(for n in 0 1 2 3 4 5 6 7; do card s $n virtio-net-pci; done)
	guest receiver "$1" 2 $(card r 0 virtio-net-pci
		card r 1 virtio-net-pci
		card r 2 virtio-net-pci,$cloud
		card r 3 "virtio-net-pci,$cloud,$(cat "$here/kernel/guest/drivers_advised")"
		card r 4 virtio-net-pci
		card r 5 vmxnet3
		card r 6 e1000e
		card r 7 virtio-net-pci
		card r 8 virtio-net-pci)
	receiver=${guests##* }
}

print_table() {
	awk -F '|' -v kernel="$1" '$1 == "row" {
		printf "%-24s %-18s %-8s %-8s %6s  %-5s %-5s %-5s %-6s %s\n", kernel, $2, $3, $4, $5, $6, $7, $8, $9, $12 == "" ? "ok" : "BREAKS"
		if ($10 != "") print "    advised: " $10
		if ($11 != "") print "    native refused: " $11
		if ($12 != "") print "    BREAKS: " $12
	}' "$work/receiver.rows"
}

failed=0
mkdir -p "$BUILD/kernels"
${CC:-gcc} -O2 -Wall -o "$BUILD/kernels/datagrams" "$here/kernel/guest/datagrams.c" || exit 1
make_links
printf '%-24s %-18s %-8s %-8s %6s  %-5s %-5s %-5s %-6s\n' kernel case mode doctor queues count reply tcp detach
for package in $KERNELS; do
	modules=$(echo "$package"/lib/modules/* "$package"/usr/lib/modules/* | tr ' ' '\n' | grep -v '\*$' | head -n 1)
	vmlinuz=$(ls "$package"/boot/vmlinuz-* "$modules"/vmlinuz 2>/dev/null | head -n 1)
	version=$(basename "$modules")
	image=$BUILD/kernels/drivers-$version.cpio.gz
	sh "$here/kernel/guest/drivers_image.sh" "$modules" "$BUILD" "$image" || exit $?
	guests=
	start "$vmlinuz"
	waited=0
	while kill -0 "$receiver" 2>/dev/null && [ $waited -lt ${SECONDS_MAX:-400} ]; do
		sleep 1
		waited=$((waited + 1))
	done
	print_table "$version"
	rows=$(grep -c '^row|' "$work/receiver.rows")
	if ! grep -q '^done' "$work/receiver.rows" || grep '^row|' "$work/receiver.rows" | grep -vq '|$'; then
		failed=1
		[ "$rows" = 0 ] && tail -n 5 "$work"/*.console "$work"/*.qemu "$work"/sender.rows
	fi
	for guest in $guests; do kill -9 "$guest" 2>/dev/null; done
	wait 2>/dev/null
	echo "  $version: $rows cases in $waited s"
	for log in receiver.rows receiver.console sender.rows sender.console; do
		cp "$work/$log" "$BUILD/kernels/drivers-$version.$log"
	done
done
exit $failed
