#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Test of the modelled core: the instructions of Xpulp, the extensions of PsPIN's RI5CY cores, must compute what RI5CY's manual says. Each
# row runs one instruction and compares its result; the program exits with the number of the first row that is wrong, or with 0. Run by
# tests/run.
BUILD=${BUILD:-build}
RISCV_CC=${RISCV_CC:-riscv64-unknown-elf-gcc}
dir=$BUILD/tests/core/xpulp_words
command -v "$RISCV_CC" >/dev/null 2>&1 || { echo "skip: no $RISCV_CC (package gcc-riscv64-unknown-elf)"; exit 77; }
mkdir -p "$dir" || exit 1

# Encodings for assemblers without Xpulp: field OP3 WIDTH-1 PLACE, two FUNCT7 OP3, one FUNCT7 OP3.
field() { echo ".insn r 0x33, $1, 0x60 | $2, a0, a1, x$3"; }
two() { echo ".insn r 0x33, $2, $1, a0, a1, a2"; }
one() { echo ".insn r 0x33, $2, $1, a0, a1, x0"; }
rows=0

# row CODE A0 A1 A2 WANT: CODE must leave WANT in a0, otherwise the row's number is the exit code
row() {
	rows=$((rows + 1))
	echo "	li a0, $2; li a1, $3; li a2, $4; li a3, $5; li a4, $rows; $1; bne a0, a3, wrong"
}

# branch OP3 NUMBER A1 WANT: a branch that is taken if WANT is 1
branch() {
	rows=$((rows + 1))
	echo "	li a0, 1; li a1, $3; li a3, $4; li a4, $rows; .insn b 0x63, $1, a1, x$(($2 & 31)), 1f; li a0, 0; 1: bne a0, a3, wrong"
}

{
	echo "	.option norvc"
	echo "	.globl _start"
	echo "_start:"
	row "$(field 0 7 4)" 0 0x12345f80 0 0xfffffff8   # p.extract
	row "$(field 0 7 4)" 0 0x12345780 0 0x78
	row "$(field 0 31 0)" 0 0x87654321 0 0x87654321
	row "$(field 1 7 4)" 0 0x12345f80 0 0xf8         # p.extractu
	row "$(field 1 31 0)" 0 0x87654321 0 0x87654321
	row "$(field 2 7 8)" 0x11223344 0xabcd 0 0x1122cd44 # p.insert
	row "$(field 3 25 6)" 0 0xffffffff 0 0x3f        # p.bclr, as in PsPIN's boot code
	row "$(field 3 26 5)" 0 0x000000e7 0 7
	row "$(field 4 3 28)" 0 5 0 0xf0000005           # p.bset
	row "$(one 0x02 0)" 0 -7 0 7                     # p.abs
	row "$(one 0x02 0)" 0 0x80000000 0 0x80000000
	row "$(two 0x02 2)" 0 -1 -1 1                    # p.slet, p.sletu
	row "$(two 0x02 2)" 0 1 -1 0
	row "$(two 0x02 3)" 0 1 -1 1
	row "$(two 0x02 4)" 0 -5 3 -5                    # p.min, p.minu, p.max, p.maxu
	row "$(two 0x02 5)" 0 -5 3 3
	row "$(two 0x02 6)" 0 -5 3 3
	row "$(two 0x02 7)" 0 -5 3 -5
	row "$(two 0x04 5)" 0 0x12345678 8 0x78123456    # p.ror
	row "$(two 0x04 5)" 0 0x12345678 32 0x12345678
	row "$(one 0x08 0)" 0 0x50 0 4                   # p.ff1, p.fl1, p.cnt
	row "$(one 0x08 0)" 0 0 0 32
	row "$(one 0x08 1)" 0 0x50 0 6
	row "$(one 0x08 1)" 0 0 0 32
	row "$(one 0x08 3)" 0 0xf0f00001 0 9
	row "$(one 0x08 4)" 0 0x1234ff80 0 0xffffff80    # p.exths, p.exthz, p.extbs, p.extbz
	row "$(one 0x08 5)" 0 0x1234ff80 0 0xff80
	row "$(one 0x08 6)" 0 0x1234ff80 0 0xffffff80
	row "$(one 0x08 7)" 0 0x1234ff80 0 0x80
	branch 2 -3 -3 1                                 # p.beqimm, p.bneimm
	branch 2 -3 3 0
	branch 2 15 15 1
	branch 3 -16 -16 0
	branch 3 -16 0 1
	row "la a5, word; .insn i 0x03, 6, a0, 4(a5)" 0 0 0 0x600df00d # p.elw
	echo "	li a0, 0"
	echo "	j 1f"
	echo "wrong:	mv a0, a4"
	echo "1:	li a7, 93"
	echo "	ecall"
	echo "	.balign 4"
	echo "word:	.word 0, 0x600df00d"
} >"$dir/words.S"
$RISCV_CC -march=rv32imac -mabi=ilp32 -nostdlib -static -o "$dir/words" "$dir/words.S" || exit 1
"$BUILD/bin/hpu-run" --json --max-cycles 10000 "$dir/words" >"$dir/out" 2>&1
grep -qF '"exit_code":0,' "$dir/out" || { echo "the row of that number is wrong:"; cat "$dir/out"; exit 1; }
echo "$rows rows of Xpulp compute what they should"
