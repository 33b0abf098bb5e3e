#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Compares the model with PsPIN's RTL for bursts of 256 packets (kvstore: 1,024). From the first HER (the request to run a packet's
# handlers) to the last feedback (the end of a packet) the model must be within 2 % of the RTL's cycles, which is the aim of
# `make rtl-check` (tests/rtl/README.md); some rows must be equal. For some handlers the first packets of a burst, and the first packet
# after boot, whose code is cold, must also take exactly the RTL's cycles. The RTL's cycles are the output of `make rtl-check` on
# 2026-11-28 to 30. Run by tests/run.
kit=${BUILD:-build}/tests/accuracy/rtl-kit
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failures=0

# burst FILE: prints the cycles from the first HER to the last feedback of a burst in a packets.csv of the kit, which begins with 8 others
burst() {
	tail -n +10 "$1" | awk -F, '{ if (!from || $7 < from) from = $7; if ($8 > to) to = $8 } END { print to - from }'
}

# Prints the objects of the handlers in $dir/rows. Handlers in tests/model/handlers are compiled into $dir.
objects() {
	for handler in $(cut -d ' ' -f 1 "$dir/rows" | sort -u); do
		[ -f "tests/model/handlers/$handler.c" ] || { echo "$handler"; continue; }
		"${BUILD:-build}/bin/spincc" -o "$dir/$handler.spin" "tests/model/handlers/$handler.c" >&2 || exit 1
		echo "$dir/$handler.spin"
	done
}

# rows CLUSTERS PERCENT: reads rows of handler, bytes and the RTL's cycles
rows() {
	cat >"$dir/rows"
	# shellcheck disable=SC2046 # a word for each handler
	"$kit" --free-ids --clusters "$1" "$dir/$1" $(objects) >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
	while read -r handler bytes rtl; do
		model=$(burst "$dir/$1/$handler/$bytes-saturated/packets.csv")
		[ $((100 * (model > rtl ? model - rtl : rtl - model))) -le $(($2 * rtl)) ] && continue
		echo "FAIL $handler, $bytes bytes, clusters: $1: $model cycles, on the RTL $rtl"
		failures=1
	done <"$dir/rows"
}

# cold: reads rows of handler, bytes and the RTL's cycles from the first packet's HER to its feedback
cold() {
	cat >"$dir/rows"
	# shellcheck disable=SC2046 # a word for each handler
	"$kit" --free-ids --clusters 1 "$dir/cold" $(objects) >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
	while read -r handler bytes rtl; do
		model=$(awk -F, 'NR == 2 { print $8 - $7 }' "$dir/cold/$handler/$bytes-idle/packets.csv")
		[ "$model" = "$rtl" ] && continue
		echo "FAIL $handler, $bytes bytes, cold: $model cycles, on the RTL $rtl"
		failures=1
	done <"$dir/rows"
}

# first: reads rows of handler, bytes and the RTL's cycles from a burst's first HER to its earliest feedbacks, sorted
first() {
	cat >"$dir/rows"
	# shellcheck disable=SC2046 # a word for each handler
	"$kit" --free-ids --clusters 1 "$dir/first" $(objects) >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
	while read -r handler bytes rtl; do
		model=$(tail -n +10 "$dir/first/$handler/$bytes-saturated/packets.csv" |
			awk -F, '!from { from = $7 } { print $8 - from }' | sort -n | head -n "$(echo "$rtl" | wc -w)" | xargs)
		[ "$model" = "$rtl" ] && continue
		echo "FAIL $handler, $bytes bytes, the first of a burst: $model cycles, on the RTL $rtl"
		failures=1
	done <"$dir/rows"
}

rows 4 2 <<'ROWS'
empty 64 302
filter_counts 64 3095
filtering 64 1282
filter_counts 256 3084
filter_counts 512 3068
filter_counts 1024 4373
meet 64 34935
reduce 64 1601
strided_ddt 512 2978
ROWS
rows 1 0 <<'ROWS'
copy_to_host 512 2394
counter 512 2087
filtering 64 3860
kvget 64 1329
ping 64 976
ping 256 1088
ping 512 2116
ROWS
rows 1 2 <<'ROWS'
aggregate 64 2968
copy_from_host 256 3993
copy_from_host 1024 8859
counter 64 1023
histogram 512 22950
kvstore 64 34048
kvstore 256 34694
kvstore 512 34358
kvstore 1024 37402
lost_updates 64 37367
meet 64 25506
reduce 1024 36311
memcached 512 4544
no_clock 64 5683
pingpong 256 1985
reads_alternate 256 6971
reads_alternate 512 7863
reads_alternate 1024 9977
sends_from_l2 64 4181
sends_from_l2 512 4192
sends_from_l2 1024 4237
strided_ddt 256 5917
syn_limit 64 11075
syn_limit 256 11089
syn_limit 512 11189
syn_limit 1024 15242
words_to_host 64 3141
words_to_host 256 3296
words_to_host 512 4265
words_to_host 1024 6331
writes_l1_l2 64 3729
writes_l1_l2 512 4167
ROWS
first <<'ROWS'
copy_from_host 256 148 153 158 163 168 173 178 183 268 273 278 283 288 294 299 306 391 396 401 406 411 417 422
kvstore 512 223 238
kvstore 1024 245 275
memcached 512 166 184 200 216 233 253 273 296 320 344 368 392
pingpong 256 83 88 93 98 107 116 121 127 144 149 154 159 175 180 185 190
reduce 512 592 596 604 623 627 640 1144 1149 1156 1179 1182 1198 1696
strided_ddt 512 247 254 257 265 273 291 299 307 451 463 468 469 492 507 515 523 649 665 687 690 708 714 723 731 834 888 906 908 913 924 927 950 1050 1102 1105 1122 1123 1144 1147 1166 1266
ROWS
cold <<'ROWS'
filtering 64 247
late_code 64 491
reduce 64 352
ROWS
exit $failures
