#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl dump prints host memory of a running context. A file that was sent to the context must be there at its offset, as raw bytes and in
# hexdump's format. A range beyond the memory, an unknown context, one without host memory, and a choice between two contexts must be
# refused with one line. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
make_nics
in_ns ip link set lo up
cd "$WORK" || exit 1
COPY=$BUILD/handlers/copy_to_host.spin

expect 1 in_ns "$SPINCTL" dump
says err "no context is attached in this network namespace; spinctl status lists all of this machine"
one_line

# run NAME PORT OBJECT OPTIONS...: starts it on lo and returns when it is attached; its pid is in $RUN
run() {
	name=$1 port=$2 object=$3
	shift 3
	rm -f ready
	nsenter --net="/run/netns/$NS" "$SPINCTL" run "$object" --name "$name" --dev "$dev" --mode generic --match "udp dport $port" \
		--interval 0 --ready-file ready "$@" >run.out 2>run.err &
	RUN=$!
	i=0
	while [ ! -s ready ] && [ $i -lt 1200 ] && kill -0 $RUN 2>/dev/null; do i=$((i + 1)); sleep 0.05; done
	[ -s ready ] || { fail "run: $(cat run.err)"; exit 1; }
}

dev=lo
run copy 9330 "$COPY" --host-kib 64 --entry 'start=4096'
head -c 20003 /dev/urandom >file
expect 0 in_ns "$SPINCTL" send file --to 127.0.0.1

# --- raw: a range, all, to a pipe; a file gets its name when it is complete
expect 0 in_ns "$SPINCTL" dump --from 4096 --length 20003 -o part
cmp part file || fail "the message is not what dump has"
[ -s out ] && fail "dump to a file prints: $(cat out)"
expect 0 in_ns "$SPINCTL" dump --context copy -o -
[ "$(wc -c <out)" = 65536 ] || fail "all of it is $(wc -c <out) bytes"
{ head -c 4096 /dev/zero; cat file; head -c $((65536 - 4096 - 20003)) /dev/zero; } | cmp - out || fail "all of it is something else"
in_ns "$SPINCTL" dump -o /dev/full 2>err && fail "a full device is not noticed"
says err "No space left on device"
one_line

# --- hex, in the format of other tools
expect 0 in_ns "$SPINCTL" dump --dev lo --from 4080 --length 1001
head -n 1 out | grep -Eq '^00000ff0  (00 ){8}( 00){8}  \|\.{16}\|$' || fail "hex begins with: $(head -n 1 out)"
[ "$(tail -n 1 out)" = 000013d9 ] || fail "hex ends with: $(tail -n 1 out)"
sed '1d;$d;s/^[0-9a-f]*//;s/|.*//' out | tr -d ' \n' >got
head -c 985 file | od -An -v -t x1 | tr -d ' \n' | cmp - got || fail "hex has other bytes"
expect 0 in_ns "$SPINCTL" dump --length 4096
[ "$(sed -n 2p out)" = '*' ] && [ "$(wc -l <out)" = 3 ] || fail "equal rows are not one: $(head -n 5 out)"

# --- ranges and contexts that do not exist
expect 1 in_ns "$SPINCTL" dump --from 65530 --length 10
says err "the context has 65536 bytes of host memory"
one_line
expect 1 in_ns "$SPINCTL" dump --from 65537
one_line
expect 1 in_ns "$SPINCTL" dump --context other
says err "no context other is attached"
expect 1 in_ns "$SPINCTL" dump --dev v0
says err "no context on v0 is attached"
expect 2 in_ns "$SPINCTL" dump --frobnicate
dev=v0
run plain 9000 "$OBJECT"
expect 1 in_ns "$SPINCTL" dump
says err "2 contexts are attached: say which with --context or --dev: "
one_line
expect 1 in_ns "$SPINCTL" dump --context plain
says err "have no host memory"
one_line
expect 0 in_ns "$SPINCTL" dump --context copy --length 16
expect 1 setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all "$SPINCTL" dump
says err "run it as root"
exit $FAILED
