#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `spinctl run` enables threaded NAPI on an interface whose queues run handlers in parallel. It must be disabled when the process ends:
# after a kill by the next command, also if the interface was moved to another network namespace. That of a running process must stay. Run
# by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
make_nics
OTHER=$NS-other
ip netns add "$OTHER" || skip "cannot make a second network namespace"
cd "$WORK" || exit 1

# threaded NAMESPACE DEVICE: prints 0 or 1
threaded() {
	ip netns exec "$1" cat "/sys/class/net/$2/threaded"
}
[ "$(threaded "$NS" v0 2>/dev/null)" = 0 ] || skip "no threaded NAPI here"

is() { # NAMESPACE DEVICE VALUE WHEN
	[ "$(threaded "$1" "$2")" = "$3" ] || fail "$4: threaded is $(threaded "$1" "$2") instead of $3"
}
no_file() { # WHEN
	[ -z "$(ls -A /run/spin 2>/dev/null)" ] || fail "$1: left in /run/spin: $(ls -A /run/spin)"
}
start() { # DEVICE
	start_run "$1" --hpus queue --match "udp dport $((9000 + ${1#v}))"
}

# the process ends normally
start v0
is "$NS" v0 1 "while it runs"
kill -TERM $RUN
wait $RUN
is "$NS" v0 0 "after its end"
no_file "after its end"

# killed: the next command restores the setting, but not that of a running process
start v1
LIVING=$RUN
start v0
kill -KILL $RUN
wait $RUN 2>/dev/null
is "$NS" v0 1 "after kill -9"
expect 0 in_ns "$SPINCTL" status
is "$NS" v0 0 "after kill -9 and spinctl status"
is "$NS" v1 1 "while another one runs"
kill -TERM $LIVING
wait $LIVING
is "$NS" v1 0 "after the other one's end"
no_file "after both ends"

# moved while it runs, with the same or another name
start v0
ip -n "$NS" link set v0 netns "$OTHER" || fail "cannot move v0"
ip -n "$OTHER" link set v0 up
is "$OTHER" v0 1 "after the move"
kill -TERM $RUN
wait $RUN
is "$OTHER" v0 0 "after a move and its end"
no_file "after a move and its end"
ip -n "$OTHER" link set v0 netns "$NS" && ip -n "$NS" link set v0 up

# moved, and down when the program ends: a later command restores it when it is up
start v0
ip -n "$NS" link set v0 netns "$OTHER" || fail "cannot move v0"
kill -TERM $RUN
wait $RUN
ip -n "$OTHER" link set v0 up
expect 0 in_ns "$SPINCTL" status
is "$OTHER" v0 0 "after a move, its end and spinctl status"
no_file "after a move, its end and spinctl status"
ip -n "$OTHER" link set v0 netns "$NS" && ip -n "$NS" link set v0 up

# moved, renamed and killed: the next command is another program on another interface
start v0
ip -n "$NS" link set v0 netns "$OTHER" && ip -n "$OTHER" link set v0 name moved up || fail "cannot move v0"
kill -KILL $RUN
wait $RUN 2>/dev/null
is "$OTHER" moved 1 "after a move and kill -9"
expect 0 in_ns "$SPINCTL" run "$OBJECT" --dev v1 --duration 0.1 --interval 0
is "$OTHER" moved 0 "after a move, kill -9 and the next run"
no_file "after a move, kill -9 and the next run"

ip -n "$OTHER" link set moved netns "$NS" name v0 && ip -n "$NS" link set v0 up

# a file that does not belong to root is ignored
start v0
file=$(ls /run/spin/threaded.*)
cp "$file" forged
kill -TERM $RUN
wait $RUN
cp forged /run/spin/threaded.forged && chown 65534 /run/spin/threaded.forged
expect 0 in_ns "$SPINCTL" status
[ -e /run/spin/threaded.forged ] || fail "a stranger's file is taken for root's"
rm -f /run/spin/threaded.forged
exit $FAILED
