/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* NICs with the program whose cost is asked for. */
#include <string.h>

#include "user/spinctl/cost_run.h"
#include "user/libspin/internal.h"

/* On a NIC of its own, or one more context of `nic`. */
static int open_object(const struct cost_program *program, struct pspin *nic, struct pspin **out)
{
	const struct spin_meta *meta = program->meta ? program->meta : spin_object__meta(program->object);
	/* so that nothing is cut off, and handlers have memory of their own */
	const struct spin_segment all = { 0, SPIN_HOST_BYTES_MAX };
	const struct pspin_limits limits = {
		.host_bytes = SPIN_HOST_BYTES_MAX, .handler_mem = &all, .handler_segments = 1, .watchdog_cycles = program->watchdog
	};
	char why[512] = "";
	int rc;

	if (!program->elf)
		return complain("%s has no rv32 image: make it with spincc", program->path);
	if (nic)
		rc = pspin__join(out, nic, meta, program->elf, program->elf_bytes, program->rule, why, sizeof(why));
	else
		rc = pspin__open(out, program->target, meta, program->elf, program->elf_bytes, program->rule, why, sizeof(why));
	if (rc)
		return complain("the model cannot run the image of %s: %s", program->path, why);
	return pspin__limit(*out, &limits) ? complain("no memory") : DONE;
}

static int open_image(const struct cost_program *program, struct pspin **out)
{
	struct pspin_image image = program->image;
	char why[1024] = "";

	image.watchdog_cycles = program->watchdog;
	if (!pspin__open_image(out, program->target, &image, why, sizeof(why)))
		return DONE;
	return complain("the model cannot run %s: %s", program->path, why[0] ? why : "no PsPIN program");
}

static int fill(const struct cost_program *program, struct pspin *nic)
{
	struct model_memory *memory = model_memory__new(nic, program->object);
	struct fill_target target;
	int status;

	if (!memory)
		return complain("no memory");
	target = model_memory__target(memory);
	status = fill__apply(program->fill, &target);
	if (!status)
		status = model_memory__flush(memory);
	model_memory__free(memory);
	return status;
}

int cost_program__open(const struct cost_program *program, struct pspin **out)
{
	int status;

	*out = NULL;
	status = program->object ? open_object(program, NULL, out) : open_image(program, out);
	if (!status)
		status = program->object ? fill(program, *out) : cost_memory__fill(program, *out);
	if (status) {
		pspin__close(*out);
		*out = NULL;
	}
	return status;
}

int cost_program__join(const struct cost_program *program, struct pspin *nic, struct pspin **out)
{
	int status;

	*out = NULL;
	status = open_object(program, nic, out);
	return status ? status : fill(program, *out);
}

void cost_program__describe(const struct cost_program *program, struct cost_report *r)
{
	const char *slash = strrchr(program->path, '/');
	uint64_t clusters = 0, hpus = 0;

	r->is_image = !program->object;
	r->handler = program->object ? spin_object__meta(program->object)->name : slash ? slash + 1 : program->path;
	r->takes_messages = !program->object || spin_object__meta(program->object)->registration.delivery == SPIN_DELIVER_ME;
	r->target = pspin_target__name(program->target);
	r->clock_ghz = pspin_target__clock_ghz(program->target);
	r->cycle_ps = pspin_target__cycle_ps(program->target);
	r->runtime_cycles = pspin_target__runtime_cycles(program->target);
	pspin_target__get(program->target, "clusters", &clusters);
	pspin_target__get(program->target, "hpus", &hpus);
	pspin_target__get(program->target, "power_mw", &r->power_mw);
	r->hpus = (unsigned)(clusters * hpus);
	r->isa = rv32_isa_string();
	r->assumptions = pspin__assumptions();
	spin_rule__format(program->rule, r->rule, sizeof(r->rule));
	cost_compiler(program->elf, program->elf_bytes, r->compiler, sizeof(r->compiler));
}
