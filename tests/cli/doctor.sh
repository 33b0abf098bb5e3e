#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl doctor lists the settings of an interface that matter to sPIN, one a row, with a verdict (ok, note, warning, missing). The test
# changes settings of its veth pair, and the rows must follow. The command that a row advises must work, and change the row. Text and JSON
# must have the same rows. An interface that another XDP program holds must give status 1. Run by tests/run.
. "$(dirname "$0")/setup.inc"
. "$(dirname "$0")/doctor.inc"
skip_unless_root
make_nics

doctor() {
	want=$1
	shift
	expect "$want" in_ns "$SPINCTL" doctor --json "$@"
	is_json "$WORK/out"
}

# follow DEVICE NAME: runs the command of the row's advice
follow() {
	command=$(command_of "$1" "$2")
	[ -n "$command" ] || fail "$1, $2: no command in '$(field "$1" "$2" advice)'"
	in_ns sh -c "$command" >"$WORK/follow" 2>&1 || fail "$command: $(cat "$WORK/follow")"
}

# attached "DEVICE [NETNS]": succeeds if the device has an XDP program
attached() {
	set -- $1
	ip -n "${2:-$NS}" link show "$1" | grep -q 'prog/xdp'
}
# follow_in_background DEVICE NAME "PEER [NETNS]": same for a command that runs until it is killed and attaches a program to the peer
follow_in_background() {
	command=$(command_of "$1" "$2")
	case $command in
	*"spinctl run "*" &") ;;
	*) fail "$1, $2: no command that goes on in '$(field "$1" "$2" advice)'" ;;
	esac
	in_ns env PATH="${SPINCTL%/*}:$PATH" sh -c "$command echo \$! >$WORK/background" >"$WORK/follow" 2>&1 || fail "$command"
	i=0
	until attached "$3" || [ $((i += 1)) -gt 200 ]; do sleep 0.05; done
	attached "$3" || fail "$command: $(cat "$WORK/follow")"
}
end_background() {
	kill -INT "$(cat "$WORK/background")"
	i=0
	while attached "$1" && [ $((i += 1)) -lt 200 ]; do sleep 0.05; done
}

# agrees DEVICE: native XDP must be available if and only if the doctor says so
agrees() {
	doctor 0 --dev "$1"
	case $(field "$1" native verdict) in
	ok) want=0 ;;
	*) want=1 ;;
	esac
	expect $want in_ns "$SPINCTL" run "$OBJECT" --dev "$1" --mode native --duration 0.1
	doctor 0 --dev "$1"
}

# the machine: text, JSON, and one line for each row
expect 0 in_ns "$SPINCTL" doctor
cp "$WORK/out" "$WORK/text"
grep -qE "handlers can run here: native on (v0, v1|v1, v0), generic on lo" "$WORK/out" || fail "conclusion: $(tail -n 2 "$WORK/out")"
in_80_columns "$WORK/text"
doctor 0
json_rows "$WORK/out" >"$WORK/a"
text_rows "$WORK/text" >"$WORK/b"
[ "$(wc -l <"$WORK/a")" -gt 30 ] || fail "only $(wc -l <"$WORK/a") rows"
diff "$WORK/a" "$WORK/b" || fail "text and JSON differ"
[ "$(grep -c '"about": "[A-Za-z].\{20,\}\."' "$WORK/out")" = "$(grep -c '"name": "' "$WORK/out")" ] || fail "a check without its text"

# one interface, with all rows
expect 0 in_ns "$SPINCTL" doctor --dev v0
cp "$WORK/out" "$WORK/text"
in_80_columns "$WORK/text"
doctor 0 --dev v0
json_rows "$WORK/out" >"$WORK/a"
text_rows "$WORK/text" >"$WORK/b"
diff "$WORK/a" "$WORK/b" || fail "text and JSON of v0 differ"
[ "$(grep -c '"about": "[A-Za-z].\{20,\}\."' "$WORK/out")" = "$(grep -c '"name": "' "$WORK/out")" ] || fail "a check without its text"
row v0 kind ok "veth"
row v0 state ok "up"
row v0 MTU ok "1500"
row v0 native ok "yes"
row v0 "held by" ok "no XDP program"
row v0 peer ok "v1 in this namespace, up"

# programs that are reported as loadable were loaded
doctor 0
for name in dispatcher datagrams messages sending "copying dispatcher" segments "isolated datagrams" "isolated sending" "isolated segments" "isolated streams"; do
	json_rows "$WORK/out" | grep -qx "ok $name the kernel loads it" || fail "$name: $(json_rows "$WORK/out" | grep "$name")"
done

# each setting changes its row; so does following the advice
doctor 0 --dev v0
row v0 XDP_TX warning "lost"
in_ns ethtool -K v1 gro on
doctor 0 --dev v0
row v0 XDP_TX warning "with GRO alone"
in_ns ethtool -K v1 gro off
follow_in_background v0 XDP_TX v1
doctor 0 --dev v0
row v0 XDP_TX ok "an XDP program"
end_background v1
doctor 0 --dev v0
row v0 XDP_TX warning "lost"

row v0 checksums note "hardware that does not exist"
follow v0 checksums
doctor 0 --dev v0
row v0 checksums ok "v1 finishes"

row v0 "VLAN offload" note "tx on"
follow v0 "VLAN offload"
doctor 0 --dev v0
row v0 "VLAN offload" ok "rx on"

row v0 "threaded NAPI" ok "off"
row v0 "CPU time" note "not threaded"
follow v0 "CPU time" # GRO on, which threaded NAPI needs
doctor 0 --dev v0
row v0 "CPU time" note "not threaded"
follow v0 "CPU time"
doctor 0 --dev v0
row v0 "threaded NAPI" ok "on: each receive queue"
case $(field v0 "threaded NAPI" found) in
*"(0 such threads"*) fail "no NAPI thread is seen" ;;
esac
row v0 "CPU time" ok "NAPI threads"

case $(command_of v0 queues) in
"ethtool -L v0 rx "*)
	row v0 queues note "1 rx"
	follow v0 queues
	doctor 0 --dev v0
	row v0 queues ok " rx, 1 tx"
	;;
esac

in_ns ip link set v1 mtu 9000
agrees v0
row v0 MTU note "1500, its peer has 9000"
row v0 native ok "yes"
in_ns ip link set v1 mtu 1400
doctor 0 --dev v0
row v0 MTU ok "1500, its peer has 1400"

in_ns ip link set v0 down
doctor 0 --dev v0
row v0 state warning "down"
follow v0 state
doctor 0 --dev v0
row v0 state ok "up"

# a peer that sends on more queues than there are receive queues
in_ns ip link add q0 numrxqueues 1 numtxqueues 1 type veth peer name q1 numrxqueues 1 numtxqueues 3
agrees q0
row q0 "queue rule" warning "1 rx here, 3 tx"
row q0 native warning "sends on 3 queues"
says out "generic on q0"
follow q0 "queue rule"
agrees q0
row q0 "queue rule" ok "1 rx here, 1 tx"
row q0 native ok "yes"
says out "native on q0"
in_ns ip link del q0

# a peer in another namespace must be found and named, and the advice must apply to it
ip netns add "$NS-b" && ip -n "$NS" link add w0 type veth peer name w1 netns "$NS-b" || fail "no second namespace"
doctor 0 --dev w0
row w0 peer warning "w1 in namespace $NS-b, down"
follow w0 peer
follow w0 state
doctor 0 --dev w0
row w0 peer ok "w1 in namespace $NS-b, up"
row w0 state ok "up"
ip -n "$NS-b" link set w1 down
doctor 0 --dev w0
row w0 state warning "no carrier"
ip -n "$NS-b" link set w1 up
follow_in_background w0 XDP_TX "w1 $NS-b"
doctor 0 --dev w0
row w0 XDP_TX ok "an XDP program"
end_background "w1 $NS-b"
ip netns del "$NS-b"

# held by another program: it is named, and the exit status is 1 until the advice is followed
for mode in xdpdrv xdpgeneric; do
	attach_by_iproute v0 $mode obj "$BUILD/tests/bench/baselines/empty.bpf.o" sec xdp || fail "cannot attach $mode"
	program=$(in_ns ip -d link show v0 | sed -n 's/.*prog\/xdp[a-z]* id \([0-9]*\) name \([^ ]*\).*/\1 \2/p')
	doctor 1 --dev v0
	row v0 "held by" missing "'${program#* }' (id ${program% *})"
	says out '"can_run": false'
	says out "held by somebody else: v0"
	follow v0 "held by"
	doctor 0 --dev v0
	row v0 "held by" ok "no XDP program"
done

# held by spinctl
start_run v0 || exit 1
doctor 0 --dev v0
row v0 "held by" note "of process $RUN (spinctl)"
in_ns ip link show v0 | grep -q xdp || fail "the doctor detached the program"
kill "$RUN"
wait "$RUN"

# several interfaces, none, invalid arguments
in_ns ip link set lo up
agrees lo
doctor 0 --dev v0 --dev lo
row lo native warning "loopback"
says out "native on v0, generic on lo"
expect 1 in_ns "$SPINCTL" doctor --dev nosuch0
one_line
says err "no interface nosuch0"
[ -s "$WORK/out" ] && fail "output in spite of the failure"
expect 1 in_ns "$SPINCTL" doctor --dev ""
one_line
expect 2 in_ns "$SPINCTL" doctor --dev
expect 2 in_ns "$SPINCTL" doctor lo

# tools: reports the one in PATH
mkdir "$WORK/bin"
printf '#!/bin/sh\necho "clang version 99.1.2 (of this test)"\n' >"$WORK/bin/clang"
chmod 755 "$WORK/bin/clang"
expect 0 env -i PATH="$WORK/bin" "$SPINCTL" doctor --json
grep -A3 '"name": "clang"' "$WORK/out" | grep -q '99\.1\.2' || fail "not the clang of the path"
grep -A3 '"name": "RISC-V gcc"' "$WORK/out" | grep -q '"verdict": "warning"' || fail "a compiler that is not there is well"
says out "apt install gcc-riscv64-unknown-elf"
exit $FAILED
