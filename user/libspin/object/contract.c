/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks the BPF programs and maps of a handler's object against what spincc generates. Called by spin_object__open() for both ELF files of
 * an object. libbpf would create whatever an ELF file describes; only what is in the tables below is accepted.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/bpf.h>

#include "bpf/abi/mpq.h"
#include "bpf/abi/stream.h"
#include "bpf/abi/tx_ring.h"
#include "user/libspin/object/contract.h"
#include "user/libspin/internal.h"

/* All programs that an object may have. They are in section "xdp", or "?xdp" if loaded only on request; one is a sockmap's. */
static const struct program_row {
	const char *name;
	int autoload;
	int is_stream;
} programs[] = {
	{ "spin_xdp", 1 },
	{ "spin_begin" },
	{ "spin_opened" },
	{ "spin_copied" },
	{ "spin_send" },
	{ "spin_send_swept" },
	{ "spin_emit_event" },
	{ "spin_replay" },
	{ "spin_replay_swept" },
	{ "spin_spread" },
	{ "spin_progress" },
	{ "spin_icmp" },
	{ "spin_icmp_copy" },
	{ "spin_ether" },
	{ "spin_ether_copy" },
	{ "spin_stream_end" },
	{ .name = "spin_stream", .is_stream = 1 },
};

#define DATA_SECTIONS_MAX 16 /* each takes a map, a descriptor and whole pages; spincc makes the four named ones and some of constants */
#define DATA_BYTES_MAX    (64u << 20) /* of all sections: more than the handler memory of any card plus the runtime's */

/* Maximum sizes in the file; libspin enlarges some maps before loading. */
static const struct map_row {
	const char *name;
	enum bpf_map_type type;
	uint32_t key_bytes, value_bytes_max, entries_max, flags;
	enum bpf_map_type inner; /* inner type of an array of maps; 0: not an array of maps */
} maps[] = {
	{ "spin_events", BPF_MAP_TYPE_RINGBUF, 0, 0, 64 * 1024, 0 },
	{ "spin_requests", BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0 },
	{ "spin_long", BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 1, 0 },
	{ "spin_progs", BPF_MAP_TYPE_PROG_ARRAY, 4, 4, SPIN_PARKED_SLOTS, 0 },
	{ "spin_swept_progs", BPF_MAP_TYPE_PROG_ARRAY, 4, 4, SPIN_SEND_SLOT + 1, 0 },
	{ "spin_cpu_state", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 20 * 1024, 1, 0 },
	{ "spin_tx_descs", BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(struct spin_tx_desc), 1, 0 },
	{ "spin_tx_rings", BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(struct spin_tx_ring), 1, 0 },
	{ "spin_stream_on", BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 1, 0 },
	{ "spin_streams", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct spin_stream), SPIN_STREAMS_MAX, BPF_F_MMAPABLE },
	{ "spin_units_taken", BPF_MAP_TYPE_ARRAY, 4, 4, SPIN_HPUS_MAX, 0 },
	{ "spin_streams_taken", BPF_MAP_TYPE_ARRAY, 4, 4, SPIN_STREAMS_MAX, 0 },
	{ "spin_streams_seen", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct spin_streams_seen), 1, BPF_F_MMAPABLE },
	{ "spin_units", BPF_MAP_TYPE_ARRAY, 4, 20 * 1024, 1, 0 },
	{ "spin_host", BPF_MAP_TYPE_ARRAY, 4, SPIN_HOST_BYTES_BARE + SPIN_HOST_SLACK, 1, BPF_F_MMAPABLE },
	{ "spin_wide", BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_MMAPABLE },
	{ "spin_cpus", BPF_MAP_TYPE_CPUMAP, 4, 8, 1, 0 },
	{ "spin_egress", BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 1, 0, BPF_MAP_TYPE_DEVMAP },
	{ "spin_neighs", BPF_MAP_TYPE_HASH, sizeof(struct spin_neigh_key), sizeof(struct spin_neigh), 1, BPF_F_NO_PREALLOC },
};

/* What a file has had so far. */
struct found {
	uint32_t programs, maps; /* bit masks of the rows above */
	unsigned data_sections;
	uint64_t data_bytes;
};

_Static_assert(sizeof(programs) / sizeof(programs[0]) <= 32 && sizeof(maps) / sizeof(maps[0]) <= 32, "a bit for each row");

int contract__refuse(const struct contract_file *file, const char *format, ...)
{
	char what[400];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	for (char *at = what; *at; at++) /* the name comes from the object: print no control characters */
		if ((unsigned char)*at < 0x20 || (unsigned char)*at >= 0x7f)
			*at = '?';
	return spin_fail(-EPERM,
			 "%s has %s%s, which spincc does not make of handlers, so nothing of it is loaded; compile its "
			 "source yourself: `spincc handler.c -o handler.spin`",
			 file->path, what,
			 file->bounded ? " (in its programs with bounded loops)"
			 : file->card  ? " (in its program for a card)"
				       : "");
}

static int has_program_type(const struct bpf_program *prog, int is_stream)
{
	const char *section = bpf_program__section_name(prog);

	if (bpf_program__flags(prog))
		return 0;
	if (is_stream)
		return !strcmp(section, "sk_skb/stream_verdict") && bpf_program__type(prog) == BPF_PROG_TYPE_SK_SKB &&
		       bpf_program__expected_attach_type(prog) == BPF_SK_SKB_STREAM_VERDICT;
	return !strcmp(section, "xdp") && bpf_program__type(prog) == BPF_PROG_TYPE_XDP &&
	       bpf_program__expected_attach_type(prog) == BPF_XDP;
}

static int check_program(const struct contract_file *file, const struct bpf_program *prog, struct found *found)
{
	const char *name = bpf_program__name(prog), *section = bpf_program__section_name(prog);

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (strcmp(programs[i].name, name))
			continue;
		if (found->programs >> i & 1)
			return contract__refuse(file, "two programs %s", name);
		found->programs |= 1u << i;
		if (!has_program_type(prog, programs[i].is_stream))
			return contract__refuse(file, "the program %s of section \"%.60s\", and not of \"%s\"", name, section,
						programs[i].is_stream ? "sk_skb/stream_verdict" : "xdp");
		if (bpf_program__autoload(prog) != programs[i].autoload)
			return contract__refuse(file, "the program %s in the section \"%s\"", name, programs[i].autoload ? "?xdp" : "xdp");
		return 0;
	}
	return contract__refuse(file, "a program %.60s (section \"%.60s\")", name, section);
}

/* Checks a data section: an array of one value, which libbpf may create mappable. */
static int check_data(const struct contract_file *file, const struct bpf_map *map, struct found *found)
{
	const char *name = bpf_map__name(map);

	if (bpf_map__type(map) != BPF_MAP_TYPE_ARRAY || bpf_map__max_entries(map) != 1 || bpf_map__key_size(map) != 4 ||
	    bpf_map__map_flags(map) & ~(uint32_t)(BPF_F_MMAPABLE | BPF_F_RDONLY_PROG))
		return contract__refuse(file, "the data section %s of another type", name);
	if (++found->data_sections > DATA_SECTIONS_MAX)
		return contract__refuse(file, "more than %u data sections", DATA_SECTIONS_MAX);
	found->data_bytes += bpf_map__value_size(map);
	if (found->data_bytes > DATA_BYTES_MAX)
		return contract__refuse(file, "a data section %s of %u bytes (all of them together: at most %u)", name,
					bpf_map__value_size(map), DATA_BYTES_MAX);
	return 0;
}

static int is_plain(const struct bpf_map *map)
{
	return !bpf_map__pin_path(map) && !bpf_map__ifindex(map) && !bpf_map__map_extra(map) && !bpf_map__numa_node(map);
}

static int check_inner(const struct contract_file *file, const struct map_row *row, struct bpf_map *map)
{
	const struct bpf_map *inner = bpf_map__inner_map(map);

	if (!row->inner)
		return inner ? contract__refuse(file, "a map inside of %s", row->name) : 0;
	if (!inner || bpf_map__type(inner) != row->inner || bpf_map__key_size(inner) != 4 || bpf_map__value_size(inner) != 8 ||
	    bpf_map__max_entries(inner) != 1 || bpf_map__map_flags(inner) || !is_plain(inner))
		return contract__refuse(file, "another map than the runtime's inside of %s", row->name);
	return 0;
}

/* The map must be a row of `maps` with the same type, sizes and flags, or the data of a section. */
static int check_map(const struct contract_file *file, struct bpf_map *map, struct found *found)
{
	const char *name = bpf_map__name(map);

	if (!bpf_map__pin_path(map) && bpf_map__is_internal(map))
		return check_data(file, map, found);
	if (bpf_map__pin_path(map))
		return contract__refuse(file, "a map %.60s that is to be pinned at %.120s", name, bpf_map__pin_path(map));
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		const struct map_row *row = &maps[i];

		if (strcmp(row->name, name))
			continue;
		if (found->maps >> i & 1) /* libspin looks maps up by name, and would configure and count only one of them */
			return contract__refuse(file, "two maps %s", name);
		found->maps |= 1u << i;
		if (bpf_map__type(map) != row->type)
			return contract__refuse(file, "the map %s of type %d, and not %d", name, (int)bpf_map__type(map), (int)row->type);
		if (bpf_map__key_size(map) != row->key_bytes || bpf_map__value_size(map) > row->value_bytes_max ||
		    bpf_map__max_entries(map) > row->entries_max)
			return contract__refuse(file, "the map %s of %u entries of %u and %u bytes (at most %u of %u and %u)", name,
						bpf_map__max_entries(map), bpf_map__key_size(map), bpf_map__value_size(map),
						row->entries_max, row->key_bytes, row->value_bytes_max);
		if (bpf_map__map_flags(map) != row->flags || !is_plain(map))
			return contract__refuse(file, "the map %s with other flags or attributes than the runtime's", name);
		return check_inner(file, row, map);
	}
	return contract__refuse(file, "a map %.60s of type %d", name, (int)bpf_map__type(map));
}

int contract__check_maps(const struct contract_file *file, struct bpf_object *bpf)
{
	struct bpf_program *prog;
	struct found found = { 0 };
	struct bpf_map *map;
	int err = 0;

	bpf_object__for_each_map(map, bpf)
		if (!err)
			err = check_map(file, map, &found);
	bpf_object__for_each_program(prog, bpf)
		if (!err)
			err = check_program(file, prog, &found);
	return err;
}

int contract__check(const struct contract_file *file)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "contract", .pin_root_path = "/sys/fs/bpf");
	int err = contract__check_code(file);
	struct bpf_object *bpf;

	if (err)
		return err;
	bpf = bpf_object__open_mem(file->data, file->bytes, &opts);
	if (!bpf)
		return spin_fail(-EINVAL, "%s is damaged: libbpf cannot read its programs (%s); compile it again with spincc", file->path,
				 strerror(errno));
	err = contract__check_maps(file, bpf);
	bpf_object__close(bpf);
	return err;
}
