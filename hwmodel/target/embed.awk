# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Makes targets.inc of the files hwmodel/targets/*.target: C initializers and names of the built-in targets (NICs to be modelled), which
# target.c includes. Run by the Makefile. The syntax is that of target_file.c, but each value must have its source behind it in a comment,
# and a base must come before the targets that are based on it.
function tell(reason) { printf "%s:%d: %s\n", FILENAME, FNR, reason >"/dev/stderr"; exit 1 }
function conclude() {
	if (name != "")
		printf "#ifdef TARGET_NAMES\n\"%s\",\n#else\n{\n\t.name = \"%s\",\n#include \"hwmodel/target/parameters.def\"\n%s},\n#endif\n", name, name, values[name]
}
FNR == 1 {
	conclude()
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.target$/, "", name)
}
/^[ \t]*(#|$)/ { next }
$2 != "=" { tell("no 'name = value'") }
$1 == "base" {
	if ($3 != "pspin-rtl" && !($3 in values))
		tell("no base " $3)
	values[name] = values[$3]
	next
}
!/#/ { tell("no source") }
{
	source = $0
	sub(/^[^#]*#[ \t]*/, "", source)
	gsub(/["\\]/, "\\\\&", source)
	values[name] = values[name] sprintf("\t.%s = %s, .sources[TARGET_%s] = \"%s\",\n", $1, $3, $1, source)
}
END { conclude() }
