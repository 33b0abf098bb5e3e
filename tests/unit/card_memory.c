/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests access to the tables of handlers that were offloaded to a card: entries are set by index, as by spinctl run --set. No card is
 * needed: the program for the card is loaded as an ordinary one, so its maps are the kernel's. An index must be decimal and less than the
 * number of entries. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "user/libspin/card/card.h"

#define ENTRIES 16

static char directory[] = "/tmp/spin-card-XXXXXX";
static int failures;

static const char source[] = "#include <spin/spin.h>\n"
			     "struct row { SPIN_READ_ONLY(uint32_t, limit); SPIN_COUNTER(hits); };\n"
			     "SPIN_TABLE(rows, struct row, 16);\n"
			     "SPIN_NO_STATE;\n"
			     "static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)\n"
			     "{\n"
			     "\tstruct row *row = SPIN_AT(rows, p->length);\n"
			     "\tif (!row || p->length > row->limit)\n"
			     "\t\treturn SPIN_DROP;\n"
			     "\tspin_count(&row->hits, 1);\n"
			     "\treturn SPIN_SUCCESS;\n"
			     "}\n"
			     "SPIN_HANDLERS(rows, .payload = f);\n";

static int compile(char *object, size_t bytes)
{
	char path[64], command[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/rows.c", directory);
	snprintf(object, bytes, "%s/rows.spin", directory);
	file = fopen(path, "we");
	if (!file || fputs(source, file) < 0 || fclose(file))
		return -1;
	snprintf(command, sizeof(command), "%s/bin/spincc --target nfp --no-verify %s -o %s", built_dir(), path, object);
	return system(command);
}

/* Checks the result of an assignment, and then the limits of all entries: `at` must have `limit`, the others 0. */
static void set(struct card *card, const char *assignment, int want, unsigned at, uint32_t limit)
{
	int rc = card__set(card, assignment);

	if (rc != want) {
		printf("%s: %d, not %d: %s\n", assignment, rc, want, spin_strerror_last());
		failures++;
	}
	for (uint32_t i = 0; i < ENTRIES; i++) {
		uint32_t entry[2];

		if (!card__read_entry(card, "rows", i, entry) && entry[0] == (i == at ? limit : 0))
			continue;
		printf("%s: limit of entry %u is %u\n", assignment, i, entry[0]);
		failures++;
	}
}

static void indexes(struct card *card)
{
	const uint32_t none[2] = { 0 };

	set(card, "rows[3].limit=7", 0, 3, 7);
	card__write_entry(card, "rows", 3, none);
	set(card, "rows[010].limit=8", 0, 10, 8); /* decimal 10 as in other contexts, not octal */
	set(card, "rows[11].hits=1", 0, 10, 8);
	set(card, "rows[16].limit=9", -ERANGE, 10, 8);
	set(card, "rows[4294967298].limit=9", -ERANGE, 10, 8);
	set(card, "rows[99999999999999999999].limit=9", -ERANGE, 10, 8);
	set(card, "rows[0x2].limit=9", -EINVAL, 10, 8);
	set(card, "rows[].limit=9", -EINVAL, 10, 8);
	set(card, "rows.limit=9", -ENOENT, 10, 8);
}

int main(void)
{
	const struct card_options options = { .name = "rows" };
	struct spin_object *object = NULL;
	struct card *card = NULL;
	struct spin_rule rule;
	char path[64], command[64];

	if (geteuid()) {
		printf("skip: needs root, to load a program\n");
		return 77;
	}
	if (!mkdtemp(directory) || compile(path, sizeof(path)) || spin_object__open(path, &object) || spin_rule__parse("udp", &rule) ||
	    card__open(object, &rule, &options, &card)) {
		printf("rows: %s\n", spin_strerror_last());
		failures++;
	} else {
		indexes(card);
	}
	card__close(card);
	spin_object__close(object);
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) || failures;
}
