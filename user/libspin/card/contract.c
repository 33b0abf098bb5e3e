/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks an object's program for a card with hardware XDP against the contract of <spin/offload.h>: it must be one program, with the
 * expected maps and sizes, and its tables must be the object's. Called by object.c when an object is opened, before libbpf loads anything
 * of it. contract_code.c checks the code.
 */
#include <errno.h>
#include <string.h>

#include <linux/bpf.h>

#include <spin/offload.h>

#include "user/libspin/card/card.h"
#include "user/libspin/object/contract.h"

static int check_program(const struct contract_file *file, struct bpf_object *bpf)
{
	struct bpf_program *prog;
	unsigned count = 0;

	bpf_object__for_each_program(prog, bpf) {
		if (strcmp(bpf_program__name(prog), SPIN_NFP_PROGRAM) || strcmp(bpf_program__section_name(prog), "xdp") ||
		    bpf_program__type(prog) != BPF_PROG_TYPE_XDP || bpf_program__flags(prog) || !bpf_program__autoload(prog))
			return contract__refuse(file, "a program %.60s (section \"%.60s\")", bpf_program__name(prog),
						bpf_program__section_name(prog));
		count++;
	}
	return count == 1 ? 0 : contract__refuse(file, "%u programs, and not one", count);
}

static int has_sizes(const struct bpf_map *map, enum bpf_map_type type, uint32_t value_bytes, uint32_t entries)
{
	return bpf_map__type(map) == type && bpf_map__value_size(map) == value_bytes && bpf_map__max_entries(map) == entries;
}

static int is_plain(const struct bpf_map *map)
{
	return !bpf_map__is_internal(map) && !bpf_map__pin_path(map) && !bpf_map__ifindex(map) && !bpf_map__map_extra(map) &&
	       !bpf_map__numa_node(map) && !bpf_map__map_flags(map) && bpf_map__key_size(map) == 4;
}

/* Checks a map against the object's table of the same name. */
static int check_table(const struct contract_file *file, const struct btf *btf, const struct bpf_map *map)
{
	const char *name = bpf_map__name(map);
	struct layout_variable var;
	struct layout_table table;
	uint32_t entry[64];

	if (layout__find(btf, name, &var) || strcmp(var.section, ".bss") || layout__table(btf, &var, &table))
		return contract__refuse(file, "a map %.60s, which is not a table of the object", name);
	if (table.entry_bytes > SPIN_NFP_VALUE_MAX || table.entry_bytes > sizeof(entry))
		return contract__refuse(file, "the table %.60s with entries of %u bytes (at most %u)", name, table.entry_bytes,
					SPIN_NFP_VALUE_MAX);
	if (bpf_map__type(map) != BPF_MAP_TYPE_HASH && bpf_map__type(map) != BPF_MAP_TYPE_ARRAY)
		return contract__refuse(file, "the map %.60s of type %d", name, (int)bpf_map__type(map));
	if (!has_sizes(map, bpf_map__type(map), table.entry_bytes, table.entries))
		return contract__refuse(file, "the map %.60s of %u entries of %u bytes, and not %u of %u as the object's table", name,
					bpf_map__max_entries(map), bpf_map__value_size(map), table.entries, table.entry_bytes);
	if (bpf_map__type(map) == BPF_MAP_TYPE_HASH && layout__entry(btf, &var, "", entry))
		return contract__refuse(file, "the hash %.60s, whose entries have no key", name);
	return 0;
}

static int check_map(const struct contract_file *file, const struct btf *btf, const struct bpf_map *map)
{
	const char *name = bpf_map__name(map);
	struct layout_variable var;

	if (!is_plain(map))
		return contract__refuse(file, "a map %.60s with attributes that a card does not have", name);
	if (!strcmp(name, "spin_counters"))
		return has_sizes(map, BPF_MAP_TYPE_ARRAY, sizeof(uint64_t), SPIN_REASON_COUNT)
			       ? 0
			       : contract__refuse(file, "the map spin_counters of another size or type");
	if (strcmp(name, "spin_state"))
		return check_table(file, btf, map);
	if (layout__find(btf, name, &var) || strcmp(var.section, ".data") || var.bytes > SPIN_NFP_VALUE_MAX ||
	    !has_sizes(map, BPF_MAP_TYPE_ARRAY, (uint32_t)var.bytes, 1))
		return contract__refuse(file, "the map spin_state of another size or type than the object's state");
	return 0;
}

/* Checks every map, and that all of them together fit onto a card. */
static int check_maps(const struct contract_file *file, const struct btf *btf, struct bpf_object *bpf)
{
	uint64_t entries = 0, maps = 0;
	struct bpf_map *map;

	bpf_object__for_each_map(map, bpf) {
		int err = check_map(file, btf, map);

		if (err)
			return err;
		entries += bpf_map__max_entries(map);
		maps++;
	}
	if (entries > SPIN_NFP_ENTRIES_MAX || maps > SPIN_NFP_MAPS_MAX)
		return contract__refuse(file, "%llu entries in %llu maps (at most %u in %u)", (unsigned long long)entries,
					(unsigned long long)maps, SPIN_NFP_ENTRIES_MAX, SPIN_NFP_MAPS_MAX);
	if (!bpf_object__find_map_by_name(bpf, "spin_counters"))
		return contract__refuse(file, "no map spin_counters");
	return 0;
}

int card__check(const struct spin_object *obj)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "contract", .pin_root_path = "/sys/fs/bpf");
	const struct contract_file file = { .path = obj->path, .data = obj->card, .bytes = obj->card_bytes, .card = 1 };
	int err = contract__check_code(&file);
	struct bpf_object *bpf;

	if (err)
		return err;
	bpf = bpf_object__open_mem(file.data, file.bytes, &opts);
	if (!bpf)
		return spin_fail(-EINVAL, "%s is damaged: libbpf cannot read its program for a card (%s); compile it again with spincc",
				 obj->path, strerror(errno));
	err = check_program(&file, bpf);
	if (!err)
		err = check_maps(&file, bpf_object__btf(obj->types), bpf);
	bpf_object__close(bpf);
	return err;
}
