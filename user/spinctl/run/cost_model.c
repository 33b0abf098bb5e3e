/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl run --cost: the modelled NIC of one context (attached packet handlers). Runs one datagram in N, or all packets of one message in
 * N, and sums up the cycles of their handlers. Called by cost.c. Packets come from a tap, a copy of live traffic.
 */
#include <stdlib.h>
#include <string.h>

#include <hwmodel/pspin.h>
#include <spin/slmp.h>
#include <spin/wire.h>

#include "user/tool/notify.h"
#include "user/spinctl/run/cost.h"

#define RING_BYTES             (4u << 20)
#define RING_BYTES_OF_MESSAGES (16u << 20) /* all packets of messages are tapped */
#define LOOK_MAX_S             0.1         /* of one look, in seconds: packets that did not run by then are missed */

struct run_cost_model {
	const struct run_context *context;
	struct pspin *nic;
	unsigned every, runtime_cycles;
	int takes_messages, takes_segments, is_of_flows;
	double start_s, look_until_s;
	struct run_cost_sums now; /* since the last mark */
	uint64_t tap_lost;        /* up to the last mark */
};

void run_cost_model__refresh(struct run_cost_model *m)
{
	const char *name;
	char copy[64];

	for (unsigned i = 0; (name = spin_ctx__symbol_name(m->context->ctx, i)); i++) {
		uint32_t addr, bytes;
		void *value;

		snprintf(copy, sizeof(copy), "%s", name);
		if (pspin__symbol(m->nic, copy, &addr, &bytes))
			continue;
		value = malloc(bytes ? bytes : 1);
		if (value && !spin_ctx__value(m->context->ctx, copy, value, bytes))
			pspin__write(m->nic, addr, value, bytes);
		free(value);
	}
}

/* Opens the model with as much host memory as the context has. All of it is handler memory, and one entry covers it. */
static int open_nic(struct run_cost_model *m, const struct pspin_target *target)
{
	const struct run_context *c = m->context;
	struct pspin_limits limits = { .take_put = m->takes_messages };
	struct spin_segment all = { 0, 0 };
	struct spin_rule rule;
	char reason[512] = "";
	size_t bytes, host;
	const void *image = spin_object__image(c->object, &bytes);
	void *mem;

	if (!image)
		return report_error("--cost: %s has no rv32 image: make it with spincc", c->name);
	if (spin_rule__parse(c->rule, &rule))
		return report_error("--cost: %s", spin_strerror_last());
	m->is_of_flows = rule.has_eom || m->takes_segments;
	if (pspin__open(&m->nic, target, spin_object__meta(c->object), image, bytes, &rule, reason, sizeof(reason)))
		return report_error("--cost: the model cannot run the image of %s: %s", c->name, reason);
	if (!spin_ctx__host_memory(c->ctx, &mem, &host)) {
		all.length = (uint32_t)host & ~7u;
		limits.host_bytes = (uint32_t)host;
		limits.handler_mem = &all;
		limits.handler_segments = 1;
	}
	return pspin__limit(m->nic, &limits) ? report_error("--cost: no memory for the model of %s", c->name) : DONE;
}

int run_cost_model__open(const struct run_context *c, const struct pspin_target *target, unsigned every, struct run_cost_model **out)
{
	struct run_cost_model *m = calloc(1, sizeof(*m));
	int status;

	*out = m;
	if (!m)
		return report_error("--cost: no memory");
	m->context = c;
	m->every = every;
	m->runtime_cycles = pspin_target__runtime_cycles(target);
	m->takes_messages = session__takes_messages(c);
	m->takes_segments = spin_object__meta(c->object)->registration.delivery == SPIN_DELIVER_SEGMENTS;
	m->start_s = now_s();
	status = open_nic(m, target);
	if (!status && (m->takes_messages || m->takes_segments ? spin_ctx__tap(c->ctx, RING_BYTES_OF_MESSAGES)
							       : spin_ctx__tap_some(c->ctx, RING_BYTES, every)))
		status = report_error("--cost: %s", spin_strerror_last());
	return status;
}

void run_cost_model__close(struct run_cost_model *m)
{
	if (m)
		pspin__close(m->nic);
	free(m);
}

static void add_sample(struct run_cost_sums *sums, uint64_t cycles, uint64_t with_runtime)
{
	if (!sums->handled || cycles < sums->min)
		sums->min = cycles;
	if (cycles > sums->max)
		sums->max = cycles;
	sums->handled++;
	sums->cycles += cycles;
	sums->cycles_with_runtime += with_runtime;
}

/* Returns 1 for an error that no handler returns itself, such as a trap: the cycles are then not the handler's. */
static int is_fault(const struct pspin_task *task)
{
	return task->error && (task->error < PSPIN_ERROR_FAIL || task->error >= PSPIN_ERROR_WATCHDOG);
}

static void run_packet(struct run_cost_model *m, const struct spin_tapped *packet)
{
	uint64_t cycles = 0, with_runtime = 0;
	struct pspin_result result;
	int is_faulty = 0;

	if (pspin__packet(m->nic, packet->frame, packet->frame_bytes, &result)) {
		m->now.missed++;
		return;
	}
	for (unsigned i = 0; i < result.task_count; i++) {
		is_faulty |= is_fault(&result.tasks[i]);
		cycles += result.tasks[i].body_cycles;
		with_runtime += result.tasks[i].body_cycles - result.tasks[i].parked_cycles + m->runtime_cycles;
	}
	if (is_faulty) {
		m->now.faults++;
		return;
	}
	m->now.samples++;
	if (result.task_count)
		add_sample(&m->now, cycles, with_runtime);
}

static void on_packet(void *arg, const struct spin_tapped *packet)
{
	struct run_cost_model *m = arg;
	uint32_t key;

	if ((m->takes_messages || m->takes_segments) &&
	    (run_cost_key(packet->frame, packet->frame_bytes, m->is_of_flows, &key) || key % m->every))
		return;
	if (now_s() < m->look_until_s)
		run_packet(m, packet);
	else
		m->now.missed++;
}

int run_cost_model__look(struct run_cost_model *m)
{
	double now = now_s();
	struct pspin_result expired;

	if (m->takes_messages)
		pspin__clock(m->nic, (uint32_t)((now - m->start_s) * 1000), &expired);
	m->look_until_s = now + LOOK_MAX_S;
	if (spin_ctx__tapped(m->context->ctx, on_packet, m) < 0)
		return report_error("--cost: %s", spin_strerror_last());
	return DONE;
}

void run_cost_model__mark(struct run_cost_model *m, struct run_cost_context *out)
{
	struct run_cost_sums *all = &out->all;
	uint64_t lost = spin_ctx__tap_lost(m->context->ctx);

	m->now.missed += lost - m->tap_lost;
	m->tap_lost = lost;
	if (m->now.handled && (!all->handled || m->now.min < all->min))
		all->min = m->now.min;
	if (m->now.max > all->max)
		all->max = m->now.max;
	all->samples += m->now.samples;
	all->handled += m->now.handled;
	all->cycles += m->now.cycles;
	all->cycles_with_runtime += m->now.cycles_with_runtime;
	all->faults += m->now.faults;
	all->missed += m->now.missed;
	out->interval = m->now;
	m->now = (struct run_cost_sums){ 0 };
}
