#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Kills spinctl recv and spinctl send at random points. A new pair must transfer the next file, and no partial file may
# remain. In half of the rounds files are sent in pieces. Run by tests/run.
. tests/live/lib.lib.sh
receiver= sender= helper=
trap 'kill -9 $receiver $sender $helper 2>/dev/null; clean' EXIT
mkdir "$tmp/in"
head -c 6000000 /dev/urandom >"$tmp/file"

# ready FILE PID
ready() {
	i=0
	while [ ! -e "$1" ]; do
		i=$((i + 1))
		kill -0 "$2" 2>/dev/null && [ $i -lt 200 ] || die "not attached: $(cat "$tmp/err")"
		sleep 0.05
	done
}

# frames that XDP sends back need a program at the other end
nsenter --net=/run/netns/$B "$BUILD/bin/spinctl" run "$BUILD/tests/handlers/deliver.spin" --dev v1 --match "udp dport 1" \
	--interval 0 --ready-file "$tmp/helper" >/dev/null 2>"$tmp/err" &
helper=$!
ready "$tmp/helper" $helper

# receive COUNT: runs in the background, and writes to $tmp/in/file or, for more than one, file.1, file.2
receive() {
	rm -f "$tmp/ready"
	nsenter --net=/run/netns/$A "$BUILD/bin/spinctl" recv "$tmp/in/file" --dev v0 --count "$1" --ready-file "$tmp/ready" \
		>"$tmp/out" 2>"$tmp/err" &
	receiver=$!
}

# random_sleep: sleeps for less than half a second
random_sleep() { sleep "0.$(od -An -N2 -tu2 /dev/urandom | awk '{ printf "%03d", $1 % 500 }')"; }

for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
	pieces=
	[ $((round / 2 % 2)) = 0 ] || pieces="--piece-kib 256"
	receive 0
	[ $((round % 3)) = 0 ] || ready "$tmp/ready" $receiver # otherwise it is killed while it starts
	nsenter --net=/run/netns/$B "$BUILD/bin/spinctl" send "$tmp/file" "$tmp/file" "$tmp/file" "$tmp/file" --to 10.9.0.1 $pieces \
		>/dev/null 2>&1 &
	sender=$!
	random_sleep
	if [ $((round % 2)) = 0 ]; then
		kill -9 $sender $receiver 2>/dev/null
	else
		kill -9 $receiver $sender 2>/dev/null
	fi
	wait $sender $receiver 2>/dev/null
	unattached || die "round $round: v0 still has a program"
	left=$(ls -A "$tmp/in" | grep -v '^file\.[0-9]*$')
	[ -z "$left" ] || die "round $round: left: $left"
	for file in "$tmp"/in/*; do
		[ ! -e "$file" ] || cmp -s "$file" "$tmp/file" || die "round $round: $file is not what was sent"
	done
	rm -f "$tmp"/in/*

	receive 1
	ready "$tmp/ready" $receiver
	nsenter --net=/run/netns/$B "$BUILD/bin/spinctl" send "$tmp/file" --to 10.9.0.1 $pieces >"$tmp/sent" 2>&1 ||
		die "round $round: the next file is not taken: $(cat "$tmp/sent")"
	wait $receiver || die "round $round: the next file: $(cat "$tmp/err")"
	cmp -s "$tmp/in/file" "$tmp/file" || die "round $round: the next file is not what was sent"
	rm -f "$tmp"/in/*
done
receiver= sender=
echo "12 rounds, the next file arrived each time"
