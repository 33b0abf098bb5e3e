#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spincc and spinctl make help, man page and bash completion from one table of options. All three must have the same commands and the same
# options with the same values, and nothing else. Run by tests/run.
. "$(dirname "$0")/docs.inc"
cd "$WORK" || exit 1

# Each prints one option per line: "-o --output FILE", in any order.
options_in_help() { # PROGRAM [COMMAND]
	"$@" --help >help
	sed -n '/^options:/,/^$/p' help | grep -E '^ +-' |
		sed -E -e 's/^ +//' -e 's/, / /' -e 's/   *[^ ].*//'
}
options_in_page() { # PAGE [COMMAND]
	if [ $# = 2 ]; then
		sed -n "/^\.Ss spinctl $2\$/,/^\.S[hs] /p" "$MAN/$1" | sed '1d'
	else
		sed -n '/^\.Sh DESCRIPTION/,/^\.Sh ENV/p' "$MAN/$1"
	fi | sed -n 's/^\.It Fl /Fl /p' | unescape |
		sed -e 's/ Ar / /' -e 's/ , / /' -e 's/Fl /-/g' -e 's/ | /|/g'
	# common to all commands, described once
	printf '%s\n' '-h --help' '--version'
}
options_in_completion() { # PROGRAM COMMAND
	bash -c '. "$1"; "_$2_command" "$3"
		for option in $options; do
			"_$2_value" "$3" "$option"
			printf "%s\n" "$option${value:+ $value}"
		done' - "$COMPLETION/$1" "$1" "$2" | sort
}
# help and page have an option's letter and name in one line, completion has two words
split_names() {
	awk '{ value = $NF ~ /^-/ ? "" : " " $NF; for (i = 1; i <= NF; i++) if ($i ~ /^-/) print $i value }' | sort
}

compare() { # NAME
	[ -s of_help ] || fail "$1: no options in its help"
	diff of_help of_page >differences || fail "$1: help (<) and page (>) differ: $(grep '^[<>]' differences | tr '\n' ' ')"
	diff of_help of_completion >differences ||
		fail "$1: help (<) and completion (>) differ: $(grep '^[<>]' differences | tr '\n' ' ')"
}

commands_in_help | sort >commands
[ "$(wc -l <commands)" -gt 3 ] || fail "hardly a command in spinctl --help"
sed -n 's/^\.Ss spinctl //p' "$MAN/spinctl.8" | sort | diff commands - >differences ||
	fail "commands in help (<) and page (>): $(grep '^[<>]' differences | tr '\n' ' ')"
# shellcheck disable=SC2016
bash -c '. "$1"; printf "%s\n" $_spinctl_commands' - "$COMPLETION/spinctl" | sort | diff commands - >differences ||
	fail "commands in help (<) and completion (>): $(grep '^[<>]' differences | tr '\n' ' ')"
sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/s/^\.Cm //p' "$MAN/spinctl.8" | sort | diff commands - >differences ||
	fail "commands in help (<) and synopsis (>): $(grep '^[<>]' differences | tr '\n' ' ')"

for command in $(grep -vx help commands); do
	options_in_help "$SPINCTL" "$command" | split_names >of_help
	options_in_page spinctl.8 "$command" | split_names >of_page
	options_in_completion spinctl "$command" >of_completion
	compare "spinctl $command"
	"$SPINCTL" help "$command" | cmp -s - help || fail "spinctl help $command is not spinctl $command --help"
	awk 'length($0) > 100' help >wide
	[ -s wide ] && fail "help of $command has lines of more than 100 columns: $(head -n 1 wide)"
done
options_in_help "$SPINCC" | split_names >of_help
options_in_page spincc.1 | split_names >of_page
options_in_completion spincc spincc >of_completion
compare spincc

# hpu-run's page is handwritten
"$BUILD/bin/hpu-run" --help | grep -oE -- '^  (-h, )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort >of_help
sed -n 's/^\.It Fl \(h , Fl \)*//p' "$MAN/hpu-run.1" | unescape | sed 's/^\([^ ]*\).*/-\1/' | sort >of_page
diff of_help of_page >differences ||
	fail "hpu-run: help (<) and page (>) differ: $(grep '^[<>]' differences | tr '\n' ' ')"
[ "$(wc -l <of_help)" -gt 5 ] || fail "hardly an option in hpu-run --help"

# texts: every word of an option's help must be in the page, and no other
for command in $(grep -vx help commands); do
	"$SPINCTL" "$command" --help | sed -n '/^options:/,/^$/p' | sed 1d |
		sed -E 's/^ +(-[a-zA-Z], |)(-[^ ]*( [^ ]+)?) */ /' | tr -d ' \n' | sed 's/thistexttheversion$//' >text
	sed -n "/^\.Ss spinctl $command\$/,/^\.S[hs] /p" "$MAN/spinctl.8" |
		sed -n '/^\.Bl -tag/,/^\.El/p' | grep -v '^\.[BIE]' | unescape | tr -d ' \n' >page_text
	[ -s text ] && cmp -s text page_text || fail "$command: texts of help and page: $(cat text) - $(cat page_text)"
done
exit $FAILED
