#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl cost --image must run, on the modelled NIC, a PsPIN program that spincc did not make: with its own boot code and runtime loop on
# all HPUs, handlers found by their symbols, and packets framed as the program expects. An error must name the symbol or the line. Run by
# tests/run.
. "$(dirname "$0")/../cli/setup.inc"
CC=${RISCV_CC:-riscv64-unknown-elf-gcc}
need_hpu_compiler
cd "$WORK" || exit 1

# Like PsPIN's own runtime: boots to user mode, then runs tasks from the driver's registers, one after the other.
cat >runtime.S <<'END'
	.option arch, +zicsr
	.section .init, "ax"
	.globl _start
_start:
	csrr a5, mhartid
	andi a4, a5, 31
	slli a3, a4, 7		/* HPUs of a cluster start one after the other on the cold cache */
1:	addi a3, a3, -1
	bgez a3, 1b
	srli a3, a5, 5
	andi a3, a3, 63
	li sp, 0x1b000400 + 0x400 - 32
	slli a2, a4, 10
	add sp, sp, a2
	li a2, 0x1b205008
	sw a2, 0(sp)
	slli a2, a3, 3
	add a2, a2, a4
	sw a2, 4(sp)
	sw a3, 8(sp)
	sw a4, 12(sp)
	bnez a4, user
	li a2, 0x1b201400
	li a1, -1
	sw a1, 0(a2)
	li a1, 1
	sw a1, 4(a2)
user:
	la a0, trap
	csrw mtvec, a0
	li a0, 3 << 11
	csrc mstatus, a0
	la a0, loop
	csrw mepc, a0
	li s0, 0x1b205000
	mv s1, sp
	mret
loop:
	lw t0, 0(s0)
	mv a0, s1
	jalr t0
	lw t0, 0x50(s0)
	j loop

	.section .text.trap, "ax"
	.balign 256
trap:
	li a1, 0x1b205000
	csrr a0, mcause
	sw a0, 0x54(a1)
	li sp, 0x1b000400 + 0x400 - 32
	csrr a4, mhartid
	andi a4, a4, 31
	slli a2, a4, 10
	add sp, sp, a2
	lw a0, 0x50(a1)
	j user
END
cat >handlers.c <<'END'
typedef unsigned int u32;
typedef unsigned char u8;
struct task { u32 mem, mem_bytes; u8 *packet; u32 packet_bytes; u32 scratchpad[4], scratchpad_bytes[4], host[3], l2, home, id; };
struct args { volatile struct task *task; u32 hpu, cluster, hpu_in_cluster; };

static void send(volatile struct task *task)
{
	volatile u32 *driver = (volatile u32 *)0x1b205000;

	driver[0x94 / 4] = (u32)task->packet;
	driver[0x9c / 4] = task->packet_bytes;
	driver[0x8c / 4] = 1 << 1;
	driver[0x84 / 4] = driver[0x80 / 4];
}

void whole_header(struct args *args) { *(volatile u32 *)args->task->mem = 1; }

/* Any packet: its words, added up. */
void whole_payload(struct args *args)
{
	volatile struct task *task = args->task;
	const u32 *word = (const u32 *)task->packet;
	u32 sum = 0;

	for (u32 n = task->packet_bytes / 4; n; n--)
		sum += *word++;
	((volatile u32 *)task->mem)[1] = sum;
}

void whole_completion(struct args *args) { *(volatile u32 *)args->task->mem = 2; }

/* PsPIN's framing: the header's length in the high nibble, lengths in the host's byte order. */
void pspin_payload(struct args *args)
{
	volatile struct task *task = args->task;
	const u8 *ip = task->packet;

	if ((ip[0] >> 4) * 4 != 20 || *(const unsigned short *)(ip + 2) != task->packet_bytes)
		asm volatile("unimp"); /* pspin */
}

void ip_payload(struct args *args)
{
	const u8 *ip = args->task->packet;

	if (ip[0] != 0x45 || (u32)(ip[2] << 8 | ip[3]) != args->task->packet_bytes)
		asm volatile("unimp"); /* ip */
}

void ethernet_payload(struct args *args)
{
	const u8 *frame = args->task->packet;

	if (frame[12] != 8 || frame[13] || frame[14] != 0x45)
		asm volatile("unimp"); /* ethernet */
}

/* Of `raw`, made of small numbers. */
void raw_payload(struct args *args)
{
	const u32 *word = (const u32 *)args->task->packet;

	for (u32 n = args->task->packet_bytes / 4; n; n--)
		if (*word++ >= 1000)
			asm volatile("unimp"); /* raw */
}

void stuck_payload(struct args *args) { for (;;) asm volatile(""); /* stuck */ }
END
cat >map.ld <<'END'
ENTRY(_start)
SECTIONS {
	.text 0x1d000000 : { . = 0x80; KEEP(*(.init)) *(.text .text.*) }
	.data 0x1c300000 : { *(.rodata .rodata.*) *(.data .data.*) *(.bss .bss.*) *(COMMON) }
}
END
$CC -march=rv32imac -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -Wl,-T,map.ld -Wl,--build-id=none runtime.S handlers.c -o program.elf ||
	fail "the program does not build"
[ $FAILED = 0 ] || exit 1

image() { # WORDS: reports on the program
	"$SPINCTL" cost --image program.elf "$@"
}
number() { # KEY: prints its first value in the JSON
	sed -n "s/.*\"$1\": \([0-9.e+-]*\),\{0,1\}\$/\1/p" out | head -n 1
}
of() { # HANDLER KEY: prints a value of the handler
	sed -n "/\"handler\": \"$1\"/,/}/s/.*\"$2\": \([0-9.]*\).*/\1/p" out | head -n 1
}

expect 0 image --header whole_header --payload whole_payload --completion whole_completion --framing raw \
	--messages 3 --packets 8 --payload-bytes 512 --json --html page.html --trace trace.json
for row in header:3 payload:24 completion:3; do
	[ "$(of "${row%:*}" runs)" = "${row#*:}" ] || fail "${row%:*} ran $(of "${row%:*}" runs) times, not ${row#*:}"
	[ "$(of "${row%:*}" errors)" = 0 ] || fail "errors of ${row%:*}"
done
[ "$(number mean_packet_bytes)" = 512 ] || fail "raw packets of $(number mean_packet_bytes) bytes"
# per word at most four instructions and a load-use stall; the program's own memory is in L2
awk -v c="$(of payload median_cycles)" 'BEGIN { exit !(c > 128 * 3 && c < 128 * 8) }' || fail "cycles of 128 words: $(of payload median_cycles)"
grep -q '"handlers.c' out || grep -q 'handlers\.c"' out || fail "no source lines of the program: $(grep '"file"' out | head -n 2)"
"$BUILD/tests/tools/well_formed" json out && "$BUILD/tests/tools/well_formed" json trace.json &&
	"$BUILD/tests/tools/well_formed" xml page.html || fail "output that is not whole"

# all HPUs must work: packets of one message are spread over them
awk '/"name": "payload", "pid": 3/ { match($0, /"tid": [0-9]*/); hpus[substr($0, RSTART, RLENGTH)] }
	END { n = 0; for (h in hpus) n++; exit n < 32 }' trace.json || fail "not all HPUs work"

# each handler must accept its own framing and no other
for framing in pspin ip ethernet raw; do
	for handler in pspin ip ethernet raw; do
		[ $framing = $handler ] && want=0 || want=1
		expect $want image --payload ${handler}_payload --framing $framing --messages 2 --packets 2 --values 1000
		[ $want = 0 ] && continue
		says err "packet 1, payload handler: an illegal instruction (mcause 2) at "
		says err "handlers.c:$(grep -n "/\* $handler \*/" handlers.c | cut -d : -f 1)"
	done
done

expect 1 image --payload stuck_payload --messages 1
one_line
says err "the watchdog stopped it"
says err "handlers.c:$(grep -n '/\* stuck \*/' handlers.c | cut -d : -f 1)"

# runtimes whose trap handler loops or traps again: the message must name the first trap
for loop in '1: j 1b' '.word 0' 'li a0, 1; lw a0, 0(a0); 1: j 1b'; do
	awk -v loop="$loop" '{ print } /^trap:/ { print "\t" loop }' runtime.S >loops.S
	$CC -march=rv32imac -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -Wl,-T,map.ld loops.S handlers.c -o loops.elf || fail "no loops.elf"
	expect 1 "$SPINCTL" cost --image loops.elf --payload pspin_payload --framing raw --messages 1
	one_line
	says err 'packet 1, payload handler: an illegal instruction (mcause 2) at '
	says err "handlers.c:$(grep -n '/\* pspin \*/' handlers.c | cut -d : -f 1)"
	says err '(pc 0x1d0'
	! grep -q watchdog err || fail "the watchdog is named, not the trap: $(cat err)"
	# a handler that loops without a trap: the message must name the watchdog
	expect 1 "$SPINCTL" cost --image loops.elf --payload stuck_payload --messages 1
	says err "the watchdog stopped it"
done

# a doorbell without a running task must be ignored
sed '/^user:/a li a0, 0x1b205050; lw a0, 0(a0)' runtime.S >rings.S
$CC -march=rv32imac -mabi=ilp32 -O2 -ffreestanding -nostdlib -Wl,-T,map.ld rings.S handlers.c -o rings.elf || fail "no rings.elf"
expect 0 "$SPINCTL" cost --image rings.elf --payload whole_payload --messages 2

# memory accesses must behave as in PsPIN's RTL; each has its own handler, which traps if the result differs
cat >bus.c <<'END'
typedef unsigned int u32;
struct task { u32 mem, mem_bytes, packet, copied_bytes, rest[14], id; };
struct args { volatile struct task *task; u32 hpu; };
#define WANT(is) do { if (!(is)) asm volatile("unimp"); } while (0)

/* The driver's registers answer AMOs, too. */
void driver(struct args *args)
{
	u32 bytes;

	asm volatile("amoadd.w %0, zero, (%1)" : "=r"(bytes) : "r"(&args->task->copied_bytes) : "memory");
	WANT(bytes && bytes == args->task->copied_bytes);
}

/* The result is the bus's response; the memory is right. SC stores, or says that it has not. Each HPU has its own word. */
void amo(struct args *args)
{
	volatile u32 *word = (u32 *)args->task->mem + args->hpu;
	u32 was, failed;

	*word = 7;
	asm volatile("amoadd.w %0, %1, (%2)" : "=r"(was) : "r"(5), "r"(word) : "memory");
	WANT(was == 1 && *word == 12);
	asm volatile("lr.w %0, (%2); sc.w %1, zero, (%2)" : "=&r"(was), "=&r"(failed) : "r"(word) : "memory");
	WANT(was == 12 && *word == (failed ? 12 : 0));
}

/* Half a word at 3 mod 4: one byte, and three of the next word. */
void half(struct args *args)
{
	volatile u32 *word = (u32 *)args->task->mem + 2 * args->hpu;

	word[0] = word[1] = 0x55555555;
	asm volatile("sh %0, 3(%1)" : : "r"(0x11223344), "r"(word) : "memory");
	WANT(word[0] == 0x44555555 && word[1] == 0x55112233);
	asm volatile("sh %0, 2(%1)" : : "r"(0x1122), "r"(word) : "memory");
	WANT(word[0] == 0x11225555 && word[1] == 0x55112233);
}

/* Constants at the beginning of L2 may be reached, and the MiB around the task's memory. */
void reached(struct args *args) { *(volatile u32 *)0x1c00fffc = *(volatile u32 *)(args->task->mem + 0xffffc); }
void behind(struct args *args) { *(volatile u32 *)(args->task->mem + 0x100000 - 0x200000) = 1; /* behind */ }
void between(struct args *args) { WANT(*(volatile u32 *)0x1c010000); /* between */ }
END
$CC -march=rv32imac -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -Wl,-T,map.ld runtime.S bus.c -o bus.elf || fail "no bus.elf"
for handler in driver amo half reached; do
	expect 0 "$SPINCTL" cost --image bus.elf --payload $handler --messages 1
done
for row in behind:7 between:5; do
	expect 1 "$SPINCTL" cost --image bus.elf --payload ${row%:*} --messages 1
	says err "(mcause ${row#*:}) at "
	says err "bus.c:$(grep -n "/\* ${row%:*} \*/" bus.c | cut -d : -f 1)"
done

# --memory: files are written to handler memory before the first packet, as a driver does, but must not overlap the program
cat >filled.c <<'END'
typedef unsigned int u32;
struct task { u32 mem; };
struct args { volatile struct task *task; };
void filled(struct args *args)
{
	volatile u32 *word = (u32 *)args->task->mem;

	if (word[0x400] != 0x64636261 || word[0x401] != 0x00000065 || *(volatile u32 *)0x1c008000 != 0x68676665)
		asm volatile("unimp"); /* filled */
}
static volatile u32 own[16] = { 5 };
void uses_own(struct args *args) { if (own[0] != 5) asm volatile("unimp"); }
END
$CC -march=rv32imac -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -Wl,-T,map.ld runtime.S filled.c -o filled.elf || fail "no filled.elf"
printf abcde >five
printf efgh >four
filled() { "$SPINCTL" cost --image filled.elf --payload filled --messages 1 "$@"; }
expect 0 filled --memory 0x1c301000=five --memory 0x1c008000=four
expect 1 filled --memory 0x1c301000=five
says err "an illegal instruction (mcause 2) at "
expect 1 filled --memory 0x1c2fffff=five
one_line
says err "the 5 bytes of five at 0x1c2fffff overlap the program's own segment at 0x1c300000"
expect 1 filled --memory 0x1c3ffffc=five
one_line
says err "do not fit at 0x1c3ffffc: handler memory is 0x1c000000 to 0x1c3fffff"
expect 1 filled --memory 0x1bfffffe=five
says err "do not fit at 0x1bfffffe"
for wrong in five =five 0x1c301000= 0x1c301000 0x1c301000:five 0x11c301000=five; do
	expect 1 filled --memory "$wrong"
	one_line
	says err "--memory is ADDR=FILE"
done
expect 1 filled --memory 0x1c301000=absent
says err "cannot read absent"
expect 2 "$SPINCTL" cost "$OBJECT" --datagrams 1 --memory 0x1c301000=five

# the program may be a stranger's: control characters in its names must not reach the terminal
LC_ALL=C sed 's/handlers\.c/han\xc2\x9b31m.c/g; s/GNU C/GNU\x1bC/g' program.elf >named.elf
expect 0 "$SPINCTL" cost --image named.elf --payload whole_payload --messages 2 --lines
says out "han?31m.c:"
says out "compiled by GNU?C"
LC_ALL=C grep -q '[^ -~]' out && fail "a name reaches the terminal: $(LC_ALL=C grep '[^ -~]' out | od -c | head -n 5)"

# error messages must name what is wrong
expect 1 image --payload whole_paylaod --messages 1
one_line
says err "whole_paylaod"
says err "whole_payload"
cp program.elf cut.elf && truncate -s 100 cut.elf
expect 1 "$SPINCTL" cost --image cut.elf --payload whole_payload --messages 1
one_line
expect 1 "$SPINCTL" cost --image runtime.S --payload whole_payload --messages 1
one_line
expect 1 "$SPINCTL" cost --image absent.elf --payload whole_payload --messages 1
says err "cannot read absent.elf"
expect 2 image --payload whole_payload --messages 1 --set x=1
exit $FAILED
