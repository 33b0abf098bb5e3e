# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Sourced: handlers that spincc must refuse. The faulty line of each source below refused/ ends with
#
#   // compiler: REASON     spincc says so, as "FILE:LINE: REASON", on any machine
#   // verifier: REASON     as root, because only the kernel's verifier finds it
#   // isolated: REASON     as root; the kernel refuses it in the isolated class only
#   // card: REASON         with --target nfp, on any machine; without it they are compiled
#
. "$(dirname "$0")/../cli/setup.inc"
SOURCES=$ROOT/tests/diagnostics/refused
LOG=" (--verifier-log shows the whole log)"

# reason KIND: what is expected of source.c, as spincc should print it
reason() {
	case $1 in
	verifier) suffix=$LOG class= ;;
	isolated) suffix=$LOG class='in the isolated class (without CAP_PERFMON) ' ;;
	*) suffix= class= ;;
	esac
	sed -n "s|.* // $1: ||p" source.c | while read -r words; do
		echo "source.c:$(grep -n " // $1: " source.c | cut -d : -f 1): $class$words$suffix"
	done
}

# as_expected KIND: succeeds if stderr is that line and nothing else
as_expected() {
	reason "$1" >expected
	[ "$(wc -l <expected)" = 1 ] && cmp -s expected err
}

# refuse KIND COUNT: spincc must refuse every source of that kind; there are at least COUNT
refuse() {
	count=0
	options=
	[ "$1" != card ] || options="--target nfp --no-verify"
	for file in "$SOURCES"/*/*.c; do
		grep -q " // $1: " "$file" || continue
		count=$((count + 1))
		rm -rf "$WORK/case"
		mkdir -p "$WORK/case/tmp"
		cd "$WORK/case" || exit 1
		cp "$file" source.c
		TMPDIR=$WORK/case/tmp "$SPINCC" $options source.c -o source.spin >out 2>err
		rc=$?
		drop_progress err
		[ $rc = 1 ] || fail "$file: status $rc instead of 1: $(head -c 300 err)"
		as_expected "$1" || fail "$file: it says '$(head -n 5 err)' instead of '$(cat expected)'"
		[ -s out ] && fail "$file: something on stdout: $(head -n 1 out)"
		left=$(find . ! -name . ! -name source.c ! -name err ! -name out ! -name expected ! -name tmp)
		[ -z "$left" ] || fail "$file: left behind: $left"
		# tests this test: another line number or another word must be noticed
		sed -i '1s/^/\n/' source.c
		as_expected "$1" && fail "$file: the line that is named does not matter"
		sed -i "1d; s|// $1: .|&x|" source.c
		as_expected "$1" && fail "$file: the reason does not matter"
	done
	cd / || exit 1
	echo "$count handlers"
	[ "$count" -ge "$2" ] || fail "only $count handlers of kind '$1' in $SOURCES"
}
