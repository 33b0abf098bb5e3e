#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl new NAME writes a handler (NAME.c) and a vector for it (NAME.vec, a test as text). Both must build and pass unchanged. An existing
# file is not overwritten, an invalid name is refused, and if one of the two files cannot be written, neither is left. Run by tests/run.
. "$(dirname "$0")/setup.inc"
cd "$WORK" || exit 1

for name in a counts_of_thing; do
	expect 0 "$SPINCTL" new "$name"
	says out "spinctl test $name.c"
	says out "spincc $name.c -o $name.spin"
	says out "spinctl run $name.spin --dev"
	grep -q NAME "$name.c" "$name.vec" && fail "NAME is left in the files"
	grep -q "SPIN_HANDLERS($name, " "$name.c" || fail "$name is not registered"
	# runs the first two commands that it prints
	PATH=$BUILD/bin:$PATH
	grep -E '^  (spinctl test|spincc) ' out >commands
	[ "$(wc -l <commands)" = 2 ] || fail "not two commands: $(cat out)"
	while read -r command; do
		expect 0 $command
		[ "$(id -u)" != 0 ] || [ ! -s err ] || fail "$command: $(cat err)"
	done <commands
	[ -f "$name.spin" ] || fail "no $name.spin"
done

# the templates themselves are a valid handler and vector
expect 0 "$SPINCTL" test "$ROOT/user/spinctl/templates/NAME.c" --engine host --engine model
says out "NAME: 1 of 1 vectors"

mkdir directory
for directory in directory directory/; do
	rm -f directory/*
	expect 0 "$SPINCTL" new apples --dir $directory
	says out "spinctl test directory/apples.c"
	[ -f directory/apples.c ] && [ -f directory/apples.vec ] || fail "no files in the directory"
done

# nothing is overwritten; if one of two files cannot be written, neither is
expect 1 "$SPINCTL" new apples --dir directory
says err "directory/apples.c is there already"
one_line
rm directory/apples.c
expect 1 "$SPINCTL" new apples --dir directory
says err "directory/apples.vec is there already"
[ -e directory/apples.c ] && fail "a handler without its vector was written"

for bad in 1apple a-b 'a b' ../a int spin_x sixteen_letters_ '' 'ä'; do
	expect 2 "$SPINCTL" new "$bad"
	one_line
done
expect 2 "$SPINCTL" new
expect 2 "$SPINCTL" new a b
expect 1 "$SPINCTL" new apples --dir nosuch
says err "cannot write nosuch/apples.c: No such file or directory"
one_line
"$SPINCTL" new pears >/dev/full 2>err
[ $? = 1 ] || fail "a full disk is not reported"

if [ "$(id -u)" = 0 ]; then
	mkdir full
	unshare -m sh -c 'mount -t tmpfs -o size=8k none full && head -c 4096 /dev/zero >full/a &&
		"$@" && exit 0; status=$?; ls full; exit $status' sh "$SPINCTL" new plums --dir full >out 2>err
	[ $? = 1 ] || fail "a full disk is not noticed"
	says err "No space left on device"
	grep -q plums out && fail "half a pair was left: $(cat out)"
	command -v setpriv >/dev/null && {
		chmod 755 "$WORK" && cp "$SPINCTL" "$WORK/spinctl"
		expect 1 setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all "$WORK/spinctl" new plums --dir "$WORK"
		says err "Permission denied"
		one_line
	}
fi
exit $FAILED
