/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * watch FILE.spin IF N - application of a user's project, built and run by tests/install/out_of_tree.sh. Attaches the handlers of FILE.spin
 * to the interface IF, creates the file "attached", and prints counters and state after N packets or 10 s.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <spin/libspin.h>

static uint64_t seen(const struct spin_ctx *ctx, uint64_t *packets)
{
	uint64_t sum = 0;

	spin_ctx__counters(ctx, packets);
	for (int i = 0; i < SPIN_REASON_COUNT; i++)
		sum += packets[i];
	return sum;
}

static int print_field(void *arg, const struct spin_field *field)
{
	(void)arg;
	printf("%s %" PRIu64 "\n", field->path, field->value);
	return 0;
}

static int watch(struct spin_ctx *ctx, uint64_t wanted)
{
	uint64_t packets[SPIN_REASON_COUNT];
	FILE *attached;
	int err = spin_ctx__attach(ctx);

	if (err)
		return err;
	attached = fopen("attached", "w");
	if (attached)
		fclose(attached);
	for (int i = 0; i < 1000 && seen(ctx, packets) < wanted; i++)
		usleep(10000);
	for (int i = 0; i < SPIN_REASON_COUNT; i++)
		if (packets[i])
			printf("%s %s %" PRIu64 "\n", spin_verdict_name(spin_reason_verdict(i)), spin_reason_name(i), packets[i]);
	return spin_ctx__fields(ctx, "spin_state", 1, print_field, NULL);
}

int main(int argc, char **argv)
{
	struct spin_object *object = NULL;
	struct spin_nic *nic = NULL;
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;
	int err;

	if (argc != 4)
		return 2;
	err = spin_rule__parse("udp dport 9000", &rule);
	err = err ? err : spin_object__open(argv[1], &object);
	err = err ? err : spin_nic__open(argv[2], &nic);
	err = err ? err : spin_ctx__create(nic, object, &rule, &ctx);
	err = err ? err : watch(ctx, strtoull(argv[3], NULL, 10));
	if (err)
		fprintf(stderr, "watch: %s\n", spin_strerror_last());
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
	spin_object__close(object);
	return err != 0;
}
