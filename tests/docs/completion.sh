#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Completion in bash must offer commands, options, interfaces, choices or files, depending on the preceding word. Run by tests/run.
. "$(dirname "$0")/docs.inc"
mkdir -p "$WORK/directory/deeper" && cd "$WORK/directory" || exit 1
: >a.spin
: >b.spin
: >"with space.spin"
: >a.c
: >a.vec
: >notes.txt
: >trace.pcap
: >deeper/c.spin

# asks WORD... [-- EXPECTED...]: completes the last word; words are split at = as in bash
asks() {
	words=
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		words="$words '$1'"
		program=${program:-$1}
		shift
	done
	shift
	printf '%s\n' "$@" | sort >"$WORK/want"
	bash -c ". '$COMPLETION/$program'
		COMP_WORDS=($words); COMP_CWORD=\$((\${#COMP_WORDS[@]} - 1))
		_$program
		printf '%s\n' \"\${COMPREPLY[@]}\"" 2>"$WORK/err" | sort >"$WORK/got"
	[ -s "$WORK/err" ] && fail "completing$words: $(cat "$WORK/err")"
	cmp -s "$WORK/want" "$WORK/got" ||
		fail "completing$words: wanted $(tr '\n' ' ' <"$WORK/want")got $(tr '\n' ' ' <"$WORK/got")"
	program=
}
program=
# shellcheck disable=SC2046
asks spinctl '' -- $(commands_in_help) --help --version
asks spinctl ru -- run rule
asks spinctl help co -- cost
asks spinctl run --de -- --delivery --dev
asks spinctl run --dev -- --dev
asks spinctl cost --js -- --json
asks spinctl status --no-such -- ''
# shellcheck disable=SC2046
asks spinctl run --dev '' -- $(ls /sys/class/net)
asks spinctl run --dev l -- $(ls /sys/class/net | grep '^l')
asks spinctl run --dev = l -- $(ls /sys/class/net | grep '^l')
asks spinctl run '' -- a.spin b.spin 'with space.spin' deeper
asks spinctl run w -- 'with space.spin'
asks spinctl run deeper/ -- deeper/c.spin
asks spinctl run --dev lo a -- a.spin
asks spinctl run --dev = lo a -- a.spin
asks spinctl run --duration a -- ''
asks spinctl run a.spin b -- b.spin
asks spinctl cost a.spin '' -- a.c a.spin b.spin 'with space.spin' deeper # several contexts on one NIC
asks spinctl run --mode '' -- auto native generic offload offload,native
asks spinctl test --engine b -- bpf
asks spinctl test '' -- a.spin b.spin 'with space.spin' a.c deeper
asks spinctl test a.c '' -- a.vec deeper
asks spinctl test a.c a.vec a -- a.vec
asks spinctl run --insert-from routes = n -- notes.txt
asks spinctl run --insert-from n -- ''
asks spinctl cost --pcap '' -- trace.pcap deeper
asks spinctl cost --pcap = t -- trace.pcap
asks spinctl cost '' -- a.c a.spin b.spin 'with space.spin' deeper
asks spincc --ta -- --target
asks spincc --target '' -- fat host nfp rv32
asks spincc --target = h -- host
asks spincc '' -- a.c deeper
asks spincc -o '' -- a.spin b.spin 'with space.spin' a.c a.vec notes.txt trace.pcap deeper
asks spincc -Id -- -Ideeper
asks spincc -I d -- deeper
asks spincc -I deeper a -- a.c
asks spincc a.c -o x.spin --verb -- --verbose
# completion must be registered for both program names
for program in spinctl spincc; do
	bash -c ". '$COMPLETION/$program'; complete -p $program" | grep -q -- "-F _$program $program" ||
		fail "$program's completion is not registered"
done
exit $FAILED
