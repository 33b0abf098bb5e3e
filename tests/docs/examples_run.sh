#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Every example of spinctl(8), spincc(1) and hpu-run(1) must run unchanged and succeed. Run by tests/run.
. "$(dirname "$0")/docs.inc"
cd "$WORK" || exit 1

# Writes each display of EXAMPLES to its own file.
split_examples() { # PAGE
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$MAN/$1" | unescape | awk -v page="$1" '
		/^\.Bd -literal/ { file = sprintf("example.%s.%02d", page, ++n); next }
		/^\.Ed/ { file = ""; next }
		file { print >file }'
}
split_examples spinctl.8
split_examples spincc.1
split_examples hpu-run.1
ls example.spincc.1.* example.spinctl.8.* example.hpu-run.1.* >/dev/null || fail "no examples in the pages"
# each command must have one, except help
for command in $(commands_in_help | grep -vx help); do
	grep -lE "(^| )spinctl $command( |\$)" example.spinctl.8.* >/dev/null || fail "spinctl $command has no example"
done
skip_unless_root

make_world
start_spind 'interfaces lo'
mkdir bin && cp "$BUILD/tests/tools/udp_server" bin/my-server
PATH=$BUILD/bin:$WORK/bin:$PATH
for example in example.*; do
	make_directory "$example.d"
	# runs a context for the commands that read one
	looks_at=
	if grep -q "^spinctl dump" "$example"; then
		nsenter --net="/run/netns/$NS" "$SPINCTL" run "$BUILD/handlers/reduce.spin" --dev eth0 \
			--match "udp dport 9330" --host-kib 8 --ready-file "$WORK/up" >"$WORK/run" 2>&1 &
		looks_at=$!
		until [ -e "$WORK/up" ] || ! kill -0 "$looks_at" 2>/dev/null; do sleep 0.2; done
	fi
	run_example() {
		(cd "$example.d" && in_ns timeout 900 sh -e "../$example") >"$WORK/out" 2>"$WORK/err" </dev/null
	}
	if grep -qE "^spinctl (list|top|stop|swap|state|table)" "$example"; then
		with_server run_example
	else
		run_example
	fi
	status=$?
	[ $status = 0 ] || fail "status $status: $(cat "$example"): $(tail -n 5 "$WORK/err" "$WORK/out")"
	[ -z "$looks_at" ] || { kill "$looks_at" && wait "$looks_at"; rm -f "$WORK/up"; }
	rm -rf "$example.d"
done
exit $FAILED
