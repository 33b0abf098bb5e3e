#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Includes must point down: each directory may include only what the table allows, and no two modules may include each other, directly or
# indirectly. A module is a file with its header: X.c and X.h. Run by tests/run.
set -eu
status=0

# DIRECTORY  WHAT IT MAY INCLUDE. The longest matching directory of a path counts; a directory may include itself.
allowed() {
	cat <<-'END'
		handlers/include
		handlers             handlers/include
		bpf/abi              handlers/include
		bpf                  bpf/abi handlers/include
		hwmodel/include      handlers/include
		hwmodel              hwmodel/include handlers/include bpf/abi
		hwmodel/image        hwmodel/include handlers/include bpf
		kernel               bpf/abi handlers/include
		user/lib             hwmodel/include
		user/libspin/include handlers/include
		user/libspin         user/libspin/include user/lib kernel bpf/abi hwmodel/include handlers/include
		user/conformance     user/libspin user/libspin/include user/lib kernel bpf bpf/abi hwmodel/include handlers/include
		user/tool            user/conformance user/libspin user/libspin/include user/lib kernel handlers/include
		user/cost            user/tool user/conformance user/libspin user/libspin/include user/lib kernel bpf/abi hwmodel/include handlers/include
		user/spincc          user/libspin user/libspin/include user/lib kernel bpf/abi hwmodel/include handlers/include
		user/spinctl         user/tool user/cost user/conformance user/libspin user/libspin/include user/lib kernel bpf/abi hwmodel/include handlers/include
		user/spind           user/libspin user/libspin/include user/lib kernel bpf/abi handlers/include
		user/memcached       user/tool user/libspin/include user/lib handlers/include
		user/man             user/libspin/include user/lib handlers/include
		tests                *
	END
}

# Prints INCLUDER INCLUDED, one pair per line.
includes() {
	find bpf handlers hwmodel kernel user tests -name '*.[chS]' | xargs awk '
		/^[ \t]*#[ \t]*include[ \t]*["<]/ {
			path = $0
			sub(/^[^"<]*["<]/, "", path)
			sub(/[">].*/, "", path)
			print FILENAME, path
		}' | awk -v files="$(find bpf handlers hwmodel kernel user tests -type f)" '
		BEGIN { n = split(files, list, "\n"); for (i = 1; i <= n; i++) tracked[list[i]] = 1 }
		{
			m = split("|handlers/include/|hwmodel/include/|user/libspin/include/", prefix, "|")
			for (i = 1; i <= m; i++)
				if ((prefix[i] $2) in tracked) { print $1, prefix[i] $2; next }
			directory = $1
			sub(/[^\/]*$/, "", directory)
			if ((directory $2) in tracked) print $1, directory $2
		}'
}

edges=$(includes | wc -l)
if [ "$edges" -lt 1500 ]; then
	echo "only $edges includes are found"
	status=1
fi

wrong=$(includes | awk -v table="$(allowed)" '
	BEGIN {
		rows = split(table, row, "\n")
		for (i = 1; i <= rows; i++) {
			words = split(row[i], word, " ")
			known[word[1]] = 1
			may[word[1], word[1]] = 1
			for (j = 2; j <= words; j++) may[word[1], word[j]] = 1
		}
	}
	function directory(path) {
		while (sub(/\/[^\/]*$/, "", path)) if (path in known) return path
		return "?"
	}
	{ from = directory($1); to = directory($2); if (!((from, to) in may) && !((from, "*") in may)) print $1 ": includes " $2 ", and " from " may not include " to }')
if [ -n "$wrong" ]; then
	echo "$wrong"
	status=1
fi

# Repeatedly removes modules that include or are included by no remaining module. The rest are cycles, and paths between cycles.
circles=$(includes | awk '
	function module(path) { sub(/\.[a-z]*$/, "", path); return path }
	# removes the modules whose count is 0
	function prune(count,    m, i, n, who, gone) {
		for (m in all) if (!(m in done) && count[m] <= 0) {
			done[m]; gone++
			n = split(below[m], who, " ")
			for (i = 1; i <= n; i++) into[who[i]]--
			n = split(above[m], who, " ")
			for (i = 1; i <= n; i++) out[who[i]]--
		}
		return gone
	}
	$1 !~ /^tests\// {
		a = module($1); b = module($2)
		if (a == b || (a, b) in edge) next
		edge[a, b]; all[a]; all[b]
		out[a]++; into[b]++
		below[a] = below[a] " " b; above[b] = above[b] " " a
	}
	END {
		while (prune(out) + prune(into)) ;
		for (m in all) if (!(m in done)) {
			line = m " includes"
			n = split(below[m], who, " ")
			for (i = 1; i <= n; i++) if (!(who[i] in done)) line = line " " who[i]
			print line
		}
	}' | sort)
if [ -n "$circles" ]; then
	echo "modules that include each other, or lie between such:"
	echo "$circles"
	status=1
fi
exit $status
