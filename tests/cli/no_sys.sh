#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Without /sys, as in some containers, commands must work or say what is missing. None may crash, and counts must be correct.
# Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
make_nics
in_ns ip link set lo up
cd "$WORK" || exit 1

# without_sys COMMAND...: runs it in a mount namespace where /sys is an empty directory
without_sys() {
	unshare --mount sh -c 'umount -l /sys && [ -z "$(ls /sys)" ] || exit 99; echo $$ >pid; exec "$@"' sh \
		nsenter --net="/run/netns/$NS" "$@"
}

# ends COMMAND...: must exit with 0 or 1, and print a reason on failure
ends() {
	without_sys "$@" >out 2>err
	got=$?
	case $got in
	0) ;;
	1) [ -s err ] || fail "$*: failed without a word" ;;
	*) fail "$*: status $got: $(head -c 300 err)" ;;
	esac
}

expect 0 without_sys true
ends "$SPINCTL" status
ends "$SPINCTL" doctor
ends "$SPINCTL" limits
ends "$SPINCTL" mpq
ends "$SPINCTL" dump
for object in "$OBJECT" "$BUILD/handlers/copy_to_host.spin"; do
	for options in '' '--class isolated' '--hpus spread' '--hpus queue'; do
		ends "$SPINCTL" run "$object" --dev v0 --duration 0.2 $options
		[ -s out ] || [ -s err ] || fail "run $object $options says nothing"
	done
done

# counts must be the same as with /sys
i=0
without_sys "$SPINCTL" run "$OBJECT" --dev lo --mode generic --match 'udp dport 9000' --interval 0 --duration 60 \
	--ready-file ready --json >run.out 2>run.err &
RUN=$!
while [ ! -s ready ] && [ $i -lt 600 ] && kill -0 $RUN 2>/dev/null; do i=$((i + 1)); sleep 0.05; done
if [ -s ready ]; then
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		in_ns taskset -c "$cpu" bash -c 'for i in 1 2 3; do echo hello >/dev/udp/127.0.0.1/9000; done' || fail "cannot send"
	done
	expect 0 in_ns "$SPINCTL" status --dev lo --json
	want=$(($(nproc) * 3))
	tr -d ' \n\t' <out | grep -q "\"packets\":$want," || fail "not $want packets: $(cat out)"
	kill -INT "$(cat pid)"
	wait $RUN || fail "run: status $?: $(cat run.err)"
else
	fail "run does not start without /sys: $(cat run.err)"
fi
exit $FAILED
