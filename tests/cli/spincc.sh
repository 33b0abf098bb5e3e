#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spincc: errors must name the handler's line, failures must leave nothing, and missing tools must name their package. Run by tests/run.
. "$(dirname "$0")/setup.inc"
cd "$WORK" || exit 1

cat >syntax.c <<'END'
#include <spin/spin.h>
SPIN_NO_STATE;
static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *state)
{
	return SPIN_SUCCES;
}
SPIN_HANDLERS(syntax, .payload = f);
END
cat >unchecked.c <<'END'
#include <spin/spin.h>
struct tally { uint32_t n; };
SPIN_STATE(struct tally);
static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 4, uint32_t);

	state->n = *w;
	return SPIN_SUCCESS;
}
SPIN_HANDLERS(unchecked, .payload = f);
END
cat >none.c <<'END'
#include <spin/spin.h>
SPIN_NO_STATE;
END
sed 's/state->n = \*w/state->n = w ? *w : VALUE/' unchecked.c >macro.c

nothing_left() {
	left=$(find . -newer none.c -name '*.spin*' -o -name '.spincc*' | tr '\n' ' ')
	[ -z "$left" ] || fail "$1 left: $left"
}

expect 1 "$SPINCC" syntax.c -o syntax.spin
says err "syntax.c:5:"
one_line
nothing_left "a compiler error"
expect 1 "$SPINCC" --verifier-log syntax.c -o syntax.spin
says err "1 error generated"
expect 1 "$SPINCC" ./syntax.c --target host -o syntax.so
says err "./syntax.c:5:"
sed 's/uint32_t, src/uint16_t, src/' "$ROOT/tests/diagnostics/refused/memory/table_long.c" >key.c
expect 1 "$SPINCC" key.c --target host -o key.so
says err "key.c:8: SPIN_KEY src: a key has 32 bits"
one_line
expect 1 "$SPINCC" none.c -o none.spin
nothing_left "a file without handlers"

# each error once, in the order of the file, also in the user's own header
cat >two.c <<'END'
#include <spin/spin.h>
#include "mine.h"
SPIN_NO_STATE;
static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *state)
{
	state->unused = p->lenght;
	state->unused = p->lenght + 1;
	return SPIN_SUCCES;
}
SPIN_HANDLERS(two, .payload = f);
END
echo 'static inline uint32_t half(int32_t n) { return n / k; }' >mine.h
expect 1 "$SPINCC" two.c -o two.spin
says err "mine.h:1: use of undeclared identifier 'k'"
says err "two.c:6: no member named 'lenght'"
says err "two.c:8: use of undeclared identifier 'SPIN_SUCCES'"
[ "$(wc -l <err)" = 3 ] || fail "not one line for each fault: $(cat err)"
mkdir -p sub
sed 's/p->lenght/p->length/; s/SUCCES;/SUCCESS;/; s/+ 1/+ half((int32_t)p->length)/' two.c >sub/two.c
echo 'static inline uint32_t half(int32_t n) { return (uint32_t)(n / 7); }' >sub/mine.h
expect 1 "$SPINCC" sub/two.c -o two.spin
one_line
says err "sub/mine.h:1: signed division"
expect 1 "$SPINCC" absent.c -o absent.spin
one_line
says err "absent.c"
expect 1 "$SPINCC" syntax.c -o no/such/dir/x.spin
one_line
expect 1 env PATH=/nonexistent "$SPINCC" syntax.c -o x.spin
one_line
says err "apt-get install clang"
nothing_left "a missing tool"
expect 1 env RISCV_CC=/nonexistent/riscv64-unknown-elf-gcc "$SPINCC" "$ROOT/handlers/filtering.c" -o x.spin
one_line
says err "apt-get install gcc-riscv64-unknown-elf"
nothing_left "a missing cross compiler"
expect 1 env SPIN_HOME=/nonexistent "$SPINCC" syntax.c -o x.spin
says err "SPIN_HOME"

# compilers that fail in other ways
expect 1 env CLANG=false "$SPINCC" "$ROOT/handlers/filtering.c" -o x.spin
one_line
says err "--verifier-log"
cat >crash <<'END'
#!/bin/sh
case " $* " in
*" -x ir "*) ;;
*) exec clang "$@" ;;
esac
echo "PLEASE submit a bug report" >&2
kill -SEGV $$
END
chmod +x crash
expect 1 env CLANG="$WORK/crash" "$SPINCC" "$ROOT/handlers/filtering.c" -o x.spin
one_line
grep -q PLEASE err && fail "a compiler's crash reaches the user"
nothing_left "a crash of the compiler"

# a failed run must not change existing files
echo precious >kept.spin
expect 1 "$SPINCC" syntax.c -o kept.spin
[ "$(cat kept.spin)" = precious ] || fail "a failed run changed the output"
rm kept.spin

expect 0 "$SPINCC" -DVALUE=7 macro.c -o macro.spin --save-temps
[ -s macro.spin.elf ] || fail "--save-temps kept no rv32 program"

# options with their value in the same word or the next; both forms reach the compilers
mkdir directory
echo '#define VALUE 9' >directory/nine.h
sed '1s/$/\n#include <nine.h>/' macro.c >nine.c
expect 0 "$SPINCC" --no-verify -D VALUE=7 macro.c -oseven.spin
cmp macro.spin seven.spin >&2 || fail "-D VALUE=7 is not -DVALUE=7"
expect 0 "$SPINCC" --no-verify -I directory nine.c -o nine.spin
expect 0 "$SPINCC" --no-verify -Idirectory nine.c -o nine.spin
expect 0 "$SPINCC" --target host -D VALUE=7 macro.c -o macro.so
for words in -o=x.spin '-I=directory -o x.spin' '-D=VALUE -o x.spin'; do
	expect 2 "$SPINCC" macro.c $words
	one_line
	says err "no = goes between a letter and its value: -"
done
expect 2 "$SPINCC" macro.c -o x.spin -I
says err "a value is missing after -I"
{ [ -e x.spin ] || [ -e =x.spin ]; } && fail "bad usage made a file"
expect 0 "$SPINCC" "$ROOT/handlers/filtering.c" -o twice1.spin
expect 0 "$SPINCC" "$ROOT/handlers/filtering.c" -o twice2.spin
cmp twice1.spin twice2.spin >&2 || fail "two runs make different objects"
grep -qa "$WORK" twice1.spin && fail "the object has the build machine's paths in it"
(cd / && expect 0 "$SPINCC" "$ROOT/handlers/filtering.c" -o "$WORK/elsewhere.spin"; exit $FAILED) || FAILED=1
expect 0 "$SPINCC" --target host "$ROOT/handlers/filtering.c" -o filtering.so

# interrupted: nothing may be left
cat >slow <<'END'
#!/bin/sh
exec sleep 20
END
chmod +x slow
RISCV_CC=$WORK/slow "$SPINCC" "$ROOT/handlers/filtering.c" -o slow.spin 2>/dev/null &
pid=$!
sleep 0.5
kill -TERM $pid
wait $pid && fail "stopped by SIGTERM, but status 0"
[ -n "$(find . -name '.spincc*' -o -name 'slow.spin*')" ] && fail "SIGTERM left temporary files"

if [ "$(id -u)" = 0 ]; then
	rm -f macro.spin*
	expect 1 "$SPINCC" unchecked.c -o unchecked.spin
	says err "unchecked.c:8: a pointer is used that may be NULL; test what SPIN_GET"
	one_line
	[ -e unchecked.spin ] && fail "an object that the verifier refuses was written"
	expect 0 "$SPINCC" --no-verify unchecked.c -o unchecked.spin
	expect 1 "$SPINCC" --verifier-log unchecked.c -o x.spin
	says err "processed "
fi

# How many bytes at the start of a payload handlers may look at, because a TCP stream's others are not copied: those of SPIN_GET with a constant
# offset, also in functions that a handler calls, and beside searches in tables. An offset that is not a constant, and a walk over the payload,
# may look at all.
reaches() { # FILE BYTES; BYTES is "all", or a number
	expect 0 "$SPINCC" -v --no-verify "$1" -o reach.spin
	if [ "$2" = all ]; then
		! grep -q 'handlers look at' err || fail "$1: $(grep 'handlers look at' err)"
	else
		says err "the handlers look at the first $2 bytes of a payload"
	fi
}

cat >functions.c <<'END'
#include <spin/spin.h>
struct flow { SPIN_KEY(uint32_t, src); uint32_t packets; };
SPIN_TABLE(flows, struct flow, 256);
SPIN_NO_STATE;
#define WORD(p, i) SPIN_GET(p, 4 * (i), uint32_t)
static uint32_t second_word(struct spin_payload *p)
{
	const uint32_t *word = WORD(p, 1);

	return word ? *word : 0;
}
static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *state)
{
	const uint64_t *first = SPIN_GET(p, 0, uint64_t), *third = SPIN_GET(p, 16, uint64_t);
	struct flow *flow = SPIN_FIND(flows, second_word(p));

	if (flow && first && third && *first == *third)
		spin_add32(&flow->packets, 1);
	return SPIN_SUCCESS;
}
SPIN_HANDLERS(functions, .payload = f);
END
sed 's/WORD(p, 1)/WORD(p, spin_src_port(p) \& 3)/' functions.c >computed.c
sed 's/if (flow \&\& first/if (!flow)\n		return SPIN_DROP;\n	SPIN_FOR_EACH(p, uint8_t, byte)\n		spin_add32(\&flow->packets, *byte);\n	if (first/' \
	functions.c >walk.c

reaches functions.c 24
reaches computed.c all
reaches walk.c all
reaches "$ROOT/tests/handlers/streams/heads.c" 8
reaches "$ROOT/tests/handlers/streams/nth_byte.c" all
exit $FAILED
