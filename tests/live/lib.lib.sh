# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Creates two network namespaces $A and $B, joined by a veth pair, and functions to attach handlers there. Sourced first by the shell tests
# in tests/live, tests/transfer and tests/stress. Namespaces and processes are removed when the test ends. Without root the test is skipped.
: "${BUILD:=build}"
[ "$(id -u)" = 0 ] || { echo "skip: needs root"; exit 77; }
for tool in ip bpftool ethtool; do
	command -v $tool >/dev/null || { echo "skip: no $tool"; exit 77; }
done
A=spina$$ B=spinb$$
tmp=$(mktemp -d)
owner=
clean() {
	[ -z "$owner" ] || kill -9 "$owner" 2>/dev/null
	ip netns del $A 2>/dev/null
	ip netns del $B 2>/dev/null
	rm -rf "$tmp"
}
trap clean EXIT
trap 'exit 1' INT TERM
die() { echo "FAIL: $*"; exit 1; }

ip netns add $A && ip netns add $B || { echo "skip: no network namespaces"; exit 77; }
ip -n $A link add v0 numrxqueues 4 numtxqueues 4 type veth peer name v1 netns $B numrxqueues 4 numtxqueues 4 ||
	{ echo "skip: no veth"; exit 77; }
ip -n $A addr add 10.9.0.1/24 dev v0
ip -n $B addr add 10.9.0.2/24 dev v1
ip -n $A link set v0 up
ip -n $B link set v1 up
ip -n $A link set lo up
ip -n $B link set lo up

# attach FILE.spin OPTIONS...: attaches to v0 in $A, until the test ends or kills $owner
attach() {
	rm -f "$tmp/ready"
	nsenter --net=/run/netns/$A "$BUILD/bin/spinctl" run "$@" --dev v0 --interval 0 --json \
		--ready-file "$tmp/ready" >"$tmp/out" 2>"$tmp/err" &
	owner=$!
	i=0
	while [ ! -e "$tmp/ready" ]; do
		i=$((i + 1))
		kill -0 $owner 2>/dev/null && [ $i -lt 100 ] || die "not attached: $(cat "$tmp/err")"
		sleep 0.1
	done
}

# Waits until v0 has no XDP program.
unattached() {
	i=0
	while ip -n $A link show v0 2>/dev/null | grep -q xdp; do
		i=$((i + 1))
		[ $i -lt 50 ] || return 1
		sleep 0.1
	done
}
