#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The program of README.md must compile unchanged, as the command beside it builds its handlers, and, run by an ordinary user, print what
# these have counted on its socket. Run by tests/run.
. "$(dirname "$0")/docs.inc"
skip_unless_root
command -v setpriv >/dev/null || skip "no setpriv"
cd "$WORK" || exit 1
awk '/^```/ { inside = $0 == "```c"; text = ""; next } inside { text = text $0 "\n"; if ($0 == "}" && text ~ /int main/) printf "%s", text }' \
	"$ROOT/README.md" >program.c
grep -q spin_socket__attach program.c || fail "README.md has no program"
gcc -Wall -Werror -I"$ROOT/user/libspin/include" -I"$ROOT/handlers/include" program.c -o program "$BUILD/lib/static/libspin.a" -lxdp -lbpf -lelf -lz \
	-lpthread >compiled 2>&1 || { fail "it does not compile: $(head -n 5 compiled)"; exit 1; }
make_nics
ip -n "$NS" link set lo up
start_spind
command=$(grep -o '`spincc -D [^`]*`' "$ROOT/README.md" | tr -d '`')
case $command in "spincc "*" -o histogram.spin") ;; *) fail "README.md has no command that builds histogram.spin: $command" ;; esac
(cd "$ROOT" && "$BUILD/bin/spincc" ${command#spincc } -o "$WORK/histogram.spin") >built 2>&1 || { fail "$command: $(cat built)"; exit 1; }
chmod 644 histogram.spin
nsenter --net="/run/netns/$NS" setpriv --reuid 65534 --regid 65534 --clear-groups stdbuf -oL ./program >out 2>err &
until "$SPINCTL" list | grep -q attached; do
	kill -0 $! 2>/dev/null || { fail "it ended: $(cat err)"; exit 1; }
	sleep 0.05
done
# each datagram has the integers 7, 1023 and 1024; it prints the counts after each
for try in $(seq 50); do
	in_ns bash -c 'printf "\7\0\0\0\377\3\0\0\0\4\0\0" >/dev/udp/127.0.0.1/9000'
	grep -qx '1024: 3 times' out && break
	sleep 0.1
done
for value in 7 1023 1024; do
	grep -qx "$value: 3 times" out || fail "it does not print how often $value came: $(cat out err)"
done
grep -v '^7: \|^1023: \|^1024: ' out && fail "it prints other values"
exit $FAILED
