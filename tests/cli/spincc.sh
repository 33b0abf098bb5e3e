#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spincc: errors name the handler's line, failures leave nothing, missing tools name their package.
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
nothing_left "a compiler error"
expect 1 "$SPINCC" ./syntax.c --target host -o syntax.so
says err "./syntax.c:5:"
expect 1 "$SPINCC" none.c -o none.spin
nothing_left "a file without handlers"
expect 1 "$SPINCC" absent.c -o absent.spin
one_line
says err "absent.c"
expect 1 "$SPINCC" syntax.c -o no/such/dir/x.spin
one_line
expect 1 env PATH=/nonexistent "$SPINCC" syntax.c -o x.spin
one_line
says err "apt-get install gcc-riscv64-unknown-elf"
nothing_left "a missing tool"
expect 1 env SPIN_HOME=/nonexistent "$SPINCC" syntax.c -o x.spin
says err "SPIN_HOME"

# a failed run does not touch what is there
echo precious >kept.spin
expect 1 "$SPINCC" syntax.c -o kept.spin
[ "$(cat kept.spin)" = precious ] || fail "a failed run changed the output"
rm kept.spin

expect 0 "$SPINCC" -DVALUE=7 macro.c -o macro.spin --save-temps
[ -s macro.spin.elf ] || fail "--save-temps kept no rv32 program"
expect 0 "$SPINCC" "$ROOT/handlers/filtering.c" -o twice1.spin
expect 0 "$SPINCC" "$ROOT/handlers/filtering.c" -o twice2.spin
cmp twice1.spin twice2.spin >&2 || fail "two runs make different objects"
grep -qa "$WORK" twice1.spin && fail "the object has the build machine's paths in it"
expect 0 "$SPINCC" --target host "$ROOT/handlers/filtering.c" -o filtering.so

# stopped in the middle: nothing is left
cat >slow <<'END'
#!/bin/sh
sleep 20
END
chmod +x slow
RISCV_CC=$WORK/slow "$SPINCC" syntax.c -o slow.spin 2>/dev/null &
pid=$!
sleep 0.5
kill -TERM $pid
wait $pid && fail "stopped by SIGTERM, but status 0"
[ -n "$(find . -name '.spincc*' -o -name 'slow.spin*')" ] && fail "SIGTERM left temporary files"

if [ "$(id -u)" = 0 ]; then
	rm -f macro.spin*
	expect 1 "$SPINCC" unchecked.c -o unchecked.spin
	says err "unchecked.c:8: the verifier refuses:"
	[ -e unchecked.spin ] && fail "an object that the verifier refuses was written"
	expect 0 "$SPINCC" --no-verify unchecked.c -o unchecked.spin
	expect 1 "$SPINCC" --verifier-log unchecked.c -o x.spin
	says err "processed "
fi
exit $FAILED
