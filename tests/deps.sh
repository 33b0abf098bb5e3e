#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Installs what packages.txt lists and this machine lacks: by apt as root, else says what to install.
set -eu
cd "$(dirname "$0")/.."

missing=$(sed 's/#.*//' packages.txt | while read -r package files; do
	[ -n "$package" ] || continue
	found=
	for file in $files; do
		[ -e "$file" ] && found=1
	done
	[ -n "$found" ] || printf '%s ' "$package"
done)
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
	echo "deps: no apt-get here. Install these (Debian's names) by your own means: $missing" >&2
	exit 1
fi
if [ "$(id -u)" != 0 ]; then
	echo "deps: not root. Run: apt-get install $missing" >&2
	exit 1
fi
echo "deps: installing $missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
if ! { apt-get update -q && apt-get install -q -y --no-install-recommends $missing; } >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo "deps: apt-get failed; mend what it says above and run make deps again" >&2
	exit 1
fi
