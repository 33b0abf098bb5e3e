#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The faults that tests/kernels/mutants.sh puts into the tree must be possible: each changes a line that is still there. Without it a fault
# whose line was rewritten would be noticed only by who runs mutants.sh, which takes an hour. Run by tests/run.
cd "$(dirname "$0")/../.." && exec tests/kernels/mutants.sh -n
