/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "user/spinctl/ready.h"
#include "user/spinctl/run_cost.h"

#define REFRESH_S 1 /* how often the models' state is made the contexts' */

/* The kernel counts run times while this descriptor is open: not longer than this process lives. */
static void open_stats(struct run_cost *cost)
{
	cost->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (cost->stats_fd < 0)
		complain("--cost: the kernel does not count the time of programs here: %s; ns per packet stay unknown", strerror(errno));
}

int run_cost__open(struct run_cost *cost, const struct run_set *set, const struct run_cost_options *options)
{
	uint64_t clusters = 0, hpus = 0;
	char why[512] = "";
	int status = DONE;

	cost->stats_fd = -1;
	if (!options->every) {
		fprintf(stderr, "spinctl run: --cost-every is at least 1; see spinctl run --help\n");
		return USAGE;
	}
	if (pspin_target__read(options->target, &cost->target, why, sizeof(why)))
		return complain("--cost-target: %s", why);
	pspin_target__get(cost->target, "clusters", &clusters);
	pspin_target__get(cost->target, "hpus", &hpus);
	cost->hpus = (unsigned)(clusters * hpus);
	for (; cost->models < set->contexts && !status; cost->models++)
		status = run_cost_model__open(&set->context[cost->models], cost->target, options->every, &cost->model[cost->models]);
	cost->devices = set->devices;
	if (!status)
		open_stats(cost);
	return status;
}

void run_cost__close(struct run_cost *cost)
{
	for (unsigned i = 0; i < cost->models; i++)
		run_cost_model__close(cost->model[i]);
	if (cost->stats_fd >= 0)
		close(cost->stats_fd);
	pspin_target__free(cost->target);
	cost->models = 0;
}

int run_cost__look(struct run_cost *cost)
{
	int is_due = now_s() >= cost->refresh_s, status = DONE;

	if (is_due)
		cost->refresh_s = now_s() + REFRESH_S;
	for (unsigned i = 0; i < cost->models && !status; i++) {
		if (is_due)
			run_cost_model__refresh(cost->model[i]);
		status = run_cost_model__look(cost->model[i]);
	}
	return status;
}

static void read_device(struct run_cost_device *d, struct spin_nic *nic)
{
	struct bpf_prog_info info = { 0 };
	uint32_t bytes = sizeof(info);
	int fd = spin_nic__program_fd(nic);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &bytes))
		return; /* the interface has gone: what was known stays */
	d->is_known = 1;
	d->ns_per_packet_in_interval =
		info.run_cnt > d->packets ? (double)(info.run_time_ns - d->ns) / (double)(info.run_cnt - d->packets) : 0;
	d->ns_per_packet = info.run_cnt ? (double)info.run_time_ns / (double)info.run_cnt : 0;
	d->ns = info.run_time_ns;
	d->packets = info.run_cnt;
}

void run_cost__mark(struct run_cost *cost, const struct run_set *set)
{
	for (unsigned i = 0; i < cost->models; i++)
		run_cost_model__mark(cost->model[i], &cost->context[i]);
	for (unsigned i = 0; i < cost->devices && cost->stats_fd >= 0; i++)
		read_device(&cost->device[i], set->device[i].nic);
}
