# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Tests handlers at XDP with several network drivers, case by case, in one of two virtual machines. Sourced by drivers.init. Each case
# creates an interface, asks `spinctl doctor` about it, attaches two handlers, has the other guest send to them, detaches, and writes a
# line "row|CASE|..." which tests/kernels/drivers.sh reads; its last field has what failed, and must be empty. The mode must be the
# case's and the one that the doctor predicted; every datagram is counted or answered; nothing stays attached. Link N has 10.N.0.1
# (receiver) and 10.N.0.2 (sender).
WORK=/tmp
COUNT=64    # datagrams to each handler
FLOWS=16    # source ports, which cards and taps spread over queues
TCP_KIB=512
SPINCTL=/bin/spinctl
fail() { reasons="${reasons:+$reasons; }$*"; }
. /spin/doctor.inc

# busybox's shell would run its own applet, which knows few kinds of links
ip() { /bin/ip "$@"; }

# --- the sending guest ----------------------------------------------------------------------

address() { ip addr add "10.$2.0.$3/24" dev "$1" && ip link set dev "$1" up; }

run_sender() {
	for n in 0 1 2 3 4 5 6 7 9; do
		address n$n $n 2
	done
	ip link add link n1 name vlan5 type vlan id 5 && address vlan5 101 2
	ip link add vxlan7 type vxlan id 7 local 10.1.0.2 remote 10.1.0.1 dstport 4789 dev n1 && address vxlan7 102 2
	ip link add geneve7 type geneve id 7 remote 10.1.0.1 && address geneve7 103 2
	ip addr add 10.104.0.2/24 dev n1
	dd if=/dev/urandom of=/tmp/blob bs=1024 count=$TCP_KIB 2>/dev/null
	echo "sender is up"
	nc -ll -p 7001 -e /bin/busybox cat /tmp/blob &
	nc -ll -p 7000 -e /bin/busybox sh
}

# --- the receiving guest --------------------------------------------------------------------

# on_sender COMMAND: runs it on the sender, and prints its output
on_sender() { echo "$*; exit" | timeout 60 nc 10.0.0.2 7000; }

wait_for_sender() {
	i=0
	until [ "$(on_sender echo up)" = up ]; do
		i=$((i + 1))
		[ $i -lt 60 ] || return 1
		sleep 1
	done
}

# What handlers could leave behind: XDP programs, links, and interfaces with programs.
attached() {
	echo "programs $(bpftool prog show | grep -c ' xdp ')" "links $(bpftool link show | grep -c ': xdp ')" \
		"interfaces $(ip link show | grep -c xdp)"
}

# expect_attached WHAT: waits until exactly that is attached; the kernel frees programs shortly after their last user
expect_attached() {
	i=0
	while [ "$(attached)" != "$1" ]; do
		i=$((i + 1))
		[ $i -lt 50 ] || return 1
		sleep 0.1
	done
}

# apply_advice DEV ROW: runs the command that the doctor advised; after that the row must be ok
apply_advice() {
	case $(field "$1" "$2" advice) in null | "") return 0 ;; esac
	command=$(command_of "$1" "$2")
	advised="${advised:+$advised, }$command"
	sh -c "$command" >$WORK/advice 2>&1 || fail "advice fails: $command: $(head -n 1 $WORK/advice)"
	ask_doctor "$1"
	[ "$(field "$1" "$2" verdict)" = ok ] || [ "$2 $(native_verdict "$1")" = "native native" ] ||
		fail "after '$command' $2 is: $(field "$1" "$2" found)"
}

ask_doctor() {
	spinctl doctor --dev "$1" --json >$WORK/out 2>$WORK/err || fail "doctor ends with $?: $(head -c 200 $WORK/err)"
}

# The doctor's verdict on native mode: native, generic, or perhaps if it promises neither.
native_verdict() {
	case $(field "$1" native verdict):$(field "$1" native found) in
	ok:*) echo native ;;
	note:*probably*) echo native ;;
	note:*) echo perhaps ;;
	warning:* | missing:*) echo generic ;;
	*) echo none ;;
	esac
}

start_handlers() {
	rm -f $WORK/ready $WORK/run
	spinctl run /spin/counter.spin /spin/rewrite.spin --match 'udp dport 9000' --match 'udp dport 9001' --dev "$1" \
		--interval 0 --json --state --ready-file $WORK/ready >$WORK/run 2>$WORK/err &
	handlers=$!
	i=0
	while [ ! -e $WORK/ready ]; do
		i=$((i + 1))
		kill -0 $handlers 2>/dev/null && [ $i -lt 600 ] || return 1
		sleep 0.1
	done
}

# state FIELD: from the last report
state() { tail -n 1 $WORK/run | sed -n "s/.*\"spin_state\.$1\": *\([0-9]*\).*/\1/p"; }

# Packets of each receive queue, if the driver reports them.
queue_packets() { ethtool -S "$1" 2>/dev/null | sed -n 's/^ *\(rx_queue_[0-9]*_packets\|rx[0-9]_packets\|rx[0-9]_xdp_packets\): /\1 /p'; }

# Counts queues that got more packets since $WORK/before than ARP and ping alone cause.
busy_queues() {
	queue_packets "$1" >$WORK/after
	[ -s $WORK/after ] && awk 'NR == FNR { was[$1] = $2; next } $2 > was[$1] + 3 { n++ } END { print n ? n : "-" }' \
		$WORK/before $WORK/after || echo -
}

# traffic DEV LINK: has the sender send to both handlers, and TCP, which no handler takes. `$bytes` is the length of a datagram.
traffic() {
	ping -c 2 -W 5 10.$2.0.2 >/dev/null || fail "no ping"
	queue_packets "$1" >$WORK/before
	silent=$(on_sender datagrams 10.$2.0.1 9000 $COUNT $FLOWS $bytes silent)
	answered=$(on_sender datagrams 10.$2.0.1 9001 $COUNT $FLOWS $bytes answered)
	queues=$(busy_queues "$1")
	[ "$(timeout 60 nc 10.$2.0.2 7001 </dev/null | md5sum)" = "$blob" ] && tcp=ok || fail "TCP is not what was sent"
	[ "$silent" = "sent $COUNT answered 0 wrong 0" ] || fail "sender: $silent"
	[ "$answered" = "sent $COUNT answered $COUNT wrong 0" ] && reply=ok || fail "replies: $answered"
}

stop_handlers() {
	kill -INT $handlers
	wait $handlers || fail "spinctl ends with $?"
	count=$(state packets)
	[ "${count:-0}" = $COUNT ] && count=ok || fail "counted ${count:-nothing} of $COUNT"
}

# check CASE DEV LINK MODE [QUEUES]: attaches, tests and detaches two handlers on DEV, which has 10.LINK.0.1. MODE is the expected mode;
# traffic must arrive on at least QUEUES receive queues.
check() {
	expect_attached "$nothing"
	count=no reply=no tcp=no detach=no mode=none queues=-
	ask_doctor "$2"
	verdict=$(native_verdict "$2")
	found=$(field "$2" native found)
	echo "doctor|$1|$(tr -s '\n\t ' ' ' <$WORK/out)"
	if start_handlers "$2"; then
		mode=$(head -n 1 $WORK/run | sed -n 's/.*"mode": *"\([a-z]*\)".*/\1/p')
		refused=$(head -n 1 $WORK/run | sed -n 's/.*"native_refused": *"\([^"]*\)".*/\1/p')
		[ "$mode" = native ] || [ -n "$refused" ] || fail "generic without a reason"
		traffic "$2" "$3"
		stop_handlers
	else
		fail "not attached: $(head -c 300 $WORK/err)"
		kill -9 $handlers 2>/dev/null
	fi
	expect_attached "$nothing" && detach=ok || fail "left behind: $(attached), at the start: $nothing"
	[ -z "${5:-}" ] || [ "$queues" -ge "$5" ] || fail "only $queues receive queues saw datagrams"
	[ "$mode" = "$4" ] || fail "mode is $mode, not $4"
	[ "$verdict" = "$mode" ] || fail "doctor says $verdict: $found"
	echo "run|$1|$(tr '\n' ' ' <$WORK/run)"
	echo "row|$1|$mode|$verdict|$queues|$count|$reply|$tcp|$detach|${advised:-}|${refused:-}|${reasons:-}"
	reasons= advised= refused=
}

# --- the cases -----------------------------------------------------------------------------

# Follows the doctor's advice on each of the card's settings.
apply_settings_advice() {
	ask_doctor "$1"
	for row in queues 'XDP send queues' 'receive offloads' 'VLAN offload' steering; do
		apply_advice "$1" "$row"
	done
}

# Several receive queues, and as many to send on.
case_virtio() {
	ethtool -L n1 combined 1
	apply_settings_advice n1
	check virtio n1 1 native 2
}

# All queues in use: the driver would send on queues that do not exist.
case_virtio_all_queues() {
	ethtool -L n1 combined 4
	check virtio_all_queues n1 1 generic
	apply_advice n1 native
	check virtio_all_queues,advised n1 1 native 2
}

# The driver logs this, once per boot, when XDP has no send queues of its own.
shares_queues() { dmesg | grep -q 'slower locked tx mode'; }

# The doctor must warn in advance that send queues are shared.
case_virtio_few_queues() {
	shares_queues && fail "n1 shares queues, which the doctor did not say"
	ask_doctor n4
	[ "$(field n4 'XDP send queues' verdict)" = warning ] || fail "doctor does not warn of shared queues"
	check virtio_few_queues n4 4 native 2
	shares_queues || echo "row|virtio_few_queues|||||||||||the driver does not share queues, as the doctor said"
}

# As in a cloud: the host coalesces, and the guest cannot switch that off.
case_virtio_cloud() {
	ask_doctor n2
	case $(field n2 native advice) in
	*"\`ctrl_guest_offloads=on\`"*"\`$advice\`"*) ;;
	*) fail "doctor does not advise what virtio_cloud_advised is started with: $(field n2 native advice)" ;;
	esac
	check virtio_cloud n2 2 generic
}

# Same, started as the doctor advises there.
case_virtio_cloud_advised() { check virtio_cloud,advised n3 3 native 2; }

# The host does not coalesce, but leaves checksums undone.
case_virtio_checksums() { check virtio_checksums n9 9 generic; }

# Frames in several buffers, which virtio_net supports since 6.3 and handlers since 6.9.
case_virtio_jumbo() {
	ip link set dev n1 mtu 9000
	on_sender ip link set dev n1 mtu 9000
	bytes=$(since 6.9 8000 256)
	check virtio_jumbo n1 1 "$(since 6.3 native generic)"
	bytes=256
	if [ "$mode" != native ]; then
		apply_advice n1 native
		check virtio_jumbo,advised n1 1 native 2
	fi
	ip link set dev n1 mtu 1500
	on_sender ip link set dev n1 mtu 1500
}

case_vmxnet3() {
	apply_settings_advice n5
	check vmxnet3 n5 5 "$(since 6.6 native generic)"
}

case_e1000e() {
	apply_settings_advice n6
	check e1000e n6 6 generic
}

bond0() { # MODE: a bond of n7 and n8
	ip link add bond0 type bond mode "$1" miimon 100
	for n in n7 n8; do
		ip link set dev $n down && ip link set dev $n master bond0
	done
	address bond0 7 1
}

case_bond() {
	bond0 active-backup
	check bond bond0 7 native
}

# A bonding mode without XDP.
case_bond_tlb() {
	ip addr flush dev bond0
	ip link del dev bond0
	bond0 balance-tlb
	check bond_tlb bond0 7 generic
}

# A bond takes the mode of its worst card.
case_bond_e1000e() {
	ip link add bond1 type bond mode active-backup miimon 100
	ip addr flush dev n6
	ip link set dev n6 down && ip link set dev n6 master bond1
	address bond1 6 1
	sleep 1
	check bond_e1000e bond1 6 generic
	ip link del dev bond1
	address n6 6 1
}

case_vlan() {
	ip link add link n1 name vlan5 type vlan id 5 && address vlan5 101 1
	check vlan vlan5 101 generic
}

case_vxlan() {
	ip link add vxlan7 type vxlan id 7 local 10.1.0.1 remote 10.1.0.2 dstport 4789 dev n1 && address vxlan7 102 1
	check vxlan vxlan7 102 generic
}

case_geneve() {
	ip link add geneve7 type geneve id 7 remote 10.1.0.2 && address geneve7 103 1
	check geneve geneve7 103 generic
}

case_macvlan() {
	ip link add link n1 name macvlan1 type macvlan mode bridge && address macvlan1 104 1
	check macvlan macvlan1 104 generic
}

# since VERSION THEN ELSE: prints THEN if the running kernel is VERSION or newer, else ELSE
since() {
	uname -r | awk -v want="$1" -v yes="$2" -v no="$3" -F '[.-]' '
	{ split(want, w, "."); print ($1 > w[1] || $1 == w[1] && $2 >= w[2] ? yes : no) }'
}

run_cases() {
	for n in 0 1 2 3 4 5 6 9; do
		address n$n $n 1
	done
	wait_for_sender || { echo "the sender does not answer"; return; }
	nothing=$(attached) bytes=256
	blob=$(on_sender "md5sum </tmp/blob")
	for case in $(echo "$cases" | tr , ' '); do
		case_$case
	done
	echo "done"
}
