#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Test of the modelled RISC-V core in user mode. Each case is a small program for hpu-run, whose instruction at the label `at` must trap
# with the stated cause (ecall 8, ebreak 3, illegal instruction or CSR 2, misaligned AMO 6). The handler in machine mode must find the
# address of that instruction in mepc, and user mode in MPP. Run by tests/run.
BUILD=${BUILD:-build}
RISCV_CC=${RISCV_CC:-riscv64-unknown-elf-gcc}
dir=$BUILD/tests/core/user
command -v "$RISCV_CC" >/dev/null 2>&1 || { echo "skip: no $RISCV_CC (package gcc-riscv64-unknown-elf)"; exit 77; }
mkdir -p "$dir" || exit 1
failed=0

# user NAME CAUSE CODE: CODE runs in user mode and traps with CAUSE at the label `at`, with MPP user
user() {
	cat >"$dir/$1.S" <<END
	.globl _start
_start:	la t0,handler
	csrw mtvec,t0
	la t0,1f
	csrw mepc,t0
	li t0,0x1800
	csrc mstatus,t0
	mret
1:	$3
	ebreak
	.balign 4
handler:
	csrw mtvec,x0
	csrr a0,mcause
	csrr a1,mepc
	la a2,at
	beq a1,a2,1f
	li a0,100
1:	csrr a1,mstatus
	li a2,0x1800
	and a1,a1,a2
	beqz a1,1f
	li a0,101
1:	li a7,93
	ecall
END
	$RISCV_CC -march=rv32imac_zicsr -mabi=ilp32 -nostdlib -static -o "$dir/$1" "$dir/$1.S" || exit 1
	"$BUILD/bin/hpu-run" --json --max-cycles 10000 "$dir/$1" >"$dir/out" 2>&1
	grep -qF "\"exit_code\":$2," "$dir/out" || { echo "$1: not cause $2:"; cat "$dir/out"; failed=1; }
}

user ecall 8 'at: ecall'
user breakpoint 3 'at: ebreak'
user illegal_word 2 'at: .word 0'
user mret_is_illegal 2 'at: mret'
user legal_csrs_then_ecall 8 'csrr a0,0x014; csrr a0,0xC10; csrr a0,0x042; csrr a0,0x000; csrr a0,0x041; at: ecall'
for csr in 0xC00 0xB00 0x780 0x79F 0x7A0 0x7A1 0x7B0 0x7B1 0x7C0 0xF10 0xF13 0xF14 0x300 0x340 0x341 0x342; do
	user "csr_$csr" 2 "at: csrr a0,$csr"
done
user write_0x7B0 2 'at: csrw 0x7B0,a0'
user write_read_only 2 'at: csrw 0xC10,a0'
user misaligned_amo 6 'la a0,1b; addi a0,a0,1; at: amoadd.w a1,a1,(a0)'
[ $failed -eq 0 ] && echo "traps and CSRs of user mode are as measured"
exit $failed
