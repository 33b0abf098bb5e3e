#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Tests the common behaviour of all commands with one working command line of each. A command without a line below fails the test.
# Unwritable output, closed pipes, full disks, files of the wrong kind, SIGINT and SIGKILL at any time must give one line on stderr and the
# documented status, and leave nothing behind. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
make_nics
in_ns ip link set lo up
command -v bash >/dev/null || skip "bash is not installed"

mkdir "$WORK/tmp" "$WORK/in" "$WORK/made"
export TMPDIR="$WORK/tmp"
cp "$OBJECT" "$WORK/in/filtering.spin"
cp "$ROOT/handlers/filtering.c" "$WORK/in"
cp "$(ls "$ROOT"/tests/vectors/filtering/*.vec | head -n 1)" "$WORK/in/filtering.vec"
cd "$WORK/in" || exit 1
nsenter --net="/run/netns/$NS" "$SPINCTL" record filtering.spin --dev lo --packets 3 -o rec.pcapng \
	--ready-file "$WORK/ready" >"$WORK/record.out" 2>&1 &
i=0
while [ ! -s "$WORK/ready" ] && [ $i -lt 100 ]; do i=$((i + 1)); sleep 0.05; done
in_ns bash -c 'for i in 1 2 3; do echo x >/dev/udp/127.0.0.1/9000; done' 2>/dev/null
wait $! || fail "cannot make a recording: $(cat "$WORK/record.out")"

nsenter --net="/run/netns/$NS" "$BUILD/tests/tools/slmp_acknowledge" & # for commands that send
# for commands that read a context; on lo, which clean() does not check
TMPDIR="$WORK" nsenter --net="/run/netns/$NS" "$SPINCTL" run "$BUILD/handlers/reduce.spin" --dev lo --host-kib 8 \
	--match "udp dport 9999" --ready-file "$WORK/context" >"$WORK/context.out" 2>&1 &
i=0
while [ ! -e "$WORK/context" ] && [ $i -lt 400 ]; do i=$((i + 1)); sleep 0.05; done
[ -e "$WORK/context" ] || fail "no context to look at: $(cat "$WORK/context.out")"

# for commands that operate contexts of spind; another spind without contexts, for commands that end all of them
ip -n "$NS" address add 10.8.0.1/24 dev v1
start_spind 'interfaces v1'
nsenter --net="/run/netns/$NS" "$BUILD/bin/spind" --socket "$WORK/spind/other" >"$WORK/other.out" 2>&1 &
nsenter --net="/run/netns/$NS" "$SPINCTL" exec --handler "$OBJECT" -- "$BUILD/tests/tools/udp_server" 3000 10.8.0.1 >"$WORK/server" 2>&1 &
server=$! # if killed, it would leave its program
i=0
while ! "$SPINCTL" list 2>/dev/null | grep -q attached && [ $i -lt 100 ]; do i=$((i + 1)); sleep 0.05; done
"$SPINCTL" table insert filtering routes 'src=10.0.0.1 port=7' || fail "no context of spind: $(cat "$WORK/server")"

# command_line COMMAND: prints a line for it that works and ends by itself.
command_line() {
	case $1 in
	run) echo "$SPINCTL run filtering.spin --dev v0 --duration 0.4 --interval 0.1" ;;
	status) echo "$SPINCTL status" ;;
	cost) echo "$SPINCTL cost filtering.spin --pcap rec.pcapng" ;;
	test) echo "$SPINCTL test filtering.c filtering.vec" ;;
	new) echo "$SPINCTL new fresh --dir $WORK/made" ;;
	record) echo "$SPINCTL record filtering.spin --dev v0 --duration 0.4 -o $WORK/made/new.pcapng" ;;
	replay) echo "$SPINCTL replay rec.pcapng --handler filtering.c" ;;
	recv) echo "$SPINCTL recv $WORK/made/in --dev v0 --count 0 --duration 0.4" ;;
	dump) echo "$SPINCTL dump --length 64" ;;
	mpq) echo "$SPINCTL mpq" ;;
	send) echo "$SPINCTL send filtering.spin filtering.c --to 127.0.0.1" ;;
	limits) echo "$SPINCTL limits --dev v0" ;;
	targets) echo "$SPINCTL targets pspin" ;;
	check) echo "$SPINCTL check --target nfp filtering.spin" ;;
	exec) echo "$SPINCTL exec --handler filtering.spin --counters true" ;;
	list) echo "$SPINCTL list" ;;
	stop) echo "$SPINCTL stop --all --socket $WORK/spind/other" ;;
	swap) echo "$SPINCTL swap filtering filtering.spin" ;;
	top) echo "$SPINCTL top --once --interval 0.1" ;;
	state) echo "$SPINCTL state get filtering" ;;
	table) echo "$SPINCTL table dump filtering routes" ;;
	doctor) echo "$SPINCTL doctor --dev v0" ;;
	spincc) echo "$SPINCC filtering.c -o $WORK/made/made.spin --verbose" ;;
	*) return 1 ;;
	esac
}

commands="$("$SPINCTL" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -v '^help$') spincc"

clean_made() {
	rm -rf "$WORK/made"
	mkdir "$WORK/made"
}

# clean WHEN: checks that no temporary file, program or process is left
clean() {
	left=$(ls -A "$WORK/tmp")
	[ -z "$left" ] || fail "$1: left in the directory for temporary files: $left"
	left=$(ls -A "$WORK/made" | grep '^\.')
	[ -z "$left" ] || fail "$1: left beside the output: $left"
	i=0
	while in_ns ip -d link show v0 | grep -q prog/xdp && [ $i -lt 20 ]; do i=$((i + 1)); sleep 0.05; done
	in_ns ip -d link show v0 | grep -q prog/xdp && fail "$1: v0 still has a program"
	# a signal reaches the whole group at once, and a compiler may take longer to exit than its parent
	i=0
	while left=$(pgrep -f "$WORK/(in|made|tmp)/" | grep -vx $$) && [ $i -lt 40 ]; do i=$((i + 1)); sleep 0.05; done
	[ -z "$left" ] || fail "$1: still running: $(ps -o args= -p $left)"
	rm -rf "$WORK/tmp"/*
}

for command in $commands; do
	[ "$command" != add ] && [ "$command" != rule ] || continue # their contexts persist: tested by cli/spind.sh
	line=$(command_line "$command") || {
		fail "$command has no line in this test"
		continue
	}
	clean_made
	expect 0 in_ns $line
	clean "$command"
	expect 2 in_ns $line --no-such-option
	one_line
	[ -s "$WORK/out" ] && fail "$command: usage on stdout"

	# unwritable output, for commands that print
	if [ "$command" != spincc ] && [ "$command" != stop ] && [ "$command" != swap ]; then
		clean_made
		in_ns $line >/dev/full 2>"$WORK/err"
		[ $? = 1 ] || fail "$command >/dev/full: not status 1"
		says err "cannot write the output: No space left on device"
		one_line
		clean "$command >/dev/full"
		clean_made
		(
			sleep 0.1
			in_ns $line 2>"$WORK/err"
			echo $? >"$WORK/status"
		) | true
		i=0
		while [ ! -s "$WORK/status" ] && [ $i -lt 100 ]; do i=$((i + 1)); sleep 0.05; done
		[ "$(cat "$WORK/status")" = 1 ] || fail "$command with a closed pipe: status $(cat "$WORK/status")"
		says err "cannot write the output: Broken pipe"
		one_line
		rm -f "$WORK/status"
		clean "$command with a closed pipe"
	fi

	# SIGINT and SIGKILL at any time: the command must end, and its output file must be complete or absent
	for ms in 002 010 030 080 150 300 600; do
		clean_made
		timeout -s INT -k 5 0.$ms nsenter --net="/run/netns/$NS" $line >/dev/null 2>"$WORK/err"
		got=$?
		[ $got = 137 ] && fail "$command: did not end within 5 s of SIGINT after $ms ms"
		[ "$(grep -vc '^[a-z0-9_-]*\(gcc\|clang\)\|^+' "$WORK/err")" -le 1 ] || [ "$command" = spincc ] ||
			fail "$command, SIGINT after $ms ms: more than one line: $(cat "$WORK/err")"
		clean "$command, SIGINT after $ms ms"
		[ ! -e "$WORK/made/new.pcapng" ] || "$SPINCTL" replay "$WORK/made/new.pcapng" >/dev/null 2>&1 ||
			fail "$command, SIGINT after $ms ms: half a recording"
	done
	for ms in 010 080 300; do
		clean_made
		timeout -s KILL 0.$ms nsenter --net="/run/netns/$NS" $line >/dev/null 2>&1
		i=0
		while pgrep -f "$WORK/(in|made|tmp)/" >/dev/null && [ $i -lt 40 ]; do i=$((i + 1)); sleep 0.05; done
		rm -rf "$WORK/tmp"/* "$WORK/made"/.[!.]* # after SIGKILL no process removes them
		clean "$command, SIGKILL after $ms ms"
	done
done

# files of the wrong kind, for each input file
: >empty
head -c 5000 /dev/urandom >noise
ls >text
mkdir directory
wrong() {
	for file in empty noise text directory nosuch /dev/null; do
		expect 1 in_ns $(echo "$1" | sed "s|@|$file|")
		one_line
		clean "$1 with $file"
	done
}
wrong "$SPINCTL run @ --dev v0"
wrong "$SPINCTL record @ --dev v0 -o $WORK/made/x"
wrong "$SPINCTL cost @ --pcap rec.pcapng"
wrong "$SPINCTL cost filtering.spin --pcap @"
wrong "$SPINCTL recv $WORK/made/x --dev v0 --handler @"
wrong "$SPINCTL replay @"
wrong "$SPINCTL test @"
wrong "$SPINCTL check --target nfp @"
wrong "$SPINCTL check --target native @"
for file in directory nosuch; do # any other file is a message
	expect 1 in_ns "$SPINCTL" send $file --to 127.0.0.1
	one_line
done
[ -z "$(ls -A "$WORK/made")" ] || fail "an output was made from a wrong input: $(ls -A "$WORK/made")"

# a full disk, and a directory without write permission
mkdir "$WORK/full"
for command in record new spincc; do
	line=$(command_line $command | sed "s|$WORK/made|$WORK/full|")
	unshare -m sh -c "mount -t tmpfs -o size=8k none '$WORK/full' && cat /dev/zero >'$WORK/full/filler' 2>/dev/null
		nsenter --net=/run/netns/$NS $line >/dev/null 2>'$WORK/err'; echo \$? >'$WORK/status'; ls -A '$WORK/full' >'$WORK/left'"
	[ "$(cat "$WORK/status")" = 1 ] || fail "$command on a full disk: status $(cat "$WORK/status")"
	[ "$(cat "$WORK/left")" = filler ] || fail "$command on a full disk leaves: $(cat "$WORK/left")"
	[ "$command" = spincc ] || one_line
	rm -f "$WORK/status"
	expect 1 in_ns $(command_line $command | sed "s|$WORK/made|$WORK/made/nosuch|")
	one_line
done
# commands that print while they run, and the other programs
for line in "$SPINCTL run $WORK/in/filtering.spin --dev v0 --match udp --interval 0.1" "$SPINCTL mpq --watch 0.05 --count 300" \
	"$SPINCTL help" "$SPINCC --help" "$SPINCC --version" "$BUILD/bin/hpu-run --help"; do
	in_ns timeout 300 $line >/dev/full 2>"$WORK/err"
	[ $? = 1 ] || fail "$line >/dev/full: not status 1"
	says err ": No space left on device"
	one_line
done
kill $server
wait $server
cd / || exit 1
exit $FAILED
