# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# libspin(3) from its headers: awk -v version=V -f libspin.awk libspin*.h context.h EXAMPLE.c EXAMPLE_message.c EXAMPLE_hpu.c EXAMPLE_ring.c libspin.3.in
#
# Run by the Makefile. How it reads a header: each header after the first begins a section, and so does a comment "--- title ---". A comment
# describes the declarations below it, up to the next comment or empty line. A comment without declarations is prose of its section. A
# comment behind a declaration describes that one. Lines of a comment that start with a tab are an example.

function escape(text)
{
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	return text
}

# Lines of a comment as mdoc: sentences on lines of their own, examples as they are.
function prose(text,    lines, n, i, out, literal, paragraph)
{
	n = split(text, lines, "\n")
	for (i = 1; i <= n + 1; i++) {
		if (i <= n && lines[i] ~ /^\t/) {
			out = out sentences(paragraph)
			paragraph = ""
			sub(/\.Pp\n$/, "", out)
			if (!literal)
				out = out ".Bd -literal -offset indent\n"
			else if (lines[i - 1] == "")
				out = out "\n"
			literal = 1
			out = out escape(substr(lines[i], 2)) "\n"
			continue
		}
		if (literal && (i > n || lines[i] != "")) {
			out = out ".Ed\n.Pp\n"
			literal = 0
		}
		if (i > n || lines[i] == "") {
			if (paragraph != "" && i <= n)
				out = out sentences(paragraph) ".Pp\n"
			else
				out = out sentences(paragraph)
			paragraph = ""
		} else {
			paragraph = paragraph (paragraph == "" ? "" : " ") lines[i]
		}
	}
	sub(/\.Pp\n$/, "", out)
	return out
}

function sentences(text)
{
	if (text == "")
		return ""
	text = escape(text)
	while (match(text, /`[^`]*`/))
		text = substr(text, 1, RSTART - 1) "\\fB" substr(text, RSTART + 1, RLENGTH - 2) "\\fR" \
			substr(text, RSTART + RLENGTH)
	gsub(/\. /, ".\n", text)
	gsub(/\n[.']/, "\n\\\\\\&&", text)
	return text "\n"
}

function list_open() { if (!in_list) desc = desc ".Bl -tag -width Ds\n"; in_list = 1 }
function list_close() { if (in_list) desc = desc ".El\n"; in_list = 0 }

function section(title)
{
	flush()
	list_close()
	desc = desc ".Ss " toupper(substr(title, 1, 1)) substr(title, 2) "\n"
	syn_title = title
}

# A comment without declarations.
function flush_prose(    text)
{
	if (comment == "")
		return
	list_close()
	text = prose(comment)
	desc = desc (desc == "" || desc ~ /\.Ss [^\n]*\n$/ ? "" : ".Pp\n") text
	comment = ""
}

function argument_name(argument)
{
	if (match(argument, /\(\*[a-z_]+\)/))
		return substr(argument, RSTART + 2, RLENGTH - 3)
	match(argument, /[A-Za-z0-9_]+$/)
	return substr(argument, RSTART)
}

# "int f(int a, int (*g)(void *, int))": a line of the synopsis; sets name and names.
function prototype(decl,    i, c, depth, argument, list)
{
	match(decl, /spin_[a-z0-9_]+\(/)
	name = substr(decl, RSTART, RLENGTH - 1)
	names = ""
	syn = syn ".Ft " quoted(substr(decl, 1, RSTART - 1)) "\n.Fo " name "\n"
	list = substr(decl, RSTART + RLENGTH)
	sub(/\) *;$/, ",", list)
	for (i = 1; i <= length(list); i++) {
		c = substr(list, i, 1)
		depth += (c == "(") - (c == ")")
		if (c != "," || depth) {
			argument = argument c
			continue
		}
		gsub(/^ +| +$/, "", argument)
		syn = syn ".Fa \"" argument "\"\n"
		if (argument != "void")
			names = names " " argument_name(argument)
		argument = ""
	}
	syn = syn ".Fc\n"
}

function quoted(text)
{
	sub(/ +$/, "", text)
	return text ~ / / ? "\"" text "\"" : text
}

function is_function(decl) { return decl !~ /\{|^typedef/ && decl ~ /\(/ }

# A declaration as it stands; remarks that are far to the right go above.
function verbatim_text(text,    lines, n, i, remark, out)
{
	n = split(text, lines, "\n")
	for (i = 1; i < n; i++) {
		remark = ""
		if (length(lines[i]) > 62 && match(lines[i], / *\/\* .* \*\/$/)) {
			remark = substr(lines[i], RSTART, RLENGTH)
			lines[i] = substr(lines[i], 1, RSTART - 1)
			sub(/^ */, "\t", remark)
			if (length(remark) > 60) {
				match(substr(remark, 50), / /)
				remark = substr(remark, 1, 48 + RSTART) "\n\t  " substr(remark, 49 + RSTART)
			}
			remark = remark "\n"
		}
		out = out remark lines[i] "\n"
	}
	return escape(out)
}

function note_errors(text, functions,    error)
{
	while (match(text, /-E[A-Z0-9]+/)) {
		error = substr(text, RSTART + 1, RLENGTH - 1)
		if (!(error in by_error))
			errors[++error_count] = error
		if (index(by_error[error] " ", functions " ") == 0)
			by_error[error] = by_error[error] functions
		text = substr(text, RSTART + RLENGTH)
	}
}

# What was gathered for the items so far.
function describe()
{
	note_errors(comment, functions)
	desc = desc prose(comment)
	comment = functions = ""
}

# Declarations and their comment: it is the first one's, and that of those whose names go on from there.
function flush(    i, first, word)
{
	if (!count) {
		flush_prose()
		return
	}
	list_open()
	for (i = 1; i <= count; i++) {
		if (is_function(decls[i])) {
			prototype(decls[i])
			if (i == 1)
				first = name
			else if (index(name, first) != 1)
				describe()
			desc = desc ".It Fn " name names "\n"
			functions = functions " " name
			if (remarks[i] != "")
				comment = comment (comment == "" ? "" : "\n\n") remarks[i]
		} else if (decls[i] ~ /^#define/) {
			split(decls[i], word, " ")
			desc = desc ".It Dv " word[2] " (" word[3] ")\n"
		} else {
			match(decls[i], decls[i] ~ /^typedef/ ? "spin_[a-z_]+_fn" : "^(struct|enum) spin_[a-z_]+")
			desc = desc ".It Vt " quoted(substr(decls[i], RSTART, RLENGTH)) "\n"
			if (i == 1)
				describe()
			desc = desc ".Bd -literal\n" verbatim_text(verbatim[i]) ".Ed\n"
		}
	}
	describe()
	count = 0
}

function add_line(line)
{
	comment = comment (comment_lines++ ? "\n" : "") line
}

FILENAME ~ /libspin_hpu\.h$/ && FNR == 1 { section("HPU memory, limits and capabilities") }
FILENAME ~ /libspin_message\.h$/ && FNR == 1 { section("messages") }
FILENAME ~ /libspin_ring\.h$/ && FNR == 1 { section("rings") }
FILENAME ~ /libspin_send\.h$/ && FNR == 1 { section("sending messages") }
FILENAME ~ /libspin_socket\.h$/ && FNR == 1 { section("processing sockets") }
FILENAME ~ /libspin[a-z_]*\.h$/ {
	line = $0
	if (in_comment) {
		done = line ~ /\*\//
		sub(/ *\*\/.*$/, "", line)
		sub(/^ \* ?/, "", line)
		if (!done || line ~ /[^ ]/)
			add_line(line)
		in_comment = !done
		next
	}
	if (line ~ /^\/\* --- .* --- \*\/$/) {
		sub(/^\/\* --- /, "", line)
		sub(/ --- \*\/$/, "", line)
		section(line)
		next
	}
	if (line ~ /^\/\*/ && decl == "") {
		if (line ~ /SPDX/)
			next
		flush()
		comment_lines = 0
		if (line ~ /\*\/$/) {
			gsub(/^\/\* *| *\*\/$/, "", line)
			add_line(line)
		} else {
			in_comment = 1
			sub(/^\/\* ?/, "", line)
			if (line != "")
				add_line(line)
		}
		next
	}
	if (line == "" && decl == "") {
		flush()
		next
	}
	if (line ~ /^#(ifndef|endif|include)/ || line ~ /^#define LIBSPIN_[A-Z_]*H$/ || line ~ /^struct [a-z_]+;$/)
		next
	if (decl == "") {
		count++
		verbatim[count] = remarks[count] = ""
	}
	verbatim[count] = verbatim[count] line "\n"
	depth += gsub(/\{/, "{", line) - gsub(/\}/, "}", line)
	if (!depth && match(line, /\/\* .* \*\/$/) && line !~ /^#/) {
		remarks[count] = substr(line, RSTART + 3, RLENGTH - 6)
		line = substr(line, 1, RSTART - 1)
	}
	gsub(/^[ \t]+|[ \t]+$/, "", line)
	decl = decl (decl == "" ? "" : " ") line
	if (decl ~ /^#define/ || (!depth && line ~ /;$/)) {
		decls[count] = decl
		decl = ""
	}
	next
}

# What events are; remarks on lines of their own are in the page's prose.
FILENAME ~ /context\.h$/ {
	in_events = in_events || /^enum spin_event_type/
	if (in_events && $0 !~ /^\/\*/)
		events = events $0 "\n"
	in_struct = in_struct || /^struct spin_event /
	if (in_struct && /^};/)
		in_events = in_struct = 0
	next
}

FILENAME ~ /_hpu\.c$/ {
	if ($0 !~ /SPDX|^\/\* Example of libspin/)
		hpu_example = hpu_example escape($0) "\n"
	next
}

FILENAME ~ /_ring\.c$/ {
	if ($0 !~ /SPDX|^\/\* Example of libspin/)
		ring_example = ring_example escape($0) "\n"
	next
}

FILENAME ~ /_message\.c$/ {
	if ($0 !~ /SPDX|^\/\* Example of libspin/)
		message_example = message_example escape($0) "\n"
	next
}

FILENAME ~ /\.c$/ {
	if ($0 !~ /SPDX|^\/\* Example of libspin/)
		example = example escape($0) "\n"
	next
}

FNR == 1 {
	flush()
	list_close()
}
/^@SYNOPSIS@$/ { printf "%s", syn; next }
/^@DESCRIPTION@$/ { printf "%s", desc; next }
/^@EVENTS@$/ { printf "%s", verbatim_text(events); next }
/^@MESSAGE_EXAMPLE@$/ { printf "%s", message_example; next }
/^@RING_EXAMPLE@$/ { printf "%s", ring_example; next }
/^@HPU_EXAMPLE@$/ { printf "%s", hpu_example; next }
/^@EXAMPLE@$/ { printf "%s", example; next }
/^@ERRORS@$/ {
	for (i = 1; i <= error_count; i++) {
		n = split(by_error[errors[i]], word, " ")
		print ".It Er " errors[i]
		for (k = 1; k <= n; k++)
			print ".Fn " word[k] (k < n ? " ," : "")
	}
	next
}
{ gsub(/@VERSION@/, version); print }
