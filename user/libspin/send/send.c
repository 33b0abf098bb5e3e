/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends messages over UDP (SLMP, sPIN's message protocol): a loop that sends packets in batches, reads acknowledgements in batches, and
 * sleeps until the next packet is due. Called by applications (spin_sender__*()) and by requests/put.c and answer.c, which send puts and
 * answers to gets for handlers. A message without progress for timeout_ms fails with -ETIMEDOUT.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "user/libspin/send/send.h"

#define MS_NS       1000000u
#define PROGRESS_NS (100u * MS_NS)

/* A message being sent. */
struct job {
	struct spin_sender *sender;
	struct send_message message;
	struct spin_send_report report;
	uint64_t start_ns, now_ns;
	uint64_t progress_ns; /* when one more packet was acknowledged, or one was sent that asks for no acknowledgement */
	uint64_t reported_ns;
	int refused;               /* 1: the message is too long for the receiver */
	int must_restart;          /* 1: the receiver has evicted the message, or may have forgotten it */
	uint64_t max_acknowledged; /* highest number of acknowledged packets so far: more is progress, also after a restart */
	uint64_t acknowledged;     /* packets acknowledged since the last restart */
	uint64_t max_at_restart;   /* `max_acknowledged` at the last restart */
	uint64_t max_sent;         /* highest number of new packets sent so far: more is progress if they ask for no acknowledgement */
	unsigned failed_restarts;  /* consecutive restarts without progress */
};

/*
 * Message ids are counted per process, since two senders may have the same port one after the other.
 * To reuse an id within ten minutes, the process would have to send seven million messages a second.
 */
static int next_id(uint32_t *id)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static uint32_t next;
	static pid_t owner;
	int err = 0;

	pthread_mutex_lock(&lock);
	if (owner != getpid() && getrandom(&next, sizeof(next), 0) != sizeof(next))
		err = spin_fail(-errno, "no random number for the message: %s", strerror(errno));
	if (!err)
		owner = getpid();
	*id = next++;
	pthread_mutex_unlock(&lock);
	return err;
}

int spin_sender__open(const char *host, const char *port, const struct spin_send_opts *opts, struct spin_sender **out)
{
	struct spin_sender *s = calloc(1, sizeof(*s));
	int err, room;

	*out = NULL;
	if (!s)
		return spin_fail(-ENOMEM, "no memory for a sender");
	s->fd = -1;
	err = send_opts__read(opts, &s->opts);
	if (!err)
		err = send_socket__open(host, port, s->opts.source, &s->fd, s->peer, sizeof(s->peer));
	if (!err) {
		room = send_socket__room(s->fd);
		if (room < 0 || !send_opts__stride(&s->opts, (unsigned)room))
			err = spin_fail(room < 0 ? room : -EMSGSIZE,
					"%s: the way there takes datagrams of %d bytes: too short "
					"for %u bytes of payload",
					s->peer, room < 0 ? 0 : room, s->opts.payload_bytes);
	}
	if (err) {
		spin_sender__close(s);
		return err;
	}
	s->opts.source = NULL; /* owned by the caller */
	s->timer.fixed_ns = (uint64_t)s->opts.resend_ms * MS_NS;
	*out = s;
	return 0;
}

void spin_sender__close(struct spin_sender *sender)
{
	if (!sender)
		return;
	if (sender->fd >= 0)
		close(sender->fd);
	free(sender);
}

void spin_sender__on_progress(struct spin_sender *sender, int (*fn)(void *arg, const struct spin_send_report *so_far), void *arg)
{
	sender->on_progress = fn;
	sender->on_progress_arg = arg;
}

void send__begin_cautiously(struct spin_sender *sender)
{
	sender->window.cautious = 1;
}

static const struct spin_send_report *report(struct job *j)
{
	const struct send_window *w = &j->sender->window;
	uint64_t bytes = w->lowest * j->message.stride;

	j->report.bytes = bytes < j->message.bytes ? bytes : j->message.bytes;
	j->report.round_trip_us = j->sender->timer.smoothed_ns / 1000;
	j->report.elapsed_us = (send_now_ns() - j->start_ns) / 1000;
	return &j->report;
}

static int report_progress(struct job *j)
{
	struct spin_sender *s = j->sender;

	if (!s->on_progress || j->now_ns - j->reported_ns < PROGRESS_NS)
		return 0;
	j->reported_ns = j->now_ns;
	return s->on_progress(s->on_progress_arg, report(j)) ? -ECANCELED : 0;
}

static void add_new_packet(struct job *j, int in_train)
{
	struct send_window *w = &j->sender->window;
	int wanted = j->message.every || !w->next || w->next + 1 == w->total;

	send_batch__add(&j->sender->batch, &j->message, w->next, !in_train);
	send_window__sent(w, j->now_ns, wanted, in_train);
	if (wanted || w->next <= j->max_sent)
		return;
	j->max_sent = w->next;
	j->progress_ns = j->now_ns;
}

/* Sends lost packets first, then new ones. */
static void fill_batch(struct job *j)
{
	struct spin_sender *s = j->sender;
	struct send_window *w = &s->window;
	struct send_batch *b = &s->batch;
	uint64_t packet;

	while (b->count < SEND_BATCH && send_window__lost(w, &s->timer, j->now_ns, &packet)) {
		send_batch__add(b, &j->message, packet, 1);
		j->report.resent++;
	}
	while (b->count < SEND_BATCH && send_window__space(w)) {
		unsigned space = send_window__space(w), room = SEND_BATCH - b->count;
		unsigned together = b->plain ? 0 : send_trains__next(&w->trains, w->lowest > 0, space < room ? space : room);

		if (!together)
			add_new_packet(j, 0);
		while (together--)
			add_new_packet(j, 1);
	}
}

/* Called for each answer. A packet that is acknowledged twice counts once. */
static void on_answer(void *arg, enum send_answer answer, uint64_t packet)
{
	struct job *j = arg;

	if (answer != SEND_TAKEN) {
		if (send_window__waits(&j->sender->window, packet))
			*(answer == SEND_REFUSED ? &j->refused : &j->must_restart) = 1;
		return;
	}
	if (j->must_restart || !send_window__acknowledged(&j->sender->window, &j->sender->timer, packet, j->now_ns))
		return;
	j->report.acknowledged++;
	if (++j->acknowledged <= j->max_acknowledged)
		return;
	j->max_acknowledged = j->acknowledged;
	j->progress_ns = j->now_ns;
}

/* Sleeps until an answer arrives or a packet is due; full: or until the socket can take more. */
static void wait_for_answer(struct job *j, int full)
{
	struct spin_sender *s = j->sender;
	struct pollfd fd = { .fd = s->fd, .events = (short)(POLLIN | (full ? POLLOUT : 0)) };
	uint64_t until = full ? UINT64_MAX : send_window__due_ns(&s->window, &s->timer), now = send_now_ns();
	uint64_t give_up = j->progress_ns + (uint64_t)s->opts.timeout_ms * MS_NS;
	struct timespec wait = { 0 };

	if (until > give_up)
		until = give_up;
	if (s->on_progress && until > j->reported_ns + PROGRESS_NS)
		until = j->reported_ns + PROGRESS_NS;
	if (until > now)
		wait = (struct timespec){ (time_t)((until - now) / 1000000000u), (long)((until - now) % 1000000000u) };
	if (ppoll(&fd, 1, &wait, NULL) < 0)
		j->reported_ns = 0; /* a signal: the caller's callback may end the message */
}

/* Reads all pending answers: unread ones would make the packets in flight seem more than the path holds. */
static int receive(struct job *j)
{
	struct spin_sender *s = j->sender;
	unsigned all = 0;
	int got;

	do {
		got = send_batch__receive(&s->batch, s->fd, &j->message, on_answer, j);
		if (got < 0)
			return got;
		all += (unsigned)got;
	} while (got == SEND_ANSWERS && all < SPIN_WINDOW);
	return (int)all;
}

/* The receiver has no room. Waits before the next attempt, longer after each one without progress. */
static void back_off(struct job *j)
{
	uint64_t wait_ns;

	if (j->max_acknowledged > j->max_at_restart)
		j->failed_restarts = 0;
	j->max_at_restart = j->max_acknowledged;
	if (!j->failed_restarts++)
		return;
	wait_ns = send_timer__wait_ns(&j->sender->timer, j->failed_restarts - 2);
	if (wait_ns > PROGRESS_NS)
		wait_ns = PROGRESS_NS;
	nanosleep(&(struct timespec){ .tv_nsec = (long)wait_ns }, NULL);
}

/*
 * Restarts the message with a new id: acknowledgements of the old id may still be in flight, but the receiver has discarded those packets.
 */
static int restart(struct job *j)
{
	struct spin_sender *s = j->sender;
	int err = next_id(&j->message.id);

	if (err)
		return err;
	back_off(j);
	j->report.message_id = j->message.id;
	send_window__start(&s->window, j->message.packets, s->opts.window);
	s->batch.count = s->batch.gone = 0;
	j->must_restart = 0;
	j->acknowledged = 0;
	j->report.begun_again++;
	return 0;
}

static int has_timed_out(const struct job *j)
{
	return j->now_ns - j->progress_ns >= (uint64_t)j->sender->opts.timeout_ms * MS_NS;
}

/*
 * Returns -ETIMEDOUT if the message made no progress for too long. On a busy machine this thread may not have run for that time, and
 * answers wait to be read. They count if some packets were never sent; after a long time the receiver may have evicted the message and no
 * longer know it, so it is restarted. If all packets were sent, the receiver may have completed the message so long ago that it no longer
 * recognises packets sent again (see TIMEOUT_MS); then only answers to all of them help.
 */
static int check_timeout(struct job *j)
{
	const struct send_window *w = &j->sender->window;
	const int may_be_forgotten = j->now_ns - j->progress_ns >= (uint64_t)SPIN_TOMBSTONE_MS * MS_NS;
	int got;

	if (!has_timed_out(j))
		return 0;
	got = receive(j);
	if (got < 0)
		return got;
	if (j->refused || j->must_restart || w->lowest == w->total)
		return 0;
	if (has_timed_out(j) || w->next == w->total)
		return -ETIMEDOUT;
	j->must_restart = may_be_forgotten;
	return 0;
}

/* Sends the packets of a message, again where they are lost, until all are acknowledged. */
static int transfer(struct job *j)
{
	struct spin_sender *s = j->sender;
	int err, got;

	while (s->window.lowest < s->window.total) {
		uint64_t before = j->report.sent;

		j->now_ns = send_now_ns();
		err = check_timeout(j);
		if (err)
			return err;
		if (s->window.lowest == s->window.total)
			break;
		err = report_progress(j);
		if (err)
			return err;
		if (!s->batch.count)
			fill_batch(j);
		err = send_batch__flush(&s->batch, s->fd, &j->report.sent);
		if (err && err != -EAGAIN)
			return err;
		j->now_ns = send_now_ns();
		got = receive(j);
		if (got < 0)
			return got;
		if (j->refused)
			return -EFBIG;
		if (j->must_restart) {
			err = restart(j);
			if (err)
				return err;
			continue;
		}
		if (!got && j->report.sent == before)
			wait_for_answer(j, err == -EAGAIN);
	}
	return 0;
}

/* Sets up the message. */
static int prepare(struct job *j, const void *data, size_t bytes)
{
	struct spin_sender *s = j->sender;
	int room = send_socket__room(s->fd), err;

	if ((uint64_t)bytes > UINT32_MAX)
		return spin_fail(-EMSGSIZE, "a message has at most %u bytes, this has %llu; send it in parts", UINT32_MAX,
				 (unsigned long long)bytes);
	if (room < 0)
		return spin_fail(room, "%s: %s; is the way there gone?", s->peer, strerror(-room));
	j->message.stride = send_opts__stride(&s->opts, (unsigned)room);
	if (!j->message.stride)
		return spin_fail(-EMSGSIZE, "%s: the way there takes datagrams of %d bytes only, by now", s->peer, room);
	err = next_id(&j->message.id);
	if (err)
		return err;
	j->message.data = data;
	j->message.bytes = (uint32_t)bytes;
	j->message.packets = bytes ? ((uint64_t)bytes + j->message.stride - 1) / j->message.stride : 1;
	j->message.every = !s->opts.no_acknowledgements;
	j->report.message_id = j->message.id;
	j->report.packets = j->message.packets;
	return 0;
}

static struct spin_slmp_put put_header(const struct spin_send_put *put, uint32_t bytes)
{
	return (struct spin_slmp_put){ .op = SPIN_SLMP_OP_PUT,
				       .version = SPIN_SLMP_VERSION,
				       .length = spin_hton32(bytes),
				       .match_bits = put ? __builtin_bswap64(put->match_bits) : 0,
				       .hdr_data = put ? __builtin_bswap64(put->hdr_data) : 0,
				       .offset = put ? __builtin_bswap64(put->offset) : 0 };
}

int spin_sender__send(struct spin_sender *sender, const void *data, size_t bytes, const struct spin_send_put *put,
		      struct spin_send_report *report_out)
{
	struct job j = { .sender = sender };
	struct spin_slmp_put put_front;
	int err;

	if (put && !sender->opts.put)
		err = spin_fail(-EINVAL, "sender: match bits and the like need a sender opened with `put`");
	else
		err = prepare(&j, data, bytes);
	if (!err) {
		put_front = put_header(put, j.message.bytes);
		j.message.put = sender->opts.put ? &put_front : NULL;
		send_window__start(&sender->window, j.message.packets, sender->opts.window);
		sender->batch.count = sender->batch.gone = 0;
		sender->batch.plain = 0;
		send_socket__clear(sender->fd);
		j.start_ns = j.progress_ns = j.reported_ns = send_now_ns();
		err = transfer(&j);
		report(&j);
		if (err)
			send_error(sender, &j.message, &j.report, err);
	}
	if (report_out)
		*report_out = j.report;
	return err;
}

#define TIMEOUT_MS 1800u    /* default of timeout_ms */
#define MS_MAX     3600000u /* largest timeout_ms and resend_ms: an hour */

/*
 * A receiver recognises packets of a completed message for SPIN_TOMBSTONE_MS, and later takes them for a new message. A sender that gets no
 * acknowledgement sends all packets again, so it must give up before that time is over.
 */
_Static_assert(TIMEOUT_MS < SPIN_TOMBSTONE_MS, "a message may be delivered twice");

int send_opts__read(const struct spin_send_opts *opts, struct spin_send_opts *out)
{
	memset(out, 0, sizeof(*out));
	if (opts && opts->bytes < sizeof(opts->bytes))
		return spin_fail(-EINVAL, "sender: `bytes` of the options is not set; it is sizeof(struct spin_send_opts)");
	if (opts)
		memcpy(out, opts, opts->bytes < sizeof(*out) ? opts->bytes : sizeof(*out));
	out->bytes = sizeof(*out);
	if (out->window > SPIN_WINDOW)
		return spin_fail(-EINVAL, "sender: a window of %u packets; receivers remember %u at most", out->window, SPIN_WINDOW);
	if (out->payload_bytes > SPIN_SLMP_PAYLOAD_MAX)
		return spin_fail(-EINVAL, "sender: %u bytes of payload per packet; at most %u fit", out->payload_bytes,
				 SPIN_SLMP_PAYLOAD_MAX);
	if (out->timeout_ms > MS_MAX || out->resend_ms > MS_MAX)
		return spin_fail(-EINVAL, "sender: times are at most %u ms", MS_MAX);
	if (!out->window)
		out->window = SPIN_WINDOW;
	if (out->no_acknowledgements)
		out->window = 1;
	if (!out->timeout_ms)
		out->timeout_ms = TIMEOUT_MS;
	return 0;
}

/* All packets are equally long, so the headers of the first packet count for all. */
uint32_t send_opts__stride(const struct spin_send_opts *opts, unsigned room)
{
	unsigned front = sizeof(struct spin_slmp) + (opts->put ? sizeof(struct spin_slmp_put) : 0);
	unsigned max_bytes = sizeof(struct spin_slmp) + SPIN_SLMP_PAYLOAD_MAX;

	if (opts->payload_bytes && sizeof(struct spin_slmp) + opts->payload_bytes > room)
		return 0;
	if (room > max_bytes)
		room = max_bytes;
	room = room > front ? room - front : 0;
	if (opts->payload_bytes)
		return opts->payload_bytes < room ? opts->payload_bytes : room;
	return room & ~7u;
}

static int timed_out(const struct spin_sender *s, const struct send_message *m, const struct spin_send_report *report)
{
	double seconds = s->opts.timeout_ms / 1000.0;

	if (!report->acknowledged)
		return spin_fail(-ETIMEDOUT,
				 "%s: no acknowledgement within %.1f s, not even of the first packet: is a context "
				 "for messages attached there (spinctl recv)%s, and is there no firewall in between?",
				 s->peer, seconds, s->opts.put ? ", one that takes put and has a matching entry," : "");
	return spin_fail(-ETIMEDOUT,
			 "%s: no acknowledgement for %.1f s; %llu of %u bytes were acknowledged: the receiver ended, or "
			 "has no room (spinctl mpq shows there what it waits for)",
			 s->peer, seconds, (unsigned long long)report->bytes, m->bytes);
}

int send_error(const struct spin_sender *s, const struct send_message *m, const struct spin_send_report *report, int err)
{
	switch (err) {
	case -ETIMEDOUT:
		return timed_out(s, m, report);
	case -ECONNREFUSED:
		return spin_fail(err,
				 "%s: connection refused, %llu of %u bytes were acknowledged: neither a context nor a socket has "
				 "this port; start the receiver there (spinctl recv), or name another port",
				 s->peer, (unsigned long long)report->bytes, m->bytes);
	case -EFBIG:
		return spin_fail(err,
				 "%s: refused, %llu of %u bytes were acknowledged: the message is longer than the receiver has "
				 "room for; give it more there (spinctl recv --max-mib, spinctl run --host-kib, or a longer matching "
				 "entry), or send it in shorter messages",
				 s->peer, (unsigned long long)report->bytes, m->bytes);
	case -ECANCELED:
		return spin_fail(err, "%s: given up; %llu of %u bytes were acknowledged", s->peer, (unsigned long long)report->bytes,
				 m->bytes);
	case -EMSGSIZE:
		return spin_fail(err,
				 "%s: packets of %u bytes have become too long for the way there; send the message again, it "
				 "will be cut shorter",
				 s->peer, m->stride);
	case -EFAULT:
		return spin_fail(err, "the message's data cannot be read: was its file cut while it was sent?");
	case -EPERM:
	case -EACCES:
		return spin_fail(err, "%s: %s: a firewall of this machine keeps packets from going there", s->peer, strerror(-err));
	default:
		return spin_fail(err, "%s: cannot send: %s; %llu of %u bytes were acknowledged", s->peer, strerror(-err),
				 (unsigned long long)report->bytes, m->bytes);
	}
}
