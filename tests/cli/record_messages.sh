#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl record and replay for handlers of messages: host memory, matching entries, counters and events must be the same on every engine,
# and differences must be reported. Host memory of handlers of datagrams must be recorded as well. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
make_nics
in_ns ip link set lo up
H=$BUILD/handlers
cd "$WORK" || exit 1
export TMPDIR="$WORK"
head -c 20000 /dev/urandom >file

# start_record OBJECT FILE OPTIONS...: returns when it is attached; its pid is in $RECORD
start_record() {
	object=$1 file=$2
	shift 2
	rm -f ready
	nsenter --net="/run/netns/$NS" "$SPINCTL" record "$object" --dev lo --mode generic --match 'udp dport 9330' -o "$file" \
		--ready-file ready "$@" >record.out 2>record.err &
	RECORD=$!
	i=0
	while [ ! -s ready ]; do
		i=$((i + 1))
		if [ $i -gt 1200 ] || ! kill -0 $RECORD 2>/dev/null; then
			fail "spinctl record did not start: $(cat record.err)"
			exit 1
		fi
		sleep 0.05
	done
}

end_record() {
	kill -INT $RECORD
	wait $RECORD || fail "spinctl record: status $?: $(cat record.err)"
	[ -s record.err ] && fail "record complains: $(cat record.err)"
}

# until_messages N evicted|completed: waits until N of the context's messages have ended that way
until_messages() {
	i=0
	until in_ns "$SPINCTL" status --dev lo --json | tr -d ' \n' | grep -q "\"$2\":$1[,}]"; do
		i=$((i + 1))
		[ $i -lt 600 ] || { fail "not $1 messages $2: $(in_ns "$SPINCTL" status --dev lo)"; return; }
		sleep 0.1
	done
}

# packets PACKET...: sends SLMP datagrams from one port: flags, id, offset and payload, in printf's format
packets() {
	in_ns bash -c 'exec 3>/dev/udp/127.0.0.1/9330; for p; do printf "$p" >&3; done' bash "$@"
}

# the first packet of message 7, which stays incomplete
begin='\100\000\000\000\000\007\000\000\000\000abcdefgh'
# message 9, complete, with its last packet before its first
late='\200\000\000\000\000\011\000\000\000\010ijkl' first='\100\000\000\000\000\011\000\000\000\000abcdefgh'

# on one CPU, handlers run in the order of the wire
taskset -p -c 0 $$ >/dev/null

# --- deposits: entries, one used once, puts, a reordered packet, a message that times out
start_record "$H/copy_to_host.spin" copy.spinrec --put --host-kib 64 --idle 0.3 --entry 'match=5 length=24576 once' \
	--entry 'match=6 start=24576 length=24576' --entry 'match=0 start=49152'
expect 0 in_ns "$SPINCTL" send file --to 127.0.0.1 --match 5 --hdr-data 99
expect 0 in_ns "$SPINCTL" send file --to 127.0.0.1 --match 6
packets "$late" "$first" "$begin"
until_messages 1 evicted
until_messages 3 completed
end_record
grep -q 'messages: 4 opened, 3 completed, 1 evicted, 0 in flight' record.out || fail "record says: $(cat record.out)"
for engines in '--trust' "--handler $ROOT/handlers/copy_to_host.c"; do
	expect 0 "$SPINCTL" replay copy.spinrec $engines
	says out "The engines agree with each other: every packet, and memory at the end."
	says out "Counters, events and memory at the end are as recorded."
	says out "events recorded: 4"
	grep -Eq '^success +ack +3[0-9] ' out || fail "not 30 packets and more acknowledged: $(cat out)"
done
expect 0 "$SPINCTL" replay copy.spinrec --engine model --json
says out '"as_recorded": true'
says out '"recorded_events": 4'
says out '"verdict": "ack"'

# --- another handler: host memory and events must differ from the recording
mkdir -p other
cp "$ROOT/handlers/reduce.c" other/
# changed WHAT INTO: replays the changed handler; the output is in out
changed() {
	sed "s/$1/$2/" "$ROOT/handlers/copy_to_host.c" >other/copy_to_host.c
	cmp -s other/copy_to_host.c "$ROOT/handlers/copy_to_host.c" && fail "the changed handler is the same"
	expect 1 "$SPINCTL" replay copy.spinrec --handler other/copy_to_host.c --engine host --engine model
	says out "The engines agree with each other"
	says out "The replay differs from the recording:"
}
changed 'return SPIN_SUCCESS' 'return SPIN_FAIL'
says out "event fail payload"
changed 'p->offset, 0' 'p->offset + 8, 0'
says out "host memory +0x0000"
grep -q "event " out && fail "the same events differ: $(cat out)"
expect 1 "$SPINCTL" replay copy.spinrec --handler other/reduce.c --engine model
says err "copy.spinrec is of handler copy_to_host"

# --- state in addition to host memory
start_record "$H/reduce.spin" reduce.spinrec
expect 0 in_ns "$SPINCTL" send file --to 127.0.0.1
until_messages 1 completed
end_record
expect 0 "$SPINCTL" replay reduce.spinrec --trust
says out "Counters, events and memory at the end are as recorded."

# --- impossible settings
expect 1 in_ns "$SPINCTL" record "$OBJECT" --dev lo -o x --put
says err "takes datagrams: leave options of messages out"
one_line
expect 1 in_ns "$SPINCTL" record "$H/copy_to_host.spin" --dev lo -o x --entry 'match=1 start=2000000'
says err "give more with --host-kib"
one_line
[ ! -e x ] || fail "a recording that never began is there"
exit $FAILED
