# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Makes the man page spin-handler(7); run by the Makefile: awk -v version=V -f reasons.awk reason.h PAGE.in... The table of reasons (why a
# packet was passed, dropped or answered), the order in which a packet is tested for them, and the longest IP packet are read from reason.h
# and replace words @WORD@.

function escape(text)
{
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	return text
}

# The order of the tests on a packet stands in the first comment: "  1. ..." and lines that go on.
FILENAME ~ /\.h$/ {
	if ($0 ~ /^ \*   [0-9]\. /) {
		sub(/^ \*   [0-9]\. /, "")
		order[++orders] = $0
		open = 1
	} else if (open && $0 ~ /^ \*      /) {
		sub(/^ \* +/, "")
		order[orders] = order[orders] " " $0
	} else {
		open = 0
	}
	if ($1 ~ /^X\(/ && $1 != "X(NAME,") {
		name = substr($1, 3)
		sub(/,$/, "", name)
		verdict = $2
		sub(/,$/, "", verdict)
		match($0, /"[^"]*"/)
		reasons = reasons ".It " tolower(name) " Ta " tolower(verdict) " Ta " \
			escape(substr($0, RSTART + 1, RLENGTH - 2)) "\n"
	}
	if ($1 == "#define" && $2 == "SPIN_IP_BYTES_MAX")
		ip_bytes_max = $3 + 0
	if ($1 == "#define" && $2 == "SPIN_LINEAR_BYTES_MAX")
		linear_bytes_max = $3 + 0
	next
}
/^@REASONS@$/ { printf "%s", reasons; next }
/^@ORDER@$/ {
	for (i = 1; i <= orders; i++)
		printf ".It\n%s\n", escape(order[i])
	next
}
{
	gsub(/@VERSION@/, version)
	gsub(/@IP_BYTES_MAX@/, ip_bytes_max)
	gsub(/@LINEAR_BYTES_MAX@/, linear_bytes_max)
	print
}
