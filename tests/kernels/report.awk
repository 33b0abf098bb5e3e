# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Compares which programs loaded in the guests with what is expected, and prints the table of kernels and features and the verifier's steps.
# Run by tests/kernels/run. Input: records of tests/kernels/loader.c; those of a kernel follow "guest NAME RELEASE", those of an object
# "wanted OBJECT". Variables: work, expected, json, table (files and directory to read and write). Exits with 1 if a program does not load
# as expected, or takes too many steps.
BEGIN {
	STEPS_MAX = 500000
	split("EPERM ENOENT ENOMEM EACCES EBUSY EEXIST EINVAL E2BIG ENOSPC ENOSYS EOPNOTSUPP", names, " ")
	split("1 2 12 13 16 17 22 7 28 38 95", numbers, " ")
	for (i in names)
		errno_name[numbers[i]] = names[i]
	split("datagrams,sends,pieces,messages,isolated,dispatcher", capability, ",")
	CAPABILITIES = 6
	while ((getline line <expected) > 0) {
		if (line ~ /^#/ || line !~ /[^ ]/)
			continue
		count = split(line, field, " ")
		rules++
		rule_kernel[rules] = as_regex(field[1])
		rule_variant[rules] = as_regex(field[2])
		rule_objects[rules] = field[3]
		rule_result[rules] = field[4]
		rule_words[rules] = ""
		for (i = 5; i <= count; i++)
			rule_words[rules] = rule_words[rules] (i > 5 ? " " : "") field[i]
	}
	if (!rules)
		fail_early("no row in " expected)
	printf "" >json
	json_rows = 0
	print "[" >json
}

function fail_early(reason) {
	print "kernels: " reason
	early = 1
	exit 1
}

function as_regex(glob) {
	gsub(/\./, "\\.", glob)
	gsub(/\*/, ".*", glob)
	gsub(/,/, "|", glob)
	return "^(" glob ")$"
}

function fits(objects, object) {
	if (objects ~ /^@/)
		return objects == "@" kind[object] || (objects == "@sends" && kind[object] == "datagrams" && puts[object] > 0)
	return object ~ as_regex(objects)
}

# The row of `expected` for this cell; 0 if there is none
function rule_for(variant, object,  r) {
	for (r = 1; r <= rules; r++)
		if (guest ~ rule_kernel[r] && variant ~ rule_variant[r] && fits(rule_objects[r], object))
			return r
	return 0
}

# A row with `loads` may allow more steps than STEPS_MAX, and say `mtu`: for packets of Ethernet's MTU.
function steps_allowed(variant, object,  r) {
	r = rule_for(variant, object)
	return r && rule_result[r] == "loads" && match(rule_words[r], /[0-9]+/) ? substr(rule_words[r], RSTART, RLENGTH) + 0 : STEPS_MAX
}

# Whether the message of a cell is what the row says: of a refusal its words, else for which packets it loads
function has_words(r, variant, message) {
	if (rule_result[r] == "refused")
		return rule_words[r] == "" || index(message, rule_words[r]) > 0
	return variant == "pieces" || (message ~ /^packets of at most/) == (rule_words[r] ~ /mtu/)
}

function capability_of(variant, object) {
	if (variant == "isolated" || kind[object] != "datagrams")
		return variant == "isolated" ? variant : kind[object]
	if (variant == "trusted")
		return puts[object] > 0 ? "sends" : "datagrams"
	return variant
}

function quote(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	gsub(/[\001-\037]/, " ", text)
	return "\"" text "\""
}

function json_row(text) {
	printf "%s{\"kernel\": %s, \"release\": %s, %s}", json_rows++ ? ",\n" : "", quote(guest), quote(release), text >json
}

# Faults that several objects share are printed once, with the objects' names.
function breaks(object, variant, text, detail,  key) {
	broken++
	gsub("/objects/" object "[.]spin", "FILE", text)
	key = guest " " variant ": " text (detail == "" ? "" : "\n    | " detail)
	if (!(key in group_size))
		group[++groups] = key
	group_names[key] = group_names[key] (group_size[key] % 8 || !group_size[key] ? " " : "\n      ") object
	group_size[key]++
}

# The verifier's reason among the last lines; its statistics follow it.
function complaint(object, variant,  i, line) {
	for (i = logs[object, variant]; i > 0; i--) {
		line = log_line[object, variant, i]
		if (line !~ /^(processed |verification time|stack depth|libbpf: |-- |[0-9]+: \(|;|from |mark_precise)/)
			return line
	}
	return ""
}

function judge(object, variant, result, err, message,  r, as_expected, name) {
	r = rule_for(variant, object)
	as_expected = r && rule_result[r] == result && has_words(r, variant, message)
	name = capability_of(variant, object)
	tried[guest, name]++
	loaded[guest, name] += result == "loads"
	json_row(sprintf("\"object\": %s, \"kind\": %s, \"variant\": %s, \"result\": %s, \"errno\": %d, \"message\": %s, \"as_expected\": %s",
			 quote(object), quote(kind[object]), quote(variant), quote(result), err, quote(message),
			 as_expected ? "true" : "false"))
	if (as_expected)
		return
	bad[guest, name]++
	if (result == "loads" && rule_result[r] == "loads")
		breaks(object, variant, "loads, for " (message == "" ? "all packets" : message) ", unlike in " expected, "")
	else if (result == "loads")
		breaks(object, variant, "loads, though " expected " says: refused " rule_words[r], "")
	else
		breaks(object, variant, "refused (" (err in errno_name ? errno_name[err] : err) "): " message,
		       variant == "pieces" ? "" : complaint(object, variant))
}

# Judges the cells of one object, all of which have been read
function judge_object(object,  i, variant, at) {
	for (i = 1; i <= cells; i++) {
		variant = cell_variant[i]
		judge(object, variant, cell_result[i], cell_errno[i], cell_message[i])
		if (cell_result[i] == "refused")
			write_refusal(object, variant, i)
		if (kind[object] == "datagrams" && variant == "trusted") {
			if (cell_result[i] == "refused")
				judge(object, "pieces", "refused", cell_errno[i], cell_message[i])
			else
				judge(object, "pieces", copies ? "loads" : "refused", 0, copies ? "" : "no program that copies")
		}
	}
}

function write_refusal(object, variant, i,  file, n) {
	file = work "/" guest "/refusals"
	print "=== " object " " variant ": " cell_errno[i] " " cell_message[i] >file
	for (n = 1; n <= logs[object, variant]; n++)
		print log_line[object, variant, n] >file
}

function end_wanted() {
	if (wanted == "" || ended)
		return
	breaks(wanted, "-", "was not tried, the guest ended before", "")
	lost[guest]++
}

$1 == "guest" {
	end_wanted()
	wanted = ""
	guest = $2
	release = $3
	guests[++guest_count] = guest
	releases[guest] = release
}
$1 == "wanted" { end_wanted(); wanted = $2; ended = cells = copies = 0 }
$1 == "object" { kind[$2] = $3; puts[$2] = $4 }
$1 == "cell" {
	cells++
	cell_variant[cells] = $3
	cell_result[cells] = $4
	cell_errno[cells] = $5
	cell_message[cells] = $6
	logs[$2, $3] = 0
}
$1 == "log" { log_line[$2, $3, ++logs[$2, $3]] = $4 }
$1 == "program" {
	if ($3 == "trusted" && ($4 == "spin_copied" || $4 == "spin_icmp_copy"))
		copies = 1
	programs++
	json_row(sprintf("\"object\": %s, \"variant\": %s, \"program\": %s, \"steps\": %d", quote($2), quote($3), quote($4), $5))
	keep_worst($5 + 0, sprintf("%-13s %-16s %-9s %s", guest, $2, $3, $4))
	most = steps_allowed($3, $2)
	if ($5 > most)
		breaks($2, $3, $4 " takes the verifier " $5 " steps, more than " most, "")
}
$1 == "warning" { breaks($2, $3, "the kernel warns: " $4, "") }
$1 == "end" { judge_object($2); ended = 1 }

# Keeps the ten largest, in order
function keep_worst(steps, what,  i) {
	for (i = worst < 10 ? ++worst : 10; i > 1 && worst_steps[i - 1] < steps; i--) {
		worst_steps[i] = worst_steps[i - 1]
		worst_what[i] = worst_what[i - 1]
	}
	if (i < 10 || worst_steps[10] < steps) {
		worst_steps[i] = steps
		worst_what[i] = what
	}
}

function answer(name, capability) {
	if (bad[name, capability])
		return "BREAKS"
	if (!tried[name, capability])
		return lost[name] ? "BREAKS" : "-"
	if (loaded[name, capability] == tried[name, capability])
		return "yes"
	return loaded[name, capability] ? loaded[name, capability] " of " tried[name, capability] : "no"
}

END {
	if (early)
		exit 1
	end_wanted()
	print "\n]" >json
	close(json)
	head = "| kernel |"
	rule = "|---|"
	printf "\n%-13s %-28s", "kernel", "release"
	for (c = 1; c <= CAPABILITIES; c++) {
		printf " %-10s", capability[c]
		head = head " " capability[c] " |"
		rule = rule "---|"
	}
	printf "\n"
	print head >table
	print rule >table
	for (g = 1; g <= guest_count; g++) {
		printf "%-13s %-28s", guests[g], releases[guests[g]]
		row = "| " guests[g] " |"
		for (c = 1; c <= CAPABILITIES; c++) {
			printf " %-10s", answer(guests[g], capability[c])
			row = row " " answer(guests[g], capability[c]) " |"
		}
		printf "\n"
		print row >table
	}
	print "\nmost verifier steps, of " programs + 0 " programs"
	for (i = 1; i <= worst; i++)
		printf "  %8d  %s\n", worst_steps[i], worst_what[i]
	if (!broken) {
		print "\nno cell breaks"
		exit 0
	}
	print "\nbreaks:"
	for (i = 1; i <= groups; i++)
		print "  " group[i] "\n     " group_names[group[i]]
	print broken " cells break; the verifier's last lines of each refusal: " work "/NAME/refusals, all cells: build/kernels.json"
	exit 1
}
