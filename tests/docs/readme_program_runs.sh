#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The program of README.md must compile unchanged and, run by an ordinary user, print what handlers on its socket have counted.
# Run by tests/run.
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
cp "$BUILD/handlers/filter_counts.spin" .
chmod 644 filter_counts.spin
nsenter --net="/run/netns/$NS" setpriv --reuid 65534 --regid 65534 --clear-groups stdbuf -oL ./program >out 2>err &
until "$SPINCTL" list | grep -q attached; do
	kill -0 $! 2>/dev/null || { fail "it ended: $(cat err)"; exit 1; }
	sleep 0.05
done
for try in $(seq 50); do
	in_ns bash -c 'echo x >/dev/udp/127.0.0.1/9000'
	grep -qx '7f000001: 3 datagrams' out && break
	sleep 0.1
done
grep -qx '7f000001: 3 datagrams' out || fail "it prints: $(cat out err)"
exit $FAILED
