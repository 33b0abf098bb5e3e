#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# An interface is deleted while `spinctl run` has handlers on it. Within 10 seconds the process must end with a status other than 0 and a
# message on stderr. Run by tests/run.
. tests/live/lib.lib.sh
attach "$BUILD/handlers/filtering.spin" --match "udp dport 9000" --interval 1
ip -n $A link del v0
i=0
while kill -0 $owner 2>/dev/null; do
	i=$((i + 1))
	[ $i -lt 100 ] || die "still running after 10 s"
	sleep 0.1
done
wait $owner
rc=$?
owner=
[ $rc -ne 0 ] || die "ended with 0"
[ -s "$tmp/err" ] || die "said nothing"
