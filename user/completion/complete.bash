# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# bash completion of @NAME@: completes commands, options, interfaces and files. user/completion/complete.bash is its template, which `@NAME@
# --fill-template` fills with the tables of the program's own parser (user/lib/options.h). tests/docs/completion.sh tests it.

@TABLES@

# Files that end in one of the extensions given, and directories on the way to them.
_@NAME@_files() {
	local file

	while IFS= read -r file; do
		if [ -d "$file" ] || [ $# = 0 ]; then
			COMPREPLY+=("$file")
		elif [[ " $* " == *" ${file##*.} "* ]]; then
			COMPREPLY+=("$file")
		fi
	done < <(compgen -f -- "$cur")
	compopt -o filenames 2>/dev/null
}

_@NAME@_words() {
	local word

	for word; do
		[[ $word == "$cur"* ]] && COMPREPLY+=("$word")
	done
}

# What a value or operand of this name can be. Numbers, rules and the like have no list.
_@NAME@_named() {
	case $1 in
	*'|'*) _@NAME@_words ${1//|/ } ;;
	IF) _@NAME@_words $(cd /sys/class/net && echo *) ;;
	COMMAND) _@NAME@_words $_@NAME@_commands ;;
	TRACE) _@NAME@_files pcap pcapng cap ;;
	DIR)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		compopt -o filenames 2>/dev/null
		;;
	HANDLER) _@NAME@_files c spin ;;
	VECTOR) _@NAME@_files vec ;;
	FILE | PATH | RECORDING) _@NAME@_files ;;
	*=FILE)
		[[ $whole == *=* ]] && _@NAME@_files
		;;
	*.[a-z]*) _@NAME@_files "${1##*.}" ;;
	esac
}

_@NAME@() {
	local words=() word i cur whole command options operands value count=0 ended=0
	COMPREPLY=()

	# bash splits words at = and replaces only what follows the last one: join them here, in `words`
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if ((${#words[@]})) && [[ $word == = || ${words[-1]} == *= ]]; then
			words[-1]+=$word
		else
			words+=("$word")
		fi
	done
	whole=${words[-1]}
	cur=$whole
	unset 'words[-1]'

	command=@NAME@
	if [ -n "$_@NAME@_commands" ]; then
		if [ ${#words[@]} = 0 ]; then
			_@NAME@_words $_@NAME@_commands --help --version
			return
		fi
		command=${words[0]}
		words=("${words[@]:1}")
	fi
	_@NAME@_command "$command"

	# the words before the cursor: an option that wants a value next, or operands to be counted
	value=
	for word in "${words[@]}"; do
		if [ -n "$value" ]; then
			value=
		elif [ $ended = 0 ] && [ "$word" = -- ]; then
			ended=1
		elif [ $ended = 0 ] && [[ $word == -?* ]]; then
			_@NAME@_value "$command" "$word"
		else
			count=$((count + 1))
		fi
	done
	if [ -n "$value" ]; then
		cur=${whole##*=}
		_@NAME@_named "$value"
		return
	fi
	if [ $ended = 0 ] && [[ $whole == --*=* ]]; then
		_@NAME@_value "$command" "${whole%%=*}"
		whole=${whole#*=}
		cur=${whole##*=}
		_@NAME@_named "$value"
		return
	fi
	if [ $ended = 0 ] && [[ $whole == -[A-Za-z]* ]]; then
		_@NAME@_value "$command" "${whole:0:2}"
		if [ -n "$value" ] && [ "${#whole}" -gt 2 ]; then
			cur=${whole:2}
			_@NAME@_named "$value"
			COMPREPLY=("${COMPREPLY[@]/#/${whole:0:2}}")
			return
		fi
	fi
	if [ $ended = 0 ] && [[ $whole == -* ]]; then
		_@NAME@_words $options
		return
	fi
	read -ra words <<<"${operands//[][]/}"
	i=${#words[@]}
	if [ "$i" -gt 0 ] && [[ ${words[i - 1]} == *... ]]; then # the last operand may be repeated
		[ "${words[i - 1]}" = ... ] && i=$((i - 1))
		[ "$count" -lt "$i" ] || count=$((i - 1))
	fi
	[ "$count" -lt "$i" ] && _@NAME@_named "${words[count]%...}"
}
complete -F _@NAME@ @NAME@
