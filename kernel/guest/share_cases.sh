# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Tests `spinctl run --share`: our handlers and xdp-tools' programs on one interface, v0, where ours start, end or are killed before or
# after theirs. xdp-filter must drop all of its packets, ours must count their own, and nothing of ours may be left. Sourced by share.init.
# Each case writes a line "row|CASE|REASONS" which tests/kernels/share.sh reads; REASONS has what failed, and must be empty. v0 has
# 10.0.0.1, its other end, in the namespace `peer`, 10.0.0.2.
WORK=/tmp
COUNT=16
handler=counter.spin
dev=v0
enter= # nsenter, if dev is in another namespace
fail() { reasons="${reasons:+$reasons; }$*"; }
ip() { /bin/ip "$@"; }

make_veth() {
	ip netns add peer
	ip link add v0 type veth peer name v1 && ip link set dev v1 netns peer
	ip addr add 10.0.0.1/24 dev v0 && ip link set dev v0 up
	ip netns exec peer sh -c 'ip() { /bin/ip "$@"; }; ip addr add 10.0.0.2/24 dev v1; ip link set dev v1 up; ip link set lo up'
}

# start OPTION...: a context on udp dport 9000 of $dev, ready when this returns; its last report goes to $WORK/run
start() {
	rm -f $WORK/ready $WORK/run $WORK/err
	$enter /bin/spinctl run /spin/$handler --match 'udp dport 9000' --dev $dev --interval 0 --json --state --ready-file $WORK/ready "$@" \
		>$WORK/run 2>$WORK/err &
	ours=$!
	i=0
	while [ ! -e $WORK/ready ]; do
		i=$((i + 1))
		if ! kill -0 $ours 2>/dev/null || [ $i -ge 900 ]; then
			fail "does not start: $(head -c 400 $WORK/err)"
			return 1
		fi
		sleep 0.1
	done
}

# stop EXPECTED: ends it; it must have counted EXPECTED packets
stop() {
	kill -INT $ours
	wait $ours || fail "spinctl ends with $?: $(head -c 300 $WORK/err)"
	counted=$(tail -n 1 $WORK/run | sed -n 's/.*"spin_state\.packets": *\([0-9]*\).*/\1/p')
	[ "${counted:-0}" = "$1" ] || fail "counted ${counted:-nothing}, not $1"
}

kill_ours() { kill -9 $ours; wait $ours 2>/dev/null; }

# send PORT: sends COUNT datagrams from the peer
send() {
	ip netns exec peer /bin/datagrams 10.0.0.1 "$1" $COUNT 1 64 silent >$WORK/sent 2>&1 ||
		grep -q refused $WORK/sent || fail "cannot send: $(cat $WORK/sent)" # refused: passed, and no socket listens
}

ping_peer() { ping -c 1 -W 5 10.0.0.2 >/dev/null || fail "no ping $1"; }

filter() { xdp-filter "$@" >$WORK/filter 2>&1 || fail "xdp-filter $1: $(tail -n 2 $WORK/filter | tr '\n' ' ')"; }
filter_on() { # MODE
	filter load v0 -m "${1:-native}" -p allow
	filter port 9999 -m dst -p udp
}
filter_off() { filter unload v0; }

# The number of packets that xdp-filter has dropped so far.
filtered() { xdp-filter status 2>/dev/null | sed -n 's/.*XDP_DROP *\([0-9]*\) pkts.*/\1/p' | head -n 1; }

# check_filter WHEN: xdp-filter must drop packets to port 9999, and other packets must pass
check_filter() {
	was=$(filtered)
	send 9999
	now=$(filtered)
	[ "$((${now:-0} - ${was:-0}))" = $COUNT ] || fail "xdp-filter dropped $((${now:-0} - ${was:-0})) of $COUNT $1"
	ping_peer "$1"
}

# programs: those of v0's dispatcher, by run priority
programs() { xdp-loader status v0 2>/dev/null | sed -n 's/^ *=> *\([0-9]*\) *\([a-z_]*\).*/\2/p' | tr '\n' ' '; }
expect_programs() { [ "$(programs)" = "${1:+$1 }" ] || fail "on v0: $(programs)instead of '$1' $2"; }

# Nothing is left on v0, in the BPF file system, in /run/spin, or, after a while, in the kernel.
expect_nothing() {
	ip link show v0 2>/dev/null | grep -q xdp && fail "v0 has a program $1"
	[ -z "$(find /sys/fs/bpf/xdp -name 'dispatch-*' 2>/dev/null)" ] || fail "pins $1: $(find /sys/fs/bpf/xdp | tr '\n' ' ')"
	[ -z "$(find /run/spin -type f 2>/dev/null)" ] || fail "records $1: $(ls /run/spin)"
	i=0
	while bpftool prog show 2>/dev/null | grep -q spin_; do
		i=$((i + 1))
		[ $i -lt 50 ] || { fail "programs of ours $1"; break; }
		sleep 0.1
	done
}
next_start() { spinctl limits >/dev/null 2>&1; }

# next_start_cleans WHEN: the next start must leave only xdp-filter, with the pins of one dispatcher
next_start_cleans() {
	next_start
	expect_programs xdpfilt_alw_all "$1 and the next start"
	[ "$(find /sys/fs/bpf/xdp -name 'dispatch-*' | wc -l)" = 1 ] || fail "pins $1: $(find /sys/fs/bpf/xdp | tr '\n' ' ')"
}

# The number of datagrams that reached this host and no socket.
reached() { awk '$1 == "Udp:" && $3 ~ /[0-9]/ { print $3 }' /proc/net/snmp; }

# xdp-filter is attached before ours, and stays after ours is gone.
case_filter_first() {
	spinctl doctor 2>&1 | tr -s ' \n' ' ' | grep -q "run --share\` works" || fail "doctor: $(spinctl doctor 2>&1 | grep -A8 " libxdp" | tr "\n" " ")"
	filter_on
	start --share || { filter_off; return; }
	expect_programs "xdpfilt_alw_all spin_root" "beside each other"
	status_line | grep -q ' 50 .*XDP_PASS *$' || fail "status: $(status_line)"
	spinctl status --dev v0 >$WORK/status
	grep -q "^v0, native mode, process $ours (spinctl), .* shared by libxdp" $WORK/status || fail "spinctl status: $(head -n 1 $WORK/status)"
	grep -q "^counter on v0, rule: " $WORK/status || fail "spinctl status lists no context"
	send 9000
	check_filter "beside ours"
	send 9000
	stop $((2 * COUNT))
	expect_programs xdpfilt_alw_all "without ours"
	check_filter "without ours"
	filter_off
}

# xdp-filter is attached after ours, and runs before it.
case_ours_first() {
	start --share || return
	expect_programs spin_root alone
	send 9000
	filter_on
	expect_programs "xdpfilt_alw_all spin_root" "beside each other"
	send 9000
	check_filter "beside ours"
	filter_off
	expect_programs spin_root "without xdp-filter"
	send 9000
	ping_peer "without xdp-filter"
	stop $((3 * COUNT))
}

# filter_sees N PORT WHEN: xdp-filter must see, and drop, N of the packets sent to a port
filter_sees() {
	was=$(filtered)
	send "$2"
	now=$(filtered)
	[ "$((${now:-0} - ${was:-0}))" = "$1" ] || fail "xdp-filter saw $((${now:-0} - ${was:-0})), not $1, of port $2 $3"
}
status_line() { xdp-loader status v0 | grep spin_root; }

# The second program does not see what the first one drops, unless --chain says so.
case_priority() {
	filter_on
	filter port 9000 -m dst -p udp
	start --share --priority 60 && {
		filter_sees $COUNT 9000 "before ours"
		stop 0
	}
	start --share --priority 5 && {
		expect_programs "spin_root xdpfilt_alw_all" "with priority 5"
		filter_sees 0 9000 "behind ours"
		filter_sees $COUNT 9999 "behind ours"
		stop $COUNT
	}
	start --share --priority 5 --chain drop,XDP_PASS && {
		status_line | grep -q 'XDP_DROP,XDP_PASS' || fail "status: $(status_line)"
		filter_sees $COUNT 9000 "with --chain drop"
		filter_sees $COUNT 9999 "with --chain drop"
		stop $COUNT
	}
	start --share --priority 5 --chain none && {
		filter_sees 0 9999 "with --chain none"
		stop 0
	}
	filter_off
}

# Handlers that send, next to a program that drops. What XDP sends over a veth arrives only if the other end also has a program.
case_replies() {
	/bin/ip netns exec peer /bin/spinctl run /spin/counter.spin --match 'udp dport 1' --dev v1 --interval 0 >/dev/null 2>&1 &
	other_end=$!
	sleep 3
	filter_on
	handler=rewrite.spin
	start --share && {
		ip netns exec peer /bin/datagrams 10.0.0.1 9000 $COUNT 4 64 answered >$WORK/sent 2>&1
		grep -q "^sent $COUNT answered $COUNT wrong 0" $WORK/sent || fail "replies: $(cat $WORK/sent)"
		check_filter "beside replies"
		stop 0
	}
	handler=counter.spin
	filter_off
	kill -INT $other_end
	wait $other_end
}

case_generic() {
	filter_on skb
	start --share || { filter_off; return; }
	head -n 1 $WORK/run | grep -q '"mode": *"generic"' || fail "not in generic mode: $(head -n 1 $WORK/run)"
	send 9000
	check_filter "in generic mode"
	stop $COUNT
	expect_programs xdpfilt_alw_all "without ours"
	start --share --mode native 2>/dev/null && fail "native beside generic"
	case $reasons in *"run in generic mode"*) reasons=${reasons%does not start*} reasons=${reasons%; } ;; esac
	filter_off
}

# Frames in several buffers: the dispatcher takes them only if all its programs do (6.9).
case_jumbo() {
	case $(uname -r) in [1-5].* | 6.[0-8].*) return ;; esac
	ip link set dev v0 mtu 9000
	ip netns exec peer /bin/ip link set dev v1 mtu 9000
	start --share --mode native && {
		ip netns exec peer /bin/datagrams 10.0.0.1 9000 $COUNT 1 8000 silent >/dev/null || fail "cannot send"
		stop $COUNT
	}
	ip link set dev v0 mtu 1500
	ip netns exec peer /bin/ip link set dev v1 mtu 1500
}

# After our process is killed, xdp-filter keeps working, packets to our context pass, and the next start removes our program.
case_killed_beside() {
	filter_on
	start --share || { filter_off; return; }
	send 9000
	kill_ours
	expect_programs "xdpfilt_alw_all spin_root" "after the kill"
	check_filter "after the kill"
	was=$(reached)
	ip netns exec peer /bin/datagrams 10.0.0.1 9000 1 1 64 silent >/dev/null 2>&1
	[ "$(reached)" -gt "$was" ] || fail "packets to a killed owner's context do not pass"
	next_start_cleans "after the kill"
	check_filter "after the next start"
	filter_off
}

case_killed_alone() {
	start --share || return
	kill_ours
	ping_peer "after the kill"
	start --share || return
	expect_programs spin_root "after the next start"
	send 9000
	stop $COUNT
}

# begin: starts ours and waits only until its record exists; before that it has changed nothing
begin() {
	spinctl run /spin/counter.spin --match 'udp dport 9000' --dev v0 --share --interval 0 >/dev/null 2>&1 &
	ours=$!
	i=0
	until ls /run/spin/share.* >/dev/null 2>&1; do
		i=$((i + 1))
		[ $i -lt 2000 ] || { fail "no record"; break; }
		sleep 0.01
	done
}

# Kills ours at various moments of its start, from the first one that changes anything. Each next start finds what the last one left.
case_killed_while_loading() {
	filter_on
	for hundredths in 00 02 04 06 08 10 12 14 16 18 20 24 28 32 36 40 50 60 70 80 90; do
		begin
		sleep 0.$hundredths
		kill_ours
		check_filter "after a kill at 0.$hundredths s"
		next_start_cleans "after a kill at 0.$hundredths s"
	done
	filter_off
}

# Same, at various moments of its end, after a SIGTERM.
case_killed_while_leaving() {
	filter_on
	for hundredths in 00 02 04 06 08 10 12 14 16 18 20 24 28 32 36 40; do
		start --share || break
		kill -TERM $ours
		sleep 0.$hundredths
		kill_ours
		check_filter "after a kill at 0.$hundredths s"
		next_start_cleans "after a kill at 0.$hundredths s"
	done
	filter_off
}

# On an interface in another namespace whose index an interface here also has: the next start finds it from here.
case_killed_elsewhere() {
	ip netns add other
	ip link add w0 type veth peer name w1
	ip link set dev w0 netns other
	enter="/bin/nsenter --net=/run/netns/other" dev=w0
	$enter /bin/ip link set dev w0 up
	start --share
	kill_ours
	$enter /bin/ip link show w0 | grep -q xdp || fail "libxdp's attachment went with its owner"
	next_start
	$enter /bin/ip link show w0 | grep -q xdp && fail "w0 has a program after the next start"
	enter= dev=v0
	ip link del w1
	ip netns del other
}

# What an interface of the same index in another namespace has is kept, although that namespace is not visible from here.
case_killed_beside_unseen() {
	ip netns add unseen
	: >$WORK/unseen
	mount --bind /run/netns/unseen $WORK/unseen
	ip link add w0 index 77 type veth peer name w1
	ip link set dev w0 netns unseen
	ip netns del unseen
	ip link add x0 index 77 type veth peer name x1
	unseen="/bin/nsenter --net=$WORK/unseen"
	$unseen /bin/ip -o link show w0 | grep -q ^77: || fail "w0 has another index"
	$unseen xdp-filter load w0 -m native -p allow >$WORK/filter 2>&1 || fail "xdp-filter: $(tail -n 1 $WORK/filter)"
	dev=x0
	/bin/ip link set dev x0 up
	start --share
	dev=v0
	sleep 3 # younger pins may be about to be attached
	kill_ours
	next_start
	ip link show x0 | grep -q xdp && fail "x0 has a program after the next start"
	$unseen xdp-loader status w0 | grep -q xdpfilt_alw_all || fail "the other namespace's program went, too"
	[ "$(find /sys/fs/bpf/xdp -path '*/dispatch-77-*/prog0-link' | wc -l)" = 1 ] || fail "pins: $(find /sys/fs/bpf/xdp | tr '\n' ' ')"
	$unseen xdp-filter unload w0 >$WORK/filter 2>&1 || fail "xdp-filter: $(tail -n 1 $WORK/filter)"
	ip link del x0
	ip link del w1
	umount $WORK/unseen
}

# A message says what this machine lacks.
case_wants() {
	umount /sys/fs/bpf
	spinctl run /spin/counter.spin --dev v0 --share --duration 1 >/dev/null 2>$WORK/err && fail "shared without a BPF file system"
	grep -q "mount -t bpf bpf /sys/fs/bpf" $WORK/err || fail "without bpffs: $(cat $WORK/err)"
	mount -t bpf bpf /sys/fs/bpf
	LIBXDP_SKIP_DISPATCHER=1 spinctl run /spin/counter.spin --dev v0 --share --duration 1 >/dev/null 2>$WORK/err &&
		fail "shared without a dispatcher"
	grep -q "unset it" $WORK/err || fail "LIBXDP_SKIP_DISPATCHER: $(cat $WORK/err)"
}

# Only one process of ours at a time may share. A process without --share is told what is attached.
case_refusals() {
	filter_on
	start --share || { filter_off; return; }
	spinctl run /spin/counter.spin --dev v0 --share --duration 1 >/dev/null 2>$WORK/second && fail "two processes of ours share"
	grep -q "shared by sPIN's process $ours already" $WORK/second || fail "second says: $(cat $WORK/second)"
	spinctl run /spin/counter.spin --dev v0 --duration 1 >/dev/null 2>$WORK/second && fail "attached without --share"
	grep -q "xdpfilt_alw_all, spin_root: .*--share" $WORK/second || fail "without --share: $(cat $WORK/second)"
	stop 0
	filter_off
	start || return
	xdp-loader load v0 /usr/lib/x86_64-linux-gnu/bpf/xdpfilt_alw_all.o >/dev/null 2>&1 && fail "a bpf_link of ours was shared"
	spinctl run /spin/counter.spin --dev v0 --share --duration 1 >/dev/null 2>$WORK/second && fail "shared what is not"
	grep -q "of process $ours" $WORK/second || fail "second says: $(cat $WORK/second)"
	stop 0
}

# Ours reports who removed it. An interface that goes away leaves no pins.
case_removed_by_others() {
	start --share || return
	xdp-loader unload v0 --all >/dev/null 2>&1
	wait $ours && fail "goes on without a program"
	grep -q "somebody else has detached" $WORK/err || fail "says: $(cat $WORK/err)"
	expect_nothing "after xdp-loader unload"
	filter_on
	start --share || { filter_off; return; }
	ip link del v0
	wait $ours && fail "goes on without an interface"
	grep -q "has gone away" $WORK/err || fail "says: $(cat $WORK/err)"
	expect_nothing "after the interface went"
	make_veth 2>/dev/null
}

# xdpdump sees what ours returns.
case_xdpdump() {
	start --share || return
	timeout 40 xdpdump -i v0 -p spin_root --rx-capture exit -w $WORK/dump.pcap >$WORK/dump 2>&1 &
	dump=$!
	i=0
	until grep -q listening $WORK/dump; do
		i=$((i + 1))
		[ $i -lt 200 ] && kill -0 $dump 2>/dev/null || { fail "xdpdump: $(head -c 400 $WORK/dump | tr '\n' ' ')"; break; }
		sleep 0.1
	done
	send 9000
	sleep 1
	kill -INT $dump 2>/dev/null
	wait $dump
	[ "$(wc -c <$WORK/dump.pcap 2>/dev/null || echo 0)" -ge $((COUNT * 64)) ] || fail "xdpdump saw nothing: $(tail -n 1 $WORK/dump)"
	stop $COUNT
}

# With a libxdp whose dispatcher takes no program with tail calls on this kernel, the message names what is missing, and nothing is left.
case_old_libxdp() {
	spinctl doctor >$WORK/doctor 2>&1
	tr -s ' \n' ' ' <$WORK/doctor | grep -q "does not work: the dispatcher of the libxdp that is installed" ||
		spinctl run /spin/counter.spin --dev v0 --share --duration 1 >/dev/null 2>&1 || fail "doctor: $(grep libxdp $WORK/doctor)"
	filter_on
	spinctl run /spin/counter.spin --dev v0 --share --duration 1 --interval 0 >/dev/null 2>$WORK/err ||
		grep -q "install libxdp 1.5.5 or newer" $WORK/err || fail "says: $(cat $WORK/err)"
	expect_programs xdpfilt_alw_all "after a refusal"
	check_filter "after a refusal"
	filter_off
}

run_cases() {
	make_veth
	ping_peer "at the start"
	for case in $(sed 's/.*cases=\([^ ]*\).*/\1/' /proc/cmdline | tr , ' '); do
		case_$case
		expect_nothing "at the end"
		echo "row|$case|$reasons"
		[ -z "$reasons" ] || { xdp-loader unload v0 --all; rm -rf /run/spin/share.*; } >/dev/null 2>&1
		reasons=
	done
	echo "done"
}
