#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spind is a daemon that lets ordinary users attach handlers to their sockets. Tests it with spinctl's commands, as such a user: a program
# without sPIN code gets handlers. They are listed, read, changed, replaced and stopped while it runs; another user may do none of this. Run
# by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_isolated
command -v setpriv >/dev/null || skip "no setpriv"
cd "$WORK" || exit 1
SERVER=$BUILD/tests/tools/udp_server
OBJECT=$BUILD/handlers/filter_counts.spin # its entries have counters
as() { # UID COMMAND...
	uid=$1
	shift
	in_ns setpriv --reuid "$uid" --regid 65534 --clear-groups "$@"
}
send() { in_ns bash -c 'for i in 1 2 3; do echo x >/dev/udp/127.0.0.1/9000; done'; }

make_nics
ip -n "$NS" link set lo up

# without spind each command reports that
export SPIN_SPIND=$WORK/none
for command in list "stop 1" "swap 1 $OBJECT" "state get 1" "table dump 1 routes"; do
	# shellcheck disable=SC2086
	expect 1 "$SPINCTL" $command
	one_line
	says err "spind does not run here"
done
expect 1 "$SPINCTL" exec --handler "$OBJECT" -- "$SERVER" 1
says err "spind does not run here"

# configuration lines that spind does not understand or support
for line in "contexts many" "context 3" "trusted-group nobody-has-this" "memory"; do
	echo "$line" >wrong.conf
	expect 1 "$BUILD/bin/spind" --socket "$WORK/wrong/socket" --settings wrong.conf
	one_line
	says err "wrong.conf:1"
done
expect 1 "$BUILD/bin/spind" --socket "$WORK/wrong/socket" --settings absent.conf
says err "absent.conf"
chmod 755 "$WORK"
expect 1 as 65534 "$BUILD/bin/spind" --socket "$WORK/wrong/socket"
says err "needs root"

start_spind
expect 1 "$BUILD/bin/spind" --socket "$SPIN_SPIND"
says err "another spind"
expect 0 "$SPINCTL" list
[ "$(wc -l <out)" = 1 ] || fail "contexts before there are any: $(cat out)"

# the exit status is that of the program
expect 3 as 65534 "$SPINCTL" exec --handler "$OBJECT" -- sh -c 'exit 3'
expect 143 as 65534 "$SPINCTL" exec --handler "$OBJECT" -- sh -c 'kill $$'
expect 127 as 65534 "$SPINCTL" exec --handler "$OBJECT" -- "$WORK/absent"
says err "cannot run"
expect 1 as 65534 "$SPINCTL" exec --handler "$WORK/absent.spin" -- true
one_line
expect 1 as 65534 "$SPINCTL" exec --handler "$BUILD/handlers/reduce.spin" -- "$SERVER" 5
says err "takes messages"
expect 1 as 65534 "$SPINCTL" exec --handler "$OBJECT" --class trusted -- "$SERVER" 5
says err "trusted-group"
# TCP sockets with an unmodified server; one handler for both protocols
expect 2 as 65534 "$SPINCTL" exec --handler "$OBJECT" --protocol sctp -- true
says err "one of: udp, tcp, both"
cp "$BUILD/tests/handlers/first_bytes.spin" . && chmod 644 first_bytes.spin
for protocol in tcp both; do
	in_ns setpriv --reuid 65534 --regid 65534 --clear-groups timeout 300 "$SPINCTL" exec --handler first_bytes.spin --protocol $protocol \
		--set spin_state.most=100000 --counters -- iperf3 -s -1 -p 9011 >tcp 2>&1 &
	tcp=$!
	i=0
	until in_ns "$SPINCTL" list | grep -q "tcp .*dport 9011"; do
		i=$((i + 1))
		[ $i -lt 100 ] || fail "no context of TCP is listed: $(cat tcp)"
		sleep 0.1
	done
	in_ns timeout 300 iperf3 -c 127.0.0.1 -p 9011 -n 4M >client 2>&1 || fail "iperf3 with $protocol: $(cat client)"
	wait $tcp || fail "exec --protocol $protocol: $(cat tcp)"
	grep -q "^success .* [1-9]" tcp || fail "no bytes passed: $(cat tcp)"
	grep -q "^dropped .* [1-9]" tcp || fail "no bytes were dropped: $(cat tcp)"
done
expect 0 as 65534 "$SPINCTL" exec --handler "$OBJECT" --port 9001 --counters -- "$SERVER" 1
says out "0 datagrams"

# handlers like those of $OBJECT: with another table size and one more counter; with a field of another type
sed -e 's/SPIN_COUNTER(packets);/SPIN_COUNTER(other);\n\tSPIN_COUNTER(packets);/' -e 's/routes, struct route, 65536/routes, struct route, 1024/' \
	"$ROOT/handlers/filter_counts.c" >resized.c
sed 's/SPIN_READ_ONLY(spin_be16, port)/SPIN_READ_ONLY(uint16_t, port)/' resized.c >swapped.c
for name in resized swapped; do
	"$BUILD/bin/spincc" --no-verify -o "$name.spin" "$name.c" || fail "spincc $name.c"
done

# handlers that drop everything: the program receives nothing
# without the function, so that $! is the process to be killed
nsenter --net="/run/netns/$NS" setpriv --reuid 65534 --regid 65534 --clear-groups "$SPINCTL" exec --handler "$OBJECT" --insert 'routes:src=127.0.0.1 port=9000' -- "$SERVER" 60 >server 2>&1 &
server=$!
until "$SPINCTL" list | grep -q attached; do
	kill -0 $server 2>/dev/null || { fail "no server: $(cat server)"; exit 1; }
	sleep 0.05
done
send
expect 0 as 65534 "$SPINCTL" list
says out "udp ip4 dst 127.0.0.1 dport 9000"
[ "$(awk 'length > 80' out | wc -l)" = 0 ] || fail "lines of more than 80 columns: $(cat out)"
expect 0 as 65534 "$SPINCTL" list --json
says out '"uid": 65534'
id=$(sed -n 's/.*"id": \([0-9]*\).*/\1/p' out)
expect 0 as 65534 "$SPINCTL" table get filter_counts routes src=127.0.0.1
says out "packets=3"
expect 0 as 65534 "$SPINCTL" table insert "$id" routes 'src=10.0.0.1 port=7' 'src=10.0.0.2 port=7'
expect 0 as 65534 "$SPINCTL" table delete "$id" routes src=10.0.0.1
expect 1 as 65534 "$SPINCTL" table get "$id" routes src=10.0.0.1
expect 1 as 65534 "$SPINCTL" table delete "$id" routes src=10.0.0.1
one_line
expect 0 as 65534 "$SPINCTL" table dump "$id" routes
[ "$(wc -l <out)" = 2 ] || fail "not two entries: $(cat out)"
expect 0 as 65534 "$SPINCTL" state set "$id" 'routes[0].port=9'
expect 0 as 65534 "$SPINCTL" state get "$id" routes
says out "routes[0].port"
expect 2 as 65534 "$SPINCTL" table drop "$id" routes
expect 1 as 65534 "$SPINCTL" state get "$id" nothing

# replaced: the table is kept, other layouts are refused
expect 0 as 65534 "$SPINCTL" swap "$id" "$OBJECT"
send
expect 0 as 65534 "$SPINCTL" table get "$id" routes src=127.0.0.1
says out "packets=6"
expect 1 as 65534 "$SPINCTL" swap "$id" "$BUILD/handlers/kvstore.spin"
one_line
says err "layout"
expect 0 "$SPINCTL" list --json
says out '"swaps": 1'

# other layouts, on request: entries and counts are copied, removed fields are named, what cannot be copied is refused
expect 1 as 65534 "$SPINCTL" swap "$id" resized.spin
says err "layout"
expect 0 as 65534 "$SPINCTL" swap --migrate "$id" resized.spin
says out "moved"
says out "lost: nothing"
expect 0 as 65534 "$SPINCTL" table get "$id" routes src=127.0.0.1
says out "packets=6"
expect 1 as 65534 "$SPINCTL" swap --migrate "$id" swapped.spin
one_line
says err "routes[].port"
begun_ns=$(date +%s%N)
expect 0 as 65534 "$SPINCTL" swap --migrate "$id" "$OBJECT"
says out "lost: routes[].other"
# a user's migrations are rate-limited, because packets of all users may wait for each
[ $(($(date +%s%N) - begun_ns)) -ge 150000000 ] || fail "a migration begins as soon as the one before has ended"
expect 0 "$SPINCTL" list --json
says out '"swaps": 3'

# metrics: each line must be a sample of an announced metric, and a parser must report nothing
expect 0 "$SPINCTL" list --metrics openmetrics
says out 'spin_context_handled_packets_total{id="'"$id"'",name="filter_counts",handler="filter_counts",uid="65534"} 6'
[ "$(tail -n 1 out)" = "# EOF" ] || fail "OpenMetrics do not end with # EOF"
awk '/^# TYPE/ { known[$3] = 1; next } /^#/ { next }
	{ name = $1; sub(/{.*/, "", name); sub(/_total$/, "", name); if (!(name in known)) print }' out >unknown
[ ! -s unknown ] || fail "samples of no metric: $(cat unknown)"
expect 0 "$SPINCTL" list --metrics prometheus
grep -o 'spin_context_[a-z_]*' "$ROOT/user/spind/dashboard.json" | sort -u | while read -r metric; do
	grep -q "^# TYPE $metric " out || echo "$metric"
done >unknown
[ ! -s unknown ] || fail "the dashboard asks for: $(cat unknown)"
if command -v promtool >/dev/null; then
	promtool check metrics <out >promtool 2>&1 || fail "promtool: $(cat promtool)"
	[ ! -s promtool ] || fail "promtool: $(cat promtool)"
else # Debian's package prometheus has it, but starts a server when it is installed
	echo "skip: promtool: no promtool, which is in packages of Prometheus"
fi
# spinctl(8) lists all metrics with their types, and no others
sed -n 's/^# TYPE \([^ ]*\) \(.*\)/\1 \2/p' out | sort >printed
sed 's/\\-/-/g' "$BUILD/man/spinctl.8" | sed -n 's/^\.It Va \(spin_context_[a-z_]*\) Ta \([a-z]*\) Ta .*/\1 \2/p' | sort >listed
[ -s printed ] && cmp -s printed listed || fail "spinctl(8) and --metrics differ: $(diff printed listed)"
expect 0 "$SPINCTL" top --once --interval 0.1
says out filter_counts
[ "$(awk 'length > 80' out | wc -l)" = 0 ] || fail "lines of more than 80 columns: $(cat out)"
expect 0 "$SPINCTL" top --once --json --interval 0.1
says out '"handled": 6'
expect 2 "$SPINCTL" top
expect 2 "$SPINCTL" top --json
if command -v script >/dev/null; then
	(sleep 0.3; printf q) | TERM=xterm timeout 100 script -qec "$SPINCTL top" /dev/null >screen
	[ $? = 0 ] || fail "top does not end with q"
	grep -q filter_counts screen || fail "top shows: $(head -c 300 screen)"
fi

# another user
for command in "stop $id" "swap $id $OBJECT" "state get $id" "table dump $id routes"; do
	# shellcheck disable=SC2086
	expect 1 as 1234 "$SPINCTL" $command
	one_line
	says err "only that user and root"
done
expect 0 as 1234 "$SPINCTL" stop --all
expect 0 as 65534 "$SPINCTL" stop filter_counts
expect 1 as 65534 "$SPINCTL" stop "$id"
says err "there is no context"
send
kill -0 $server 2>/dev/null || fail "the program has ended with its handlers: $(cat server)"
kill -TERM $server
wait $server
[ $? = 143 ] || fail "SIGTERM does not reach the program"

# 10,000 clients of a user that connect and send nothing or an incomplete request, more at a time than spind has threads for: it refuses
# some, and others' clients are served at once
as 65534 "$BUILD/tests/tools/connect_and_vanish" "$SPIN_SPIND" 10000 800 >vanished || fail "clients are not taken any more: $(cat vanished)"
expect 0 as 1234 "$SPINCTL" exec --handler "$OBJECT" -- "$SERVER" 1
grep -q "^[1-9][0-9]* refused" vanished || fail "no client of a user is refused: $(cat vanished)"
# on a busy machine it may still be closing them, and returns "try again"
for try in $(seq 100); do
	as 65534 "$SPINCTL" list >/dev/null 2>&1 && break
	sleep 0.1
done
expect 0 as 65534 "$SPINCTL" exec --handler "$OBJECT" -- "$SERVER" 1
# root's clients are not limited
"$BUILD/tests/tools/connect_and_vanish" "$SPIN_SPIND" 1000 800 >vanished || fail "root's clients are not taken any more: $(cat vanished)"
grep -q "^0 refused" vanished || fail "clients of root are refused: $(cat vanished)"
expect 0 "$SPINCTL" list
expect 0 as 65534 "$SPINCTL" exec --handler "$OBJECT" -- "$SERVER" 1

# contexts of an interface and a rule: for root only, in addition to those of sockets; they persist after the command and a restart of spind
expect 1 as 65534 "$SPINCTL" add "$OBJECT" --dev lo --match "udp dport 9100"
one_line
says err "only root"
expect 1 in_ns "$SPINCTL" add "$OBJECT" --dev lo --match "udp dprt 9100"
one_line
expect 1 in_ns "$SPINCTL" add "$OBJECT" --dev absent --match "udp dport 9100"
says err "absent"
expect 1 in_ns "$SPINCTL" add "$BUILD/handlers/reduce.spin" --dev lo
says err "takes messages"
expect 1 in_ns "$SPINCTL" add "$BUILD/handlers/syn_limit.spin" --dev lo --match "udp dport 9100"
says err "takes TCP segments"
expect 0 in_ns "$SPINCTL" add "$BUILD/handlers/syn_limit.spin" --dev lo --match "tcp dport 9120" --name syns
expect 0 "$SPINCTL" list
says out "tcp dport 9120"
expect 0 "$SPINCTL" stop syns
expect 0 in_ns "$SPINCTL" add "$OBJECT" --dev lo --match "udp dport 9100" --name steer
id=$(cat out)
expect 1 in_ns "$SPINCTL" add "$OBJECT" --dev lo --match "udp dport 9100"
says err "overlaps"
expect 0 "$SPINCTL" table insert steer routes 'src=127.0.0.1 port=9101'
in_ns bash -c 'echo x >/dev/udp/127.0.0.1/9100'
expect 0 "$SPINCTL" table get "$id" routes src=127.0.0.1
says out "packets=1"
expect 0 as 65534 "$SPINCTL" exec --handler "$OBJECT" -- "$SERVER" 1
expect 0 "$SPINCTL" swap steer "$OBJECT"
# another rule: the state is kept; another context's rule is refused, and so are other users and contexts of sockets
expect 0 in_ns "$SPINCTL" add "$OBJECT" --dev lo --match "udp dport 9110" --name other
expect 0 "$SPINCTL" rule steer "udp dport 9102"
expect 0 "$SPINCTL" list
says out "9102"
in_ns bash -c 'echo x >/dev/udp/127.0.0.1/9100; echo x >/dev/udp/127.0.0.1/9102'
expect 0 "$SPINCTL" table get "$id" routes src=127.0.0.1
says out "packets=2"
expect 1 "$SPINCTL" rule steer "udp dport 9100-9110"
one_line
says err "overlaps"
expect 1 "$SPINCTL" rule steer "udp dport 0"
one_line
expect 1 as 65534 "$SPINCTL" rule "$id" "udp dport 9103"
one_line
says err "only that user and root"
in_ns bash -c 'echo x >/dev/udp/127.0.0.1/9102'
expect 0 "$SPINCTL" table get "$id" routes src=127.0.0.1
says out "packets=3"
expect 0 "$SPINCTL" rule steer "udp dport 9100"
expect 0 "$SPINCTL" stop other
expect 1 as 65534 "$SPINCTL" stop steer
kill -KILL $SPIND
wait $SPIND 2>/dev/null
start_spind "trusted-group nogroup" "context steer $OBJECT lo udp dport 9100" "context later $OBJECT v9 udp dport 9200" "context wrong $WORK/absent.spin lo udp dport 9300"
expect 0 "$SPINCTL" table get steer routes src=127.0.0.1
says out "packets=3"
for try in $(seq 100); do
	grep -q "wrong of the configuration" "$WORK/spind.err" && break
	sleep 0.1
done
grep -q "context later of the configuration is not added yet.*v9" "$WORK/spind.err" || fail "of an interface that there is not: $(cat "$WORK/spind.err")"
ip -n "$NS" link add v9 type veth peer name v8 && ip -n "$NS" link set v9 up
for try in $(seq 120); do
	"$SPINCTL" list | grep -q later && break
	sleep 0.1
done
"$SPINCTL" list | grep -q later || fail "a context of the configuration is not added when its interface is there"
ip -n "$NS" link del v9
for try in $(seq 50); do
	"$SPINCTL" list | grep -q later || break
	sleep 0.1
done
! "$SPINCTL" list | grep -q later || fail "a context lives on whose interface is gone"
[ "$(grep -c "of the configuration" "$WORK/spind.err")" = 2 ] || fail "spind says: $(cat "$WORK/spind.err")"
: >"$WORK/spind.err"
expect 0 "$SPINCTL" stop --all

# the trusted class is for members of the group, and so is replacing handlers of that class
expect 0 as 65534 "$SPINCTL" exec --class trusted --handler "$OBJECT" -- "$SERVER" 1
nsenter --net="/run/netns/$NS" setpriv --reuid 65534 --regid 65534 --clear-groups "$SPINCTL" exec --class trusted --handler "$OBJECT" -- "$SERVER" 60 \
	>server 2>&1 &
server=$!
until "$SPINCTL" list | grep -q trusted; do
	kill -0 $server 2>/dev/null || { fail "no server: $(cat server)"; exit 1; }
	sleep 0.05
done
expect 0 as 65534 "$SPINCTL" swap filter_counts "$OBJECT"
expect 1 as 65534 "$SPINCTL" rule filter_counts "udp dport 9300"
one_line
says err "is on a socket"
expect 1 in_ns setpriv --reuid 65534 --regid 100 --clear-groups "$SPINCTL" swap filter_counts "$OBJECT"
one_line
says err "trusted-group"
kill $server
wait $server

# it must end immediately and leave nothing
kill -TERM $SPIND
wait $SPIND
[ $? = 0 ] || fail "status of spind: $?"
for try in $(seq 100); do
	pgrep -f "$SPIN_SPIND" >/dev/null || break
	sleep 0.1
done
! pgrep -f "spind.*$SPIN_SPIND" >/dev/null || fail "a process of spind lives on: $(pgrep -af "$SPIN_SPIND")"
# started by socket activation, as by systemd
nsenter --net="/run/netns/$NS" "$BUILD/tests/tools/activate" "$WORK/spind/activated" "$BUILD/bin/spind" --socket "$WORK/spind/activated" \
	>activated.out 2>&1 &
activated=$!
until grep -q listens activated.out; do
	kill -0 $activated 2>/dev/null || { fail "spind does not take its socket: $(cat activated.out)"; break; }
	sleep 0.05
done
expect 0 as 65534 "$SPINCTL" exec --socket "$WORK/spind/activated" --handler "$OBJECT" -- "$SERVER" 1
kill $activated
wait $activated
[ ! -s "$WORK/spind.err" ] || fail "spind says: $(head -n 3 "$WORK/spind.err")"
exit $FAILED
