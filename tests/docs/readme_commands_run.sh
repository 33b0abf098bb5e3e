#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Every command of the READMEs must run unchanged and succeed. Commands that run until a signal get a SIGINT after the commands that need
# them. Run by tests/run.
. "$(dirname "$0")/docs.inc"
skip_unless_root
cd "$WORK" || exit 1

# Writes their command blocks to files, and collects commands in parentheses in the text. The tutorial has its own test.
awk '
	/^```/ { inside = !inside; n += inside; next }
	inside && /^(spinctl|spincc) / { sub(/ +#.*/, ""); printf "%s\n", $0 >sprintf("block.%02d", n) }
' "$ROOT/README.md" "$ROOT/user/README.md" "$ROOT/hwmodel/README.md"
cat "$ROOT/README.md" "$ROOT"/*/README.md | tr '\n' ' ' | grep -oE '\(`spin(ctl|cc) [^`]*`' | tr -d '(`' >block.text
[ "$(cat block.* | wc -l)" -ge 18 ] || fail "only $(cat block.* | wc -l) commands in the READMEs"

# A PsPIN program with a handler of that name. It uses our boot code and memory map, which makes no difference here.
printf '.section .text.hpu, "ax"\n.globl my_handler\nmy_handler: li a0, 0\nret\n' >my_handler.S
(cd "$ROOT" && "${RISCV_CC:-riscv64-unknown-elf-gcc}" @hwmodel/image/cflags -Wl,--build-id=none -Wl,--no-warn-rwx-segments -I. -Ihandlers/include \
	-T hwmodel/image/pspin.ld hwmodel/image/boot.S "$WORK/my_handler.S" -lgcc -o "$WORK/program.elf") || fail "no program"

make_world
start_spind 'interfaces lo'
mkdir bin && cp "$BUILD/tests/tools/udp_server" bin/my-server
# a program at the other end of the veth: without one, packets that XDP sends back are lost
nsenter --net="/run/netns/$NS" "$SPINCTL" run "$OBJECT" --dev v1 --match 'udp dport 1' --interval 0 >/dev/null 2>&1 &
PATH=$BUILD/bin:$WORK/bin:$PATH

# background COMMAND: starts it and waits until it is attached
background() {
	nsenter --net="/run/netns/$NS" env --default-signal=INT sh -c "exec $1" >"$WORK/back.out" 2>"$WORK/back.err" </dev/null &
	back=$! back_is=$1
	for try in $(seq 200); do
		in_ns "$SPINCTL" status --dev eth0 2>/dev/null | grep -q "^eth0" && return
		kill -0 $back 2>/dev/null || break
		sleep 0.1
	done
	fail "not attached: $1: $(tail -n 5 "$WORK/back.err" "$WORK/back.out")"
}

# Ends it like Ctrl-C. A recv may have ended by itself.
end_background() {
	[ -n "$back" ] || return 0
	sleep 1
	kill -s INT "$back" 2>/dev/null
	wait "$back"
	status=$?
	[ $status = 0 ] || [ $status = 130 ] || fail "status $status: $back_is: $(tail -n 5 "$WORK/back.err" "$WORK/back.out")"
	back=
}

for block in block.*; do
	make_directory "$block.d"
	cp "$ROOT/README.md" "$block.d/report.pdf"
	cp program.elf "$block.d/program.elf"
	cd "$block.d" || exit 1
	back=
	while read -r command <&3; do
		case $command in
		"spinctl exec "*)
			in_ns timeout 900 sh -c "$command" >"$WORK/out" 2>"$WORK/err" </dev/null || fail "$command: $(cat "$WORK/err")"
			continue
			;;
		"spinctl list" | "spinctl top "* | "spinctl state "* | "spinctl table "* | "spinctl swap "* | "spinctl stop "*)
			with_server in_ns sh -c "$command" >"$WORK/out" 2>"$WORK/err" || fail "$command: $(cat "$WORK/err")"
			continue
			;;
		"spinctl run "* | "spinctl record "* | "spinctl recv "*)
			end_background
			background "$command"
			continue
			;;
		*"dump --context reduce"*)
			end_background
			background "spinctl run reduce.spin --dev eth0 --match 'udp dport 9330' --host-kib 8"
			;;
		*"replay "* | *"--pcap mine.spinrec"*) end_background ;;
		esac
		in_ns timeout 900 sh -c "$command" >"$WORK/out" 2>"$WORK/err" </dev/null
		status=$?
		case $status,$command in
		0,*) ;;
		1,*--budget*) says err "misses" ;; # expected, see its comment in user/README.md
		*) fail "status $status: $command: $(tail -n 5 "$WORK/err" "$WORK/out")" ;;
		esac
	done 3<"../$block"
	end_background
	cd .. || exit 1
done
cmp -s block.*.d/incoming "$ROOT/README.md" || fail "what was sent is not what was received"
exit $FAILED
