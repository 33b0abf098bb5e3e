/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The relay of a lossy link: receives frames from one side, and decides at random what to do with each. One thread per direction. Started
 * by lossy.c. What happens to the n-th frame depends only on the seed and n.
 */
#include <errno.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "tests/common/net/lossy_relay.h"
#include "tests/common/random.h"

#define BATCH       64u
#define FRAME_BYTES 2048
#define HELD_MAX    1024u
#define QUIET_MS    1 /* time without a frame after which held frames are sent */

struct lossy_frame {
	struct lossy_frame *next;
	unsigned users; /* number of queue entries that refer to it */
	unsigned bytes;
	uint64_t frame_number;
	uint8_t data[FRAME_BYTES];
};

/* Frames to send next. Twice as many as were received, since each may be duplicated, plus all that are held. */
struct outgoing {
	struct lossy_frame *frame[2 * BATCH + HELD_MAX];
	unsigned count;
};

static struct lossy_frame *alloc_frame(struct lossy_direction *w)
{
	struct lossy_frame *f = w->free;

	w->free = f->next;
	f->users = 0;
	return f;
}

static void free_frame(struct lossy_direction *w, struct lossy_frame *f)
{
	f->next = w->free;
	w->free = f;
}

static void enqueue(struct outgoing *out, struct lossy_frame *f)
{
	f->users++;
	out->frame[out->count++] = f;
}

/* Sends a frame that was held. */
static void send_held(struct lossy_direction *w, struct outgoing *out, struct lossy_frame *f)
{
	w->held_now--;
	w->counts.overtaken += w->passed > f->frame_number;
	out->frame[out->count++] = f;
}

static void send_all(struct lossy_direction *w, struct outgoing *out)
{
	struct mmsghdr message[BATCH] = { 0 };
	struct iovec part[BATCH];

	for (unsigned done = 0; done < out->count;) {
		unsigned n = out->count - done < BATCH ? out->count - done : BATCH;
		int sent;

		for (unsigned i = 0; i < n; i++) {
			part[i] = (struct iovec){ out->frame[done + i]->data, out->frame[done + i]->bytes };
			message[i].msg_hdr = (struct msghdr){ .msg_iov = &part[i], .msg_iovlen = 1 };
		}
		sent = sendmmsg(w->to, message, n, 0);
		done += sent > 0 ? (unsigned)sent : 1; /* a frame that cannot be sent is lost, as on any link */
	}
	for (unsigned i = 0; i < out->count; i++)
		if (!--out->frame[i]->users)
			free_frame(w, out->frame[i]);
	out->count = 0;
}

/* Releases the frames that were held until this frame number. */
static void release(struct lossy_direction *w, uint64_t number, struct outgoing *out)
{
	struct lossy_frame **list = &w->later[number % (LOSSY_REACH_MAX + 1)], *f;

	while ((f = *list)) {
		*list = f->next;
		send_held(w, out, f);
	}
}

static void release_all(struct lossy_direction *w, struct outgoing *out)
{
	for (unsigned i = 0; i <= LOSSY_REACH_MAX && w->held_now; i++)
		release(w, w->counts.frames + i, out);
}

static void hold(struct lossy_direction *w, struct lossy_frame *f, unsigned frames)
{
	struct lossy_frame **list = &w->later[(f->frame_number + frames) % (LOSSY_REACH_MAX + 1)];

	f->users++;
	f->next = *list;
	*list = f;
	w->held_now++;
	w->counts.held++;
}

/* Draws the same number of random numbers for each frame, so that what happens to it depends only on the seed and its number. */
static void process_frame(struct lossy_direction *w, struct lossy_frame *f, struct outgoing *out)
{
	const struct lossy_rates *r = &w->rates;
	unsigned lose = random_below(&w->random, 100), twice = random_below(&w->random, 100), held = random_below(&w->random, 100),
		 later = 1 + random_below(&w->random, r->reach ? r->reach : 1);

	f->frame_number = w->counts.frames++;
	if (lose < r->lose) {
		w->counts.lost++;
		free_frame(w, f);
	} else if (held < r->hold && w->held_now < HELD_MAX) {
		hold(w, f, later);
	} else {
		enqueue(out, f);
		w->passed = f->frame_number;
	}
	if (lose >= r->lose && twice < r->twice) {
		enqueue(out, f);
		w->counts.doubled++;
	}
	release(w, w->counts.frames - 1, out);
}

static unsigned receive(struct lossy_direction *w, struct lossy_frame **in)
{
	struct mmsghdr message[BATCH] = { 0 };
	struct iovec part[BATCH];
	struct pollfd fd = { .fd = w->from, .events = POLLIN };
	int n;

	if (poll(&fd, 1, w->held_now ? QUIET_MS : 20) <= 0)
		return 0;
	for (unsigned i = 0; i < BATCH; i++) {
		in[i] = alloc_frame(w);
		part[i] = (struct iovec){ in[i]->data, FRAME_BYTES };
		message[i].msg_hdr = (struct msghdr){ .msg_iov = &part[i], .msg_iovlen = 1 };
	}
	n = recvmmsg(w->from, message, BATCH, MSG_DONTWAIT, NULL);
	if (n < 0)
		n = 0;
	for (unsigned i = 0; i < BATCH; i++) {
		if (i < (unsigned)n)
			in[i]->bytes = message[i].msg_len;
		else
			free_frame(w, in[i]);
	}
	return (unsigned)n;
}

static void count_overruns(struct lossy_direction *w)
{
	struct tpacket_stats stats;
	socklen_t bytes = sizeof(stats);

	if (!getsockopt(w->from, SOL_PACKET, PACKET_STATISTICS, &stats, &bytes))
		w->counts.overrun += stats.tp_drops;
}

static void *relay(void *arg)
{
	struct lossy_direction *w = arg;
	struct lossy_frame *in[BATCH];
	struct outgoing out = { .count = 0 };

	while (!atomic_load(w->stopping)) {
		unsigned n = receive(w, in);

		for (unsigned i = 0; i < n; i++)
			process_frame(w, in[i], &out);
		if (!n)
			release_all(w, &out);
		send_all(w, &out);
	}
	count_overruns(w);
	return NULL;
}

int lossy_relay__start(struct lossy_direction *w)
{
	unsigned frames = BATCH + HELD_MAX;

	w->frames = calloc(frames, sizeof(*w->frames));
	if (!w->frames)
		return -ENOMEM;
	for (unsigned i = 0; i < frames; i++)
		free_frame(w, &w->frames[i]);
	return -pthread_create(&w->thread, NULL, relay, w);
}

void lossy_relay__join(struct lossy_direction *w)
{
	pthread_join(w->thread, NULL);
	free(w->frames);
}
