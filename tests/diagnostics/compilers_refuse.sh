#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Errors that spincc finds without the kernel must be reported with one reason and the handler's line.
. "$(dirname "$0")/refused.lib.sh"
refuse compiler 50
exit $FAILED
