#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Invalid lines of a vector (a test as text: packets and expected results) must be refused by `spinctl test` with file, line, the invalid
# word and the valid syntax. Run by tests/run.
. "$(dirname "$0")/setup.inc"
cd "$WORK" || exit 1
expect 0 "$SPINCTL" new apples
expect 0 "$SPINCC" apples.c -o apples.spin

# vector LINE...: writes a packet to port 9000, followed by these lines; $ip and $udp are appended to the addresses
vector() {
	printf '%s\n' 'handler apples' packet ' eth 02:00:00:00:00:01 > 02:00:00:00:00:02' \
		" ip4 10.0.0.1 > 10.0.0.2${ip:-}" " udp ${udp:-4000 > 9000}" "$@" >b.vec
}
refused() { # REASON: for b.vec
	expect 1 "$SPINCTL" test apples.spin b.vec --engine model
	grep -qFx -- "      $1" out || fail "not '$1' but: $(cat out)"
}
accepted() { # LINE...
	vector "$@" 'expect pass success' unchanged
	expect 1 "$SPINCTL" test apples.spin b.vec --engine model
	says out "model: b.vec:2: packet 1" # the vector does not describe the changes to memory
}
payload() { # LINE REASON
	vector "$1"
	refused "b.vec:6: $2"
}

# numbers: the largest valid one is accepted, the next one is not
for n in 'be16 65535' 'be32 4294967295' 'le32 0xffffffff' 'be32 0 1 010' 'fill 300 255' 'count 3 255' 'pad 60'; do
	accepted "$n"
done
payload 'be16 65536' '65536 is not a valid be16: 0 to 65535'
payload 'be16 1 70000' '70000 is not a valid be16: 0 to 65535'
payload 'be32 99999999999' '99999999999 is not a valid be32: 0 to 4294967295'
payload 'le32 4294967296' '4294967296 is not a valid le32: 0 to 4294967295'
payload 'be32 99999999999999999999999' '99999999999999999999999 is not a valid be32: 0 to 4294967295'
payload 'be32 -1' '-1 is not a valid be32: 0 to 4294967295'
payload 'be32 7x' "'7x' is not a number"
payload 'be32 +7' "'+7' is not a number"
payload 'fill 3 256' '256 is not a valid byte: 0 to 255'
payload 'count 3 300' '300 is not a valid byte: 0 to 255'
payload 'fill 16385 0' '16385 is not a valid number of bytes: 0 to 16384'
payload 'fill 16384 0' 'the frame is too long'
payload 'pad 99999' '99999 is not a valid number of bytes: 0 to 16384'
payload 'cut 20 30' 'write: cut N'
payload "be16$(printf ' %d' $(seq 600))" 'more than 512 words'
for u in '70000 > 1' '1 > 70000'; do
	udp=$u vector
	refused 'b.vec:5: 70000 is not a valid port: 0 to 65535'
done
udp='-1 > 9000' vector
refused 'b.vec:5: -1 is not a valid port: 0 to 65535'
udp='1 > 9000 length 65536' vector
refused 'b.vec:5: 65536 is not a valid length: 0 to 65535'
udp='1 > 9000 sum 65536' vector
refused 'b.vec:5: 65536 is not a valid sum: 0 to 65535'
for field in tos:255 ttl:255 proto:255 version:15 words:15 id:65535 fragment:65535 length:65535; do
	name=${field%:*} max=${field#*:}
	ip=" $name $((max + 1))" vector
	refused "b.vec:4: $((max + 1)) is not a valid $name: 0 to $max"
	ip=" $name $max" vector frobnicate
	refused "b.vec:6: 'frobnicate' is not known here"
done
for field in hop:255 next:255 version:15 flow:1048575 length:65535; do
	name=${field%:*} max=${field#*:}
	vector "ip6 ::1 > ::2 $name $((max + 1))"
	refused "b.vec:6: $((max + 1)) is not a valid $name: 0 to $max"
done
ip=' options 010101' vector
refused 'b.vec:4: 3 bytes of options: they come in words of 4, up to 40'
vector 'vlan 65536'
refused 'b.vec:6: 65536 is not a valid tag: 0 to 65535'
vector 'eth 02:00:00:00:00:01 > 02:00:00:00:00:02 type 65536'
refused 'b.vec:6: 65536 is not a valid type: 0 to 65535'
vector 'eth 02:00:00:00:00:01 > 02:00:00:00:00:02:03'
refused "b.vec:6: '02:00:00:00:00:02:03' is not an Ethernet address"

# numbers are stored in their fields: compared with the same frame as bytes, without checksums, only these may differ
only_sums_differ() {
	expect 1 "$SPINCTL" test apples.spin b.vec --engine model
	grep -q 'UDP checksum  .*, expected 0x0000' out || fail "no checksums differ: $(cat out)"
	grep -E '^ +(Ethernet|IPv|UDP|frame|payload)' out | grep -v checksum && fail "other fields differ: $(cat out)"
}
ip=' tos 1 id 0x203 fragment 0x4000 ttl 9 proto 17 version 4 words 5' vector ' text pear' 'expect pass success' \
	' raw 020000000002 020000000001 0800 4501 0020 0203 4000 0911 0000 0a000001 0a000002' \
	' hex 0fa0 2328 000c 0000 70656172'
only_sums_differ
printf '%s\n' 'handler apples' packet ' eth 02:00:00:00:00:01 > 02:00:00:00:00:02' \
	' ip6 ::1 > ::2 hop 7 next 17 flow 0xabcde version 6' ' udp 4000 > 9000' ' text pear' 'expect pass success' \
	' raw 020000000002 020000000001 86dd 600abcde 000c 1107' \
	" hex $(printf '%032d' 1) $(printf '%032d' 2) 0fa0 2328 000c 0000 70656172" >b.vec
only_sums_differ

# one expectation per packet
vector 'expect drop dropped' 'expect pass success' unchanged
refused "b.vec:7: a second expect for one packet; a line 'packet' may be missing"
vector 'expect drop failed' 'event fail payload' 'event segv payload'
expect 1 "$SPINCTL" test apples.spin b.vec --engine model
says out 'one more event           a datagram has one at most, expected segv'
vector 'expect pass success' unchanged unchanged
refused 'b.vec:8: one frame comes out: a template, `unchanged` or `ack`, once'
vector 'expect pass success' unchanged 'hex 00'
refused 'b.vec:8: one frame comes out: a template, `unchanged` or `ack`, once'
vector 'expect drop dropped' 'set spin_state.kind[0].bytes=1' 'expect drop dropped'
refused "b.vec:8: 'expect' before its packet"
vector 'text a' packet ' raw 000102030405060708090a0b0c0d0e0f' 'expect drop dropped'
refused 'b.vec:2: packet 1 has no expectation'

# messages: lines that make no sense, and valid ones
payload 'put' '`put` must follow `slmp`'
for field in flags:65535 id:4294967295 off:4294967295; do
	name=${field%:*} max=${field#*:}
	accepted "slmp SYN $name $max"
	payload "slmp SYN $name $((max + 1))" "$((max + 1)) is not a valid $name: 0 to $max"
done
payload 'slmp id' 'write: slmp [SYN] [EOM] [NAME VALUE]...'
payload 'slmp id 1 of 2' "slmp has no 'of'"
put() { # LINE REASON
	vector 'slmp SYN id 1 off 0' "$1"
	refused "b.vec:7: $2"
}
for field in op:255 version:255 unused:65535 len:4294967295; do
	name=${field%:*} max=${field#*:}
	put "put $name $((max + 1))" "$((max + 1)) is not a valid $name: 0 to $max"
done
for name in match data off; do
	put "put $name 18446744073709551616" "18446744073709551616 is not a valid $name: 0 to 18446744073709551615"
	vector 'slmp SYN id 1 off 0' "put $name 18446744073709551615" frobnicate
	refused "b.vec:8: 'frobnicate' is not known here"
done
put 'put match' 'write: put [NAME VALUE]...'

after_packet() { # LINE REASON: LINE is written after a packet that is dropped
	vector 'slmp SYN id 1 off 0' 'expect drop failed' "$1"
	refused "b.vec:8: $2"
}
post='write: post [match N] [ignore N] [from ADDRESS PORT] [start N] [length N] [min_free N] [once] [whole] [get] [local] [overflow] [no_HANDLER] [as N] [handler_mem START+LENGTH...]'
event='write: event fail|segv|bad_return|overrun|work header|payload|completion, event message or event timeout'
after_packet 'event melted payload' "$event"
after_packet 'event fail' "$event"
after_packet 'event message id 1' 'a message has a length: event message length N'
after_packet 'event timeout id 2' 'no packet of that message comes before its event'
after_packet 'event timeout id 1 from 10.0.0.9 4000' 'no packet of that message comes before its event'
after_packet 'event timeout id 1 from 10.0.0.1' 'write: from ADDRESS PORT'
after_packet 'event timeout id 4294967296' '4294967296 is not a valid id: 0 to 4294967295'
after_packet 'event timeout unlinkd' "'unlinkd' is not a flag of an event, and no number follows"
after_packet 'event timeout colour 1' "an event has no 'colour'"
after_packet 'after me 64 free' '64 is not a valid matching entry: 0 to 63'
after_packet 'after me 0 closed' 'write: after me N free|open|taken [messages N bytes N] [used N]'
after_packet 'after host 0' 'write: host OFFSET hex HEX, or other bytes as in a packet'
after_packet 'after host 0 0011' "'0011' gives no bytes: write hex HEX, or others as in a packet"
after_packet 'host 0 hex 0g' "'0g' is not hex, two digits a byte"
after_packet 'post match' "$post"
after_packet 'post colour 1' "$post"
after_packet 'post handler_mem' "$post"
after_packet 'post from 10.0.0.9' 'write: from ADDRESS PORT'
after_packet 'post handler_mem 8' "'8' is not a segment: write START+LENGTH"
after_packet 'post handler_mem 8+4294967296' '4294967296 is not a valid length of a segment: 0 to 4294967295'
after_packet "post handler_mem$(printf ' 0+8%.0s' $(seq 17))" 'more than 16 segments'
after_packet 'ct 0 1' 'write: ct ENTRY SUCCESS FAILURE'
after_packet 'ct 64 1 2' '64 is not a valid matching entry: 0 to 63'
after_packet 'after ct 0 1 4294967296' '4294967296 is not a valid count of failures: 0 to 4294967295'
after_packet 'event ran payload' "$event"
after_packet 'send frob' "'frob' is no way to send: write \`send\` and a frame, or send forward|put|host"
after_packet 'send forward 10.0.0.3 1' 'write: to ADDRESS PORT'
after_packet 'send forward to 10.0.0.3 70000' 'write: to ADDRESS PORT'
after_packet 'send forward to 10.0.0.3 1 now' 'write: send forward [of N] to ADDRESS PORT'
after_packet 'send forward to ::3 1' 'the target has IPv6, the packet IPv4'
after_packet 'send forward of 7 to 10.0.0.3 1' 'because of which packet? write: send forward|put|host of N ...'
after_packet 'send put to 10.0.0.3 1 id' 'write: send put [of N] to ADDRESS PORT [id N] [match N] [data N] [off N]'
after_packet 'send put to 10.0.0.3 1 match 1' 'a datagram tells its target nothing: `put to ADDRESS PORT`, or with `id N`'
after_packet 'send put to 10.0.0.3 1 id 1 colour 2' "put has no 'colour'"
after_packet 'send host 0' 'write: send host [of N] START BYTES to ADDRESS PORT [match N] [data N] [off N]'
after_packet 'send host 0 8 to 10.0.0.3 1 colour 2' "a put has no 'colour'"
vector 'slmp SYN id 1 off 0' 'expect drop failed' send 'event message id 1 length 0'
refused 'b.vec:9: write what is sent: a frame, as a packet is'
vector 'slmp SYN id 1 off 0' 'expect drop failed' 'send put to 10.0.0.3 1 id 1' 'fill 3000 0' 'clock 5'
refused 'b.vec:10: what handlers send has at most 2176 bytes'
vector 'slmp SYN id 1 off 0' 'expect drop failed' 'clock 5' 'send put to 10.0.0.3 1 id 1'
refused 'b.vec:9: because of which packet? write: send forward|put|host of N ...'
after_packet 'post as 64' '64 is not a valid matching entry: 0 to 63'
after_packet 'post start 4294967296' '4294967296 is not a valid start: 0 to 4294967295'
after_packet 'unlink' 'write: unlink N [busy]'
after_packet 'unlink 0 soon' 'write: unlink N [busy]'
after_packet 'clock' "'' is not a number"
after_packet 'clock soon' "'soon' is not a number"
after_packet 'idle 5' "'idle 5' belongs before the first packet"
after_packet 'expect drop failed' "a second expect for one packet; a line 'packet' may be missing"
after_packet 'expect tx replied ack' "a second expect for one packet; a line 'packet' may be missing"
vector 'slmp SYN id 1 off 0' 'expect drop failed' 'clock 5' 'expect drop failed'
refused "b.vec:9: a step in time has no verdict; a line 'packet' may be missing"
vector 'slmp SYN id 1 off 0' 'expect drop failed' 'clock 5' 'event timeout'
refused 'b.vec:9: whose event? write: event ... id N'
vector 'text short' 'expect tx duplicate ack'
refused 'b.vec:7: the packet is none of a message: no `slmp` behind `udp`'
vector 'slmp SYN id 1 off 0' 'expect tx duplicate'
refused 'b.vec:7: write what comes out, `unchanged` or `ack`'
for verdict in 'tx malformed' 'tx no_me' 'tx beyond_window' 'tx unmatched' 'drop replied' 'pass duplicate' 'tx' ''; do
	vector 'slmp SYN id 1 off 0' "expect $verdict"
	refused "b.vec:7: '$verdict' is not a verdict with a reason of its own"
done
for line in 'messages 4097' 'parking 257'; do
	echo "$line" >b.vec
	refused "b.vec:1: ${line#* } is not a valid ${line% *}: 0 to $((${line#* } - 1))"
done
for line in 'messages 0' 'parking 0' 'idle 0' 'tombstone 0' 'host 0'; do
	echo "$line" >b.vec
	refused "b.vec:1: $line would be the default"
done

# a handler of datagrams refuses messages
for line in 'messages 1' put no_entry; do
	vector 'text a' 'expect pass success' unchanged
	sed -i "1a $line" b.vec
	expect 1 "$SPINCTL" test apples.spin b.vec --engine model
	says out 'the handler takes no messages (SPIN_DELIVER_ME), the vector has them'
done
vector 'text a' 'expect pass success' unchanged 'after me 0 free'
expect 1 "$SPINCTL" test apples.spin b.vec --engine model
says out 'the handler takes no messages: it has no entries'
for line in 'host 64' 'handler_mem 0+8'; do
	vector 'text a' 'expect pass success' unchanged
	sed -i "1a $line" b.vec
	expect 1 "$SPINCTL" test apples.spin b.vec --engine model
	says out 'the handler has no host memory, the vector says how much'
done
vector 'text a' 'expect pass success' unchanged 'after host 0 hex 00'
expect 1 "$SPINCTL" test apples.spin b.vec --engine model
says out 'the handler has no host memory'
vector 'text a' 'expect pass success' unchanged 'after ct 0 1 0'
expect 1 "$SPINCTL" test apples.spin b.vec --engine model
says out 'the handler reaches no counter of entry 0'

# `headers` starts every packet; a packet's own lines follow
printf '%s\n' 'handler apples' headers ' eth 02:00:00:00:00:01 > 02:00:00:00:00:02' ' ip4 10.0.0.1 > 10.0.0.2' \
	' udp 4000 > 9000' packet ' text pear' 'expect pass success' ' raw 020000000002 020000000001 0800' \
	' raw 4500 0020 0000 0000 4011 0000 0a000001 0a000002' ' hex 0fa0 2328 000c 0000 70656172' >b.vec
only_sums_differ

# headers behind the datagram's end, and an acknowledgement of what is not a datagram: neither may reach beyond the frame
printf '%s\n' 'handler apples' packet ' eth 02:00:00:00:00:01 > 02:00:00:00:00:02' ' ip4 10.0.0.1 > 10.0.0.2' ' pad 60' ' udp 1 > 2' \
	'expect drop dropped' >b.vec
expect 1 "$SPINCTL" test apples.spin b.vec --engine model
says out 'headers must not follow `pad` or `tail`'
printf '%s\n' 'handler apples' packet " raw 020000000002 020000000001 8100 0001 8100 0001 0800 40000000 $(printf '41%.0s' $(seq 14))" \
	'expect tx success ack' >b.vec
expect 1 "$SPINCTL" test apples.spin b.vec --engine model
says out 'the packet is none of a message'

# files with missing parts
: >b.vec
refused 'b.vec: no handler: the first line is `handler NAME`'
echo '# nothing' >b.vec
refused 'b.vec: no handler: the first line is `handler NAME`'
echo 'handler apples' >b.vec
refused 'b.vec: no packet'
exit $FAILED
