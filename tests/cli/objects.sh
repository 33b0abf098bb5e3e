#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Missing, empty, third-party and damaged objects (.spin files) and packet traces must give status 1 and one line that says what to do. Run
# by tests/run.
. "$(dirname "$0")/setup.inc"

refused() {
	expect 1 "$SPINCTL" cost "$1" --pcap "$2"
	one_line
	says err "$3"
	[ -s "$WORK/out" ] && fail "output in spite of the failure: $*"
}

cd "$WORK" || exit 1
# an empty capture: a header, no packet
printf '\324\303\262\241\002\000\004\000\000\000\000\000\000\000\000\000\377\377\000\000\001\000\000\000' >good.pcap

refused absent.spin good.pcap "cannot open absent.spin"
refused . good.pcap "not a regular file"
: >empty.spin
refused empty.spin good.pcap "not a fat object"
cp "$SPINCTL" foreign.spin
refused foreign.spin good.pcap "spincc"
echo "plain text, longer than any header that might be looked for in it" >text.spin
refused text.spin good.pcap "not an ELF file"
bytes=$(wc -c <"$OBJECT")
for at in 1 4 63 64 1000 $((bytes / 2)) $((bytes - 25)) $((bytes - 24)) $((bytes - 1)); do
	head -c "$at" "$OBJECT" >cut.spin
	refused cut.spin good.pcap "cut.spin"
done
for at in 0 18 40 64 777 $((bytes / 2)) $((bytes - 20)) $((bytes - 1)); do
	cp "$OBJECT" flip.spin
	byte=$(od -An -tu1 -j "$at" -N 1 flip.spin)
	printf "\\$(printf %o $((byte ^ 85)))" | dd of=flip.spin bs=1 seek="$at" conv=notrunc 2>/dev/null
	refused flip.spin good.pcap "flip.spin"
done

refused "$OBJECT" absent.pcap "absent.pcap"
: >empty.pcap
refused "$OBJECT" empty.pcap "empty.pcap"
head -c 17 good.pcap >cut.pcap
refused "$OBJECT" cut.pcap "cut.pcap"
refused "$OBJECT" "$OBJECT" "capture file"
# a packet header without its packet
{ cat good.pcap; printf '\0\0\0\0\0\0\0\0\100\0\0\0\100\0\0\0abc'; } >torn.pcap
refused "$OBJECT" torn.pcap "damaged after frame 0"
# link type 113: Linux cooked capture
printf '\324\303\262\241\002\000\004\000\000\000\000\000\000\000\000\000\377\377\000\000\161\000\000\000' >cooked.pcap
refused "$OBJECT" cooked.pcap "not Ethernet"

# a frame of 9,126 bytes, most of them VLAN tags, which is cut to another size
{
	cat good.pcap
	printf '\1\0\0\0\0\0\0\0\246\43\0\0\246\43\0\0\2\0\0\0\0\2\2\0\0\0\0\1'
	printf '\201\0\0\1%.0s' $(seq 2270)
	printf '\10\0\105\0\0\40\0\0\0\0\100\21\146\313\12\0\0\1\12\0\0\2\17\240\43\50\0\14\0\0AAAA'
} >tags.pcap
expect 0 "$SPINCTL" cost "$OBJECT" --pcap tags.pcap --sizes 1024

# an object's debug information may name any file: only sources are read
expect 0 "$SPINCTL" new spy
sed -i 's|^static enum spin_payload_rc|#line 1 "/etc/passwd"\n&|' spy.c
expect 0 "$SPINCC" spy.c -o spy.spin
expect 0 "$SPINCTL" cost spy.spin --datagrams 2 --lines
says out "/etc/passwd:"
grep -q "root:" out && fail "lines of /etc/passwd are shown"

expect 0 "$SPINCTL" cost "$OBJECT" --pcap good.pcap
expect 1 "$SPINCTL" cost "$OBJECT" --pcap good.pcap --match "udp dport x"
says err "'x' is not a port"
expect 1 "$SPINCTL" cost "$OBJECT" --pcap good.pcap --target cray
says err "no target 'cray'"
expect 1 "$SPINCTL" cost "$OBJECT" --pcap good.pcap --set routes
expect 1 "$SPINCTL" cost "$OBJECT" --pcap good.pcap --set nothing.x=1
says err "no state or table named 'nothing'"
expect 1 "$SPINCTL" cost "$OBJECT" --pcap good.pcap --set "routes[65536].port=1"
says err "65536 entries"
expect 1 "$SPINCTL" cost "$OBJECT" --pcap good.pcap --set "routes[1].port=65536"
says err "16 unsigned bits"
expect 1 "$SPINCTL" cost "$OBJECT" --pcap good.pcap --insert "routes:port=1"
says err "key"
expect 1 "$SPINCTL" cost "$OBJECT" --pcap good.pcap --insert "routes:src=10.0.0.1 nofield=1"
says err "nofield"
expect 1 "$SPINCTL" cost "$OBJECT" --pcap good.pcap --insert-from routes=absent
says err "cannot open absent"
printf '# addresses\nsrc=10.0.0.1 port=7000\n\nsrc=10.0.0.300 port=1\n' >table
printf '\033]0;title\007=\233\n' >noise
expect 1 "$SPINCTL" cost "$OBJECT" --pcap good.pcap --insert-from routes=noise
says err "noise:1: "
one_line
LC_ALL=C tr -d '\n' <err | grep -q '[^[:print:]]' && fail "a file's bytes reach the terminal: $(od -c err | head -n 5)"
expect 1 "$SPINCTL" cost "$OBJECT" --pcap good.pcap --insert-from routes=table
says err "table:4:"
exit $FAILED
