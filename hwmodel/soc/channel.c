/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>

#include "hwmodel/soc/channel.h"

int waiting__open(struct waiting *waiting, uint64_t room)
{
	waiting->room = (unsigned)room;
	waiting->access = calloc(room, sizeof(*waiting->access));
	return waiting->access ? 0 : -ENOMEM;
}

void waiting__close(struct waiting *waiting)
{
	free(waiting->access);
}

void waiting__add(struct waiting *waiting, struct access access)
{
	waiting->access[(waiting->first + waiting->count++) % waiting->room] = access;
}

const struct access *waiting__head(const struct waiting *waiting, uint64_t cycle)
{
	const struct access *access = &waiting->access[waiting->first];

	return waiting->count && access->from <= cycle ? access : NULL;
}

void waiting__drop(struct waiting *waiting)
{
	waiting->first = (waiting->first + 1) % waiting->room;
	waiting->count--;
}

int channel__open(struct channel *channel, const struct pspin_target *target)
{
	int err = waiting__open(&channel->chosen, CHANNEL_CHOSEN);

	channel->of = calloc(target->clusters, sizeof(*channel->of));
	if (!channel->of)
		return -ENOMEM;
	channel->clusters = (unsigned)target->clusters;
	for (unsigned i = 0; !err && i < channel->clusters; i++)
		err = waiting__open(&channel->of[i], target__threads(target));
	return err;
}

void channel__close(struct channel *channel)
{
	for (unsigned i = 0; channel->of && i < channel->clusters; i++)
		waiting__close(&channel->of[i]);
	free(channel->of);
	waiting__close(&channel->chosen);
}

void channel__add(struct channel *channel, struct access access)
{
	waiting__add(&channel->of[access.hpu->cluster], access);
	channel->count++;
}

int channel__waits(const struct channel *channel)
{
	return channel->count && channel->chosen.count < CHANNEL_CHOSEN;
}

void channel__choose(struct channel *channel, uint64_t cycle)
{
	struct waiting *waiting;
	uint64_t asks = 0;

	if (!channel__waits(channel))
		return;
	for (unsigned i = 0; i < channel->clusters; i++)
		if (waiting__head(&channel->of[i], cycle))
			asks |= UINT64_C(1) << i;
	if (!asks)
		return;
	waiting = &channel->of[arbiter__grant(&channel->arbiter, channel->clusters, asks, 1)];
	waiting__add(&channel->chosen, *waiting__head(waiting, cycle));
	waiting__drop(waiting);
	channel->count--;
}
