#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What the kernel refuses only without CAP_PERFMON must be reported with one reason, the class and the handler's line. --trusted must
# accept it.
. "$(dirname "$0")/refused.lib.sh"
[ "$(id -u)" = 0 ] || skip "needs root: it asks the kernel's verifier"
refuse isolated 5
for file in "$SOURCES"/isolated/isolated_*.c; do
	expect 0 "$SPINCC" --trusted "$file" -o "$WORK/trusted.spin"
done
exit $FAILED
