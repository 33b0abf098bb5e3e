/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "internal.h"
#include "kernel/probe.h"
#include "layout.h"

#define VERIFIER_LOG_BYTES (16u << 20)

static struct bpf_map *section_map(const struct spin_ctx *ctx, const char *section)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, ctx->bpf) {
		const char *name = bpf_map__name(map);
		size_t length = strlen(name), want = strlen(section);

		if (bpf_map__is_internal(map) && length >= want && !strcmp(name + length - want, section))
			return map;
	}
	return NULL;
}

/* Configuration and name go into .rodata: constants for the verifier. */
static int configure(struct spin_ctx *ctx, const struct spin_rule *rule)
{
	struct spin_config config = { .rule = *rule };
	struct bpf_map *map = section_map(ctx, ".rodata");
	struct layout_variable var;
	size_t bytes = 0;
	char *mem = map ? (char *)bpf_map__initial_value(map, &bytes) : NULL;

	config.accept_partial = !ctx->nic.ifindex || ctx->nic.is_virtual;
	if (!mem || layout__find(ctx->btf, "spin_config", &var) || strcmp(var.section, ".rodata") ||
	    var.bytes != sizeof(config) || var.offset > bytes || sizeof(config) > bytes - var.offset)
		return spin_fail(-EINVAL, "%s has no configuration of this version; compile it again with spincc",
				 ctx->name);
	memcpy(mem + var.offset, &config, sizeof(config));
	if (!layout__find(ctx->btf, "spin_name", &var) && !strcmp(var.section, ".rodata") &&
	    var.bytes == sizeof(ctx->name) && var.offset <= bytes && var.bytes <= bytes - var.offset)
		memcpy(mem + var.offset, ctx->name, sizeof(ctx->name));
	return 0;
}

static int map_section(struct spin_ctx *ctx, const char *section, struct spin_memory *out)
{
	struct bpf_map *map = section_map(ctx, section);
	long page = sysconf(_SC_PAGESIZE);
	size_t bytes;
	void *addr;

	if (!map)
		return 0;
	bytes = bpf_map__value_size(map);
	bytes = (bytes + (size_t)page - 1) / (size_t)page * (size_t)page;
	addr = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (addr == MAP_FAILED)
		return spin_fail(-errno, "cannot map the memory of %s: %s", ctx->name, strerror(errno));
	out->addr = addr;
	out->bytes = bpf_map__value_size(map);
	return 0;
}

static void unmap_section(struct spin_memory *mem)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (mem->addr)
		munmap(mem->addr, (mem->bytes + page - 1) / page * page);
	*mem = (struct spin_memory){ 0 };
}

static void log_lines(const char *log)
{
	while (*log) {
		size_t length = strcspn(log, "\n");

		spin_log("%.*s", (int)length, log);
		log += length + (log[length] == '\n');
	}
}

/* Loads; on failure finds out why, from what is likely to what is left. */
static int load(struct spin_ctx *ctx, const struct spin_object *obj, const struct spin_rule *rule)
{
	char *log = calloc(1, VERIFIER_LOG_BYTES), why[SPIN_SENTENCE_BYTES];
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = obj->meta.name, .kernel_log_buf = log,
		    .kernel_log_size = VERIFIER_LOG_BYTES);
	int err, probe;

	if (!log)
		return spin_fail(-ENOMEM, "no memory to load %s", obj->path);
	ctx->bpf = bpf_object__open_mem(obj->data, obj->bytes, &opts);
	ctx->btf = ctx->bpf ? bpf_object__btf(ctx->bpf) : NULL;
	if (!ctx->btf) {
		free(log);
		return spin_fail(-EINVAL, "%s cannot be read by libbpf", obj->path);
	}
	err = configure(ctx, rule);
	if (!err) {
		err = bpf_object__load(ctx->bpf);
		if (err) {
			log_lines(log);
			probe = kernel_probe__xdp(why, sizeof(why));
			if (probe)
				err = spin_fail(probe, "%s", why);
			else if (spin_verifier__explain(log, obj->path, why, sizeof(why)))
				err = spin_fail(-EINVAL, "%s", why);
			else
				err = spin_fail(err, "the kernel refuses to load %s: %s", obj->path, strerror(-err));
		}
	}
	free(log);
	return err;
}

static int open_memory(struct spin_ctx *ctx)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(ctx->bpf, "spin_xdp");
	struct layout_variable var;
	int err = map_section(ctx, ".data", &ctx->data);

	if (!err)
		err = map_section(ctx, ".bss", &ctx->bss);
	if (err)
		return err;
	if (!prog || layout__find(ctx->btf, "spin_counters", &var) || strcmp(var.section, ".bss") ||
	    var.bytes != sizeof(struct spin_counters) * SPIN_HPUS_MAX ||
	    var.offset > ctx->bss.bytes || var.bytes > ctx->bss.bytes - var.offset)
		return spin_fail(-EINVAL, "%s has no counters of this version; compile it again with spincc",
				 ctx->name);
	ctx->prog_fd = bpf_program__fd(prog);
	ctx->counters = (const struct spin_counters *)(ctx->bss.addr + var.offset);
	return 0;
}

int spin_ctx__create(struct spin_nic *nic, const struct spin_object *obj,
		     const struct spin_rule *rule, struct spin_ctx **out)
{
	return spin_ctx__create_opts(nic, obj, rule, NULL, out);
}

int spin_ctx__create_opts(struct spin_nic *nic, const struct spin_object *obj, const struct spin_rule *rule,
			  const struct spin_ctx_opts *opts, struct spin_ctx **out)
{
	struct spin_ctx *ctx;
	char why[SPIN_SENTENCE_BYTES];
	int err;

	*out = NULL;
	spin_quiet_libbpf();
	if (!kernel_probe__privileged()) {
		err = kernel_probe__xdp(why, sizeof(why));
		return spin_fail(err ? err : -EPERM, "%s", why);
	}
	if (libbpf_num_possible_cpus() > SPIN_HPUS_MAX)
		return spin_fail(-E2BIG, "this machine has %d CPUs, a context counts on at most %d",
				 libbpf_num_possible_cpus(), SPIN_HPUS_MAX);
	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return spin_fail(-ENOMEM, "no memory for a context");
	ctx->link_fd = ctx->ring_fd = ctx->prog_fd = -1;
	snprintf(ctx->name, sizeof(ctx->name), "%s", opts && opts->name ? opts->name : obj->meta.name);
	ctx->class = opts ? opts->class : SPIN_CLASS_TRUSTED;
	if (nic)
		ctx->nic = *nic;
	err = load(ctx, obj, rule);
	if (!err)
		err = open_memory(ctx);
	if (err) {
		spin_ctx__destroy(ctx);
		return err;
	}
	*out = ctx;
	return 0;
}

void spin_ctx__destroy(struct spin_ctx *ctx)
{
	if (!ctx)
		return;
	spin_ctx__detach(ctx);
	ring_buffer__free(ctx->ring);
	unmap_section(&ctx->data);
	unmap_section(&ctx->bss);
	bpf_object__close(ctx->bpf);
	free(ctx);
}

const char *spin_ctx__name(const struct spin_ctx *ctx)
{
	return ctx->name;
}

const char *spin_class_name(enum spin_class class)
{
	return class == SPIN_CLASS_ISOLATED ? "isolated" : "trusted";
}

int spin_ctx__program_fd(const struct spin_ctx *ctx)
{
	return ctx->prog_fd;
}
