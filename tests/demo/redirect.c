/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Attaches redirect.bpf.c, which changes the destination port of iperf3's datagrams to the demo's published port, at the client's egress,
 * and reads its counters. Called by demo_filtering.c (redirect.h).
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/proc.h"
#include "tests/demo/redirect.h"
#include "tests/demo/redirect_config.h"

struct redirect {
	struct bpf_object *object;
	const struct bpf_map *counts;
	struct bpf_tc_hook hook;
};

struct redirect *redirect_attach(const struct lab *lab, const char *object, uint16_t first_port, uint16_t ports, uint16_t published_port)
{
	struct redirect_config config = { first_port, ports, published_port };
	struct redirect *redirect = calloc(1, sizeof(*redirect));
	struct bpf_tc_opts opts = { .sz = sizeof(opts) };
	struct bpf_program *program;
	struct bpf_map *map;
	size_t bytes = 0;
	void *initial = NULL;

	lab_enter(&lab->client);
	if (redirect)
		redirect->object = bpf_object__open_file(object, NULL);
	if (!redirect || !redirect->object)
		die("cannot open %s", object);
	bpf_object__for_each_map(map, redirect->object) {
		if (strstr(bpf_map__name(map), ".rodata"))
			initial = (void *)bpf_map__initial_value(map, &bytes);
		if (strstr(bpf_map__name(map), ".bss"))
			redirect->counts = map;
	}
	if (!initial || bytes != sizeof(config) || !redirect->counts)
		die("%s is not this demo's", object);
	memcpy(initial, &config, sizeof(config));
	program = bpf_object__find_program_by_name(redirect->object, "redirect");
	if (!program || bpf_object__load(redirect->object))
		die("cannot load %s", object);
	redirect->hook = (struct bpf_tc_hook){ .sz = sizeof(redirect->hook),
					       .ifindex = (int)if_nametoindex(lab->client.ifname),
					       .attach_point = BPF_TC_EGRESS };
	opts.prog_fd = bpf_program__fd(program);
	if (bpf_tc_hook_create(&redirect->hook) || bpf_tc_attach(&redirect->hook, &opts))
		die("cannot attach %s to the egress of %s", object, lab->client.ifname);
	return redirect;
}

uint64_t redirect_count(const struct redirect *redirect, unsigned i)
{
	uint64_t counts[REDIRECT_PORTS_MAX] = { 0 };
	uint32_t zero = 0;

	if (bpf_map__value_size(redirect->counts) != sizeof(counts) || bpf_map_lookup_elem(bpf_map__fd(redirect->counts), &zero, counts))
		die("cannot read the redirected datagrams");
	return counts[i];
}

void redirect_detach(struct redirect *redirect)
{
	redirect->hook.attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS;
	bpf_tc_hook_destroy(&redirect->hook);
	bpf_object__close(redirect->object);
	free(redirect);
}
