#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Checks each handler's image (the program for the NIC's cores, HPUs) against PsPIN: a loader must only need to write program memory and L2,
# and data that handlers access must be within the ranges that the RTL's memory protection allows (pspin.ld). A handler whose code for all
# protocols is too large must have that for UDP, and one with 1,000 bytes on the stack must be refused, because an HPU has 1 KiB. Run by
# tests/run.
set -eu
spincc=${BUILD:-build}/bin/spincc
out=${BUILD:-build}/tests/model/images
command -v "${RISCV_CC:-riscv64-unknown-elf-gcc}" >/dev/null || { echo "skip: no riscv64-unknown-elf-gcc (package gcc-riscv64-unknown-elf)"; exit 77; }
mkdir -p "$out"
failed=0

fail() {
	echo "FAIL $*"
	failed=1
}

# within START BYTES FROM TO: succeeds if the range is inside [FROM, TO)
within() {
	[ $(($1)) -ge $(($3)) ] && [ $(($1 + $2)) -le $(($4)) ]
}

segments() {
	riscv64-unknown-elf-readelf -lW "$1" | awk '$1 == "LOAD" { print $3, $4, $5, $6 }'
}

# check_image IMAGE NAME: checks entry point and segments. Clusters' memory must have no bytes in the file, because boot clears it.
check_image() {
	riscv64-unknown-elf-readelf -h "$1" | grep -q 'Entry point address: *0x1d000080$' || fail "$2: begins elsewhere"
	segments "$1" > "$out/segments"
	[ -s "$out/segments" ] || fail "$2: loads nothing"
	while read -r at load file memory; do
		if [ $((at >> 24)) = 27 ]; then
			[ "$at" = "$load" ] && [ $((file)) = 0 ] && within "$at" "$memory" 0x1b080000 0x1b0ffc00 ||
				fail "$2: memory of clusters at $at, loaded to $load"
			continue
		fi
		within "$load" "$file" 0x1d000000 0x1d008000 || within "$load" "$file" 0x1c300000 0x1c400000 ||
			within "$load" "$file" 0x1c000000 0x1c010000 || fail "$2: has bytes for $load"
		[ "$at" = "$load" ] || { [ "$load" = 0x1c300000 ] && [ "$at" = 0x10080000 ] && [ "$file" = "$memory" ]; } ||
			fail "$2: $at is loaded to $load"
		[ "$file" = "$memory" ] || within "$at" "$memory" 0x1c300000 0x1c400000 || within "$at" "$memory" 0x1c000000 0x1c010000 ||
			fail "$2: $memory bytes at $at are out of handlers' reach"
	done < "$out/segments"
}

for handler in handlers/*.c tests/handlers/memory/tables.c tests/handlers/datagrams/mix.c tests/handlers/memory/act_cluster.c; do
	name=$(basename "$handler" .c)
	"$spincc" --target rv32 "$handler" -o "$out/$name.elf" || { fail "$name: spincc"; continue; }
	check_image "$out/$name.elf" "$name"
done

# Builds every combination of: state, a table, constants, memory of clusters, of HPUs (in L1 and too large for L1), buffers, memory of
# messages.
cat > "$out/pair.c" <<'C'
#include <spin/spin.h>

struct state { uint32_t n[STATE_WORDS]; };
SPIN_STATE(struct state, { 1, 2 });

#if TABLE
struct entry { SPIN_KEY(uint32_t, key); SPIN_COUNTER(hits); };
SPIN_TABLE(entries, struct entry, TABLE);
#endif
#if CLUSTER
struct local { uint32_t n[CLUSTER]; };
SPIN_PER_CLUSTER(struct local, local);
#endif
#if HPU
struct own { uint32_t n[HPU]; };
SPIN_PER_HPU(struct own, own);
#endif
#if BUFFER
SPIN_BUFFER(uint32_t, buffer, BUFFER);
#endif
#if SCRATCH
struct scratch { uint32_t n, unused; };
SPIN_SCRATCHPAD(struct scratch);
#endif
#if CONSTANTS
static const uint32_t primes[] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53 };
#endif

static enum spin_payload_rc pair_payload(struct spin_payload *p, struct state *state)
{
	uint32_t n = p->length;

#if CONSTANTS
	n += primes[n & 15];
#endif
#if TABLE
	spin_count(&SPIN_AT(entries, n & (TABLE - 1))->hits, 1);
#endif
#if CLUSTER
	spin_add32(&SPIN_LOCAL(p, local)->n[n % CLUSTER], 1);
#endif
#if HPU
	SPIN_MINE(p, own)->n[n % HPU]++;
#endif
#if BUFFER
	*SPIN_AT(SPIN_BUFFER_OF(p, buffer), n % BUFFER) = n;
#endif
#if SCRATCH
	((struct scratch *)SPIN_SCRATCH(p))->n = n;
#endif
	spin_add32(&state->n[n % STATE_WORDS], 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(pair, .payload = pair_payload, .state_placement = PLACEMENT, .delivery = SCRATCH ? SPIN_DELIVER_ME : SPIN_DELIVER_STACK);
C
pair=0
for placement in SPIN_STATE_IN_L2 SPIN_STATE_IN_L1; do
for table in 0 64 65536; do
for cluster in 0 16 65536; do
for constants in 0 1; do
	pair=$((pair + 1))
	for pad in 0 1; do
		with="PLACEMENT=$placement STATE_WORDS=17 TABLE=$table CLUSTER=$cluster CONSTANTS=$constants SCRATCH=$pad HPU=$(((pair + pad) % 3 * 33)) BUFFER=$((pair % 2 * 1024))"
		"$spincc" --target rv32 $(printf -- '-D %s ' $with) "$out/pair.c" -o "$out/pair.elf" || { fail "$with: spincc"; continue; }
		check_image "$out/pair.elf" "$with"
	done
done
done
done
done

# A handler whose copies for UDP fit into program memory, but not those for all protocols: the UDP copies must be there.
cat > "$out/large.c" <<'C'
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

#define X4(x) x x x x
#define X16(x) X4(X4(x))
#define X64(x) X4(X16(x))

static enum spin_payload_rc large_payload(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 0, uint32_t);
	uint32_t n = w ? *w : 0;

	X16(if (spin_cas32(&state->words[n & 15], n, n + 1)) n++;)
	if (LARGE) {
		X64(if (spin_cas32(&state->words[n & 15], n, n + 2)) n++;)
		X64(if (spin_cas32(&state->words[n & 15], n, n + 3)) n++;)
		X64(if (spin_cas32(&state->words[n & 15], n, n + 4)) n++;)
	}
	state->words[1] = n;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(large, .payload = large_payload);
C
for large in 0 1; do
	"$spincc" --target rv32 -D LARGE=$large "$out/large.c" -o "$out/large.elf" || { fail "large=$large: spincc"; continue; }
	check_image "$out/large.elf" "large=$large"
	riscv64-unknown-elf-nm "$out/large.elf" > "$out/large.names"
	grep -q ' hpu_payload_ip6$' "$out/large.names" || fail "large=$large: no entry for UDP"
	for entry in payload_icmp payload_icmp6 payload_ether completion_icmp completion_ether; do
		[ $large = $(grep -c " hpu_$entry\$" "$out/large.names") ] && fail "large=$large: hpu_$entry"
	done
done

cat > "$out/deep.c" <<'C'
#include <spin/spin.h>

struct tally { uint32_t n; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	volatile uint32_t copy[250];

	for (uint32_t i = 0; i < 250; i++)
		copy[i] = p->length + i;
	state->n = copy[p->length % 250];
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(deep, .payload = f);
C
for target in rv32 fat; do
	if "$spincc" --target $target --no-verify "$out/deep.c" -o "$out/deep.elf" 2> "$out/deep.says"; then
		fail "a handler with 1,000 bytes on the stack is built for $target"
	elif ! grep -q 'of stack; an HPU has 1 KiB' "$out/deep.says"; then
		fail "what is wrong with 1,000 bytes on the stack is not said for $target: $(cat "$out/deep.says")"
	fi
done
exit $failed
