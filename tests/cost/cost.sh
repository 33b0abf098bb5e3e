#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl cost (a handler's cycles on the modelled NIC) of a capture of ten datagrams and an ARP frame: ten packets must be handled, text
# and JSON must have the same figures, user + wrapper + commands + runtime must be the cycles per packet, and the 16 causes (issue, load,
# cache, ...) the cycles of the handlers' bodies. A closed pipe or a full disk must be reported (status 1). Packets that are made must match
# the rule. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
cd "$WORK" || exit 1

# Ten datagrams of 18 bytes 10.0.0.1:4096 -> 10.0.0.2:9000 and an ARP frame.
frame() {
	printf '\002\0\0\0\0\001\002\0\0\0\0\002\010\0'
	printf '\105\0\0\056\0\0\0\0\100\021\146\275\012\0\0\001\012\0\0\002'
	printf '\020\0\043\050\0\032\0\0abcdefghijklmnopqr'
}
{
	printf '\324\303\262\241\002\000\004\000\000\000\000\000\000\000\000\000\377\377\000\000\001\000\000\000'
	for i in 1 2 3 4 5 6 7 8 9 10; do
		printf '\0\0\0\0\0\0\0\0\074\0\0\0\074\0\0\0'
		frame
	done
	printf '\0\0\0\0\0\0\0\0\074\0\0\0\074\0\0\0'
	printf '\377\377\377\377\377\377\002\0\0\0\0\002\010\006'
	head -c 46 /dev/zero
} >trace.pcap

expect 0 "$SPINCTL" cost "$OBJECT" --pcap trace.pcap --insert 'routes:src=10.0.0.1 port=7000' --lines
cp out text
expect 0 "$SPINCTL" cost "$OBJECT" --pcap trace.pcap --insert 'routes:src=10.0.0.1 port=7000' --lines --json
cp out json

number() { # KEY: prints the first value of KEY in the JSON
	sed -n "s/.*\"$1\": \([0-9.e+-]*\),\{0,1\}\$/\1/p" json | head -n 1
}
same() { # WHAT TEXT JSON: compares with the precision of the text
	awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d < 0.06 && d > -0.06) }' ||
		fail "$1: '$2' in the text, '$3' in JSON"
}
row() { # NAME FIELD: prints a field of the handlers' table
	awk -v name="$1" -v field="$2" '$1 == name && NF >= 9 { print $field; exit }' text
}

same "frames" "$(sed -n 's/.*: \([0-9]*\) frames.*/\1/p' text)" "$(number frames)"
same "handled" "$(row packet 2)" "$(number handled_packets)"
same "packets" "$(awk '$1 == "all" { print $2 }' text)" "$(number packets)"
same "min" "$(row payload 3)" "$(number min_cycles)"
same "median" "$(row payload 4)" "$(number median_cycles)"
same "p99" "$(row payload 5)" "$(number p99_cycles)"
same "max" "$(row payload 6)" "$(number max_cycles)"
same "mean" "$(row payload 7)" "$(number mean_cycles)"
same "instructions" "$(row payload 8)" "$(number mean_instructions)"
for part in user wrapper commands runtime; do
	same "$part" "$(awk -v p=$part '$1 == p && $4 == "%" { print $2 }' text)" "$(number $part)"
done
same "HPUs at 100 Gbit/s" "$(awk '$1 == "100" && $2 == "Gbit/s" { print $3 }' text)" "$(number hpus_packet_bytes)"
[ "$(number handled_packets)" = 10 ] || fail "not 10 handled packets"
[ "$(number mean_packet_bytes)" = 46 ] || fail "mean packet size $(number mean_packet_bytes), not 46"
grep -q 'not_ip.* 1 ' text || fail "the ARP frame is not counted"

awk -v user="$(number user)" -v wrapper="$(number wrapper)" -v commands="$(number commands)" \
	-v runtime="$(number runtime)" -v all="$(number mean_cycles_with_runtime)" \
	'BEGIN { d = user + wrapper + commands + runtime - all; exit !(d < 0.01 && d > -0.01) }' ||
	fail "user, wrapper, commands and runtime do not add up to the cycles per packet"
for cause in issue load_use jump branch fetch muldiv misaligned memory l1 l2 remote icache flush dma command blocked; do
	number $cause
done | awk -v all="$(sed -n '/"packet": {/,/}/s/.*"mean_cycles": \([0-9.]*\),/\1/p' json)" \
	'{ sum += $1 } END { d = sum - all; exit !(NR == 16 && d < 0.01 && d > -0.01) }' ||
	fail "the causes do not add up to the bodies"

# without the route the same trace must run other instructions: this shows that the table was filled
expect 0 "$SPINCTL" cost "$OBJECT" --pcap trace.pcap --json
mv json with
mv out json
[ "$(number mean_instructions)" = "$(sed -n 's/.*"mean_instructions": \([0-9.e+-]*\),$/\1/p' with | head -n 1)" ] &&
	fail "an inserted route changes nothing"

# instructions of an accessor must be attributed to the handler's line that calls it
expect 0 "$SPINCTL" cost "$OBJECT" --pcap trace.pcap --lines --top 100
find=$(grep -n 'SPIN_FIND(' "$ROOT/handlers/filtering.c" | cut -d : -f 1)
grep -q " user  *[^ ]*filtering\.c:$find " out || fail "no cycles at line $find of filtering.c: $(grep ' user ' out)"
grep ' user ' out | grep 'include/spin/' && fail "cycles of the handler are told at a line of the API"

"$SPINCTL" cost "$OBJECT" --pcap trace.pcap >/dev/full 2>err
[ $? = 1 ] || fail "a full disk is not reported"
says err "cannot write the output"
{ "$SPINCTL" cost "$OBJECT" --pcap trace.pcap 2>err; echo $? >status; } | :
[ "$(cat status)" = 1 ] && says err "cannot write the output"

# generated packets must match the rule, even if it excludes the default values (192.0.2.1, 2001:db8::1, TTL 64, no tag)
for rule in 'not src 192.0.2.0/24 not dst 192.0.2.2' 'not dst 192.0.0.0/2' 'not src 2001:db8::/32 not dst 2001:db8::2' 'not src 10.0.0.1' \
	'vlan 5-9,4095 dscp 46' 'not ttl 64' 'not vlan 0-4095' 'icmp vlan 7 dscp 10' 'src 2001:db8::/32 dscp 10 ttl 5 vlan 3' \
	'not dport 9330'; do
	expect 0 "$SPINCTL" cost "$OBJECT" --match "$rule" --datagrams 20 --sizes none
	says out '20 frames, 20 handled'
done
exit $FAILED
