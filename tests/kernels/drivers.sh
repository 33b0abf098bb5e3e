#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs handlers on the network drivers that virtual machines and their users have: two guests under QEMU, joined by taps and bridges in a
# network namespace of their own, which ends with the test. In each case `spinctl doctor` is asked, then two handlers are attached, count
# and reply, and are detached: the result must be what the doctor predicted. See kernel/guest/drivers_cases.sh. Run by `make check-kernels
# FULL=1`.
#
# drivers.sh [CASE...]; KERNELS: names of kernel/guest/kernels.txt (default: 6.1 6.12). Consoles and the output of doctor and spinctl are
# kept in $BUILD/kernels/.
: "${BUILD:=build}" "${KERNELS:=6.1 6.12}" "${QEMU:=qemu-system-x86_64}"
case_limit_s=60 # per case, on a busy host
all="virtio virtio_all_queues virtio_few_queues virtio_cloud virtio_cloud_advised virtio_checksums virtio_jumbo vmxnet3 e1000e
bond bond_tlb bond_e1000e vlan vxlan geneve macvlan"
cases=$(echo ${*:-$all} | tr ' ' ,)
here=$(cd "$(dirname "$0")/../.." && pwd)
guest=$here/kernel/guest
. "$guest/speculation"
PATH=$PATH:/usr/sbin:/sbin
skip() { echo "skip: $*"; exit 77; }


# In the user's namespace: starts one guest pair per kernel in parallel, each in its own namespace.
if [ -z "${DRIVERS_KERNEL:-}" ]; then
	[ "$(uname -m)" = x86_64 ] || skip "the guests are x86_64"
	for tool in "$QEMU" busybox cpio xz ip ethtool bpftool unshare setpriv "${CC:-gcc}"; do
		command -v "$tool" >/dev/null || skip "no $tool"
	done
	[ -c /dev/net/tun ] || skip "no /dev/net/tun: the guests are joined by taps"
	for file in bin/spinctl handlers/counter.spin tests/handlers/rewrite.spin; do
		[ -e "$BUILD/$file" ] || { echo "FAIL: no $BUILD/$file: make it first"; exit 1; }
	done
	own="unshare --net"
	[ "$(id -u)" = 0 ] || own="unshare --map-root-user --net"
	$own ip tuntap add mode tap multi_queue name t0 2>/dev/null || skip "no namespace with taps of its own"
	kernels=$("$guest/fetch" --modules $KERNELS) || { echo "$kernels"; exit 77; }
	mkdir -p "$BUILD/kernels"
	"${CC:-gcc}" -O2 -Wall -o "$BUILD/kernels/datagrams" "$guest/datagrams.c" || exit 1
	pairs= failed=0
	trap 'kill $pairs 2>/dev/null; wait; exit 1' INT TERM HUP
	printf '%-8s %-25s %-8s %-8s %6s  %-5s %-5s %-5s %-6s\n' kernel case mode doctor queues count reply TCP detach
	while read -r name rest; do
		DRIVERS_KERNEL="$name $rest" setpriv --pdeathsig TERM $own "$0" "$@" >"$BUILD/kernels/drivers-$name.table" 2>&1 </dev/null &
		pairs="$pairs $!"
	done <<-END
		$kernels
	END
	for pair in $pairs; do wait "$pair" || failed=1; done
	for name in $(echo "$kernels" | cut -d ' ' -f 1); do cat "$BUILD/kernels/drivers-$name.table"; done
	exit $failed
fi

work=$(mktemp -d)
guests=
keep_logs() {
	for log in receiver.rows receiver.console sender.rows sender.console; do
		cp "$work/$log" "$BUILD/kernels/drivers-${DRIVERS_KERNEL%% *}.$log" 2>/dev/null
	done
}
end_guests() {
	for pid in $guests; do kill -9 "$pid" 2>/dev/null; done
	wait 2>/dev/null
	guests=
}
trap 'end_guests; keep_logs; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# Links 0 to 9. Each is a bridge with a tap of the receiver (rN) and one of the sender (sN); 7 and 8 share a bridge, for a bond.
queues_of() {
	case $1 in
	1 | 2 | 3 | 7 | 8 | 9) echo 4 ;;
	4) echo 2 ;;
	*) echo 1 ;;
	esac
}
make_tap() {
	many=
	[ "$2" = 1 ] || many=multi_queue
	ip tuntap add mode tap $many name "$1" && ip link set dev "$1" mtu 9000 master "$3" up
}
make_links() {
	for n in 0 1 2 3 4 5 6 7 8 9; do
		bridge=b$n
		if [ $n = 8 ]; then
			bridge=b7
		else
			ip link add $bridge mtu 9000 type bridge && ip link set dev $bridge up && make_tap s$n 1 $bridge
		fi && make_tap r$n "$(queues_of $n)" $bridge || return 1
	done
}

# card ROLE LINK MODEL[,OPTION...]: prints QEMU's options for it; its address has the link's number
card() {
	queues=1 backend= device= last=02
	[ "$1" = r ] && queues=$(queues_of "$2") last=01
	if [ "$queues" != 1 ]; then
		backend=,queues=$queues device=,mq=on,vectors=$((2 * queues + 2))
	fi
	echo "-netdev tap,id=$1$2,ifname=$1$2,script=no,downscript=no,vhost=off$backend"
	echo "-device $3,netdev=$1$2,mac=52:54:00:00:0$2:$last,romfile=$device"
}

# boot ROLE VMLINUZ CPUS CARDS...: runs in the background, with several threads and without virtual time (-icount), in which 6.1 does not
# start a second CPU. Watchdogs and timer checks are off, and the clock needs no calibration, so that a host short of CPU does no harm.
boot() {
	role=$1 vmlinuz=$2 cpus=$3
	shift 3
	setpriv --pdeathsig KILL "$QEMU" -accel tcg,thread=multi -cpu max,la57=off -smp "$cpus" -m 700 -nodefaults -no-user-config \
		-no-reboot -display none -kernel "$vmlinuz" -initrd "$image" -serial "file:$work/$role.console" -serial \
		"file:$work/$role.rows" -append "console=ttyS0 quiet no_timer_check nowatchdog clocksource=hpet $speculation panic=-1 \
		role=$role cases=$cases advice=$advice" "$@" </dev/null >"$work/$role.qemu" 2>&1 &
	guests="$guests $!"
	receiver=$!
}

cloud=ctrl_guest_offloads=off
coalescing=guest_tso4=off,guest_tso6=off,guest_ecn=off,guest_ufo=off
advice=guest_csum=off,$coalescing # the doctor's advice for the cloud's card
boot_both() {
	boot sender "$1" 1 $(for n in 0 1 2 3 4 5 6 7 9; do card s $n virtio-net-pci; done)
	boot receiver "$1" 2 $(card r 0 virtio-net-pci
		card r 1 virtio-net-pci
		card r 2 virtio-net-pci,$cloud
		card r 3 virtio-net-pci,$cloud,$advice
		card r 4 virtio-net-pci
		card r 5 vmxnet3
		card r 6 e1000e
		card r 7 virtio-net-pci
		card r 8 virtio-net-pci
		card r 9 virtio-net-pci,$cloud,$coalescing)
}

print_rows() {
	awk -F '|' -v kernel="$1" '$1 == "row" {
		printf "%-8s %-25s %-8s %-8s %6s  %-5s %-5s %-5s %-6s %s\n", kernel, $2, $3, $4, $5, $6, $7, $8, $9,
			$12 == "" ? "ok" : "BREAKS"
		if ($10 != "") print "    advised and done: " $10
		if ($12 != "") print "    BREAKS: " $12
	}' "$work/receiver.rows"
}

# Returns 0 if the guest ran to its end, with a row for each case and no failure.
is_well() {
	grep -q '^done' "$work/receiver.rows" && ! grep '^row|' "$work/receiver.rows" | grep -vq '|$' &&
		[ "$(grep -c '^row|' "$work/receiver.rows")" -ge "$(echo "$cases" | tr , '\n' | wc -l)" ]
}

make_links || { echo "FAIL: cannot make taps and bridges"; exit 1; }
read -r name release vmlinuz modules <<END
$DRIVERS_KERNEL
END
image=$work/initramfs
sh "$guest/drivers_image.sh" "$modules/lib/modules/$release" "$BUILD" "$image" || exit 1
boot_both "$vmlinuz"
limit=$((60 + case_limit_s * $(echo "$cases" | tr , '\n' | wc -l)))
waited=0
while kill -0 "$receiver" 2>/dev/null && [ $waited -lt $limit ]; do
	sleep 1
	waited=$((waited + 1))
done
end_guests
failed=0
print_rows "$name"
if ! is_well; then
	failed=1
	grep -q '^done' "$work/receiver.rows" || tail -n 8 "$work"/*.console "$work"/*.qemu "$work"/sender.rows
fi
echo "$name ($release): $waited s"
exit $failed
