#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `spinctl send` must send files, pipes and /proc as messages, one line of output each; data longer than 64 MiB in pieces. Wrong usage must
# give status 2; a receiver that does not exist, has no room or stops must give status 1 and one line that says how many bytes were
# acknowledged. A progress bar is shown only on a terminal. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
skip_unless_root
make_nics
in_ns ip link set lo up
cd "$WORK" || exit 1
nsenter --net="/run/netns/$NS" "$BUILD/tests/tools/slmp_acknowledge" &
receiver=$!
head -c 300000 /dev/urandom >noise
: >empty
i=0
until in_ns "$SPINCTL" send empty --to ::1 >out 2>err || [ $i = 50 ]; do i=$((i + 1)); sleep 0.1; done

send() { # STATUS ARGUMENT...
	want=$1
	shift
	expect "$want" in_ns "$SPINCTL" send "$@"
}

send 0 noise empty /proc/cpuinfo --to 127.0.0.1
[ -s err ] && fail "a progress bar where there is no terminal: $(cat err)"
[ "$(wc -l <out)" = 3 ] || fail "not a line per message: $(cat out)"
says out "noise: message "
says out ", 300000 bytes in 207 packets, "
says out ", 0 bytes in 1 packet, "
says out "/proc/cpuinfo: message "
for to in localhost:9330 '[::1]' '[::1]:9330' ::1; do
	send 0 noise --to "$to" --json --window 8 --payload 1000
	for word in '"file": "noise"' "\"to\": \"$to\"" '"bytes": 300000' '"packets": 300,' '"acknowledged_packets": 300,'; do
		says out "$word"
	done
done
send 0 noise --to 127.0.0.1 --match 0xffffffffffffffff --hdr-data 7 --offset 4096 --source 127.0.0.2:5000
says out "in 211 packets" # the put header takes 32 bytes of each
cat noise | in_ns "$SPINCTL" send - --to 127.0.0.1 >out 2>err || fail "a pipe: $(cat err)"
says out "standard input: message "
says out ", 300000 bytes"

# wrong usage
for word in "--window 0" "--window 1025" "--payload 1463" "--timeout 0" "--piece-kib 262145" "--piece-kib 64 --match 1" "--match -1" "--match 0x" "--match 1x" "--hdr-data" \
	"--offset 18446744073709551616"; do
	send 2 noise --to 127.0.0.1 $word
	one_line
done
for to in '' : :9330 '[]' 127.0.0.1:; do
	send 2 noise --to "$to"
	one_line
done
send 2 --to 127.0.0.1
send 2 noise
# failures
for to in 127.0.0.1:0 127.0.0.1:99999 127.0.0.1:x no.such.host.invalid 192.0.2.1 127.0.0.1:9; do
	send 1 noise --to "$to"
	one_line
done
says err "connection refused, 0 of 300000 bytes were acknowledged"
says err "spinctl recv"
send 1 noise --to ::1:9330 --timeout 0.1
one_line
says err "[ADDR]:PORT"
truncate -s 4G large
for word in "--piece-kib 0" "--match 1"; do
	send 1 large --to 127.0.0.1 $word
	one_line
	says err "large has more than the 4294967295 bytes that one message may have"
done
# data longer than 64 MiB is sent in pieces, between two messages; so is shorter data on request
truncate -s 65537K cut
send 0 cut noise --to 127.0.0.1 --source 127.0.0.2:5000
says out "cut: 11 messages, 67109888 bytes in "
says out "noise: message "
send 0 noise --to 127.0.0.1 --piece-kib 100 --json
says out '"messages": 5,'
says out '"bytes": 300000,'
(cat noise; sleep 5) | in_ns "$SPINCTL" send - --to 127.0.0.1 --piece-kib 200 >out 2>err || fail "a pipe in pieces: $(cat err)"
says out "standard input: 5 messages, 300000 bytes" # one of them is empty: the pipe stood still

# a receiver with only 100,000 bytes of memory reports that
nsenter --net="/run/netns/$NS" "$BUILD/tests/tools/slmp_acknowledge" 9331 100000 &
i=0
until in_ns "$SPINCTL" send empty --to 127.0.0.1:9331 >out 2>err || [ $i = 50 ]; do i=$((i + 1)); sleep 0.1; done
send 1 noise --to 127.0.0.1:9331
one_line
says err "noise: 127.0.0.1 port 9331: refused, "
says err "--max-mib"
head -c 100000 noise >fits
send 0 fits --to 127.0.0.1:9331

# the receiver is stopped
kill -STOP $receiver
send 1 noise --to 127.0.0.1 --timeout 0.3
one_line
says err "no acknowledgement within 0.3 s"
send 1 noise --to 127.0.0.1 --piece-kib 64 # reported as soon as for a whole message
one_line
says err "a file that is sent in pieces needs a"
timeout -s INT 0.5 nsenter --net="/run/netns/$NS" "$SPINCTL" send noise empty --to 127.0.0.1 >out 2>err
one_line
says err "given up; 0 of 300000 bytes were acknowledged"
sleep 2 | timeout -s INT 0.3 nsenter --net="/run/netns/$NS" "$SPINCTL" send - --to 127.0.0.1 >out 2>err
one_line
says err "nothing was sent"
kill -CONT $receiver
# on a terminal a progress bar is shown and erased; not with --quiet
if command -v script >/dev/null; then
	script -qec "nsenter --net=/run/netns/$NS $SPINCTL send noise --to 127.0.0.1 --quiet" /dev/null >out 2>err </dev/null
	grep -q '%' out && fail "a bar in spite of --quiet"
	kill -STOP $receiver
	script -qec "nsenter --net=/run/netns/$NS $SPINCTL send noise --to 127.0.0.1 --timeout 0.5" /dev/null >out 2>err </dev/null
	grep -q '0 %' out || fail "no bar on a terminal: $(cat out)"
	kill -CONT $receiver
	# bytes, rate and time left, in one line for any width of the terminal
	name=a_file_with_a_name_that_is_longer_than_some_terminals_are_wide
	mv large $name
	for columns in 80 40 20; do
		script -qec "stty cols $columns; timeout -s INT 1.5 nsenter --net=/run/netns/$NS $SPINCTL send $name --to 127.0.0.1" \
			/dev/null </dev/null 2>err | tr '\r' '\n' | sed 's/\x1b\[K//g' | grep '%' >out
		awk -v most=$columns 'length($0) >= most { exit 1 }' out || fail "wider than $columns columns: $(cat out)"
		[ "$(wc -l <out)" -gt 3 ] || fail "no bars on a terminal of $columns columns: $(cat out)"
		[ $columns != 80 ] || grep -Eq '^a_file_with_a_n \[#*\.+\] +[0-9]+ %  [0-9.]+ [MG]iB  [0-9]+ Mbit/s  [0-9]+:[0-9][0-9] left$' out ||
			fail "not the bar's figures: $(cat out)"
	done
fi
exit $FAILED
