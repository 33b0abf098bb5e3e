#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Errors that only the kernel's verifier finds must be reported with one reason and the handler's line.
. "$(dirname "$0")/refused.lib.sh"
[ "$(id -u)" = 0 ] || skip "needs root: it asks the kernel's verifier"
refuse verifier 15
exit $FAILED
