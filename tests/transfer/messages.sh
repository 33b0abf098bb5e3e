#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `spinctl run` with handlers of messages. A file must be reported as a complete message, one whose packets stop as timed out, as text and
# JSON; an entry (memory posted for messages) with `once` must take one message and not a second; `spinctl status` must count them. Values
# beyond a limit, and options of messages for handlers of datagrams, must be refused with one line. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
skip_unless_root
make_nics
in_ns ip link set lo up
COPY=$BUILD/handlers/copy_to_host.spin
cd "$WORK" || exit 1
head -c 5000 /dev/urandom >file

# run OPTIONS...: runs on lo, and is attached when this returns
run() {
	rm -f ready
	nsenter --net="/run/netns/$NS" "$SPINCTL" run "$COPY" --dev lo --match 'udp dport 9330' --interval 0 \
		--ready-file ready "$@" >run.out 2>run.err &
	RUN=$!
	i=0
	while [ ! -s ready ] && [ $i -lt 300 ]; do i=$((i + 1)); sleep 0.05; done
	[ -s ready ] || fail "run $*: not ready: $(cat run.err)"
}

end_run() {
	kill -INT "$RUN"
	wait "$RUN" || fail "run: status $?: $(cat run.err)"
}

out_says() {
	grep -qF -- "$1" run.out || fail "no '$1' in: $(head -c 600 run.out)"
}

# a first packet of message 7, without any further packet
begin() {
	in_ns bash -c 'printf "\100\000\000\000\000\007\000\000\000\000abcdefgh" >/dev/udp/127.0.0.1/9330'
}

run --idle 0.2
expect 0 in_ns "$SPINCTL" send file --to 127.0.0.1
begin
i=0
until grep -q 'timed out' run.out || [ $i = 100 ]; do i=$((i + 1)); sleep 0.05; done
expect 0 in_ns "$SPINCTL" status --dev lo
says out "messages: 2 opened, 1 completed, 1 evicted, 0 in flight"
expect 0 in_ns "$SPINCTL" status --dev lo --json
says out '"messages": {'
says out '"verdict": "ack"'
end_run
grep -Eq '^success +ack +[0-9]+ +handled$' run.out || fail "not acknowledged: $(cat run.out)"
out_says "event: copy_to_host: complete: message"
out_says "of 5000 bytes from 127.0.0.1"
out_says "event: copy_to_host: timed out: message 7"
out_says "messages: 2 opened, 1 completed, 1 evicted, 0 in flight"

# the only MPQ: a message without further packets keeps it until it reaches its age limit
run --messages 1 --idle 100 --age 0.3
begin
expect 1 in_ns "$SPINCTL" send file --to 127.0.0.1 --timeout 0.1
sleep 0.4
expect 0 in_ns "$SPINCTL" send file --to 127.0.0.1
end_run
out_says "messages: 2 opened, 1 completed, 1 evicted, 0 in flight"

run --json --put --host-kib 16 --messages 4 --entry 'match=5 length=8192 once' --entry 'match=6 start=8192'
expect 0 in_ns "$SPINCTL" send file --to 127.0.0.1 --match 6 --hdr-data 99
expect 0 in_ns "$SPINCTL" send file --to 127.0.0.1 --match 5
expect 1 in_ns "$SPINCTL" send file --to 127.0.0.1 --match 5 --timeout 0.3
end_run
grep '"event": "message"' run.out >events
[ "$(wc -l <events)" = 2 ] || fail "not two messages: $(cat run.out)"
sed -n 1p events | grep -q '"entry": 1,.*"header_data": 99' || fail "the first one is another: $(cat events)"
sed -n 2p events | grep -q '"entry": 0,.*"flags": \["unlinked"\]' || fail "the second one is another: $(cat events)"
tail -n 1 run.out | grep -q '"messages": {"opened": [23], "completed": 2' || fail "no counts of messages: $(tail -n 1 run.out)"
out_says '"reason": "no_me"'

refused() { # SAYS OPTIONS...
	text=$1
	shift
	expect 1 in_ns "$SPINCTL" "$@"
	says err "$text"
	one_line
}
refused "takes datagrams" run "$OBJECT" --dev lo --messages 7 --duration 0.1
refused "at most 4096" run "$COPY" --dev lo --messages 5000 --duration 0.1
refused "host_bytes" run "$COPY" --dev lo --host-kib 300000 --duration 0.1
refused "give more with --host-kib 3907" run "$COPY" --dev lo --entry 'match=1 start=0 length=4000000' --duration 0.1
refused "starts beyond the 16384 bytes" run "$COPY" --dev lo --host-kib 16 --entry 'start=16384' --duration 0.1
refused "'twice' is none of" run "$COPY" --dev lo --entry 'match=1 twice' --duration 0.1
refused "beyond the 1048576 bytes" run "$COPY" --dev lo --entry 'start=9999999' --duration 0.1
refused "trusted class only" run "$COPY" --dev lo --class isolated --duration 0.1
exit $FAILED
