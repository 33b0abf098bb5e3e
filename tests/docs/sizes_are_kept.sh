#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Size limits for readability: no file of more than 700 lines, no directory of more than 40 files, no source without an opening comment. In
# .c and .S files it follows the licence line; in a header it precedes the first line of code; in a script, the first command.
# Run by tests/run.
set -eu
cd "$(dirname "$0")/../.."
status=0

# Does not use git, because the tree may be an archive. Vectors are data, one per file.
files() {
	find . -type f ! -path './.git/*' ! -path './build*' ! -path './compile_commands.json' ! -path './.run/*' | sed 's|^\./||'
}

long=$(files | grep -vE '\.(vec|png|pcap|spinrec)$' | xargs wc -l | awk '$1 > 700 && $2 != "total" { print $2 ": " $1 " lines, 700 are the most" }')
crowded=$(files | awk '{ sub(/\/?[^\/]*$/, ""); n[$0]++ } END { for (d in n) if (n[d] > 40) print d "/: " n[d] " files, 40 are the most" }')
silent=$(files | grep -E '\.[chS]$' | xargs awk '
	FNR == 1 { said = decided = 0 }
	decided { next }
	FNR == 2 && FILENAME ~ /\.[cS]$/ && !/^(\/\*|\/\/|#[ \t])/ { decided = 1; print FILENAME ": line 2 does not begin to say what it is"; next }
	# a comment with words, other than the licence
	/^(\/\*|\/\/|#[^a-z]| \*)/ && !/SPDX/ && /[a-z][a-z]/ { decided = 1; next }
	/^[ \t]*$/ || /^#/ || /SPDX/ || /^\/\*$/ || /^ \*\/?$/ { next }
	{ decided = 1; print FILENAME ": its opening lines do not say what it is" }')
wordless=$(files | grep -E '\.(sh|awk|inc)$|(^|/)Makefile$' | xargs awk '
	FNR == 1 { decided = 0 }
	decided { next }
	/^#!/ || /SPDX/ || /^[ \t]*$/ || /^#$/ { next }
	{ decided = 1 }
	!/^#.*[a-z][a-z]/ { print FILENAME ": its opening lines do not say what it is" }')
for found in "$long" "$crowded" "$silent" "$wordless"; do
	[ -z "$found" ] || { echo "$found"; status=1; }
done
exit $status
