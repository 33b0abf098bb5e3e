#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Every example of spinctl(8), spincc(1) and hpu-run(1) runs as it stands in the page and ends well.
. "$(dirname "$0")/docs.inc"
cd "$WORK" || exit 1

# The displays of EXAMPLES, each in a file of its own.
split_examples() { # PAGE
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$MAN/$1" | unescape | awk -v page="$1" '
		/^\.Bd -literal/ { file = sprintf("example.%s.%02d", page, ++n); next }
		/^\.Ed/ { file = ""; next }
		file { print >file }'
}
split_examples spinctl.8
split_examples spincc.1
split_examples hpu-run.1
ls example.spincc.1.* example.spinctl.8.* example.hpu-run.1.* >/dev/null || fail "no examples in the pages"
# each command has one, but for help
for command in $(commands_in_help | grep -vx help); do
	grep -lE "(^| )spinctl $command( |\$)" example.spinctl.8.* >/dev/null || fail "spinctl $command has no example"
done
need_root

folder() {
	mkdir "$1" && cp "$ROOT"/handlers/*.c "$BUILD"/handlers/*.spin "$1"
	mkdir -p "$1/tests" && cp -r "$ROOT/tests/vectors" "$1/tests/vectors"
	cp "$ROOT/tests/vectors/filtering/hit_rewrites_the_port.vec" "$1/filtering.vec"
	cp "$ROOT/tests/vectors/kvstore/get_hit_is_answered.vec" "$1/kvstore.vec"
	riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32 -nostdlib -static -x assembler - -o "$1/program.elf" <<-EOF
		.globl _start, work, done
		_start: nop
		work:   addi t0, t0, 1
		done:   ebreak
	EOF
	{
		printf '\324\303\262\241\002\000\004\000\000\000\000\000\000\000\000\000\377\377\000\000\001\000\000\000'
		for i in 1 2 3 4 5 6 7 8; do # a GET of key 7 from 10.0.0.1:4096 to 10.0.0.2:9000
			printf '\0\0\0\0\0\0\0\0\074\0\0\0\074\0\0\0'
			printf '\002\0\0\0\0\001\002\0\0\0\0\002\010\0'
			printf '\105\0\0\056\0\0\0\0\100\021\146\275\012\0\0\001\012\0\0\002'
			printf '\020\0\043\050\0\032\0\0\0\001\0\0\0\0\0\007abcdefghij'
		done
	} >"$1/trace.pcap"
}
make_nics
ip -n "$NS" link set v0 down
ip -n "$NS" link set v0 name eth0 up
ip -n "$NS" address add 10.0.0.1/24 dev v1
ip -n "$NS" neighbour add 10.0.0.2 lladdr 02:00:00:00:00:02 dev v1
# not by the function: this has to be the process that is ended
nsenter --net="/run/netns/$NS" bash -c '
	while :; do echo 00000001 >/dev/udp/10.0.0.2/9000; sleep 0.02; done' 2>/dev/null &
# a host that takes messages
ip -n "$NS" link set lo up
ip -n "$NS" address add 10.0.0.7/32 dev lo
nsenter --net="/run/netns/$NS" "$BUILD/tests/tools/slmp_acknowledge" &
PATH=$BUILD/bin:$PATH
for example in example.*; do
	folder "$example.d"
	# a context for those that look at one
	looks_at=
	if grep -q "^spinctl dump" "$example"; then
		nsenter --net="/run/netns/$NS" "$SPINCTL" run "$BUILD/handlers/reduce.spin" --dev eth0 \
			--match "udp dport 9330" --host-kib 8 --ready-file "$WORK/up" >"$WORK/run" 2>&1 &
		looks_at=$!
		until [ -e "$WORK/up" ] || ! kill -0 "$looks_at" 2>/dev/null; do sleep 0.2; done
	fi
	(cd "$example.d" && in_ns timeout 60 sh -e "../$example") >"$WORK/out" 2>"$WORK/err" </dev/null
	status=$?
	[ $status = 0 ] || fail "status $status: $(cat "$example"): $(tail -n 5 "$WORK/err" "$WORK/out")"
	[ -z "$looks_at" ] || { kill "$looks_at" && wait "$looks_at"; rm -f "$WORK/up"; }
	rm -rf "$example.d"
done
exit $FAILED
