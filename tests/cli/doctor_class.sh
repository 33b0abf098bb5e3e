#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Without privileges spinctl doctor must end with status 1, name the missing capabilities, and mark what only root can find out (`sudo
# spinctl doctor`). As root without CAP_PERFMON it must report the isolated load class only. It must notice user and PID namespaces. Run by
# tests/run.
. "$(dirname "$0")/setup.inc"
. "$(dirname "$0")/doctor.inc"

if [ "$(id -u)" = 0 ]; then
	command -v setpriv >/dev/null || skip "setpriv (util-linux) is not installed"
	chmod 755 "$WORK"
	cp "$SPINCTL" "$WORK/spinctl" && chmod 755 "$WORK/spinctl" || exit 1
	SPINCTL=$WORK/spinctl
	user() { setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all "$@"; }
else
	user() { "$@"; }
fi

expect 1 user "$SPINCTL" doctor
cp "$WORK/out" "$WORK/text"
in_80_columns "$WORK/text"
says out "handlers cannot run here, missing: capabilities"
text_rows "$WORK/text" | grep -qF "not known: only root can try (\`sudo spinctl doctor\`)" || fail "what only root can know"
expect 1 user "$SPINCTL" doctor --dev lo --json
is_json "$WORK/out"
row lo native warning "loopback"
row lo MTU note "65536"
expect 1 user "$SPINCTL" doctor --json
is_json "$WORK/out"
says out '"can_run": false'
json_rows "$WORK/out" | grep '^missing capabilities none of those needed' >/dev/null || fail "capabilities: $(json_rows "$WORK/out" | grep capab)"
json_rows "$WORK/out" | grep '^ok version' >/dev/null || fail "the kernel's version is not known"

if [ "$(id -u)" = 0 ]; then
	# a process without the capability that trusted handlers need
	expect 0 setpriv --bounding-set=-perfmon,-sys_admin "$SPINCTL" doctor --json
	json_rows "$WORK/out" | grep '^note load classes isolated only: variable packet pointers' >/dev/null ||
		fail "load classes: $(json_rows "$WORK/out" | grep '^[a-z]* load')"
	json_rows "$WORK/out" | grep -qx 'note datagrams not tried: this process lacks capabilities for it' || fail "trusted handlers"
	json_rows "$WORK/out" | grep -qx 'ok isolated datagrams the kernel loads it' || fail "isolated handlers"
	json_rows "$WORK/out" | grep '^note attaching not tried: .* needs CAP_SYS_ADMIN' >/dev/null ||
		fail "attaching: $(json_rows "$WORK/out" | grep '^[a-z]* attaching')"
	expect 0 "$SPINCTL" doctor --json
	json_rows "$WORK/out" | grep '^ok attaching native and generic' >/dev/null ||
		fail "attaching: $(json_rows "$WORK/out" | grep '^[a-z]* attaching')"
	json_rows "$WORK/out" | grep '^ok load classes trusted and isolated' >/dev/null ||
		fail "load classes: $(json_rows "$WORK/out" | grep '^[a-z]* load')"
	# bpf() ignores capabilities of a user namespace
	if unshare --user --map-root-user true 2>/dev/null; then
		expect 1 unshare --user --map-root-user "$SPINCTL" doctor --json
		json_rows "$WORK/out" | grep '^missing user namespace' >/dev/null || fail "the user namespace is not noticed"
	fi
	# processes outside a PID namespace are not visible either
	expect 0 unshare --pid --fork --mount-proc "$SPINCTL" doctor --json
	json_rows "$WORK/out" | grep '^note container .*PID namespace' >/dev/null || fail "the PID namespace is not noticed"
fi
exit $FAILED
