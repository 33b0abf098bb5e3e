#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What spind logs: refusals, and who has replaced, moved, stopped or changed which context; with priorities where its streams are the
# journal's. A user who is refused again and again must not fill the log, and other users' lines must still be in it. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_isolated
command -v setpriv >/dev/null || skip "no setpriv"
cd "$WORK" || exit 1
SERVER=$BUILD/tests/tools/udp_server
OBJECT=$BUILD/handlers/filter_counts.spin
as() { # UID COMMAND...
	uid=$1
	shift
	in_ns setpriv --reuid "$uid" --regid 65534 --clear-groups "$@"
}
logs() { # REGEX [FILE]
	for try in $(seq 50); do
		grep -q "$1" "${2:-spind.out}" && return
		sleep 0.1
	done
	fail "no line '$1' in the log: $(tail -n 5 "${2:-spind.out}")"
}

make_nics
ip -n "$NS" link set lo up

# names from files and clients cannot write to a terminal, nor begin a line of their own
printf 'con\033[2Jtexts 3\n' >wrong.conf
expect 1 "$BUILD/bin/spind" --socket "$WORK/wrong/socket" --settings wrong.conf
one_line
says err 'spind: wrong.conf:1: "con?[2Jtexts 3"'

# a stream that is not the journal's, although the variable is inherited: no priorities
export JOURNAL_STREAM=1:1
start_spind
# without the function, so that $! is the process to be killed
nsenter --net="/run/netns/$NS" setpriv --reuid 65534 --regid 65534 --clear-groups "$SPINCTL" exec --handler "$OBJECT" -- "$SERVER" 60 >server 2>&1 &
server=$!
until "$SPINCTL" list | grep -q attached; do
	kill -0 $server 2>/dev/null || { fail "no server: $(cat server)"; exit 1; }
	sleep 0.05
done
id=$("$SPINCTL" list --json | sed -n 's/.*"id": \([0-9]*\).*/\1/p')
logs "^spind: user 65534, process [0-9]*: filter_counts is context $id, isolated, of udp "
expect 1 as 1234 "$SPINCTL" stop "$id"
logs "^spind: user 1234, process [0-9]*: STOP is refused: context $id is user 65534's: only that user and root may operate it\$"
expect 1 as 1234 "$SPINCTL" stop 999999
logs "^spind: user 1234, process [0-9]*: STOP is refused: there is no context 999999"
expect 0 as 65534 "$SPINCTL" swap "$id" "$OBJECT"
logs "^spind: user 65534, process [0-9]*: has replaced the handlers of context $id of user 65534 by filter_counts\$"
expect 0 "$SPINCTL" swap --migrate "$id" "$OBJECT"
logs "^spind: user 0, process [0-9]*: has moved context $id of user 65534 to filter_counts: [0-9]* bytes, lost: nothing\$"
expect 1 as 65534 "$SPINCTL" exec --class trusted --handler "$OBJECT" -- "$SERVER" 5 127.0.0.2
logs "^spind: user 65534, process [0-9]*: CREATE is refused: user 65534 may load the isolated class alone"
expect 0 "$SPINCTL" stop "$id"
logs "^spind: user 0, process [0-9]*: has stopped context $id of user 65534\$"
logs "^spind: context $id has ended\$"
kill $server
wait $server
expect 0 in_ns "$SPINCTL" add "$OBJECT" --dev lo --match "udp dport 9100" --name steer
expect 0 "$SPINCTL" rule steer "udp dport 9102"
logs "^spind: user 0, process [0-9]*: has set the rule of context [0-9]* of user 0: udp .*dport 9102\$"
expect 0 "$SPINCTL" stop steer

# thousands of refusals of a user: at most 20 lines in 10 seconds, and how many there were; another user's refusal is logged
begun=$(date +%s)
as 4321 "$BUILD/tests/tools/connect_and_vanish" "$SPIN_SPIND" 3000 100 >vanished || fail "clients are not taken any more: $(cat vanished)"
expect 1 as 1235 "$SPINCTL" stop 999999
logs "^spind: user 1235, process [0-9]*: STOP is refused"
lines=$(grep -c "^spind: user 4321, .* is refused" spind.out)
[ "$lines" -ge 10 ] || fail "only $lines refusals of the user are logged"
[ "$lines" -le $(((($(date +%s) - begun) / 10 + 2) * 20)) ] || fail "$lines refusals of the user are logged"
sleep 11
expect 1 as 4321 "$SPINCTL" stop 999999
logs "^spind: user 4321: [0-9]* more lines were left out\$"
! grep -v "^spind: " spind.out || fail "lines of another form"
[ ! -s spind.err ] || fail "spind says: $(head -n 3 spind.err)"
kill $SPIND
wait $SPIND

# the journal's streams: a priority in front of each line
: >journal
JOURNAL_STREAM=$(stat -c %d:%i journal)
echo "context wrong $WORK/absent.spin lo udp dport 9300" >spind.conf
nsenter --net="/run/netns/$NS" "$BUILD/bin/spind" --settings spind.conf >>journal 2>&1 &
SPIND=$!
logs "^<6>spind: listens at " journal
logs "^<4>spind: context wrong of the configuration is not added yet: " journal
expect 0 as 65534 "$SPINCTL" exec --handler "$OBJECT" -- "$SERVER" 1 127.0.0.2
logs "^<6>spind: user 65534, process [0-9]*: filter_counts is context " journal
expect 1 as 1234 "$SPINCTL" stop 999999
logs "^<5>spind: user 1234, process [0-9]*: STOP is refused" journal
! grep -v "^<[3-6]>spind: " journal || fail "lines without a priority"
kill $SPIND
wait $SPIND
exit $FAILED
