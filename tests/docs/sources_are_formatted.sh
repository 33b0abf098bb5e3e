#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Every source must be formatted by clang-format (.clang-format; handlers are formatted by hand). `make fmt` fixes it. Run by tests/run.
set -eu
command -v clang-format >/dev/null || { echo "skip: no clang-format"; exit 77; }
case $(clang-format --version) in
*' version 14.'*) ;;
*) echo "skip: .clang-format is for clang-format 14, whose output other versions change"; exit 77 ;;
esac
cd "$(dirname "$0")/../.."
exec make --no-print-directory fmt-check
