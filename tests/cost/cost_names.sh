#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Names of files and symbols may contain any bytes. spinctl cost (a handler on the modelled NIC) must still write valid JSON, HTML and
# UTF-8: valid characters unchanged, and a replacement character for each invalid byte. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
need_hpu_compiler
cd "$WORK" || exit 1
BYTE=$(printf '\377')               # not the first byte of any character
CUT=$(printf '\342\202')            # two of a character's three bytes
LONG=$(printf '\300\257')           # an overlong encoding of a slash, which is invalid
REPLACED=$(printf '\357\277\275')

whole() { # json|xml FILE TEXT...: FILE must be well-formed and UTF-8, and contain each TEXT
	"$BUILD/tests/tools/well_formed" "$1" "$2" || fail "$2 is not whole"
	iconv -f UTF-8 -t UTF-32 "$2" >/dev/null || fail "$2 is not UTF-8"
	file=$2
	shift 2
	for text; do
		grep -qF "$text" "$file" || fail "$file does not have $text"
	done
}

# the name of a file, which is in the title of every output
name="é$BYTE$CUT-$LONG<&\"'"
shown="é$REPLACED$REPLACED$REPLACED-$REPLACED$REPLACED"
CONTROLS=$(printf '\177\302\233') # control characters of a terminal: DEL, and a C1 code in UTF-8
mkdir "$name"
cp "$OBJECT" "$name/$name.spin"
{ # no packet at all
	printf '\324\303\262\241\002\000\004\000\000\000\000\000\000\000\000\000\377\377\000\000\001\000\000\000'
} >"$name.pcap"
expect 0 "$SPINCTL" cost "$name/$name.spin" --datagrams 4 --json --html page.html --trace trace.json
whole json out
whole json trace.json
whole xml page.html
expect 0 "$SPINCTL" cost "$name/$name.spin" --pcap "$name.pcap" --json --html page.html
whole json out "$shown<&\\\"'.pcap"
whole xml page.html "$shown&lt;&amp;&quot;'.pcap"
cp "$name.pcap" "a$CONTROLS.pcap"
expect 0 "$SPINCTL" cost "$OBJECT" --pcap "a$CONTROLS.pcap" --json
whole json out 'a\u007f\u009b.pcap'

# the names of a symbol and of a source file
cat >runtime.S <<'END'
	.option arch, +zicsr
	.section .init, "ax"
	.globl _start
_start:	csrr a5, mhartid
	andi a5, a5, 31
	slli a4, a5, 10
	li sp, 0x1b000400 + 0x400 - 16
	add sp, sp, a4
	li a2, 0x1b205008
	sw a2, 0(sp)
	li s0, 0x1b205000
	mv s1, sp
1:	lw t0, 0(s0)
	mv a0, s1
	jalr t0
	lw t0, 0x50(s0)
	j 1b
END
source=$(printf 'source-\347-%s.S' "$BYTE")
printf '\t.text\n\t.globl "p\351%s"\n\t.type "p\351%s", @function\n"p\351%s":\tret\n\t.size "p\351%s", 2\n' "$CUT" "$CUT" "$CUT" "$CUT" >"$source"
cat >map.ld <<'END'
ENTRY(_start)
SECTIONS {
	.text 0x1d000000 : { . = 0x80; KEEP(*(.init)) *(.text .text.*) }
}
END
"${RISCV_CC:-riscv64-unknown-elf-gcc}" -march=rv32imac -mabi=ilp32 -g -nostdlib -Wl,-T,map.ld -Wl,--build-id=none runtime.S "$source" -o "$name.elf" ||
	fail "no $name.elf"
symbol=$(printf 'p\351%s' "$CUT")
expect 0 "$SPINCTL" cost --image "$name.elf" --payload "$symbol" --framing raw --messages 2 --packets 4 --json --html page.html \
	--trace trace.json
whole json out "$shown" "source-$REPLACED-$REPLACED.S"
whole json trace.json "$shown"
whole xml page.html "$shown&lt;&amp;&quot;" "source-$REPLACED-$REPLACED.S"
exit $FAILED
