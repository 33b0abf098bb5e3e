/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tells spind what an object would take in the kernel (map memory, instructions), and gives it the descriptors of a context's maps for the
 * client (share.h). Called by spind. The context keeps the descriptors.
 */
#include <errno.h>
#include <string.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "kernel/cpus.h"
#include "user/libspin/guard.h"
#include "user/libspin/internal.h"
#include "user/libspin/share.h"

static uint64_t map_bytes(const struct bpf_map *map)
{
	const uint64_t entries = bpf_map__max_entries(map), value = (bpf_map__value_size(map) + 7u) / 8 * 8;
	const int cpus = kernel_cpus__possible();

	switch (bpf_map__type(map)) {
	case BPF_MAP_TYPE_RINGBUF:
		return entries;
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		return entries * value * (uint64_t)(cpus > 0 ? cpus : 1);
	default:
		return entries * (value + bpf_map__key_size(map));
	}
}

static struct share_needs needs_of(struct bpf_object *programs, int is_stream)
{
	struct share_needs needs = { 0 };
	struct bpf_program *prog;
	struct bpf_map *map;

	bpf_object__for_each_map(map, programs)
		needs.map_bytes += streams__map_entries(map, is_stream) * map_bytes(map);
	bpf_object__for_each_program(prog, programs)
		needs.instructions += (uint32_t)bpf_program__insn_cnt(prog);
	return needs;
}

int share__needs(const struct spin_object *obj, int is_stream, struct share_needs *out)
{
	struct share_needs needs;
	struct bpf_object *bounded;

	*out = needs_of(obj->types, is_stream);
	if (!obj->bounded)
		return 0;
	bounded = bpf_object__open_mem(obj->bounded, obj->bounded_bytes, NULL);
	if (!bounded)
		return spin_fail(-EINVAL, "%s is damaged: libbpf cannot read its programs with bounded loops (%s)", obj->path,
				 strerror(errno));
	needs = needs_of(bounded, is_stream);
	bpf_object__close(bounded);
	if (needs.map_bytes > out->map_bytes)
		out->map_bytes = needs.map_bytes;
	if (needs.instructions > out->instructions)
		out->instructions = needs.instructions;
	return 0;
}

static int section_fd(const struct spin_ctx *ctx, const char *section)
{
	const struct bpf_map *map = section__map(ctx->bpf, section);

	return map ? bpf_map__fd(map) : -1;
}

void share__memories(const struct spin_ctx *ctx, struct share_memories *out)
{
	const struct bpf_map *host = bpf_object__find_map_by_name(ctx->bpf, "spin_host");

	*out = (struct share_memories){
		.data = section_fd(ctx, ".data"),
		.bss = section_fd(ctx, ".bss"),
		.events = ctx->events_fd,
		.host = host && !ctx->host.is_own ? bpf_map__fd(host) : -1,
		.hpus = ctx->num_hpus,
		.bounded = (uint32_t)ctx->bounded,
		.direct_bytes = ctx->direct_bytes,
		.host_bytes = ctx->host.memory.bytes,
	};
}

uint32_t share__id(const struct spin_ctx *ctx)
{
	struct bpf_prog_info info = { 0 };
	uint32_t bytes = sizeof(info);

	if (ctx->guard)
		return spin_guard__id(ctx);
	return bpf_obj_get_info_by_fd(ctx->prog_fd, &info, &bytes) ? 0 : info.id;
}

int share__takes_streams(const struct spin_ctx *ctx)
{
	return ctx->streams != NULL;
}

int share__takes_tcp(const struct spin_ctx *ctx)
{
	return ctx->streams || ctx__takes_segments(ctx);
}

const struct spin_rule *share__rule(const struct spin_ctx *ctx)
{
	return &ctx->rule;
}
