/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Accesses state, tables and counters of handlers on a card by system calls. Called by libspin's memory.c, events.c and tests. The layout
 * is that of the object's own variables, so texts and images are the same as for handlers in the kernel.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include <spin/offload.h>

#include "user/libspin/card/card.h"

#define ENTRY_WORDS (SPIN_NFP_VALUE_MAX / 4)

struct bpf_map *card__map(const struct card *card, const char *name, struct layout_variable *var)
{
	struct bpf_map *map;

	if (layout__find(card->btf, name, var))
		return NULL;
	map = bpf_object__find_map_by_name(card->bpf, name);
	if (!map)
		spin_fail(-ENOENT, "'%s' is not a state or table of %s on the card", name, card->name);
	return map;
}

/* Turns the errno of a map's system call into a reason. */
static int map_error(const struct card *card, const char *name, const char *what)
{
	const int err = -errno;

	if (err == -E2BIG || err == -ENOMEM || err == -ENOSPC)
		return spin_fail(-ENOSPC, "%s: the card has no room for another entry of %s", card->name, name);
	if (err == -ENODEV || err == -ENETDOWN)
		return spin_fail(-ENODEV, "interface %s has gone away, and %s with it", card->ifname, name);
	return spin_fail(err, "%s: the card's %s cannot be %s: %s", card->name, name, what, strerror(-err));
}

int card__is_hash(const struct card *card, const char *name)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(card->bpf, name);

	return map && bpf_map__type(map) == BPF_MAP_TYPE_HASH;
}

int card__read_entry(const struct card *card, const char *name, uint32_t key, void *entry)
{
	struct layout_variable var;
	struct bpf_map *map = card__map(card, name, &var);

	if (!map)
		return -ENOENT;
	if (!bpf_map_lookup_elem(bpf_map__fd(map), &key, entry))
		return 0;
	return errno == ENOENT ? spin_fail(-ENOENT, "%s has no entry with this key", name) : map_error(card, name, "read");
}

int card__write_entry(const struct card *card, const char *name, uint32_t key, const void *entry)
{
	struct layout_variable var;
	struct bpf_map *map = card__map(card, name, &var);

	if (!map)
		return -ENOENT;
	return bpf_map_update_elem(bpf_map__fd(map), &key, entry, BPF_ANY) ? map_error(card, name, "written") : 0;
}

int card__clear(const struct card *card, const char *name)
{
	struct layout_variable var;
	struct bpf_map *map = card__map(card, name, &var);
	uint32_t key;

	if (!map)
		return -ENOENT;
	while (!bpf_map_get_next_key(bpf_map__fd(map), NULL, &key))
		if (bpf_map_delete_elem(bpf_map__fd(map), &key) && errno != ENOENT)
			return map_error(card, name, "cleared");
	return errno == ENOENT ? 0 : map_error(card, name, "cleared");
}

/* Reads all entries of the map. Another process may change the map during that, so no more are read than fit. */
static int read_entries(const struct card *card, const struct bpf_map *map, char *to, size_t bytes)
{
	const uint32_t entry_bytes = bpf_map__value_size(map);
	uint32_t key, *before = NULL;

	for (size_t at = 0; at + entry_bytes <= bytes; before = &key) {
		if (bpf_map_get_next_key(bpf_map__fd(map), before, &key))
			return errno == ENOENT ? 0 : map_error(card, bpf_map__name(map), "read");
		if (bpf_map_lookup_elem(bpf_map__fd(map), &key, to + at)) {
			if (errno == ENOENT)
				continue;
			return map_error(card, bpf_map__name(map), "read");
		}
		at += entry_bytes;
	}
	return 0;
}

int card__image(const struct card *card, const char *name, struct layout_variable *var, void **image)
{
	struct bpf_map *map = card__map(card, name, var);
	int err;

	*image = NULL;
	if (!map)
		return -ENOENT;
	*image = calloc(1, var->bytes);
	if (!*image)
		return spin_fail(-ENOMEM, "no memory to read %s", name);
	err = read_entries(card, map, *image, var->bytes);
	if (err) {
		free(*image);
		*image = NULL;
	}
	return err;
}

/* Returns the index of the entry that a path such as "[5].port=7000" names, parsed as layout__set() does; 0 for the state. */
static unsigned long index_of(const char *path)
{
	return *path == '[' ? strtoul(path + 1, NULL, 10) : 0;
}

int card__set(const struct card *card, const char *assignment)
{
	struct layout_variable var;
	struct bpf_map *map;
	uint32_t entry_bytes;
	unsigned long at;
	const char *path;
	char name[64], *image;
	int err = layout__split(assignment, name, sizeof(name), &path);

	if (err)
		return err;
	map = card__map(card, name, &var);
	if (!map)
		return -ENOENT;
	if (bpf_map__type(map) == BPF_MAP_TYPE_HASH)
		return spin_fail(-EINVAL, "'%s' has a key on the card, and no index: insert its entries by key (--insert)", name);
	entry_bytes = bpf_map__value_size(map);
	at = strcmp(name, "spin_state") ? index_of(path) : 0;
	if (at >= var.bytes / entry_bytes)
		return spin_fail(-ERANGE, "'%s': the array has %zu entries, from 0", path, var.bytes / entry_bytes);
	image = calloc(1, var.bytes);
	if (!image)
		return spin_fail(-ENOMEM, "no memory to write %s", name);
	err = card__read_entry(card, name, (uint32_t)at, image + at * entry_bytes);
	if (!err)
		err = layout__set(card->btf, &var, image, path);
	if (!err)
		err = card__write_entry(card, name, (uint32_t)at, image + at * entry_bytes);
	free(image);
	return err;
}

/* Reads the key from the fields; sets *var and *map to the table's. */
static int find_key(const struct card *card, const char *table, const char *fields, struct layout_variable *var, struct bpf_map **map,
		    uint32_t *key)
{
	uint32_t entry[ENTRY_WORDS] = { 0 };
	int err;

	*map = card__map(card, table, var);
	if (!*map)
		return -ENOENT;
	if (bpf_map__type(*map) != BPF_MAP_TYPE_HASH)
		return spin_fail(-EINVAL, "'%s' is not a table with a 32-bit SPIN_KEY as its first field", table);
	err = layout__entry(card->btf, var, fields, entry);
	if (!err && !entry[0])
		err = spin_fail(-EINVAL, "%s: the key is missing or 0, which marks an empty entry", table);
	*key = entry[0];
	return err;
}

int card__insert(const struct card *card, const char *table, const char *fields)
{
	uint32_t entry[ENTRY_WORDS] = { 0 }, key;
	struct layout_variable var;
	struct bpf_map *map;
	int err = find_key(card, table, fields, &var, &map, &key);

	if (err)
		return err;
	/* keep the fields of an existing entry that are not named */
	if (bpf_map_lookup_elem(bpf_map__fd(map), &key, entry) && errno != ENOENT)
		return map_error(card, table, "read");
	err = layout__entry(card->btf, &var, fields, entry);
	if (err)
		return err;
	return bpf_map_update_elem(bpf_map__fd(map), &key, entry, BPF_ANY) ? map_error(card, table, "written") : 0;
}

int card__delete(const struct card *card, const char *table, const char *text)
{
	struct layout_variable var;
	struct bpf_map *map;
	uint32_t key;
	int err = find_key(card, table, text, &var, &map, &key);

	if (err)
		return err;
	if (!bpf_map_delete_elem(bpf_map__fd(map), &key))
		return 0;
	return errno == ENOENT ? spin_fail(-ENOENT, "%s has no entry with this key", table) : map_error(card, table, "written");
}

int card__counters(const struct card *card, uint64_t *packets)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(card->bpf, "spin_counters");

	memset(packets, 0, SPIN_REASON_COUNT * sizeof(*packets));
	if (!map || !bpf_map__autocreate(map))
		return 0;
	for (uint32_t reason = 0; reason < SPIN_REASON_COUNT; reason++)
		if (bpf_map_lookup_elem(bpf_map__fd(map), &reason, &packets[reason]))
			return map_error(card, "spin_counters", "read");
	return 0;
}
