#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# hpu-run runs a bare-metal program on the modelled RISC-V core. It must name each way in which a program ends. Exit status: 0 if the
# program ends itself, 1 if it traps, runs too long, does not reach --to or is no ELF file, 2 for wrong usage. Between --from and --to it
# must count the cycles and instructions stated below. Symbol names must not bring control bytes to the terminal. Run by tests/run.
BUILD=${BUILD:-build}
RISCV_CC=${RISCV_CC:-riscv64-unknown-elf-gcc}
run=$BUILD/bin/hpu-run
dir=$BUILD/tests/core/ends
command -v "$RISCV_CC" >/dev/null 2>&1 || { echo "skip: no $RISCV_CC (package gcc-riscv64-unknown-elf)"; exit 77; }
mkdir -p "$dir" || exit 1
failed=0

# build NAME ASSEMBLY [LINKER OPTION...]
build() {
	name=$1
	printf '.globl _start\n_start:\n%b\n' "$2" >"$dir/$name.S"
	shift 2
	$RISCV_CC -march=rv32imac_zicsr -mabi=ilp32 -nostdlib -static "$@" -o "$dir/$name" "$dir/$name.S" || exit 1
}

# expect NAME STATUS TEXT...: checks the exit status, and that JSON or diagnostics contain each TEXT
expect() {
	name=$1
	status=$2
	shift 2
	$run --json --max-cycles 100000 ${options-} "$dir/$name" >"$dir/out" 2>"$dir/err"
	got=$?
	[ $got -eq "$status" ] || { echo "$name: exit status $got instead of $status"; cat "$dir/err"; failed=1; }
	for wanted; do
		grep -qF -- "$wanted" "$dir/out" "$dir/err" || { echo "$name: no '$wanted' in:"; cat "$dir/out" "$dir/err"; failed=1; }
	done
}

build exit 'li a0,7; li a7,93; ecall'
expect exit 0 '"end":"exit"' '"exit_code":7' '"cycles":6,'
build write 'li a0,1; la a1,1f; li a2,3; li a7,64; ecall; li a7,93; ecall; 1: .ascii "abc"'
expect write 0 'abc' '"exit_code":3'
build brk 'li a0,0; li a7,214; ecall; addi s0,a0,64; mv a0,s0; ecall; sub a0,a0,s0; li a7,93; ecall'
expect brk 0 '"exit_code":0'
build ebreak 'nop; ebreak'
expect ebreak 0 '"end":"ebreak"'
build wfi 'nop; 1: wfi; j 1b'
expect wfi 0 '"end":"wfi"'
build self 'li a0,3; 1: addi a0,a0,-1; bnez a0,1b; 1: j 1b'
expect self 0 '"end":"jump to itself"' '"cycles":11,' '"instructions":7,'
build tohost 'la t0,tohost; li t1,1; sw t1,0(t0); 1: j 1b; .data; .balign 64; .globl tohost; tohost: .word 0,0'
expect tohost 0 '"end":"tohost"' '"exit_code":0'
build return 'li a0,5; ret' -Wl,-Ttext=0x80000000
expect return 0 '"end":"return"' '"exit_code":5'
build stack 'lw a0,0(sp); lw a1,4(sp); add a0,a0,a1; addi sp,sp,-2000; sw a0,0(sp); li a7,93; ecall'
expect stack 0 '"exit_code":0'
build trap 'nop; .word 0xffffffff'
expect trap 1 'illegal instruction' '"ok":false'
build unknown 'li a7,1234; ecall'
expect unknown 1 'ecall number 1234'
build endless '1: addi a0,a0,1; j 1b'
expect endless 1 'did not end within 100000 cycles'
build low 'li a0,0; li a7,93; ecall' -Wl,-Ttext=0
expect low 0 '"end":"exit"'

build region 'li a0,10; from: addi a0,a0,-1; bnez a0,from; to: nop; li a7,93; ecall'
options='--from from --to to' expect region 0 '"cycles":38,' '"instructions":20,' '"end":"--to reached"'
options='--from from --to from' expect region 0 '"cycles":4,' '"instructions":2,'
options='--from from+2 --to to' expect region 0 '"cycles":37,' '"instructions":19,'
options='--from nowhere' expect region 2 'no such symbol'
build never 'j 1f; to: nop; 1: li a7,93; ecall'
options='--to to' expect never 1 'before it reached --to'

printf 'no program' >"$dir/text"
expect text 1 'not an ELF file'
$run --help >"$dir/out" 2>"$dir/err" || { echo "--help fails"; failed=1; }
grep -q '^usage' "$dir/out" || { echo "--help does not go to stdout"; failed=1; }
$run --nonsense >"$dir/out" 2>"$dir/err"
[ $? -eq 2 ] || { echo "bad usage is not status 2"; failed=1; }
$run --profile "$dir/region" >"$dir/out" && grep -q 'from+0x0' "$dir/out" || { echo "--profile names no place"; failed=1; }
# the file may be a stranger's: no byte of a name may reach the terminal that the terminal obeys
named() { # NAME FROM TO TEXT: runs the program with a symbol renamed, to one of the same length, and expects TEXT
	LC_ALL=C sed "s/$2/$3/g" "$dir/$1" >"$dir/named"
	$run --profile --max-cycles 1000 "$dir/named" >"$dir/out" 2>&1
	LC_ALL=C grep -q '[^ -~]' "$dir/out" && { echo "a name reaches the terminal:"; od -c "$dir/out"; failed=1; }
	grep -q "$4" "$dir/out" || { echo "no $4 with such names:"; cat "$dir/out"; failed=1; }
}
named region from '\x1b[5m' '_start+0x'
named region from '\xc2\x9b5m' '_start+0x'
named trap _start '\x1b[31mt' 'illegal instruction at pc'

# profile WANTED ARGUMENTS...: checks the total cycles and instructions of a profile
profile() {
	wanted=$1
	shift
	got=$($run --profile "$@" | awk '/^  0x/ { cycles += $2; instructions += $3 } END { print cycles + 0, instructions + 0 }')
	[ "$got" = "$wanted" ] || { echo "--profile $*: '$got' cycles and instructions, not '$wanted'"; failed=1; }
}
profile '38 20' --from from --to to "$dir/region"
profile '4 2' --from from --to from "$dir/region"
profile '37 19' --from from+2 --to to "$dir/region"
profile "$($run --json "$dir/region" | sed 's/.*"cycles":\([0-9]*\),"instructions":\([0-9]*\).*/\1 \2/')" "$dir/region"
$run --profile --from to "$dir/region" | grep -q 'from+' && { echo "--profile lists what was before --from"; failed=1; }
[ $failed -eq 0 ] && echo "all ends and regions are as documented"
exit $failed
