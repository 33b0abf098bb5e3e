#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# kernel/guest/offload/cases.c tries the kernel's own path for offloaded programs on netdevsim, the kernel's simulated network device. What
# it prints must be what cases.expected says, line by line, in a guest of each of KERNELS (names of kernel/guest/kernels.txt; default:
# 6.1-cloud). Run by `make check-offload`, and by tests/run if the guests are there.
. "$(dirname "$0")/../cli/setup.inc"
guest=$ROOT/kernel/guest/offload
expected=$ROOT/tests/offload/cases.expected
KERNELS=${KERNELS:-6.1-cloud}
# shellcheck disable=SC2086
reason=$("$guest/modules.sh" --cached $KERNELS) || skip "${reason#skip: }"

for kernel in $KERNELS; do
	# the lines for all kernels, and those for this one
	sed -n -E -e "s/^$(echo "$kernel" | sed 's/\./\\./g'): //" -e 't keep' -e '/^(#|[0-9][^ \t]*: )/d' -e ':keep' -e p "$expected" >"$WORK/expected"
	"$guest/cases.sh" "$kernel" >"$WORK/found" 2>"$WORK/err"
	status=$?
	[ $status != 77 ] || skip "$(sed -n 's/^skip: //p' "$WORK/found")"
	if [ $status != 0 ] || [ -s "$WORK/err" ]; then
		fail "$kernel: cases.sh ended with $status and said: $(tail -n 12 "$WORK/err")"
	elif diff "$WORK/expected" "$WORK/found" >"$WORK/differences"; then
		echo "$kernel: $(wc -l <"$WORK/found") lines as expected"
	else
		fail "$kernel: what was found (>) is not what cases.expected says (<): $(cat "$WORK/differences")"
	fi
done
exit $FAILED
