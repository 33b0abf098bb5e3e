/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl table: shows and changes entries of a table of handlers that the daemon spind has attached, in the memory that they search while
 * they run. main.c runs it through table_command.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/spinctl/sockets/find.h"
#include "user/spinctl/spinctl.h"

static struct table_options {
	const char *broker;
} options;

static const struct option_row rows[] = {
	BROKER_OPTION(struct table_options, broker),
	{ 0 },
};

/* The fields arrive one by one and are printed as a line per entry: a new index in "routes[5].src" begins an entry. */
struct printing {
	long entry;       /* index of the current entry; -1: none yet */
	const char *key;  /* "src=10.0.0.1": print only the entry whose field has this value; NULL: all */
	uint64_t value;   /* the value in key, in host byte order */
	size_t key_bytes; /* length of the field's name in key */
	char line[512];
	int wanted, shown;
};

static void end_entry(struct printing *p)
{
	if (p->entry >= 0 && p->wanted) {
		printf("%s\n", p->line);
		p->shown++;
	}
}

static int show_field(void *arg, const struct spin_field *field)
{
	struct printing *p = arg;
	const char *number = strchr(field->path, '['), *name = number ? strchr(number, '.') : NULL;
	size_t length;
	long entry;

	if (!name)
		return 0;
	entry = strtol(number + 1, NULL, 10);
	if (entry != p->entry) {
		end_entry(p);
		p->entry = entry;
		p->wanted = !p->key;
		snprintf(p->line, sizeof(p->line), "[%ld]", entry);
	}
	if (p->key && strlen(name + 1) == p->key_bytes && !strncmp(name + 1, p->key, p->key_bytes) && field->value == p->value)
		p->wanted = 1;
	length = strlen(p->line);
	snprintf(p->line + length, sizeof(p->line) - length, " %s=%" PRIu64, name + 1, field->value);
	return 0;
}

static int parse_key(const char *text, struct printing *p)
{
	const char *value = strchr(text, '=');
	struct in_addr address;
	char *end;

	if (!value)
		return report_error("'%s': write FIELD=VALUE", text);
	p->key = text;
	p->key_bytes = (size_t)(value - text);
	if (inet_pton(AF_INET, value + 1, &address) == 1) {
		p->value = ntohl(address.s_addr);
		return DONE;
	}
	p->value = strtoull(value + 1, &end, 0);
	return *end || end == value + 1 ? report_error("'%s' is not a number or an address of IPv4", value + 1) : DONE;
}

static int dump(struct spin_ctx *ctx, const char *table, const char *key)
{
	struct printing printing = { .entry = -1 };
	int status = key ? parse_key(key, &printing) : DONE;

	if (status)
		return status;
	if (spin_ctx__fields(ctx, table, 0, show_field, &printing))
		return report_error("%s", spin_strerror_last());
	end_entry(&printing);
	return key && !printing.shown ? report_error("%s has no entry with %s", table, key) : DONE;
}

static int change(struct spin_ctx *ctx, const char *table, const char **fields, unsigned count,
		  int (*fn)(struct spin_ctx *ctx, const char *table, const char *fields))
{
	for (unsigned i = 0; i < count; i++)
		if (fn(ctx, table, fields[i]))
			return report_error("%s", spin_strerror_last());
	return DONE;
}

static int run_verb(struct spin_ctx *ctx, const char **operands, unsigned count)
{
	const char *verb = operands[0], *name = operands[2];

	if (!strcmp(verb, "dump"))
		return dump(ctx, name, NULL);
	if (count == 3)
		return report_error("%s what? Give FIELD=VALUE, the fields of an entry in one word: 'src=10.0.0.1 port=7000'", verb);
	if (!strcmp(verb, "get"))
		return dump(ctx, name, operands[3]);
	return change(ctx, name, operands + 3, count - 3, strcmp(verb, "delete") ? spin_ctx__table_insert : spin_ctx__table_delete);
}

static int table(const char **operands, unsigned count)
{
	static const char *const verbs[] = { "dump", "get", "insert", "set", "delete" };
	struct spin_object *obj;
	struct spin_ctx *ctx;
	int status, known = 0;

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		known |= !strcmp(operands[0], verbs[i]);
	if (!known)
		return report_error("'%s' is not dump, get, insert, set or delete; see spinctl table --help", operands[0]), USAGE;
	status = find__open(options.broker, operands[1], &obj, &ctx);
	if (status)
		return status;
	status = run_verb(ctx, operands, count);
	spin_ctx__destroy(ctx);
	spin_object__close(obj);
	return status;
}

static const struct command_row row = {
	.name = "spinctl table",
	.operands = "dump|get|insert|set|delete CONTEXT TABLE [FIELDS]...",
	.min_operands = 3,
	.max_operands = 256,
	.summary = "Shows or changes a table of a context that spind holds, while it runs",
	.options = rows,
	.about =
		"FIELDS is one word: 'src=10.0.0.1 port=7000'. The key is among them; `get` and `delete` need no more. `insert` and `set` are the "
		"same: an entry with this key is changed, or else made. A handler that searches in the meantime finds all of an entry or "
		"nothing. Numbers are decimal or 0x hex. Contexts of other users are for root.",
	.examples =
		(const struct example_row[]){
			{ "spinctl table insert filtering routes 'src=10.0.0.1 port=7000'", "One more route." },
			{ "spinctl table insert filtering routes src=10.0.0.2 && spinctl table delete filtering routes src=10.0.0.2",
			  "One more, and none again." },
			{ "spinctl table dump filtering routes", "All of them." },
			{ 0 },
		},
};

const struct subcommand table_command = { "table", &row, table, &options };
