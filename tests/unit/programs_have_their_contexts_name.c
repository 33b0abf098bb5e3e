/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that the kernel's list of programs (bpftool prog) shows the XDP program of an execution context, that is of attached handlers,
 * under the context's name, in both load classes. Names that the kernel would reject are adapted, and names of the runtime's own programs
 * are not used. libspin must still find the program, also after a swap of the handlers. Run by tests/run.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/traffic/migration_handler.h"

static const struct named {
	const char *context, *program; /* program NULL: the name is not used */
	enum spin_class class;
} cases[] = {
	{ "web", "web", SPIN_CLASS_TRUSTED },
	{ "web", "web", SPIN_CLASS_ISOLATED },
	{ "a-b c.d/e", "a_b_c.d_e", SPIN_CLASS_TRUSTED },
	{ "fifteen_letters", "fifteen_letter", SPIN_CLASS_TRUSTED },
	{ "spin_send", NULL, SPIN_CLASS_TRUSTED },
	{ "spin_send", NULL, SPIN_CLASS_ISOLATED },
	{ "bpf_xdp_load", "bpf_xdp_load", SPIN_CLASS_TRUSTED },
};

/* Counts the programs with this name and an id above `after`. */
static unsigned programs(uint32_t after, const char *name)
{
	unsigned count = 0;

	for (uint32_t id = after; !bpf_prog_get_next_id(id, &id);) {
		struct bpf_prog_info info = { 0 };
		uint32_t bytes = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &bytes))
			count += !strcmp(info.name, name) && info.type == BPF_PROG_TYPE_XDP;
		if (fd >= 0)
			close(fd);
	}
	return count;
}

static uint32_t newest(void)
{
	uint32_t last = 0;

	for (uint32_t id = 0; !bpf_prog_get_next_id(id, &id);)
		last = id;
	return last;
}

/* Retries, because the kernel frees programs some time after they are released. */
static void expect_program(uint32_t after, const struct named *c)
{
	const char *name = c->program ? c->program : c->context;
	const unsigned want = c->program != NULL;

	for (int i = 0; i < 100 && programs(after, name) != want; i++)
		usleep(20000);
	expect(want, programs(after, name), name);
}

static void run_one(struct spin_nic *nic)
{
	struct spin_run_result result;
	uint8_t frame[64], out[256];
	const uint32_t bytes = migration_handler__frame(frame);

	expect(0, spin_nic__run(nic, frame, bytes, 1, out, sizeof(out), &result), "a packet");
	expect(SPIN_VERDICT_DROP, result.verdict, "what the handler `counter` makes of it");
}

static void try_case(const struct spin_object *object, const struct named *c)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .name = c->context, .class = c->class };
	const uint32_t before = newest();
	struct spin_rule rule;
	struct spin_ctx *ctx;
	struct spin_nic *nic;

	expect(0, spin_nic__open_offline(&nic), "an interface");
	expect(0, spin_rule__parse("udp dport 9000", &rule), "a rule");
	expect(0, spin_ctx__create_opts(nic, object, &rule, &opts, &ctx), c->context);
	expect(0, spin_ctx__attach(ctx), "attaching it");
	expect_program(before, c);
	run_one(nic);
	expect(0, spin_ctx__swap(ctx, object), "a swap");
	expect_program(before, c);
	run_one(nic);
	expect(0, strcmp(spin_ctx__name(ctx), c->context), "the context's own name");
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
}

int main(void)
{
	struct spin_object *object;

	skip_unless_root();
	object = built_open("counter");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		try_case(object, &cases[i]);
	spin_object__close(object);
	return 0;
}
