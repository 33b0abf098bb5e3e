/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "hwmodel/nic/flow.h"

static unsigned list_of(const struct flow_key *key)
{
	const uint32_t *words = (const uint32_t *)key;
	uint32_t hash = 0;

	for (unsigned i = 0; i < sizeof(*key) / sizeof(*words); i++)
		hash = (hash ^ words[i]) * 2654435761u;
	return (hash >> 16) % FLOW_LISTS;
}

struct flow *flows__find(const struct flows *flows, const struct flow_key *key)
{
	struct flow *flow = flows->list[list_of(key)];

	while (flow && memcmp(&flow->key, key, sizeof(*key)))
		flow = flow->next;
	return flow;
}

int flow__is_tombstone(const struct flow *flow, uint32_t now_ms, uint32_t tombstone_ms)
{
	return !flow->mpq && now_ms - flow->left_ms <= tombstone_ms;
}

struct flow *flows__add(struct flows *flows, const struct flow_key *key, struct mpq *mpq, uint32_t now_ms, uint32_t tombstone_ms)
{
	struct flow **at = &flows->list[list_of(key)], *flow;

	while ((flow = *at)) {
		if (!flow->mpq && !flow__is_tombstone(flow, now_ms, tombstone_ms)) {
			*at = flow->next;
			free(flow);
		} else {
			at = &flow->next;
		}
	}
	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return NULL;
	flow->key = *key;
	flow->mpq = mpq;
	*at = flow;
	return flow;
}

void flows__leave(struct flows *flows, struct flow *flow)
{
	struct flow **at = &flows->list[list_of(&flow->key)];

	while (*at != flow)
		at = &(*at)->next;
	*at = flow->next;
	flow->is_left = 1;
}

void flows__remove(struct flows *flows, struct flow *flow)
{
	if (!flow->is_left)
		flows__leave(flows, flow);
	free(flow);
}

void flows__clear(struct flows *flows)
{
	for (unsigned i = 0; i < FLOW_LISTS; i++)
		while (flows->list[i])
			flows__remove(flows, flows->list[i]);
}
