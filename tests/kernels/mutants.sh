#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Tests tests/kernels/run with known faults, which once kept programs from loading on Debian's kernels.
# mutants.sh [-n] [A|B|C|D|F|G|H|I]...
#
# Puts each fault (one line of C, below) into a clone of the committed tree. `tests/kernels/run` must then report a program that does not
# load as expected. Takes minutes per fault; run by hand, not part of make check. Exits with 1 if a fault is not detected, 77 if guests
# cannot run. -n: only tests that the tree still has each line (tests/docs/faults_apply.sh).
set -u
cd "$(dirname "$0")/../.." || exit 1

# fault LETTER WHAT FILE SED-EXPRESSION KERNEL OBJECT...
faults() {
	fault A "byte swaps lose their bounds" handlers/include/spin/target/view.h \
		's/return spin_barrier_var_(spin_ntoh16(length)) & 0xffff;/return spin_ntoh16(length);/' 6.1 empty filtering
	fault B "the probe for may_goto has an offset of 0" kernel/probe_bpf.c \
		'/0xe0 \/\* BPF_JCOND/s/0, 0, 1, 0)/0, 0, 0, 0)/; /XDP_DROP), *$/{/BPF_MOV/d;}' 6.12 empty pingpong
	fault C "lengths for helpers are tested as n - 1" handlers/include/spin/target/verifier.h \
		's/uint32_t less = spin_barrier_var_(n - 1);/uint32_t less = n - 1;/; s/return less < max ? spin_barrier_var_(less) + 1 : 0;/return less < max ? n : 0;/' \
		6.1 empty act_device_d
	fault D "the tap tests only that its length is not 0" bpf/tap.h \
		's/spin_bounded_length(frame_bytes, bytes);/frame_bytes < bytes ? frame_bytes : bytes;/' 6.1 empty
	fault F "walks over a payload are followed to the end of the longest packet" handlers/include/spin/target/bpf.h \
		's/SPIN_DIRECT_BYTES_MAX SPIN_LINEAR_BYTES_MAX/SPIN_DIRECT_BYTES_MAX 65535u/' 6.1 walk
	fault G "lengths for helpers have no mask in the isolated class" handlers/include/spin/target/verifier.h \
		's/return (spin_barrier_var_(n - 1) & (max - 1)) + 1;/return n;/' 6.12 empty
	fault H "the compiler joins paths where a pointer is NULL with others before its test" user/spincc/build.c \
		's/if (registration.delivery != SPIN_DELIVER_ME)$/if (0)/' 6.12 returns
	fault I "pointers are spilled with bounds that contradict each other" user/libspin/load/pointer_bounds.c \
		's/return insn->code == SPILL \&\& .*/return 0;/' 6.12-bpo empty
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
only_apply=
[ "${1:-}" != -n ] || { only_apply=1 && shift; }
wanted=" ${*:-A B C D F G H I} "
failed=0

fault() {
	letter=$1 what=$2 file=$3 expression=$4 kernel=$5
	shift 5
	case $wanted in *" $letter "*) ;; *) return ;; esac
	if [ "$only_apply" ]; then
		sed "$expression" "$file" >"$work/changed" || exit 1
		if cmp -s "$work/changed" "$file"; then
			echo "FAIL  $letter  $file no longer has the line that $what"
			failed=1
		fi
		return
	fi
	tree=$work/$letter
	git clone -q . "$tree" && sed -i "$expression" "$tree/$file" || exit 1
	if git -C "$tree" diff --quiet; then
		echo "FAIL  $letter  $file no longer has the line that $what"
		failed=1
		return
	fi
	objects=$(for object; do
		[ ! -e "handlers/$object.c" ] || echo "build/handlers/$object.spin"
		ls tests/handlers/*/"$object.c" >/dev/null 2>&1 && echo "build/tests/handlers/$object.spin"
	done)
	# shellcheck disable=SC2086
	if ! make -C "$tree" -j"$(nproc)" -k build/guest/loader $objects >"$work/make" 2>&1; then
		# this machine's own kernel refuses it, which also counts as noticed
		echo "ok    $letter  $what: does not build"
		grep 'spincc:\|error:' "$work/make" | sed 's/^/      | /'
		return
	fi
	rc=0
	(cd "$tree" && tests/kernels/run --kernel "$kernel" "$@") >"$work/out" 2>&1 || rc=$?
	if [ "$rc" = 77 ]; then
		cat "$work/out"
		exit 77
	elif [ "$rc" != 0 ] && grep -q '^breaks:' "$work/out"; then
		echo "ok    $letter  $what: kernel $kernel breaks"
	else
		echo "FAIL  $letter  $what: goes unnoticed"
		failed=1
	fi
	sed 's/^/      | /' "$work/out"
}

faults
exit $failed
