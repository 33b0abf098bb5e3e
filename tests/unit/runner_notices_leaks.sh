#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tests/alone runs a test in namespaces of its own. It must list what the test leaves behind (namespace, interfaces, pin, process, file),
# remove it, and return the test's status. The list of a clean test must be empty. Run by tests/run.
[ "$(id -u)" = 0 ] || { echo "skip: namespaces need root"; exit 77; }
unshare --mount --pid --net --fork true 2>/dev/null || { echo "skip: cannot make namespaces here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "FAIL: $*"
	cat "$work/left"
	exit 1
}

# If this tree is in /tmp, the test sees the machine's /tmp.
file=/tmp/leaked.$$ lines=6
case $PWD/,${BUILD:-} in /tmp/* | *,/tmp/*) file=$work/leaked lines=5 ;; esac
tests/alone "$work/left" sh -c '
	ip netns add leaked
	ip link add leaked0 type veth peer name leaked1
	mkdir /sys/fs/bpf/leaked
	setsid sleep 1000 </dev/null >/dev/null 2>&1 &
	echo >"$0"
	sleep 0.2; exit 3' "$file"
[ $? = 3 ] || fail "not the status of the command"
for line in "namespace leaked" "interface leaked0" "interface leaked1" "pin /sys/fs/bpf/leaked" "process sleep 1000"; do
	grep -q "^$line" "$work/left" || fail "does not list: $line"
done
[ $lines = 5 ] || grep -qx "file $file" "$work/left" || fail "does not list the file"
[ "$(grep -c . "$work/left")" = $lines ] || fail "lists something else"
ip netns list | grep -q leaked && fail "the namespace outlived it"
pgrep -f "sleep 1000" >/dev/null && fail "the process outlived it"
[ ! -e /sys/fs/bpf/leaked ] || fail "the pin outlived it"
[ $lines = 5 ] || [ ! -e "$file" ] || fail "the file outlived it"

tests/alone "$work/left" true || fail "a clean test fails"
[ ! -s "$work/left" ] || fail "a clean test has left something"
