/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests handlers/strided_ddt.c, which writes a message to memory in blocks with gaps (a strided datatype), over a link that loses,
 * duplicates and reorders frames. Messages are columns of a matrix. When a message's event arrives, its elements must be in their rows, and
 * no byte between them may have changed. Run by tests/run.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/net/lossy.h"
#include "tests/common/net/netns.h"
#include "tests/common/random.h"
#include "tests/common/net/slow.h"
#include <spin/libspin_message.h>
#include <spin/libspin_send.h>

#define ROWS    1501u
#define COLUMNS 12u
#define ELEMENT 40u /* bytes; packets begin and end within elements */
#define ROW     (COLUMNS * ELEMENT)
#define WAIT_MS (10000 * slow_factor())

static const struct lossy_rates bad = { .lose = 5, .twice = 5, .hold = 25, .reach = 30 };

/* The state of strided_ddt. */
struct layout {
	uint32_t block_bytes, stride_bytes;
};

static uint8_t column[ROWS * ELEMENT], want[ROWS * ROW];
static unsigned completed, others;

static void on_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	if (event->type == SPIN_EVENT_MESSAGE && !event->flags && event->length == sizeof(column))
		completed++;
	else
		others++;
}

static struct spin_ctx *open_receiver(const struct lossy *link)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message = { .put = 1, .host_bytes = sizeof(want) } };
	struct spin_object *object;
	struct layout *layout;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	char path[512];
	size_t bytes;

	netns_enter(link->far_ns);
	if (built_object("strided_ddt", path, sizeof(path)) || spin_object__open(path, &object) ||
	    spin_rule__parse("udp dport 9330", &rule) || spin_nic__open(FAR_DEV, &nic) ||
	    spin_ctx__create_opts(nic, object, &rule, &opts, &ctx) || spin_ctx__symbol(ctx, "spin_state", (void **)&layout, &bytes) ||
	    bytes != sizeof(*layout))
		fail("the receiver");
	*layout = (struct layout){ ELEMENT, ROW };
	expect(0, spin_ctx__attach(ctx), "attaching");
	spin_nic__close(nic);
	spin_object__close(object);
	netns_enter(link->near_ns);
	return ctx;
}

static void wait_for_event(struct spin_ctx *ctx, unsigned column_number)
{
	struct pollfd fd = { .fd = spin_ctx__event_fd(ctx), .events = POLLIN };

	while (completed <= column_number && poll(&fd, 1, WAIT_MS) > 0)
		if (spin_ctx__events(ctx, on_event, NULL) < 0)
			fail("events");
	expect(column_number + 1, completed, "columns that are complete");
	expect(0, others, "other events");
}

static void send_column(struct spin_sender *s, struct spin_ctx *ctx, const uint8_t *host, unsigned number)
{
	static uint64_t seed = 8;
	const struct spin_send_put put = { .offset = number * ELEMENT };

	random_fill(&seed, column, sizeof(column));
	for (unsigned row = 0; row < ROWS; row++)
		memcpy(want + row * ROW + number * ELEMENT, column + row * ELEMENT, ELEMENT);
	expect(0, spin_sender__send(s, column, sizeof(column), &put, NULL), "a column");
	wait_for_event(ctx, number);
	for (unsigned i = 0; i < sizeof(want); i++)
		if (host[i] != want[i]) {
			printf("row %u, byte %u, after column %u\n", i / ROW, i % ROW, number);
			fail("the matrix is another");
		}
}

int main(void)
{
	const struct spin_send_opts opts = { .bytes = sizeof(opts), .put = 1 };
	struct spin_sender *s;
	struct spin_ctx *ctx;
	struct lossy link;
	size_t bytes;
	void *host;

	lossy__open(&link, bad, bad, 8);
	ctx = open_receiver(&link);
	expect(0, spin_ctx__host_memory(ctx, &host, &bytes), "host memory");
	expect(sizeof(want), (long long)bytes, "its bytes");
	expect(0, spin_sender__open(FAR_ADDR, NULL, &opts, &s), "a sender");
	for (unsigned number = 0; number < COLUMNS; number++)
		send_column(s, ctx, host, number);
	spin_sender__close(s);
	spin_ctx__destroy(ctx);
	lossy__close(&link);
	lossy__print(&link);
	if (!link.there.counts.lost || !link.there.counts.doubled || !link.there.counts.overtaken)
		fail("the link is not as bad as it should be");
	return 0;
}
