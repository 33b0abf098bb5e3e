#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Installs and uninstalls sPIN; run by make (user/install.mk, which describes the rows). install: copies the files of the rows
# MODE|FROM|TO on stdin to $DESTDIR, and notes every file and every new directory in $MANIFEST. uninstall: removes what the manifest lists.
set -eu
umask 022
manifest=$DESTDIR$MANIFEST

directory() {
	[ -d "$DESTDIR$1" ] && return
	directory "$(dirname "$1")"
	mkdir "$DESTDIR$1"
	made="$made${made:+
}dir $1"
}

# Notes a file and the directories just made for it. Called before the file is written, so that uninstall also removes what an interrupted
# install has left.
note() {
	printf '%s\n' ${made:+"$made"} "file $1" >>"$manifest"
	made=
}

# Prints a path for libspin.pc: relative to ${prefix} if it lies below it.
by_prefix() {
	case $1 in
	"$PREFIX"/*) printf '${prefix}%s' "${1#"$PREFIX"}" ;;
	*) printf '%s' "$1" ;;
	esac
}

put() {
	case $1 in
	link)
		rm -f "$DESTDIR$3"
		ln -s "$2" "$DESTDIR$3"
		;;
	pc)
		sed -e "s|@PREFIX@|$PREFIX|" -e "s|@LIBDIR@|$(by_prefix "$LIBDIR")|" \
			-e "s|@INCLUDEDIR@|$(by_prefix "$INCLUDEDIR")|" -e "s|@VERSION@|$VERSION|" "$2" >"$DESTDIR$3"
		chmod 644 "$DESTDIR$3"
		;;
	bindir)
		sed -e "s|@BINDIR@|$BINDIR|" "$2" >"$DESTDIR$3"
		chmod 644 "$DESTDIR$3"
		;;
	*) install -m "$1" "$2" "$DESTDIR$3" ;;
	esac
}

case $1 in
install)
	case $PREFIX in
	/*) ;;
	*)
		echo "install: PREFIX=$PREFIX is not an absolute path: give one that starts with /" >&2
		exit 1
		;;
	esac
	[ -z "$DESTDIR" ] || mkdir -p "$DESTDIR"
	made=
	directory "$(dirname "$MANIFEST")"
	note "$MANIFEST"
	while IFS='|' read -r mode from to; do
		directory "$(dirname "$to")"
		note "$to"
		put "$mode" "$from" "$to"
	done
	sort -u -o "$manifest" "$manifest"
	;;
uninstall)
	if [ ! -f "$manifest" ]; then
		echo "uninstall: no $manifest, so nothing is installed there; PREFIX and DESTDIR as for make install?" >&2
		exit 1
	fi
	rows=$(cat "$manifest")
	printf '%s\n' "$rows" | sed -n 's/^file //p' | while IFS= read -r path; do
		rm -f "$DESTDIR$path"
	done
	# the deepest directory first; one that has other files stays
	printf '%s\n' "$rows" | sed -n 's/^dir //p' | sort -r | while IFS= read -r path; do
		[ ! -d "$DESTDIR$path" ] || rmdir --ignore-fail-on-non-empty "$DESTDIR$path"
	done
	;;
esac
