/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Example of libspin(3): two contexts whose handlers share one state (HPU memory). Compiled and run by tests/install/page_examples.sh. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include <spin/libspin_hpu.h>

static int print_field(void *arg, const struct spin_field *field)
{
	(void)arg;
	return printf("%s %" PRIu64 "\n", field->path, field->value) < 0;
}

/* Attaches handlers to one port, with the shared memory as their state. */
static int attach(struct spin_nic *nic, struct spin_object *obj, struct spin_hpu_mem *mem, const char *match, struct spin_ctx **out)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .hpu_mem = mem, .capabilities = SPIN_CAP_BUDGET };
	struct spin_rule rule;
	int err;

	err = spin_rule__parse(match, &rule);
	if (!err)
		err = spin_ctx__create_opts(nic, obj, &rule, &opts, out);
	return err ? err : spin_ctx__attach(*out);
}

static int share(struct spin_nic *nic, struct spin_object *obj)
{
	const struct spin_meta *meta = spin_object__meta(obj);
	struct spin_ctx *a = NULL, *b = NULL;
	struct spin_hpu_mem *mem = NULL;
	int err;

	if (!(spin_nic__capabilities(nic, meta->registration.delivery) & SPIN_CAP_NO_DUPLICATES))
		fprintf(stderr, "share: packets may be handled twice\n");
	err = spin_hpu_mem__alloc(nic, meta->state_bytes, &mem);
	if (!err)
		err = attach(nic, obj, mem, "udp dport 9000", &a);
	if (!err)
		err = attach(nic, obj, mem, "udp dport 9001", &b);
	if (!err)
		sleep(1);
	spin_ctx__destroy(a); /* the memory stays: b has it, too */
	if (!err)
		err = spin_ctx__fields(b, "spin_state", 1, print_field, NULL);
	spin_ctx__destroy(b);
	spin_hpu_mem__free(mem);
	return err;
}

int main(int argc, char **argv)
{
	struct spin_object *obj = NULL;
	struct spin_nic *nic = NULL;
	int err;

	if (argc != 3) {
		fprintf(stderr, "usage: share FILE.spin IF\n");
		return 2;
	}
	err = spin_object__open(argv[1], &obj);
	if (!err)
		err = spin_nic__open(argv[2], &nic);
	if (!err)
		err = share(nic, obj);
	if (err)
		fprintf(stderr, "share: %s\n", spin_strerror_last());
	spin_nic__close(nic);
	spin_object__close(obj);
	return err != 0;
}
