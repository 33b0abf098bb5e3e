#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl cost must not report figures if it cannot measure a handler on the modelled NIC. Handlers that trap, do not end or use what PsPIN
# does not have must be reported with packet and source line. Packets and programs that do not fit, and impossible targets, must be refused
# with a one-line message, status 1 and no figures. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
need_hpu_compiler
cd "$WORK" || exit 1

# refused WORDS TEXT...: spinctl cost WORDS must fail, and its message must contain each TEXT
refused() {
	words=$1
	shift
	expect 1 "$SPINCTL" cost $words
	one_line
	[ -s "$WORK/out" ] && fail "output in spite of the failure: $words"
	for text in "$@"; do
		says err "$text"
	done
}

# A handler that fails at its third packet, in the marked line.
cat >wrong.c <<'END'
#include <spin/spin.h>

struct wrong { uint32_t packets, address; };
SPIN_STATE(struct wrong);

/* nobody calls it: the linker drops it, and the places of the rest must be found all the same */
uint32_t never_called(uint32_t a);
uint32_t never_called(uint32_t a)
{
	return a * 3;
}

static enum spin_payload_rc wrong_payload(struct spin_payload *p, struct wrong *state)
{
	if (spin_fadd32(&state->packets, 1) < 2)
		return SPIN_SUCCESS;
#ifdef __riscv
	GOES_WRONG /* here */
#endif
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(wrong, .payload = wrong_payload);
END
line=$(grep -n '/\* here \*/' wrong.c | cut -d : -f 1)

# goes_wrong STATEMENT TEXT...: the handler with STATEMENT in the marked line must be refused with each TEXT
goes_wrong() {
	statement=$1
	shift
	sed "s|GOES_WRONG|$statement|" wrong.c >goes.c
	expect 0 "$SPINCC" --no-verify goes.c -o goes.spin
	refused "goes.spin --datagrams 5" "packet 3, payload handler: " "goes.c:$line in wrong_payload" "$@"
	refused "goes.spin --datagrams 5 --json --html page.html --trace trace.json" "packet 3, payload handler: "
	[ -e page.html ] && fail "a page in spite of the failure"
	[ -e trace.json ] && fail "a trace in spite of the failure"
}
goes_wrong 'asm volatile("unimp");' "an illegal instruction"
goes_wrong '*(volatile uint32_t *)0x60000000;' "a load from where it may not" "address 0x60000000"
goes_wrong '*(volatile uint32_t *)0x40 = 1;' "a store, AMO or LR/SC to where it may not" "address 0x00000040"
goes_wrong '*(volatile uint32_t *)0x1d000080 = 1;' "a store, AMO or LR/SC to where it may not" "address 0x1d000080"
driver="volatile uint32_t *driver = (volatile uint32_t *)0x1b205000"
goes_wrong "$driver; driver[0x98 / 4] = 0x60000000; driver[0x9c / 4] = 8; driver[0x80 / 4] = driver[0x80 / 4];" \
	"a command for memory that is not there"
goes_wrong 'for (;;) asm volatile("");' "no end: the watchdog stopped it"

# A loop of some 10,000 cycles is accepted by default, but not with a watchdog of 5,000 cycles, nor on a NIC that allows a handler one
# cycle for each of the 1,456 bytes.
sed 's|GOES_WRONG|for (uint32_t i = 0; i < 20000; i++) asm volatile("");|' wrong.c >goes.c
expect 0 "$SPINCC" --no-verify goes.c -o goes.spin
expect 0 "$SPINCTL" cost goes.spin --datagrams 5 --sizes none
refused "goes.spin --datagrams 5 --sizes none --watchdog 5000" "packet 3, payload handler: no end: the watchdog stopped it" "goes.c:$line in wrong_payload"
expect 0 "$SPINCTL" cost goes.spin --datagrams 5 --sizes none --watchdog 50000
for cycles in 1 100; do
	printf 'max_cycles_per_byte = %u\n' $cycles >tight$cycles.target
done
refused "goes.spin --datagrams 5 --sizes none --target ./tight1.target" \
	"packet 3, payload handler: more cycles for each byte of payload than the target's max_cycles_per_byte" "goes.c:$line in wrong_payload"
expect 0 "$SPINCTL" cost goes.spin --datagrams 5 --sizes none --target ./tight100.target
# same for a handler of messages
sed 's|SPIN_HANDLERS(wrong,|SPIN_HANDLERS(wrong, .delivery = SPIN_DELIVER_ME,|' goes.c >of_messages.c
expect 0 "$SPINCC" --no-verify of_messages.c -o of_messages.spin
refused "of_messages.spin --messages 1 --sizes none --target ./tight1.target" "packet 3, payload handler: more cycles for each byte of payload"
refused "of_messages.spin --messages 1 --sizes none --watchdog 5000" "packet 3, payload handler: no end"
expect 0 "$SPINCTL" cost of_messages.spin --messages 1 --sizes none --target ./tight100.target
goes_wrong 'asm volatile("lr.w t0, (%0)" : : "r"(SPIN_GET(p, 0, uint32_t)) : "t0");' "where it may not"

# a program larger than program memory
sed 's|GOES_WRONG|asm volatile("j 1f; .space 40000, 0; 1:");|' wrong.c >large.c
"$SPINCC" --no-verify large.c -o large.spin >out 2>err
case $? in
0) refused "large.spin --datagrams 1" "program memory" ;;
1) says err "large" ;;
*) fail "spincc of a large program: $(cat err)" ;;
esac

# a packet larger than any buffer, and files that are not captures
word() { printf "\\$(printf %o $(($1 & 255)))\\$(printf %o $(($1 >> 8 & 255)))\\0\\0"; }
{
	printf '\324\303\262\241\002\000\004\000\000\000\000\000\000\000\000\000\377\377\000\000\001\000\000\000'
	printf '\0\0\0\0\0\0\0\0'
	word 20000
	word 20000
	head -c 20000 /dev/zero
} >large.pcap
refused "$OBJECT --pcap large.pcap" "packet 1 of 20000 bytes does not fit"
head -c 9000 large.pcap >torn.pcap
refused "$OBJECT --pcap torn.pcap" "torn.pcap: damaged after frame 0"
refused "$OBJECT --pcap wrong.c" "cannot read the trace"

printf 'l1_packet_kib = 8\n' >small.target
refused "$BUILD/handlers/aggregate.spin --messages 2 --payload 9000 --target ./small.target" "packet 1 of 9038 bytes does not fit" "rings of 2048 bytes"

# impossible targets
printf 'clusters = 0\n' >none.target
refused "$OBJECT --datagrams 1 --target ./none.target" "none.target:1" clusters
printf 'hpus = many\n' >many.target
refused "$OBJECT --datagrams 1 --target ./many.target" "many.target:1" many
refused "$OBJECT --datagrams 1 --target ./absent.target" absent.target
exit $FAILED
