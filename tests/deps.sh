#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Installs the packages in packages.txt that this machine lacks: with apt as root, otherwise prints what to install.
# Run by `make deps`, and by the Makefile before a build.
#
#	--missing  prints what the build lacks, and installs nothing
#
# A file that is not at Debian's path may be elsewhere: programs in PATH or named by CC, CLANG, RISCV_CC or PKG_CONFIG, headers in the
# compiler's search path. Only missing files are searched for, so this takes no time if nothing is missing.
set -eu
cd "${0%/*}/.."

# is_elsewhere PACKAGE FILE: succeeds if the file exists in another place
is_elsewhere() {
	case $1 in
	gcc) set -- "$1" "${CC:-gcc}" ;;
	clang) set -- "$1" "${CLANG:-clang}" ;;
	gcc-riscv64-unknown-elf) set -- "$1" "${RISCV_CC:-riscv64-unknown-elf-gcc}" ;;
	pkgconf) set -- "$1" "${PKG_CONFIG:-pkg-config}" ;;
	esac
	case $2 in
	/usr/include/*) "${CC:-gcc}" -E -include "${2#/usr/include/}" -x c /dev/null >/dev/null 2>&1 ;;
	*) command -v "$2" >/dev/null || command -v "${2##*/bin/}" >/dev/null || command -v "${2##*/sbin/}" >/dev/null ;;
	esac
}

# missing [SECTION]: prints the names of missing packages
missing() {
	section=
	while read -r package files; do
		case $package in
		'' | '#'*) continue ;;
		*:)
			section=${package%:}
			continue
			;;
		esac
		[ -z "${1:-}" ] || [ "$section" = "$1" ] || continue
		found=
		for file in $files; do
			[ ! -e "$file" ] || found=1
		done
		[ -n "$found" ] || is_elsewhere "$package" "${files%% *}" || printf '%s ' "$package"
	done <packages.txt
}

if [ "${1:-}" = --missing ]; then
	missing build
	exit
fi
missing=$(missing)
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
