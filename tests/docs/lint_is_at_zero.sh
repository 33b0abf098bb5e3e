#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# cppcheck and clang's analyzer must find nothing in host code. `make lint` does the same, but explores more states of each function.
# Run by tests/run.
set -eu
for tool in "${CLANG:-clang}" cppcheck; do
	command -v "$tool" >/dev/null || { echo "skip: no $tool"; exit 77; }
done
cd "$(dirname "$0")/../.."
exec make --no-print-directory -j"$(nproc)" LINT_NODES=75000 lint
