#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Without privileges, run and status must say what they need; cost and spincc must work. Run by tests/run.
. "$(dirname "$0")/setup.inc"

if [ "$(id -u)" = 0 ]; then
	command -v setpriv >/dev/null || skip "setpriv (util-linux) is not installed"
	chmod 777 "$WORK"
	cp "$OBJECT" "$WORK/object.spin" && cp "$SPINCTL" "$SPINCC" "$WORK" && chmod 755 "$WORK"/spin* || exit 1
	chmod 644 "$WORK/object.spin"
	OBJECT=$WORK/object.spin SPINCTL=$WORK/spinctl SPINCC=$WORK/spincc
	user() { setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all "$@"; }
	user test -r "$ROOT/handlers/filtering.c" || READABLE=no
else
	user() { "$@"; }
fi

expect 1 user "$SPINCTL" run "$OBJECT" --dev lo
one_line
says err "run it as root"
expect 1 user "$SPINCTL" status
one_line
says err "run it as root"
printf '\324\303\262\241\002\000\004\000\000\000\000\000\000\000\000\000\377\377\000\000\001\000\000\000' >"$WORK/empty.pcap"
expect 0 user "$SPINCTL" cost "$OBJECT" --pcap "$WORK/empty.pcap"
if [ "${READABLE:-yes}" = yes ]; then
	expect 0 user "$SPINCC" "$ROOT/handlers/filtering.c" -o "$WORK/user.spin"
	expect 1 user "$SPINCC" --verify "$ROOT/handlers/filtering.c" -o "$WORK/user2.spin"
	says err "run it as root"
	[ -e "$WORK/user2.spin" ] && fail "an object was left by a failed spincc"
fi
exit $FAILED
