#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Everything that comments and documents refer to must be in the tree: documents and their sections, pages, files, tests. Run by tests/run.
. "$(dirname "$0")/docs.inc"
cd "$ROOT" || exit 1

# Lists the tree's files, without build directories.
find . -path ./.git -prune -o -path './build*' -prune -o -path "./${BUILD#"$ROOT"/}" -prune -o -type f -print | sed 's|^\./||' | sort >"$WORK/files"
sed 's|.*/||' "$WORK/files" | sort -u >"$WORK/names"

# text: FILE, tab, a line of a comment or a document
grep -E '\.(c|h|S|ld|def)$' "$WORK/files" | xargs awk '
	FNR == 1 { inside = 0 }
	{
		line = $0
		text = ""
		while (line != "") {
			if (inside) {
				end = index(line, "*/")
				text = text " " (end ? substr(line, 1, end - 1) : line)
				line = end ? substr(line, end + 2) : ""
				inside = !end
			} else if ((start = index(line, "/*"))) {
				line = substr(line, start + 2)
				inside = 1
			} else {
				if ((start = index(line, "//")) && line !~ /"[^"]*\/\//)
					text = text " " substr(line, start + 2)
				line = ""
			}
		}
		if (text != "")
			print FILENAME "\t" text
	}' >"$WORK/text"
grep -E '\.(sh|inc|awk|mk|vec|target|lua)$|(^|/)(Makefile|run|boot|fetch|initramfs)$|packages\.txt$' "$WORK/files" | xargs awk '
	/^[ \t]*(#|--)/ && !/^#!/ { print FILENAME "\t" $0 }' >>"$WORK/text"
grep -E '\.(md|in)$|^user/spinctl/.*\.c$|^user/spincc/.*\.c$|^tests/kernels/run$' "$WORK/files" | xargs awk '
	{ gsub(/\\-/, "-"); print FILENAME "\t" $0 }' >"$WORK/documents"
cat "$WORK/text" "$WORK/documents" >"$WORK/all"
[ "$(wc -l <"$WORK/text")" -gt 9000 ] || fail "only $(wc -l <"$WORK/text") lines of comments are found"

# refer PATTERN FILE...: prints FILE, tab, and each match once
refer() {
	pattern=$1
	shift
	awk -F'\t' -v pattern="$pattern" '{
		line = substr($0, length($1) + 2)
		while (match(line, pattern)) {
			print $1 "\t" substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
		}
	}' "$@" | sort -u
}

# there NAME FROM: succeeds if a file or pattern exists, relative to the top, tests/, or the directory of FROM or its parent
there() {
	for base in '' tests/ "${2%/*}/" "${2%/*}/../"; do
		[ "$2" != "${2#*/}" ] || [ "$base" = "" ] || [ "$base" = tests/ ] || continue
		# shellcheck disable=SC2086 # a pattern
		for found in $base$1; do
			[ ! -e "$found" ] || return 0
		done
	done
	return 1
}

# References to private notes.
grep -nE '	.*\b(DESIGN|facts/)' "$WORK/all" | grep -v "^[0-9]*:tests/docs/references_exist.sh" | cut -c1-150 >"$WORK/notes"
[ ! -s "$WORK/notes" ] || fail "notes that are not in the tree are cited: $(head -n 3 "$WORK/notes")"

# documents
refer '[A-Za-z0-9_./-]*[A-Za-z0-9_]\\.md' "$WORK/all" >"$WORK/md"
[ "$(wc -l <"$WORK/md")" -gt 40 ] || fail "only $(wc -l <"$WORK/md") documents are named"
while read -r from name; do
	case $from,$name in tests/kernels/run,* | *,*work/table.md | handlers/README.md,../* | tests/rtl/README.md,docs/compile.md) continue ;; esac
	there "$name" "$from" || fail "$from names $name"
done <"$WORK/md"

# their sections, and those of pages: NAME, "SECTION" [and|to "SECTION"]...
# page NAME(N): prints its template, or the parts of it
page() {
	for part in user/man/"$(echo "$1" | sed 's/(\(.\))/.\1.in/')" user/man/"${1%(*}"/*.in; do
		[ ! -f "$part" ] || echo "$part"
	done
}
heading() { # DOCUMENT SECTION
	case $1 in
	*.md) grep -qE "^#+ $2\$" "$1" ;;
	*) page "$1" | xargs grep -qE "^\\.S[hs] \"?$2\"?\$" ;;
	esac
}
refer '[A-Za-z0-9_/-]*([A-Za-z0-9_]\\.md|[a-z]\\([1-8]\\)), "[^"]*"(,? ?(and|to)? "[^"]*")*' "$WORK/all" >"$WORK/sections"
[ "$(wc -l <"$WORK/sections")" -gt 15 ] || fail "only $(wc -l <"$WORK/sections") sections are named"
while IFS='	' read -r from what; do
	document=${what%%, \"*}
	case $document in *.md) [ -f "$document" ] || document=${from%/*}/$document ;; esac
	echo "${what#*, }" | grep -oE '"[^"]*"' | tr -d '"' >"$WORK/names_of_sections"
	while read -r section; do
		heading "$document" "$section" || fail "$from names a section of $document that is not there: $section"
	done <"$WORK/names_of_sections"
done <"$WORK/sections"

# pages
refer '(spin-[a-z]+|libspin|spinctl|spincc|hpu-run)\\([1-8]\\)' "$WORK/all" >"$WORK/pages"
while read -r from name; do
	[ -n "$(page "$name")" ] || fail "$from names $name, which is not a page"
done <"$WORK/pages"

# files, by path
refer '(bpf|handlers|hwmodel|kernel|tests|user)/[A-Za-z0-9_./*-]*\\.(cpp|c|h|S|def|sh|inc|awk|mk|ld|vec|target|golden|in|txt|lua)' "$WORK/text" >"$WORK/paths"
grep '\.md	' "$WORK/documents" >"$WORK/readmes"
refer '(bpf|handlers|hwmodel|kernel|tests|user)/[A-Za-z0-9_./*-]*\\.(cpp|c|h|S|def|sh|inc|awk|mk|ld|vec|target|golden|in|txt|lua)' "$WORK/readmes" >>"$WORK/paths"
[ "$(wc -l <"$WORK/paths")" -gt 60 ] || fail "only $(wc -l <"$WORK/paths") paths are named"
while read -r from path; do
	case $path in *NAME* | handlers/x.c | bpf/bpf_helpers.h | bpf/libbpf.h | kernel/bpf/*) continue ;; esac
	there "$path" "$from" || there "handlers/include/$path" . || there "hwmodel/include/$path" . || fail "$from names $path"
done <"$WORK/paths"

# headers of the API
refer '<(spin|hwmodel|pspin)/[a-z0-9_/]*\\.h>' "$WORK/all" | tr -d '<>' >"$WORK/headers"
while read -r from header; do
	[ -f "handlers/include/$header" ] || [ -f "hwmodel/include/$header" ] || [ -f "user/libspin/include/$header" ] ||
		fail "$from names <$header>"
done <"$WORK/headers"

# tests, by group and name; patterns of vectors
refer '`(unit|core|model|messages|live|transfer|cli|cost|docs|fuzz|diagnostics|install|vectors)/[a-z0-9_/*]+' "$WORK/readmes" | tr -d '`' >"$WORK/tests"
while read -r from name; do
	[ "$from,$name" = tests/rtl/README.md,docs/compile ] || there "$name" "$from" || there "$name.*" "$from" || fail "$from names the test $name"
done <"$WORK/tests"

# files in the READMEs, by their name alone
refer '`[a-z0-9_*]+\\.(c|h|S|def|sh|awk|ld|bpf\\.c)`' "$WORK/readmes" | tr -d '`' >"$WORK/alone"
while read -r from name; do
	case $name in fruit.* | mine.* | handler.h | libspin_hpu.h) continue ;; esac
	grep -qx "$(echo "$name" | sed 's/\./\\./g; s/\*/.*/g')" "$WORK/names" || fail "$from names a file $name"
done <"$WORK/alone"

# files in comments of C, by name, in any directory
refer '(^|[^A-Za-z0-9_./-])[a-z0-9_]+(\\.bpf|\\.host)?\\.[chS]($|[^a-z0-9_(>-])' "$WORK/text" | sed 's/	[^a-z0-9_]/	/; s/[^chS]$//' >"$WORK/named"
[ "$(wc -l <"$WORK/named")" -gt 100 ] || fail "only $(wc -l <"$WORK/named") files are named in comments"
while read -r from name; do
	case $name in mine.h | source.c | file.c | libelf.h) continue ;; esac # users' files, other projects' files
	grep -qxF "$name" "$WORK/names" || fail "$from names a file $name"
done <"$WORK/named"
exit $FAILED
