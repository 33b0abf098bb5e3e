#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl cost --compare, which compares a handler on the modelled NIC with estimates for other devices: there must be a row for each
# device, marked with how its figures were obtained. Text and JSON must agree, and the text must fit in 80 columns. A device that cannot run
# the handler must have a reason. Also runs without root. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
WELL_FORMED=$BUILD/tests/tools/well_formed
cd "$WORK" || exit 1

value() { # DEVICE KEY: prints a value of the device's row in ./json
	awk -v device="$1" -v key="$2" '
		/^\t\t\t"name": / { at = $0; sub(/.*: "/, "", at); sub(/".*/, "", at) }
		/^\t"properties"/ { exit }
		at == device && index($0, "\t\t\t\"" key "\": ") == 1 {
			sub(/^[^:]*: /, ""); sub(/,$/, ""); gsub(/"/, ""); print; exit
		}' json
}
about() { # WHAT A B: A must equal B except for rounding
	awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && b != "" && d <= 1e-4 * (b < 0 ? -b : b) + 1e-9) }' ||
		fail "$1: '$2', not '$3'"
}
below() { # WHAT A B: A must be less than B
	awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && b != "" && a + 0 < b + 0) }' || fail "$1: '$2' is not below '$3'"
}
packets="--datagrams 200 --payload 36 --match"
hit() { "$SPINCTL" cost "$OBJECT" $packets 'udp src 10.0.0.1' --insert 'routes:src=10.0.0.1 port=7000' --compare "$@"; }

expect 0 hit --json
cp out json
"$WELL_FORMED" json json || fail "the comparison is not JSON"
[ "$(grep -c '^			"how": ' json)" = 5 ] || fail "not five devices"
for row in pspin:modelled hxdp:modelled xdp:measured nfp:estimate dpa:estimate; do
	[ "$(value ${row%:*} how)" = ${row#*:} ] || fail "${row%:*} is $(value ${row%:*} how), not ${row#*:}"
done

# a row has figures or a reason, never both; rates, sizes and times must be consistent
bytes=$(sed -n 's/^	"packet_bytes": \(.*\),/\1/p' json)
for device in pspin xdp hxdp nfp dpa; do
	reason=$(value $device no_figures_because) rate=$(value $device million_packets_per_s)
	if [ "$reason" != null ]; then
		[ "$rate" = null ] && [ "$(value $device ns_per_packet)" = null ] || fail "$device has a reason and figures"
		continue
	fi
	about "$device: Gbit/s" "$(value $device gbit_per_s)" "$(awk -v r="$rate" -v b="$bytes" 'BEGIN { printf "%.9f", r * b * 8 / 1000 }')"
	# the rate must not exceed that of all engines with one packet each
	below "$device: rate" "$rate" "$(awk -v n="$(value $device engines)" -v t="$(value $device ns_per_packet)" 'BEGIN { print 1000 * n / t * 1.02 }')"
	[ -n "$(value $device bound_by)" ] || fail "$device has no limit"
done
[ "$(value nfp no_figures_because)" = null ] || fail "the NFP: $(value nfp no_figures_because)"
[ "$(value hxdp no_figures_because)" = null ] || fail "hXDP: $(value hxdp no_figures_because)"
[ "$(value dpa no_figures_because)" = null ] || fail "the DPA: $(value dpa no_figures_because)"
if [ "$(id -u)" = 0 ]; then
	[ "$(value xdp no_figures_because)" = null ] || fail "XDP here: $(value xdp no_figures_because)"
fi

# each device must have a check with its source
for device in pspin xdp hxdp nfp dpa; do
	awk -v device=$device '
		/^\t\t\t"name": / { here = index($0, "\"" device "\"") > 0 }
		/^\t"properties"/ { exit }
		here && /"source": "..*"/ { n++ }
		END { exit !n }' json || fail "$device was checked against nothing"
done
awk '/"what": "XDP_DROP, of which/ { found = 1 } found && /"ours":/ { sub(/.*: /, ""); d = $0 / 52 - 1; exit !(d < 0.02 && d > -0.02) }' json ||
	fail "hXDP's XDP_DROP is not as published"
[ "$(grep -c '^			"source": ' json)" -ge 15 ] || fail "properties without sources"

# the text must have the same figures
rows=$(value hxdp work_per_packet)
expect 0 hit
awk 'length($0) > 80 { print "longer than 80: " $0; bad = 1 } END { exit bad }' out || fail "the text does not fit 80 columns"
for device in 'PsPIN:pspin' 'hXDP (NetFPGA):hxdp' 'Netronome NFP-4000:nfp' 'BlueField-3 DPA:dpa'; do
	line=$(grep "^${device%:*}  *[me]" out)
	for key in ns_per_packet gbit_per_s; do
		echo "$line" | grep -qF " $(printf '%.1f' "$(value ${device#*:} $key)") " || fail "${device%:*}: text has another $key: $line"
	done
	echo "$line" | grep -q " $(value ${device#*:} how) " || fail "${device%:*} is not marked in the text"
done

# an object without a program for the card must have a reason and no figures for the card
expect 0 "$SPINCTL" cost "$BUILD/handlers/kvstore.spin" --datagrams 20 --payload 64 --compare --json
cp out json
[ "$(value nfp no_figures_because)" != null ] || fail "an object without a program for the card has figures of one"
grep -q 'spincc --target nfp' json || fail "the card's reason does not say what to do"
expect 0 "$SPINCTL" cost "$BUILD/handlers/kvstore.spin" --datagrams 20 --payload 64 --compare
says out "no figures: the object has no program for the card"

# hXDP's rows depend on the packets: packets that miss in the table must take fewer
expect 0 "$SPINCTL" cost "$OBJECT" --datagrams 200 --payload 36 --compare --json
cp out json
below "hXDP's rows of a miss" "$(value hxdp work_per_packet)" "$rows"
# messages: only PsPIN and the DPA support them
expect 0 "$SPINCTL" cost "$BUILD/handlers/histogram.spin" --messages 4 --packets 8 --values 1024 --set spin_state.messages=4 --compare --json
cp out json
for device in xdp hxdp nfp; do
	[ "$(value $device no_figures_because)" != null ] || fail "$device has figures of messages"
done
[ "$(value dpa no_figures_because)" = null ] && [ "$(value pspin no_figures_because)" = null ] || fail "the DPA or PsPIN has no figures of messages"

# without root, all devices except XDP must have figures
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$WORK"
	expect 0 setpriv --reuid 65534 --clear-groups --inh-caps=-all "$SPINCTL" cost "$OBJECT" --datagrams 50 --compare --json
	cp out json
	[ "$(value xdp no_figures_because)" != null ] || fail "XDP was measured without root"
	[ "$(value hxdp no_figures_because)" = null ] || fail "hXDP needs root: $(value hxdp no_figures_because)"
fi

# options that exclude --compare
for words in --advise '--sweep hpus=1,2' '--html page.html' '--budget 100' --lines '--sizes 64' '--gbps 10'; do
	expect 2 "$SPINCTL" cost "$OBJECT" --datagrams 50 --compare $words
	one_line
	says err "--compare"
done
exit $FAILED
