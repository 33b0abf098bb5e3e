#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `spinctl test`, which runs vectors (packets and expected results, as text) on a handler: they must pass on all engines, differences must
# be described, engines that disagree must be reported, and nothing may be left behind. Run by tests/run.
. "$(dirname "$0")/setup.inc"
export TMPDIR="$WORK/tmp"
mkdir "$TMPDIR" || exit 1
cd "$WORK" || exit 1

nothing_left() {
	[ -z "$(ls -A "$TMPDIR")" ] || fail "$1: left in TMPDIR: $(ls "$TMPDIR")"
}

if [ "$(id -u)" = 0 ]; then
	engines="host bpf isolated model"
else
	engines="host model"
fi

# this repository's vectors are found for handlers/NAME.c
expect 0 "$SPINCTL" test "$ROOT/handlers/filtering.c"
says out "hit_rewrites_the_port.vec  $engines"
says out "filtering: 16 of 16 vectors as expected on $engines"
if [ "$(id -u)" != 0 ]; then
	says err "skipped: bpf: running handlers in the kernel needs root"
	expect 1 "$SPINCTL" test "$ROOT/handlers/filtering.c" --engine bpf
	says err "--engine bpf: running handlers in the kernel needs root"
	one_line
fi
nothing_left "a source"

# next to the handler: NAME.vec, and tests/vectors/NAME/
expect 0 "$SPINCTL" new apples
mkdir -p tests/vectors/apples
cp apples.vec tests/vectors/apples/again.vec
expect 0 "$SPINCTL" test apples.c --engine host --engine model
says out "ok    apples.vec  host model"
says out "ok    tests/vectors/apples/again.vec  host model"
says out "2 of 2 vectors as expected on host model"
[ -s err ] && fail "messages for engines that nobody asked for: $(cat err)"
for macro in -Dkind=if '-D kind=if'; do
	expect 1 "$SPINCTL" test apples.c --engine host $macro
	says err "apples.c"
done
expect 0 "$SPINCTL" test apples.c --engine host -I . -D OTHER_WORD=1
expect 1 "$SPINCTL" test apples.c tests/vectors --engine host
says err "has no *.vec"
expect 0 "$SPINCTL" test apples.c tests/vectors/apples/ --engine host
says out "1 of 1 vectors"
rm -r tests

# differences are named
differs() { # SED-EXPRESSION REASON...: apples.vec with one expectation changed
	sed "$1" apples.vec >changed.vec
	shift
	cmp -s apples.vec changed.vec && fail "the vector was not changed"
	expect 1 "$SPINCTL" test apples.spin changed.vec --engine model
	says out "FAIL  changed.vec"
	for reason; do
		says out "$reason"
	done
}
expect 0 "$SPINCC" --no-verify apples.c -o apples.spin
second=$(grep -n '^packet' apples.vec | sed -n '2s/:.*//p')
differs '/bytes=12/s/12/13/' "model: changed.vec:$second: packet 2" 'spin_state.kind[97].bytes 12, expected 13'
differs '0,/expect pass success/s//expect drop dropped/' \
	'pass success (handled; a datagram is delivered to the host), expected drop dropped (dropped by the payload handler)'
differs '0,/^  unchanged/s//  eth 02:00:00:00:00:01 > 02:00:00:00:00:02\n  ip4 10.0.0.7 > 10.0.0.2\n  udp 4000 > 9\n  text appld/' \
	'IPv4 source              10.0.0.1, expected 10.0.0.7' 'UDP destination port     9000, expected 9' \
	'got       61 70 70 6c 65' 'expected  61 70 70 6c 64'
grep -q '^ *^$' out || fail "the byte that differs is not marked"
differs '0,/^  unchanged/s//  eth 02:00:00:00:00:01 > 02:00:00:00:00:02\n  ip6 fd00::1 > fd00::2\n  udp 1 > 2/' \
	'Ethernet type            0x0800, expected 0x86dd' 'IPv6 source              none, expected fd00::1' \
	'frame length             47 bytes, expected 62 bytes'

# JSON reports the same
expect 1 "$SPINCTL" test apples.spin changed.vec --engine model --json
says out '"what": "Ethernet type"'
says out '"passed": 0'
expect 0 "$SPINCTL" test apples.spin --engine model --json
says out '"result": "as_expected"'
says out '"failed": 0'

# an object may come from an untrusted source: by default it only runs on the model, and nothing in the directory is compiled
expect 0 "$SPINCTL" test apples.spin
says out "vectors as expected on model"
says err "skipped: host: programs that were not compiled by this command run on the model of the HPU alone"
says err "--trust"
for engine in host bpf isolated; do
	expect 1 "$SPINCTL" test apples.spin --engine $engine
	[ "$engine" != host ] && [ "$(id -u)" != 0 ] || says err "if you trust whoever made them, --trust"
done

# the host build of an object is compiled from the source next to it: a newer source may disagree
sed -i 's/p->length)/p->length + 1)/' apples.c
touch -d '1 minute' apples.c
expect 1 "$SPINCTL" test apples.spin --engine host --engine model --trust
says err "apples.c is newer than apples.spin"
says out "model: as expected"
says out "spin_state.kind[97].bytes 6, expected 5"
says out "The engines disagree with each other"
echo 'no C' >apples.c
expect 0 "$SPINCTL" test apples.spin --trust
says err "skipped: host: the source beside the object does not compile"
expect 1 "$SPINCTL" test apples.spin --engine host --trust
rm apples.c
expect 0 "$SPINCTL" test apples.spin --trust
says err "skipped: host: it is made of the source, and there is none beside the object"
expect 1 "$SPINCTL" test apples.spin --engine host --trust
says err "none beside the object"
one_line

# bad input
expect 2 "$SPINCTL" test
expect 2 "$SPINCTL" test apples.spin --engine qemu
says err "one of: host, bpf, isolated, model"
one_line
expect 1 "$SPINCTL" test nosuch.c
says err "cannot open nosuch.c: No such file or directory"
one_line
expect 1 "$SPINCTL" test apples.vec
says err "give a handler's source (NAME.c) or what spincc made of it (NAME.spin)"
one_line
expect 1 "$SPINCTL" test apples.spin nosuch.vec --engine model
says err "cannot open nosuch.vec"
echo text >text.spin
expect 1 "$SPINCTL" test text.spin
says err "not a fat object"
one_line
cp apples.spin pears.spin
expect 1 "$SPINCTL" test pears.spin --engine model
says err "pears has no vectors: write pears.vec"
one_line
expect 1 "$SPINCTL" test apples.spin "$ROOT/tests/vectors/walk/padding_is_not_payload.vec" --engine model
says out "it is for handler walk, this is apples"
printf 'handler apples\nfrobnicate\n' >bad.vec
expect 1 "$SPINCTL" test apples.spin bad.vec --engine model
says out "bad.vec:2: 'frobnicate' before the first packet"
says out "apples: 0 of 1 vectors as expected; no engine has run one"
{
	printf '\033]0;title\007\233\177'
	head -c 100 /dev/zero | tr '\0' '\1'
} >noise.vec
expect 1 "$SPINCTL" test apples.spin noise.vec --engine model
says out "noise.vec:1: '\x1b]0;title\x07\x9b\x7f\x01"
LC_ALL=C grep -q '[^[:print:]]' out && fail "a vector's bytes reach the terminal: $(od -c out | head -n 5)"
[ "$(wc -c <out)" -lt 300 ] || fail "all of a word that is none is printed: $(cat out)"
expect 1 "$SPINCTL" test apples.spin noise.vec --engine model --json
says out '"why": "noise.vec:1: '"'"'\\x1b]0;title\\x07'
printf '#include <spin/spin.h>\nSPIN_NO_STATE;\nstatic int x = y;\nSPIN_HANDLERS(broken);\n' >broken.c
expect 1 "$SPINCTL" test broken.c
says err "broken.c:3"
nothing_left "a source that does not compile"
expect 1 env TMPDIR=/nosuch "$SPINCTL" test broken.c
says err "set TMPDIR"
"$SPINCTL" test apples.spin --engine model >/dev/full 2>err
[ $? = 1 ] || fail "a full disk is not reported"
says err "cannot write the output"
{ "$SPINCTL" test apples.spin --engine model --json 2>err; echo $? >status; } | :
[ "$(cat status)" = 1 ] && says err "cannot write the output"

# a signal while the compiler runs must end the command and leave nothing
expect 0 "$SPINCTL" new plums
for signal in INT TERM; do
	env --default-signal=INT "$SPINCTL" test plums.c >out 2>err &
	pid=$!
	i=0
	while [ -z "$(ls -A "$TMPDIR")" ] && [ $i -lt 100 ]; do
		i=$((i + 1))
		sleep 0.02
	done
	kill -s $signal $pid
	wait $pid
	status=$?
	[ $status = 130 ] || [ $status = 143 ] || fail "SIG$signal: status $status"
	nothing_left "SIG$signal"
done

# the disk fills up while compiling
if [ "$(id -u)" = 0 ]; then
	unshare -m sh -c 'mount -t tmpfs -o size=40k none "$TMPDIR" && "$@"' sh "$SPINCTL" test plums.c >out 2>err
	[ $? = 1 ] || fail "a full disk is not reported"
	[ -s err ] || fail "no message about the full disk"
fi
exit $FAILED
