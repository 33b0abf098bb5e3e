#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# systemd must accept spind's units as they are installed: known words, values of the right kind, programs that exist. Run by tests/run.
. "$(dirname "$0")/install.inc"
command -v systemd-analyze >/dev/null || skip "no systemd-analyze (package systemd)"
install_for_use
units=$PREFIX/lib/systemd/system

# verify UNIT...: every line about these units, and a status other than 0, is a failure. It also reads units of this machine, which are not
# tested. --man=no: the pages are not in man's path
verify() {
	SYSTEMD_UNIT_PATH=$units: SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --man=no "$@" >"$WORK/verify" 2>&1
	status=$?
	grep 'spind\.' "$WORK/verify" || [ $status = 0 ] || head -n 5 "$WORK/verify"
}

[ -f "$units/spind.service" ] && [ -f "$units/spind.socket" ] || fail "no units in $units"
told=$(verify "$units/spind.service" "$units/spind.socket")
[ -z "$told" ] || fail "systemd-analyze: $told"

# a unit with an unknown word must be found, or the check above says nothing
sed -i 's/^KillMode=/KillModus=/' "$units/spind.service"
told=$(verify "$units/spind.service")
case $told in *KillModus*) ;; *) fail "an unknown word is not found: $told" ;; esac
exit $FAILED
