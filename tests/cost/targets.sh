#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl targets, which prints the parameters of the modelled NICs (targets): a printed target must be a valid target file of the same NIC.
# Errors must name file, line and valid values. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
cd "$WORK" || exit 1

values() { # FILE: prints the values of a target file
	sed -n 's/^#\{0,1\} *\([a-z0-9_]*\) = \([a-z0-9_]*\)\t.*/\1 \2/p' "$1"
}
json_values() { # TARGET: prints the values of one target; a policy by its name
	sed -n 's/,$//; s/"//g; s/.*\(value\|value_name\|unit\): \(.*\)/\1 \2/p' out |
		awk '$1 != "unit" { v = $2 } $1 == "unit" { print v }'
}
names=$("$SPINCTL" targets | sed -n '1s/^parameter *unit *//p')
[ "$(echo $names | cut -d' ' -f1)" = pspin-rtl ] || fail "the targets are $names"
rows=$("$SPINCTL" targets | sed '1d;/^$/,$d' | wc -l)
column=0
for name in $names; do
	column=$((column + 1))
	expect 0 "$SPINCTL" targets "$name"
	cp out "$name.target"
	[ "$(values "$name.target" | wc -l)" = "$rows" ] || fail "$name has $(values "$name.target" | wc -l) of $rows parameters"
	expect 0 "$SPINCTL" targets "./$name.target"
	cp out again.target
	[ "$(values again.target)" = "$(values "$name.target")" ] || fail "$name is another NIC when it is read again"
	# table and JSON must have the same values
	expect 0 "$SPINCTL" targets
	[ "$(sed '1d;/^$/,$d' out | awk -v c=$column -v n=$(echo $names | wc -w) '{ print $1, $(NF - n + c) }')" = "$(values "$name.target")" ] ||
		fail "the table has another $name"
	expect 0 "$SPINCTL" targets "$name" --json
	[ "$(json_values)" = "$(values "$name.target" | cut -d' ' -f2)" ] || fail "JSON has another $name"
done
grep -q 'l1_packet_kib = 32.*PsPIN 3.2.2' pspin.target || fail "a value has no source"

# a report must be for the requested target
expect 0 "$SPINCTL" cost "$OBJECT" --datagrams 10 --target ./pspin.target --sizes none --json
grep -q '"target": "pspin"' out || fail "the report does not say its target"

wrong() { # REASON NAME
	expect 1 "$SPINCTL" targets "$2"
	grep -q -- "$1" err || fail "$2: $(cat err)"
	expect 1 "$SPINCTL" cost "$OBJECT" --datagrams 10 --target "$2"
	grep -q -- "$1" err || fail "cost --target $2: $(cat err)"
	[ "$(wc -l <err)" = 1 ] || fail "$2 says more than a line"
}
wrong "there are pspin-rtl, pspin" no
wrong "no/file: No such file" no/file
printf 'hpus = 8\n\nhpu = 3\n' >bad.target
wrong 'bad.target:3: no parameter .hpu.; the nearest is hpus' ./bad.target
printf 'hpus = 99\n' >bad.target
wrong 'bad.target:1: hpus is 1 to 16' ./bad.target
printf 'l1_packet_kib = 400\nl1_kib = 256\n' >bad.target
wrong 'bad.target: l1_packet_kib = 400 does not fit' ./bad.target
head -c 3000 /dev/urandom | tr '\n' x >bad.target
wrong 'bad.target:1: ' ./bad.target
wrong 'directory' ./
exit $FAILED
