/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Example of libspin(3): attaches handlers for a second and prints packet counts. Compiled and run by tests/install/page_examples.sh. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include <spin/libspin.h>

static int count(struct spin_nic *nic, struct spin_object *obj)
{
	uint64_t packets[SPIN_REASON_COUNT];
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;
	int err;

	err = spin_rule__parse("udp dport 9000", &rule);
	if (!err)
		err = spin_ctx__create(nic, obj, &rule, &ctx);
	if (!err)
		err = spin_ctx__attach(ctx);
	if (!err) {
		sleep(1);
		spin_ctx__counters(ctx, packets);
		for (int i = 0; i < SPIN_REASON_COUNT; i++)
			if (packets[i])
				printf("%s %" PRIu64 "\n", spin_reason_name(i), packets[i]);
	}
	spin_ctx__destroy(ctx);
	return err;
}

int main(int argc, char **argv)
{
	struct spin_object *obj = NULL;
	struct spin_nic *nic = NULL;
	int err;

	if (argc != 3) {
		fprintf(stderr, "usage: count FILE.spin IF\n");
		return 2;
	}
	err = spin_object__open(argv[1], &obj);
	if (!err)
		err = spin_nic__open(argv[2], &nic);
	if (!err)
		err = count(nic, obj);
	if (err)
		fprintf(stderr, "count: %s\n", spin_strerror_last());
	spin_nic__close(nic);
	spin_object__close(obj);
	return err != 0;
}
