#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl cost --image must run, on the modelled NIC, programs that boot as PsPIN's own runtime does: sections in L1 at the address of every
# cluster or of one cluster; HPUs that sleep in the event unit until the first one has started; Xpulp's bit-field instructions; the
# cluster's registers at their global address; stacks above the reserved KiB. An error must name the segment that does not fit. Run by
# tests/run.
. "$(dirname "$0")/../cli/setup.inc"
CC=${RISCV_CC:-riscv64-unknown-elf-gcc}
need_hpu_compiler
cd "$WORK" || exit 1

cat >runtime.S <<'END'
	.option arch, +zicsr
	.section .vectors, "ax"
	.globl _start
	.org 0x80
_start:	j entry

	.text
entry:
	li t0, 1 << 18			# the dispatch event
	li t1, 0x1b204000
	sw t0, 0(t1)
	la t0, bss_start
	la t1, bss_end
1:	sw zero, 0(t0)
	addi t0, t0, 4
	bltu t0, t1, 1b
	la sp, stack			# the end of the first HPU's: it begins with the reserved KiB
	csrr t0, mhartid
	srai t1, t0, 5
	.insn r 0x33, 3, 0x60 | 25, s0, t1, x6	# p.bclr s0, t1, 25, 6: the cluster
	.insn r 0x33, 3, 0x60 | 26, s1, t0, x5	# p.bclr s1, t0, 26, 5: the HPU
	li t2, 0x400000
	mul t1, s0, t2
	add sp, sp, t1
	slli t2, s1, 10
	add sp, sp, t2
	li s2, 0x1b204000
	bnez s1, sleep

	li t0, 0x1b201400		# instruction cache: on, empty, and on again from outside
	li t1, -1
	sw t1, 0(t0)
	sw t1, 4(t0)
	li t0, 0x10201400
	li t2, 0x400000
	mul t2, s0, t2
	add t0, t0, t2
	sw t1, 0(t0)
	sw t1, 0x84(s2)			# a word for the whole team
	nop				# WHAT ELSE
	sw zero, 0x80(s2)
	j common
sleep:
	.insn i 0x03, 6, t0, 0x80(s2)	# p.elw
common:
	li t0, 0x1a104000		# printf
	li t1, 'h'
	sw t1, 0(t0)
	csrr t0, 0x320			# counters
	andi t0, t0, ~5
	csrw 0x320, t0
	csrw mcycle, zero
	la t0, trap
	csrw mtvec, t0
user:	la t0, hpu_descr
	slli t1, s1, 2
	add t0, t0, t1
	sw sp, 0(t0)
	li t0, 3 << 11
	csrc mstatus, t0
	la t0, hpu_run
	csrw mepc, t0
	mret

	.balign 256
trap:	li t0, 0x1b205000
	csrr t1, mcause
	sw t1, 0x54(t0)
	lw t1, 0x50(t0)
	csrr s1, mhartid
	srli s0, s1, 5
	andi s1, s1, 31
	la t0, hpu_descr
	slli t1, s1, 2
	add t0, t0, t1
	lw sp, 0(t0)
	j user

hpu_run:
	addi sp, sp, -32		# in user mode
	li t0, 0x1b205008
	sw t0, 0(sp)
	slli t0, s0, 3
	add t0, t0, s1
	sw t0, 4(sp)
	sw s0, 8(sp)
	sw s1, 12(sp)
1:	li t0, 0x1b205000
	lw t0, 0(t0)
	mv a0, sp
	jalr t0
	li t0, 0x1b205000
	lw t0, 0x50(t0)
	j 1b

	.section .data_tiny_l1, "aw"
hpu_descr: .zero 32
	.globl everywhere
everywhere: .word 0x5ca77e2d
	.section .of_cluster_2, "aw"
	.globl only_there
only_there: .word 0x0b5e55ed
	.section .stack, "aw", @nobits
	.zero 0x400
	.globl stack
stack:
	.section .zeroes, "aw", @nobits
	.globl zeroes
zeroes:	.zero 4096
END
cat >handlers.c <<'END'
typedef unsigned int u32;
struct args { volatile u32 *task; u32 hpu, cluster, hpu_in_cluster; };
extern volatile u32 everywhere, only_there, zeroes[1024];
static volatile u32 words[16384]; /* each HPU clears them */

/* Each cluster has its own copy of what is in every L1, at both addresses; the other word is in cluster 2 alone. */
void payload(struct args *args)
{
	for (u32 cluster = 0; cluster < 4; cluster++) {
		volatile u32 *l1 = (volatile u32 *)(0x10000000 + cluster * 0x400000);
		u32 want = cluster == 2 ? 0x0b5e55ed : 0;

		if (l1[((u32)&everywhere & 0xfffff) / 4] != 0x5ca77e2d || l1[((u32)&only_there & 0xfffff) / 4] != want)
			asm volatile("unimp");
	}
	if (everywhere != 0x5ca77e2d || zeroes[0] || zeroes[1023] || words[args->hpu])
		asm volatile("unimp");
}

/* Scratchpads lie behind what the program has in L1. */
void scratch(struct args *args)
{
	for (u32 i = 0; i < 16; i++)
		((volatile u32 *)args->task[4 + args->cluster])[i] = ~0u;
	payload(args);
}

/* Boot keeps a word for each of eight HPUs in front of it. */
void stands(struct args *args)
{
	if (everywhere != 0x5ca77e2d || args->hpu_in_cluster > 7)
		asm volatile("unimp");
}

void traps(struct args *args) { asm volatile("unimp"); }
END
cat >map.ld <<'END'
ENTRY(_start)
MEMORY {
	program : ORIGIN = 0x1d000000, LENGTH = 0x8000
	L2 : ORIGIN = 0x1c000000, LENGTH = 0x300000
	L1 : ORIGIN = 0x10000000, LENGTH = 0x100000
	L1_aliased : ORIGIN = 0x1b000000, LENGTH = 0x100000
}
SECTIONS {
	.vectors : { KEEP(*(.vectors)) } > program
	.text : { *(.text .text.*) } > program
	.rodata : { *(.rodata .rodata.* .srodata .srodata.*) } > L2
	.bss : { bss_start = .; *(.bss .bss.* .sbss .sbss.*) . = ALIGN(4); bss_end = .; } > L2
	.data_tiny_l1 : { *(.data_tiny_l1) } > L1_aliased
	.stack : { *(.stack) } > L1
	.of_cluster_2 CLUSTER_2 : { *(.of_cluster_2) }
	.zeroes 0x1b015000 : { *(.zeroes) }
}
END
build() { # NAME ADDRESS INSTRUCTION: places cluster 2's word at ADDRESS; the first HPU also runs INSTRUCTION
	sed "s/nop.*WHAT ELSE/$3/" runtime.S >"$1.S"
	sed "s/CLUSTER_2/$2/" map.ld >"$1.ld"
	$CC -march=rv32imac -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -Wl,-T,"$1.ld" -Wl,--build-id=none "$1.S" handlers.c -o "$1.elf" ||
		fail "$1.elf does not build"
}
number() { # KEY: prints its first value in the JSON
	sed -n "s/.*\"$1\": \([0-9.e+-]*\),\{0,1\}\$/\1/p" out | head -n 1
}

build program 0x10814800 nop
for handler in payload scratch; do
	expect 0 "$SPINCTL" cost --image program.elf --payload $handler --framing raw --messages 8 --packets 16 --json --trace trace.json
	[ "$(number handled_packets)" = 128 ] || fail "of $handler, $(number handled_packets) packets were handled: $(cat err)"
done
awk '/"name": "payload", "pid": 3/ { match($0, /"tid": [0-9]*/); hpus[substr($0, RSTART, RLENGTH)] }
	END { n = 0; for (h in hpus) n++; exit n < 32 }' trace.json || fail "not all HPUs work"

# the end of the scratchpads in spincc's images must not restrict third-party images
for address in 0x1087bfc0 0x108e0000; do
	build behind $address nop
	expect 0 "$SPINCTL" cost --image behind.elf --payload scratch --framing raw --messages 8 --packets 16 --json
	[ "$(number handled_packets)" = 128 ] || fail "with a word at $address, not all packets were handled: $(cat err)"
done

# the program has stacks for the eight HPUs of a PsPIN cluster, so a cluster must not get more threads than that
build threads 0x10014800 nop
expect 0 "$SPINCTL" cost --image threads.elf --payload stands --framing raw --messages 8 --packets 16 --json --target spin-discrete
[ "$(number handled_packets)" = 128 ] || fail "on spin-discrete $(number handled_packets) packets were handled: $(cat err)"
[ "$(number hpu_threads)" = 2 ] || fail "four HPUs have $(number hpu_threads) threads each"

expect 1 "$SPINCTL" cost --image program.elf --payload traps --framing raw --messages 2
one_line
says err "packet 1, payload handler: an illegal instruction (mcause 2) at "
says err "handlers.c:$(grep -n "void traps" handlers.c | cut -d : -f 1)"

# the message must name a segment that does not fit, and the available memory
build buffer 0x10004800 nop
expect 1 "$SPINCTL" cost --image buffer.elf --payload payload --framing raw --messages 1
one_line
says err "its segment of 4 bytes at 0x10004800 overlaps the packet buffer, 0x4400 to 0x143ff in each L1"
for address in 0x10280000 0x11014800 0x1c400000; do
	build outside $address nop
	expect 1 "$SPINCTL" cost --image outside.elf --payload payload --framing raw --messages 1
	one_line
	says err "its segment of 4 bytes at $address lies outside handler memory"
done

# HPUs that are never woken, and accesses to registers that do not exist
build asleep 0x10814800 "j common"
expect 1 "$SPINCTL" cost --image asleep.elf --payload payload --framing raw --messages 1
one_line
says err "HPU 1 of cluster 0 waits at"
says err "(sleep+0x0) for a word from the dispatch FIFO"
build barrier 0x10814800 "sw zero, 0x200(s2)"
expect 1 "$SPINCTL" cost --image barrier.elf --payload payload --framing raw --messages 1
one_line
says err "HPU 0 of cluster 0 traps (mcause 7)"
exit $FAILED
