#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Lines of a vector that cannot be meant are refused, with file, line, the word and what would do.
. "$(dirname "$0")/setup.inc"
cd "$WORK" || exit 1
expect 0 "$SPINCTL" new apples
expect 0 "$SPINCC" apples.c -o apples.spin

# vector LINE...: a packet to port 9000 with these lines behind; $ip, $udp are what follows the addresses
vector() {
	printf '%s\n' 'handler apples' packet ' eth 02:00:00:00:00:01 > 02:00:00:00:00:02' \
		" ip4 10.0.0.1 > 10.0.0.2${ip:-}" " udp ${udp:-4000 > 9000}" "$@" >b.vec
}
refused() { # SENTENCE: of b.vec
	expect 1 "$SPINCTL" test apples.spin b.vec --engine model
	grep -qFx -- "      $1" out || fail "not '$1' but: $(cat out)"
}
taken() { # LINE...
	vector "$@" 'expect pass success' unchanged
	expect 1 "$SPINCTL" test apples.spin b.vec --engine model
	says out "model: b.vec:2: packet 1" # what it does to memory is not in the vector
}
payload() { # LINE SENTENCE
	vector "$1"
	refused "b.vec:6: $2"
}

# numbers: the largest that fits is taken, the next one is not
for n in 'be16 65535' 'be32 4294967295' 'le32 0xffffffff' 'be32 0 1 010' 'fill 300 255' 'count 3 255' 'pad 60'; do
	taken "$n"
done
payload 'be16 65536' '65536 is no be16 from 0 to 65535'
payload 'be16 1 70000' '70000 is no be16 from 0 to 65535'
payload 'be32 99999999999' '99999999999 is no be32 from 0 to 4294967295'
payload 'le32 4294967296' '4294967296 is no le32 from 0 to 4294967295'
payload 'be32 99999999999999999999999' '99999999999999999999999 is no be32 from 0 to 4294967295'
payload 'be32 -1' '-1 is no be32 from 0 to 4294967295'
payload 'be32 7x' "'7x' is no number"
payload 'be32 +7' "'+7' is no number"
payload 'fill 3 256' '256 is no byte from 0 to 255'
payload 'count 3 300' '300 is no byte from 0 to 255'
payload 'fill 16385 0' '16385 is no number of bytes from 0 to 16384'
payload 'fill 16384 0' 'the frame is too long'
payload 'pad 99999' '99999 is no number of bytes from 0 to 16384'
payload 'cut 20 30' 'write: cut N'
payload "be16$(printf ' %d' $(seq 600))" 'more than 512 words'
for u in '70000 > 1' '1 > 70000'; do
	udp=$u vector
	refused 'b.vec:5: 70000 is no port from 0 to 65535'
done
udp='-1 > 9000' vector
refused 'b.vec:5: -1 is no port from 0 to 65535'
udp='1 > 9000 length 65536' vector
refused 'b.vec:5: 65536 is no length from 0 to 65535'
udp='1 > 9000 sum 65536' vector
refused 'b.vec:5: 65536 is no sum from 0 to 65535'
for field in tos:255 ttl:255 proto:255 version:15 words:15 id:65535 fragment:65535 length:65535; do
	name=${field%:*} max=${field#*:}
	ip=" $name $((max + 1))" vector
	refused "b.vec:4: $((max + 1)) is no $name from 0 to $max"
	ip=" $name $max" vector frobnicate
	refused "b.vec:6: 'frobnicate' is not known here"
done
for field in hop:255 next:255 version:15 flow:1048575 length:65535; do
	name=${field%:*} max=${field#*:}
	vector "ip6 ::1 > ::2 $name $((max + 1))"
	refused "b.vec:6: $((max + 1)) is no $name from 0 to $max"
done
ip=' options 010101' vector
refused 'b.vec:4: 3 bytes of options: they come in words of 4, up to 40'
vector 'vlan 65536'
refused 'b.vec:6: 65536 is no tag from 0 to 65535'
vector 'eth 02:00:00:00:00:01 > 02:00:00:00:00:02 type 65536'
refused 'b.vec:6: 65536 is no type from 0 to 65535'
vector 'eth 02:00:00:00:00:01 > 02:00:00:00:00:02:03'
refused "b.vec:6: '02:00:00:00:00:02:03' is no Ethernet address"

# numbers land in their fields: of the same frame written as bytes, without checksums, only these differ
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

# one expectation for a packet
vector 'expect drop dropped' 'expect pass success' unchanged
refused "b.vec:7: a second expect for one packet; a line 'packet' may be missing"
vector 'expect drop failed' 'event fail payload' 'event segv payload'
refused "b.vec:8: a second event for one packet; a line 'packet' may be missing"
vector 'expect pass success' unchanged unchanged
refused 'b.vec:8: one frame comes out: a template or `unchanged`, once'
vector 'expect pass success' unchanged 'hex 00'
refused 'b.vec:8: one frame comes out: a template or `unchanged`, once'
vector 'expect drop dropped' 'set spin_state.kind[0].bytes=1' 'expect drop dropped'
refused "b.vec:8: 'expect' before its packet"
vector 'text a' packet ' raw 000102030405060708090a0b0c0d0e0f' 'expect drop dropped'
refused 'b.vec:2: packet 1 has no expectation'

# files without what they need
: >b.vec
refused 'b.vec: no handler: the first line is `handler NAME`'
echo '# nothing' >b.vec
refused 'b.vec: no handler: the first line is `handler NAME`'
echo 'handler apples' >b.vec
refused 'b.vec: no packet'
exit $FAILED
