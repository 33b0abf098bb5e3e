#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Opens recordings of `spinctl record` with tshark: it must show the packets, and no rows for other blocks of the file. The dissector of
# SLMP, the message protocol over UDP, must show flags, id, offset and put header, mark malformed packets, and survive every truncation. Run
# by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
command -v tshark >/dev/null || skip "tshark is not installed"
make_nics
in_ns ip link set lo up
cd "$WORK" || exit 1
export TMPDIR="$WORK" HOME="$WORK"
LUA=$ROOT/user/wireshark/slmp.lua

show() { # ARGUMENTS: output in out; fails on errors of the script
	tshark -X lua_script:"$LUA" "$@" >out 2>err || fail "tshark $*: $(cat err)"
	grep -qi 'lua' err && fail "tshark $*: $(cat err)"
	return 0
}

nsenter --net="/run/netns/$NS" "$SPINCTL" record "$BUILD/handlers/copy_to_host.spin" --dev lo --mode generic --match 'udp dport 9330' --put \
	-o a.spinrec --ready-file ready >record.out 2>record.err &
RECORD=$!
i=0
while [ ! -s ready ] && [ $i -lt 1200 ] && kill -0 $RECORD 2>/dev/null; do i=$((i + 1)); sleep 0.05; done
[ -s ready ] || { fail "record: $(cat record.err)"; exit 1; }
head -c 4000 /dev/urandom >file
expect 0 in_ns "$SPINCTL" send file --to 127.0.0.1 --match 0x10 --hdr-data 99
# an acknowledgement; a refusal; an eviction; 5 bytes of a header; a truncated put header; REFUSED without ACK; an undefined flag
in_ns bash -c 'exec 3>/dev/udp/127.0.0.1/9330; for p; do printf "$p" >&3; done' bash \
	'\040\000\000\000\000\007\000\000\000\010' '\050\000\000\000\000\007\000\000\000\020' '\044\000\000\000\000\007\000\000\000\030' '\100\000\000\000\000' '\120\000\000\000\000\007\000\000\000\000\001\001' \
	'\110\000\000\000\000\007\000\000\000\000abc' '\102\000\000\000\000\007\000\000\000\000abc'
i=0
until in_ns "$SPINCTL" status --dev lo --json | tr -d ' \n' | grep -q '"completed":1[,}]' || [ $i = 600 ]; do i=$((i + 1)); sleep 0.1; done
sleep 0.2
kill -INT $RECORD
wait $RECORD || fail "record: $(cat record.err)"
recorded=$(sed -n 's/.*: \([0-9]*\) packets in .*/\1/p' record.out)

# --- packets only
capinfos -M -c a.spinrec >out 2>err || fail "capinfos: $(cat err)"
grep -Eq "Number of packets: *$recorded\$" out || fail "capinfos does not see $recorded packets: $(cat out)"
show -r a.spinrec
[ "$(wc -l <out)" = "$recorded" ] || fail "tshark has $(wc -l <out) rows for $recorded packets: $(cat out)"
grep -v 'SLMP' out && fail "rows of another protocol"

# --- the fields
fields() { # FILTER NAME...: prints the fields of packets that match
	filter=$1
	shift
	show -r a.spinrec -Y "$filter" -T fields -E separator=' ' $(printf -- '-e %s ' "$@")
}
is() {
	[ "$(cat out)" = "$1" ] || fail "'$(cat out)' instead of '$1'"
}
fields 'slmp.put.length' slmp.flags slmp.offset slmp.put.op slmp.put.version slmp.put.length slmp.put.match_bits \
	slmp.put.hdr_data slmp.put.offset
first=0x5000
is "$first 0 1 1 4000 0x0000000000000010 0x0000000000000063 0"
fields 'slmp.put.length' slmp.msg_id
id=$(cat out)
fields "slmp.msg_id == $id && !slmp.malformed" slmp.payload_length
[ "$(awk '{ n += $1 } END { print n }' out)" = 4000 ] || fail "the message's payloads are not 4000 bytes: $(cat out)"
fields "slmp.msg_id == $id && slmp.flags.eom == 1" slmp.offset slmp.payload_length
[ "$(awk '{ print $1 + $2 }' out)" = 4000 ] || fail "the message does not end at byte 4000: $(cat out)"
fields 'slmp.flags.ack == 1 && slmp.flags.refused == 0 && slmp.flags.again == 0' slmp.flags slmp.msg_id slmp.offset slmp.payload_length
is "0x2000 7 8 0"
fields 'slmp.flags.refused == 1 && !slmp.malformed' slmp.flags slmp.msg_id slmp.offset slmp.payload_length
is "0x2800 7 16 0"
fields 'slmp.flags.again == 1 && !slmp.malformed' slmp.flags slmp.msg_id slmp.offset slmp.payload_length
is "0x2400 7 24 0"
show -r a.spinrec -Y slmp.malformed -V
says out "the header has 10 bytes, 5 are there"
says out "the put header has 32 bytes, 2 are there"
says out "flags that SLMP does not have"
fields slmp.malformed frame.number
[ "$(wc -l <out)" = 4 ] || fail "not 4 malformed packets: $(cat out)"

# each packet truncated at every byte, as in a capture with a short snap length
for bytes in 42 43 44 47 48 49 51 52 53 54 57 60 67 68 75 76 83 84 85; do
	editcap -s $bytes -F pcap a.spinrec cut.pcap 2>err || fail "editcap: $(cat err)"
	show -r cut.pcap -V
	grep -i 'lua error' out && fail "cut after $bytes bytes"
done
show -r a.spinrec -d udp.port==9330,slmp -Y 'slmp.flags.syn == 1'
[ -s out ] || fail "Decode As does not find the dissector"
exit $FAILED
