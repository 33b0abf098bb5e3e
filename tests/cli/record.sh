#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `spinctl record` and `spinctl replay`: a recording of live packets must give the same results on every engine (kernel, host build, model
# of the card), differences must be reported, and damaged, truncated and other files must be refused. No incomplete file may ever have the
# recording's name. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
PEER=$NS-peer
export TMPDIR="$WORK/tmp"
mkdir "$TMPDIR" "$WORK/out.d" || exit 1
cd "$WORK" || exit 1

ip netns add "$NS" && ip netns add "$PEER" && ip -n "$NS" link add v0 type veth peer name v1 netns "$PEER" &&
	ip -n "$NS" addr add 10.9.0.1/24 dev v0 && ip -n "$PEER" addr add 10.9.0.2/24 dev v1 &&
	ip -n "$NS" link set v0 up && ip -n "$PEER" link set v1 up || skip "cannot make network namespaces with veth here"

expect 0 "$SPINCTL" new apples
expect 0 "$SPINCC" apples.c -o apples.spin

# start_record FILE OPTIONS...: returns when it is attached; its pid is in $RECORD
start_record() {
	file=$1
	shift
	rm -f ready
	nsenter --net="/run/netns/$NS" "$SPINCTL" record apples.spin --dev v0 --match 'udp dport 9000' -o "$file" \
		--ready-file ready "$@" >record.out 2>record.err &
	RECORD=$!
	i=0
	while [ ! -s ready ]; do
		i=$((i + 1))
		if [ $i -gt 200 ] || ! kill -0 $RECORD 2>/dev/null; then
			fail "spinctl record did not start: $(cat record.err)"
			return 1
		fi
		sleep 0.05
	done
}

end_record() { # WANTED-STATUS
	wait $RECORD
	status=$?
	[ $status = "$1" ] || fail "spinctl record: status $status instead of $1: $(cat record.err)"
}

# send CPU PORT WORD...: a datagram for each word
send() {
	cpu=$1 port=$2
	shift 2
	taskset -c "$cpu" nsenter --net="/run/netns/$PEER" bash -c \
		'port=$1; shift; for w; do printf %s "$w" >/dev/udp/10.9.0.1/$port || exit 1; done' bash "$port" "$@" ||
		fail "cannot send"
}

hidden() { # WHEN: no unnamed file may be left
	[ -z "$(find . -name '.spinrec*')" ] || fail "$1: left: $(find . -name '.spinrec*')"
	[ -z "$(ls -A "$TMPDIR")" ] || fail "$1: left in TMPDIR: $(ls -A "$TMPDIR")"
}

# --- same results as recorded, on every engine
start_record a.spinrec --packets 4 --set 'spin_state.kind[98].bytes=1000' || exit 1
[ -e a.spinrec ] && fail "the recording has its name before it is whole"
send 0 9001 other
send 0 9000 apple banana cherry avocado
end_record 0
grep -q 'apples on v0, rule: udp dport 9000: 4 packets' record.out || fail "record says: $(cat record.out)"
[ -s record.err ] && fail "record complains: $(cat record.err)"
expect 0 "$SPINCTL" replay a.spinrec
says err "a.spinrec carries programs: the object of handler apples"
says err "they are run on the model of the HPU alone"
says err "skipped: bpf: programs that were not compiled by this command"
says err "skipped: isolated: programs that were not compiled by this command"
grep -Eq '^success +pass +4 +4$' out || fail "not 4 packets of success on the model alone: $(cat out)"
expect 1 "$SPINCTL" replay a.spinrec --engine bpf
says err "--engine bpf: programs that were not compiled by this command"
expect 0 "$SPINCTL" replay a.spinrec --trust
says err "they are run, as --trust says"
says out "4 packets in"
says out "The engines agree with each other"
says out "Counters and memory at the end are as recorded."
grep -Eq '^success +pass +4 +4 +4 +4$' out || fail "not 4 packets of success on three engines: $(cat out)"
says err "skipped: host: it is made of the source; name that with --handler"
expect 0 "$SPINCTL" replay a.spinrec --handler apples.c --engine host --engine model --json
says out '"engines_agree": true'
says out '"as_recorded": true'
says out '"recorded_handler": true'
says out '"recorded_packets": 4'
says out '"hpus": 1'
hidden "replay"

# other readers of pcapng must skip our blocks
expect 0 "$SPINCTL" cost apples.spin --pcap a.spinrec --match 'udp dport 9000'
says out "4 frames, 4 handled"

# --- differences are reported
sed 's/p->length)/p->length + 1)/' apples.c >changed.c
mkdir -p changed && mv changed.c changed/apples.c
expect 1 "$SPINCTL" replay a.spinrec --handler changed/apples.c --engine host --engine model
says out "The engines agree with each other"
says out "The replay differs from the recording:"
says out "  host model"
says out "spin_state.kind[98].bytes 1007, recorded 1006"
says out "The handler is another than the recorded one"
grep -q "HPUs at once" out && fail "one HPU is taken for several: $(cat out)"
expect 1 "$SPINCTL" replay a.spinrec --handler changed/apples.c --engine model --json
says out '"recorded_handler": false'
cp apples.spin changed/
touch -d '1 minute' changed/apples.c
sed -i 's/return SPIN_SUCCESS/return SPIN_DROP/' changed/apples.c
expect 1 "$SPINCTL" replay a.spinrec --handler changed/apples.spin --engine host --engine model --trust
says out "The engines disagree with each other:"
says out "packet 1, at 0.000000 s: model, and host"
says out "pass success, host drop dropped"
says out "packets dropped          4, recorded 0"
expect 1 "$SPINCTL" replay a.spinrec --handler changed/apples.spin --engine host --engine model --trust --json
says out '"first_packet_that_differs"'
sed -i 's/return SPIN_DROP/return SPIN_FAIL/' changed/apples.c
expect 1 "$SPINCTL" replay a.spinrec --handler changed/apples.spin --engine host --engine model --trust
says out "event                    none, host fail payload"
sed 's/kind\[256\]/kind[128]/' apples.c >changed/apples.c
expect 1 "$SPINCTL" replay a.spinrec --handler changed/apples.c --engine model
says err "replay with the handler that was recorded"
one_line
expect 1 "$SPINCTL" replay a.spinrec --handler "$OBJECT" --engine model
says err "a.spinrec is of handler apples"
one_line

# --- all modes and classes have the same results
for options in '--mode generic' '--class isolated'; do
	start_record c.spinrec --packets 2 $options || exit 1
	send 0 9000 apple banana
	end_record 0
	expect 0 "$SPINCTL" replay c.spinrec
	says out "Counters and memory at the end are as recorded."
done

# --- several HPUs; a signal ends the recording
if [ "$(nproc)" -gt 1 ]; then
	for signal in INT TERM; do
		start_record b.spinrec || exit 1
		send 0 9000 one two three
		send 1 9000 four five
		sleep 0.3
		kill -s $signal $RECORD
		end_record 0
		expect 0 "$SPINCTL" replay b.spinrec --engine model
		says out "5 packets"
		says out "HPUs: 2"
	done
	sed 's/p->length)/p->length + 1)/' apples.c >changed/apples.c
	expect 1 "$SPINCTL" replay b.spinrec --handler changed/apples.c --engine model
	says out "The handler is another than the recorded one"
	says out "the order on the wire was not the order of the handlers"
fi

# --- packets that are lost because the ring is full
start_record lost.spinrec --ring-mib 1 || exit 1
kill -STOP $RECORD
long=$(printf '%01400d' 7)
nsenter --net="/run/netns/$PEER" bash -c 'for ((i = 0; i < 1500; i++)); do printf %s "$1" >/dev/udp/10.9.0.1/9000; done' \
	bash "$long"
kill -CONT $RECORD
kill -INT $RECORD
end_record 0
grep -q 'packets found the ring full and are not in lost.spinrec' record.err || fail "lost packets: $(cat record.err)"
expect 1 "$SPINCTL" replay lost.spinrec --engine model
says out "packets found the ring full and are not in the recording"
# the same source, compiled in another directory
mkdir -p same && cp apples.c same/
expect 1 "$SPINCTL" replay lost.spinrec --handler same/apples.c --engine model
grep -q "another than" out && fail "the recorded handler is taken for another: $(cat out)"

# --- kill -9, a full disk, an interface that disappears: no incomplete file
start_record killed.spinrec || exit 1
send 0 9000 one
kill -9 $RECORD
wait $RECORD 2>/dev/null
[ -e killed.spinrec ] && fail "a killed recording is there"
hidden "kill -9"
unshare -m sh -c 'mount -t tmpfs -o size=64k none out.d && "$@"; status=$?; ls -A out.d; exit $status' sh \
	nsenter --net="/run/netns/$NS" "$SPINCTL" record apples.spin --dev v0 -o out.d/full.spinrec --duration 0.2 >out 2>err
[ $? = 1 ] || fail "a full disk is not noticed"
says err "No space left on device"
one_line
grep -q spinrec out && fail "a full disk leaves: $(cat out)"
"$SPINCTL" replay a.spinrec --engine model >/dev/full 2>err
[ $? = 1 ] || fail "a full disk is not reported by replay"
{ "$SPINCTL" replay a.spinrec --engine model 2>err; echo $? >status; } | :
[ "$(cat status)" = 1 ] && says err "cannot write the output"
start_record gone.spinrec || exit 1
send 0 9000 one
sleep 0.3
ip -n "$NS" link del v0
end_record 1
grep -q 'v0 has gone away.*what came until then is recorded' record.err || fail "gone: $(cat record.err)"
expect 0 "$SPINCTL" replay gone.spinrec --engine model
says out "1 packet in"

# --- a signal while replay compiles or runs must leave nothing
for wait in 0.1 0.7 1.1; do
	env --default-signal=INT "$SPINCTL" replay lost.spinrec --handler apples.c >out 2>err &
	pid=$!
	sleep $wait
	kill -INT $pid 2>/dev/null
	wait $pid
	hidden "SIGINT of replay"
done

# --- damaged and third-party files
refused() { # FILE REASON
	expect 1 "$SPINCTL" replay "$1" --engine model
	says err "$2"
	one_line
}
size=$(wc -c <a.spinrec)
for cut in 0 4 11 100 4000 $((size / 2)) $((size - 1)); do
	head -c "$cut" a.spinrec >cut.spinrec
	refused cut.spinrec "cut.spinrec is "
done
for at in 30 200 5000 $((size / 2)) $((size - 700)) $((size - 6)) $((size - 1)); do
	cp a.spinrec bad.spinrec
	printf '\252' | dd of=bad.spinrec bs=1 seek=$at conv=notrunc 2>/dev/null
	cmp -s a.spinrec bad.spinrec || refused bad.spinrec "bad.spinrec is "
done
cat a.spinrec a.spinrec >twice.spinrec
refused twice.spinrec "is cut short"
refused apples.spin "is not a recording: make one with"
refused nosuch.spinrec "No such file or directory"
refused . "."
mkfifo pipe
expect 1 timeout 60 "$SPINCTL" replay pipe --engine model
says err "is not a regular file"
one_line
expect 2 "$SPINCTL" replay
expect 2 "$SPINCTL" replay a.spinrec --engine qemu
expect 1 "$SPINCTL" replay a.spinrec --handler nosuch.c
says err "cannot open nosuch.c"

# --- bad input for record
ip -n "$NS" link add v0 type veth peer name v1 && ip -n "$NS" link set v0 up
record() { in_ns "$SPINCTL" record "$@"; }
expect 2 record apples.spin --dev v0
says err "missing: -o FILE"
expect 2 record apples.spin -o x
says err "missing: --dev IF"
expect 2 record apples.spin --dev v0 -o x --ring-mib 0
expect 2 record apples.spin --dev v0 -o x --frobnicate
expect 2 record apples.spin --dev v0 -o x --mode fast
one_line
expect 2 record apples.spin --dev v0 -o x --class first
one_line
for where in /dev/full nosuch/x out.d; do
	expect 1 record apples.spin --dev v0 -o $where --duration 0.1
	one_line
done
[ -c /dev/full ] || fail "/dev/full was replaced"
expect 1 record apples.spin --dev nosuch0 -o x
says err "no interface nosuch0"
expect 1 record apples.c --dev v0 -o x
says err "not a fat object"
expect 1 record apples.spin --dev v0 -o x --set spin_state.nosuch=1
says err "nosuch"
[ -e x ] && fail "a recording that never began is there"
hidden "bad input"

# --- without root: record says so; replay runs the engines that do not need root
chmod 755 "$WORK"
chmod 777 "$TMPDIR"
cp "$SPINCTL" spinctl
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all "$@"; }
expect 1 as_user ./spinctl record apples.spin --dev lo -o "$TMPDIR/x"
says err "run it as root"
one_line
expect 0 as_user ./spinctl replay a.spinrec --trust
says err "skipped: bpf: running handlers in the kernel needs root"
says out "Counters and memory at the end are as recorded."
hidden "as a user"
exit $FAILED
