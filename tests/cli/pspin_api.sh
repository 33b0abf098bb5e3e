#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spincc --api pspin compiles handler files of PsPIN's runtime for the NIC model. They must compile unchanged, and PsPIN's ping-pong must
# take 25 to 30 cycles (28 on its RTL). An error must name its line and a fix. Commands for native handlers must refuse the object and name
# --api pspin. Damaged objects must be refused. Run by tests/run.
. "$(dirname "$0")/setup.inc"
need_hpu_compiler
cd "$WORK" || exit 1

# --- errors in a file ---

h='#include <handler.h>'
p='#include <packets.h>'
f='void f(handler_args_t *a) { }'
init='void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **mem) { *hh = NULL; *ph = f; *th = NULL; }'

# refused LINE TEXT SOURCE-LINE...: the only message must be about LINE and contain TEXT
refused() {
	line=$1 text=$2
	shift 2
	printf '%s\n' "$@" >bad.c
	expect 1 "$SPINCC" --api pspin -o bad.spin bad.c
	says err "$text"
	grep -q "^bad.c:$line: " err || fail "not of line $line: $(cat err)"
	one_line
	[ ! -e bad.spin ] || fail "there is an output: $text"
}

refused 1 'compile the file without --api pspin' '#include <spin/spin.h>'
refused 1 'compile without -DHOST' '#include <handler_profiler.h>'
refused 2 "spin_host.h is of FPsPIN's runtime" "$h" '#include <spin_host.h>' "$f" "$init"
refused 2 "PsPIN's that are: handler.h, packets.h" "$h" '#include <hal/gpio.h>' "$f" "$init"
refused 1 'write #include <handler.h> in front of it' 'void f(handler_args_t *a) { }'
refused 1 'write #include <handler.h> in front of it' 'static spin_lock_t lock;'
refused 2 'write #include <packets.h> in front of it' "$h" 'void f(handler_args_t *a) { ip_hdr_t *ip; }' "$init"
refused 2 'write #include <packets.h> in front of it' "$h" \
	'void f(handler_args_t *a) { uint8_t *at; uint32_t n; GET_IP_UDP_PLD(a->task->pkt_mem, at, n); }' "$init"
refused 2 "there is no function 'spin_fly' in PsPIN's runtime" "$h" 'void f(handler_args_t *a) { spin_fly(a); }' "$init"
refused 2 'its own cluster alone, with spin_dma()' "$h" 'void f(handler_args_t *a) { spin__public_memcpy(a, a, 4, 1); }' "$init"
refused 3 "'spin_later' is declared and nowhere defined" "$h" "$p" 'extern void spin_later(void); void f(handler_args_t *a) { spin_later(); }' "$init"
refused 3 'has no main()' "$h" "$f" 'int main(void) { return 0; }' "$init"
refused 2 'there is no init_handlers()' "$h" "$f"
refused 3 'init_handlers has another signature' "$h" "$f" 'int init_handlers(void) { return 0; }'
refused 2 'takes more than 896 bytes of stack' "$h" 'void f(handler_args_t *a) { volatile char c[2000]; c[a->hpu_id] = 1; }' "$init"
refused 4 'section(".l2_handler_data")' "$h" 'int big[20000];' 'void f(handler_args_t *a) { big[a->hpu_id] = 1; }' "$init"
refused 2 "section '.l1'" "$h" '__attribute__((section(".l1"))) int word[2];' 'void f(handler_args_t *a) { word[1] = 1; }' "$init"
refused 4 '.l2_handler_data take more than its 1 MiB' "$h" '__attribute__((section(".l2_handler_data"))) int big[300000];' "$f" "$init"
refused 4 '.data_tiny_l1 take more than its 8 KiB' "$h" '__attribute__((section(".data_tiny_l1"))) int big[3000];' \
	'void f(handler_args_t *a) { big[a->hpu_id] = 1; }' "$init"
refused 2 'is not an instruction that is known here' "$h" 'void f(handler_args_t *a) { asm("p.foo a0"); }' "$init"
refused 2 'inline assembly that the assembler refuses' "$h" 'void f(handler_args_t *a) { asm("add a0"); }' "$init"
refused 2 "'putchar' is defined a second time" "$h" 'int putchar(int c) { return c; }' 'void f(handler_args_t *a) { printf("x"); }' "$init"
refused 2 "expected ',' or ';'" "$h" 'void f(handler_args_t *a) { int x = 1 int y; }' "$init"

# a warning is reported as such, and the object is written
printf '%s\n' "$h" 'void f(handler_args_t *a) { spin_dma_to_host(0, a->task->l2_pkt_mem, 4, 0, NULL); }' "$init" >warned.c
expect 0 "$SPINCC" --api pspin -o warned.spin warned.c
says err 'warned.c:2: warning: '
one_line

# the native API refers to --api pspin, and options that make no sense are refused
printf '%s\n' "$h" "$f" "$init" >good.c
expect 1 "$SPINCC" --no-verify -o native.spin good.c
says err 'good.c:1: '
says err '--api pspin'
for wrong in '--target host' --verify --trusted; do
	expect 2 "$SPINCC" --api pspin $wrong -o x.spin good.c
	one_line
	says err '--api pspin'
done
expect 2 "$SPINCC" --api pulp -o x.spin good.c

# --- results of init_handlers() ---

printf '%s\n' "$h" 'void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **mem) { }' >none.c
printf '%s\n' "$h" 'void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **mem) { *ph = (handler_fn)0x1c300000; }' >data.c
printf '%s\n' "$h" 'void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **mem) { *(volatile int *)3 = 1; }' >traps.c
for file in none data traps; do
	expect 0 "$SPINCC" --api pspin -o $file.spin $file.c
	expect 1 "$SPINCTL" cost $file.spin --messages 1
	one_line
	case $file in
	none) says err 'init_handlers() gives no handler: set *hh, *ph or *th' ;;
	data) says err 'init_handlers() gives a payload handler at 0x1c300000, where the program has no code' ;;
	traps) says err 'HPU 0 of cluster 0 traps (mcause ' ;;
	esac
done

# --- the report ---

number() { # KEY: prints its first value in the JSON
	sed -n "s/.*\"$1\": \([0-9.e+-]*\),\{0,1\}\$/\1/p" out | head -n 1
}
of() { # HANDLER KEY
	sed -n "/\"handler\": \"$1\"/,/}/s/.*\"$2\": \([0-9.]*\).*/\1/p" out | head -n 1
}
for name in flow_counter deposit answer stack; do
	expect 0 "$SPINCC" --api pspin -o $name.spin "$ROOT/tests/pspin/$name.c"
	[ -s err ] && fail "$name.c compiles with warnings: $(head -n 1 err)"
	grep -qaF -e "$WORK" -e "$ROOT" $name.spin && fail "$name.spin has a path of this machine"
done
for target in pspin-rtl pspin spin-discrete; do
	expect 0 "$SPINCTL" cost flow_counter.spin --target $target --messages 4 --packets 8 --payload 484 --sizes none --json --html page.html
	for row in header:4 payload:32 completion:4; do
		[ "$(of "${row%:*}" runs)" = "${row#*:}" ] || fail "$target: ${row%:*} ran $(of "${row%:*}" runs) times, not ${row#*:}"
		[ "$(of "${row%:*}" errors)" = 0 ] || fail "$target: errors of ${row%:*}"
	done
	[ "$(number mean_packet_bytes)" = 512 ] || fail "packets of $(number mean_packet_bytes) bytes"
done
grep -q 'flow_counter\.c"' out || fail "no source lines of the handler"
"$BUILD/tests/tools/well_formed" json out && "$BUILD/tests/tools/well_formed" xml page.html || fail "output that is not whole"
# PsPIN's ping-pong: 26 instructions and 28 cycles were measured on its RTL with the same compiler
cat >ping.c <<'END'
#include <handler.h>
#include <packets.h>
void f(handler_args_t *args)
{
	pkt_hdr_t *packet = (pkt_hdr_t *)args->task->pkt_mem;
	udp_hdr_t *udp = (udp_hdr_t *)((uint8_t *)packet + packet->ip_hdr.ihl * 4);
	uint32_t length = packet->ip_hdr.length, src = packet->ip_hdr.source_id;
	uint16_t port = udp->src_port;
	spin_cmd_t put;

	packet->ip_hdr.source_id = packet->ip_hdr.dest_id;
	packet->ip_hdr.dest_id = src;
	udp->src_port = udp->dst_port;
	udp->dst_port = port;
	spin_send_packet(packet, length, &put);
}
END
echo "$init" >>ping.c
expect 0 "$SPINCC" --api pspin -o ping.spin ping.c
expect 0 "$SPINCTL" cost ping.spin --messages 4 --packets 16 --payload 484 --sizes none --json
[ "$(of payload median_cycles)" -ge 25 ] && [ "$(of payload median_cycles)" -le 30 ] || fail "ping-pong takes $(of payload median_cycles) cycles"
expect 0 "$SPINCTL" cost ping.spin --messages 4 --sizes none
says out 'commands to the NIC'
# a sweep and other framing, as for any program
expect 0 "$SPINCTL" cost ping.spin --messages 4 --packets 4 --sweep hpus=1,8
expect 0 "$SPINCTL" cost flow_counter.spin --messages 2 --framing raw --sizes none
# the same file as an image, with its symbols
expect 0 "$SPINCTL" cost --image ping.spin --payload f --framing pspin --messages 2 --sizes none

# handler memory is filled as by PsPIN's driver; a fault is reported with the handler's line
cat >filled.c <<'END'
#include <handler.h>
void f(handler_args_t *args)
{
	if (args->task->handler_mem != (void *)0x1c300000 || *(volatile uint32_t *)args->task->handler_mem != 0x64636261)
		abort(); /* filled */
	if (args->task->scratchpad_size[args->cluster_id] != 400 * 1024)
		abort();
}
END
echo "$init" >>filled.c
printf abcd >four
expect 0 "$SPINCC" --api pspin -o filled.spin filled.c
expect 0 "$SPINCTL" cost filled.spin --messages 2 --memory 0x1c300000=four --sizes none
expect 1 "$SPINCTL" cost filled.spin --messages 2 --sizes none
one_line
says err "packet 1, payload handler: ebreak (mcause 3) at "
says err "filled.c:"

# a stack variable is in the local L1, for which the DMA needs another address; what ends PsPIN's simulation ends the task
printf '%s\n' "$h" 'void f(handler_args_t *a)' '{' '	uint32_t n[4]; spin_dma_t t;' \
	'	if (a->task->flow_id) TERMINATE;' '	spin_dma(a->task->pkt_mem, n, 16, SPIN_DMA_EXT2LOC, 0, &t);' '}' "$init" >near.c
expect 0 "$SPINCC" --api pspin -o near.spin near.c
expect 1 "$SPINCTL" cost near.spin --messages 1 --sizes none
one_line
says err "a transfer of the cluster's DMA from or to where it may not: the own L1"
sed -i 's/spin_dma(.*/;/' near.c
expect 0 "$SPINCC" --api pspin -o near.spin near.c
expect 1 "$SPINCTL" cost near.spin --messages 2 --sizes none
says err 'payload handler: ebreak (mcause 3) at '
says err 'near.c:5'

# writes to unmapped host addresses are lost, and reported
printf '%s\n' "$h" 'void f(handler_args_t *a) { spin_write_to_host(0xdeadbeef, 1, NULL); }' "$init" >lost.c
expect 0 "$SPINCC" --api pspin -o lost.spin lost.c
expect 0 "$SPINCTL" cost lost.spin --messages 2 --packets 3 --sizes none
says out "6 commands named host addresses that are not memory of the message's, the first one 0xdeadbeef"

# a source file is compiled first; its errors are reported by spincc
expect 0 "$SPINCTL" cost ping.c --api pspin --messages 2 --packets 3 --sizes none
says out 'ping.c on pspin-rtl'
expect 0 "$SPINCTL" cost "$ROOT/tests/pspin/stack.c" --api pspin -DLOG -I. --messages 2 --packets 3 --sizes none --gbps 5
expect 1 "$SPINCTL" cost bad.c --api pspin --messages 2
says err 'bad.c:2: '
one_line
expect 1 "$SPINCTL" cost ping.c --messages 2
says err '--api pspin'
expect 1 "$SPINCTL" cost ping.c --api pspin --messages 2 --advise
says err 'ping.c is compiled with --api pspin'
expect 2 "$SPINCTL" cost ping.spin --api pspin --messages 2
one_line
# the program without description and trailer
expect 0 "$SPINCC" --api pspin --target rv32 -o ping.elf ping.c
expect 0 "$SPINCTL" cost --image ping.elf --payload f --framing pspin --messages 2 --sizes none

# results that PsPIN's RTL would not return are reported
expect 0 "$SPINCTL" cost answer.spin --messages 2 --gbps 5 --sizes none
says out "AMOs on L2 or another cluster's L1 returned the word that was there; PsPIN's published RTL returns 1"
expect 0 "$SPINCTL" cost ping.spin --messages 2 --sizes none
grep -q 'returned the word' out && fail "AMOs of a handler that has none"

# --- commands for native handlers ---

refuses() {
	expect 1 "$@"
	one_line
	says err 'ping.spin is compiled with --api pspin'
}
refuses "$SPINCTL" run ping.spin --dev lo
refuses "$SPINCTL" test ping.spin
refuses "$SPINCTL" record ping.spin --dev lo -o x.spinrec
refuses "$SPINCTL" cost ping.spin --messages 1 --advise
refuses "$SPINCTL" cost ping.spin --messages 1 --set x=1
refuses "$SPINCTL" cost ping.spin --datagrams 1
expect 2 "$SPINCTL" cost ping.spin --messages 1 --header f

# --- handmade objects ---

bytes=$(wc -c <ping.spin)
for length in 10 $((bytes / 2)) $((bytes - 1)); do
	head -c "$length" ping.spin >cut.spin
	expect 1 "$SPINCTL" cost cut.spin --messages 1
	one_line
	says err cut.spin
done
{ head -c $((bytes / 2)) ping.spin; printf '\377\377\377\377'; tail -c +$((bytes / 2 + 5)) ping.spin; } >flipped.spin
expect 1 "$SPINCTL" cost flipped.spin --messages 1
one_line
says err 'its checksum is wrong'
exit $FAILED
