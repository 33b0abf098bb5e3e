#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What a card with hardware XDP cannot do: spincc --target nfp must name it with the handler's line, and write no object.
. "$(dirname "$0")/refused.lib.sh"
refuse card 19
# without a card the same handlers are accepted
cd "$WORK" || exit 1
for name in compare_and_swap assignment messages clock; do
	"$SPINCC" --no-verify "$SOURCES/card/$name.c" -o fine.spin 2>err || fail "$name, without a card: $(head -n 2 err)"
done
# no tool reports a line for a constant in memory
cat >constants.c <<'END'
#include <spin/spin.h>
SPIN_NO_STATE;
static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	static const uint32_t words[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };

	spin_set_dst_port(p, words[p->length & 15]);
	return SPIN_SUCCESS;
}
SPIN_HANDLERS(constants, .payload = f);
END
"$SPINCC" --target nfp --no-verify constants.c -o constants.spin 2>err && fail "a table of constants is accepted for a card"
grep -q '^spincc: constants.c: cannot offload: a constant or variable in memory (.rodata' err || fail "it says '$(cat err)'"
[ -e constants.spin ] && fail "an object is left"
exit $FAILED
