#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Files that commands write: links that another user may have made are not followed, a replaced file keeps its mode, and
# the next command removes what a killed command left in TMPDIR, or beside its output. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
skip_unless_root
make_nics
in_ns ip link set lo up
cd "$WORK" || exit 1
# writable for all, but not sticky: in a sticky directory fs.protected_symlinks would make the kernel refuse the links
mkdir shared && chmod 777 shared
echo precious >victim

untouched() { # WHAT
	[ "$(cat victim)" = precious ] || fail "$1: the file behind the link was written"
	echo precious >victim
}

# --- outputs: a link to an existing file, and a dangling link
for target in victim nowhere; do
	ln -sf ../$target shared/out
	expect 1 in_ns "$SPINCTL" record "$OBJECT" --dev lo --mode generic -o shared/out --duration 0.1
	says err "is a symbolic link in a directory that others may write to"
	untouched record
	expect 1 "$SPINCTL" cost "$OBJECT" --datagrams 4 --trace shared/out
	says err "is a symbolic link in a directory that others may write to"
	untouched cost
	[ ! -e nowhere ] || fail "a file was made behind a link"
done
# in a directory of one's own a link is followed, and so is a link of the system
ln -s victim mine
expect 0 "$SPINCTL" cost "$OBJECT" --datagrams 4 --trace mine
[ -h mine ] && [ "$(head -c 8 victim)" != precious ] || fail "a link of one's own is not followed"
expect 0 "$SPINCTL" cost "$OBJECT" --datagrams 4 --trace /dev/stdout
echo precious >victim

# --- ready file: the link is made after the old one was removed, while the command waits for its table
mkfifo table
nsenter --net="/run/netns/$NS" "$SPINCTL" run "$OBJECT" --dev lo --mode generic --interval 0 --duration 60 \
	--insert-from routes=table --ready-file shared/ready >run.out 2>run.err &
RUN=$!
# opening it for writing waits until the command reads
{ ln -s ../victim shared/ready; } >table
wait $RUN
status=$?
[ $status = 1 ] || fail "run: status $status with a link for a ready file"
grep -q 'somebody made another file or a link there' run.err || fail "run says: $(cat run.err)"
untouched "ready file"
# an existing link is removed
ln -sf ../victim shared/ready
expect 0 in_ns "$SPINCTL" run "$OBJECT" --dev lo --mode generic --interval 0 --duration 0.01 --ready-file shared/ready
[ -f shared/ready ] && [ ! -h shared/ready ] || fail "the ready file is still a link"
untouched "an older link"

# --- modes
for mode in 600 640 666; do
	echo old >kept && chmod $mode kept
	expect 0 in_ns "$SPINCTL" record "$OBJECT" --dev lo --mode generic -o kept --duration 0.01
	[ "$(stat -c %a kept)" = $mode ] || fail "a file of mode $mode has $(stat -c %a kept) when it was replaced"
done

# --- TMPDIR: remains of a killed command, and other files
export TMPDIR="$WORK/tmp"
mkdir "$TMPDIR"
cp "$ROOT/handlers/filtering.c" .
setsid "$SPINCTL" replay kept --handler filtering.c --engine model >out 2>err &
pid=$!
i=0
while [ -z "$(ls -A "$TMPDIR")" ] && [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.02; done
left=$(ls -A "$TMPDIR")
[ "$left" ] || fail "no directory in TMPDIR is seen: $(cat err)"
# a directory of a live process stays, however old; so do those with another name, or of another user
mkdir "$TMPDIR/spinctl-notours" "$TMPDIR/spinctl-abcdef" "$TMPDIR/spinctl-others"
chmod 700 "$TMPDIR"/spinctl-*
chown 65534 "$TMPDIR/spinctl-others"
kill -STOP $pid
touch -d '1 hour ago' "$TMPDIR"/spinctl-*
expect 0 "$SPINCTL" replay kept --handler filtering.c --engine model
[ -d "$TMPDIR/$left" ] || fail "the directory of a command that runs was removed"
[ ! -d "$TMPDIR/spinctl-abcdef" ] || fail "a directory that was left is there still"
[ -d "$TMPDIR/spinctl-others" ] || fail "a directory of another user was removed"
[ -d "$TMPDIR/spinctl-notours" ] || fail "a directory that is none of ours was removed"
env kill -9 -- -$pid
wait $pid 2>/dev/null
touch -d '1 hour ago' "$TMPDIR/$left"
expect 0 "$SPINCTL" replay kept --handler filtering.c --engine model
[ ! -d "$TMPDIR/$left" ] || fail "the directory of a killed command is there still"

# --- the same for spincc, whose directory is next to its output
mkdir built
setsid "$BUILD/bin/spincc" --no-verify filtering.c -o built/filtering.spin 2>err &
pid=$!
i=0
while [ -z "$(ls -A built)" ] && [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.02; done
left=$(ls -A built)
env kill -9 -- -$pid
wait $pid 2>/dev/null
[ -d "built/$left" ] || fail "no directory of spincc is seen: $(cat err)"
touch -d '1 hour ago' "built/$left"
expect 0 "$BUILD/bin/spincc" --no-verify filtering.c -o built/filtering.spin
[ "$(ls -A built)" = filtering.spin ] || fail "spincc left: $(ls -A built)"
exit $FAILED
