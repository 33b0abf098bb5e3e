/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Receives files in pieces (transfer.h), for spinctl recv, which also takes messages that are a whole file each. Called by recv.c. A
 * matching entry is a part of host memory posted for one message. Both kinds use all of the host memory, so entries of one kind are posted
 * only when no message can have an entry of the other kind any more. A slot (memory for one piece) is posted again when its piece is in the
 * file; the other slots take the next pieces while it is written.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "user/tool/notify.h"
#include "user/spinctl/recv/recv.h"

#define IDLE_TIMEOUT_S         10.0 /* seconds without a piece after which the file is given up */
#define IDLE_TIMEOUT_WAITING_S 4.0  /* same if another file is waiting: twice the longest pause of a sender that reads a pipe */
#define MISSING_TIMEOUT_S      1.0  /* after the last message: events of several CPUs are read in any order, but not later than this */
#define END_OFFSET             64u  /* offset of the last message from r->control */

static struct spin_ctx *context(const struct receiver *r)
{
	return r->set.context[0].ctx;
}

static int post(struct receiver *r, struct recv_entry *entry, uint64_t match_bits, uint64_t ignore_bits, size_t start, size_t bytes)
{
	const struct spin_me_opts opts = { .bytes = sizeof(opts),
					   .match_bits = match_bits,
					   .ignore_bits = ignore_bits,
					   .start = (uint32_t)start,
					   .length = (uint32_t)bytes,
					   .options = SPIN_ME_USE_ONCE | SPIN_ME_NO_TRUNCATE };

	if (spin_ctx__me_append(context(r), &opts, &entry->me))
		return report_error("%s", spin_strerror_last());
	entry->posted = 1;
	return DONE;
}

/* Unlinks an entry. Returns 1 if no message can use it any more; 0: a message uses it, or its event has not been read yet. */
static int close_entry(struct receiver *r, struct recv_entry *entry)
{
	if (entry->posted && !spin_ctx__me_unlink(context(r), entry->me))
		entry->posted = 0;
	return !entry->posted;
}

static int post_open(struct receiver *r)
{
	return post(r, &r->open, TRANSFER_OPEN, 0, r->control, sizeof(struct transfer_open));
}

int recv_transfer__post_whole(struct receiver *r)
{
	if (r->state != RECV_IDLE || r->has_next || r->whole.posted)
		return DONE;
	return post(r, &r->whole, 0, ~TRANSFER_BIT, 0, r->memory_bytes);
}

int recv_transfer__start(struct receiver *r)
{
	int status = post_open(r);

	return status ? status : recv_transfer__post_whole(r);
}

static int post_slot(struct receiver *r, struct recv_slot *slot)
{
	slot->full = 0;
	return post(r, &slot->entry, TRANSFER_PIECE | r->now.id, 0, (size_t)(slot - r->slot) * r->now.slot_bytes, r->now.slot_bytes);
}

static int post_end(struct receiver *r)
{
	return r->end.posted || r->now.has_end
		       ? DONE
		       : post(r, &r->end, TRANSFER_END | r->now.id, 0, r->control + END_OFFSET, sizeof(struct transfer_end));
}

/* Begins to receive the file that was announced last: posts its slots. */
static int begin_transfer(struct receiver *r)
{
	struct recv_transfer *t = &r->now;
	int status = DONE;

	*t = r->next;
	r->has_next = 0;
	r->state = RECV_TRANSFER;
	if (!r->open.posted)
		status = post_open(r);
	t->heard_s = now_s();
	t->slot_bytes = t->piece_bytes < r->memory_bytes ? (t->piece_bytes + 7u) & ~7u : (uint32_t)r->memory_bytes;
	t->slots = (unsigned)(r->memory_bytes / t->slot_bytes);
	if (t->slots > RECV_SLOTS)
		t->slots = RECV_SLOTS;
	for (unsigned i = 0; i < t->slots && !status; i++)
		status = post_slot(r, &r->slot[i]);
	if (!status && (!t->total || t->total == TRANSFER_UNKNOWN))
		status = post_end(r);
	return status;
}

/* Ends the transfer. Removes the temporary file if it was not published, and opens the next one. */
static int close_transfer(struct receiver *r)
{
	r->state = RECV_CLOSING;
	atomic_file__close(&r->file);
	return r->wanted && r->received == r->wanted ? DONE : recv_file__prepare(r);
}

/* Discards a file with invalid bytes. The caller has reported the reason. */
static int discard_transfer(struct receiver *r)
{
	if (r->wanted == 1)
		return FAILED;
	r->bad++;
	return close_transfer(r);
}

static int report_missing(struct receiver *r)
{
	recv_print__clear(r);
	report_error("%s: pieces are missing: what comes behind byte %" PRIu64 " is another one; nothing was written, send the file again",
		     r->file.path, r->now.position);
	return discard_transfer(r);
}

static int finish_transfer(struct receiver *r)
{
	const struct recv_transfer *t = &r->now;
	int status;

	recv_print__clear(r);
	if (transfer_digest__value(&t->digest) != t->end_digest) {
		report_error("%s: the digest of its %" PRIu64 " bytes is not its sender's: they were damaged on the way; nothing was "
			     "written, send the file again",
			     r->file.path, t->position);
		return discard_transfer(r);
	}
	status = recv_file__publish(r);
	if (status)
		return status;
	recv_print__received(r, &t->from, t->position, t->messages);
	r->received++;
	return close_transfer(r);
}

/* Returns the first slot with the next piece of the file, or with one that was written already; NULL: none. */
static struct recv_slot *next_slot(struct receiver *r)
{
	for (unsigned i = 0; i < r->now.slots; i++)
		if (r->slot[i].full && r->slot[i].position <= r->now.position)
			return &r->slot[i];
	return NULL;
}

static int write_slot(struct receiver *r, struct recv_slot *slot)
{
	struct recv_transfer *t = &r->now;
	size_t from = (size_t)(slot - r->slot) * t->slot_bytes + slot->offset;
	int status = DONE;

	if (slot->position == t->position) {
		status = recv_file__write(r, from, slot->bytes);
		transfer_digest__add(&t->digest, r->memory + from, slot->bytes);
		t->position += slot->bytes;
	}
	return status ? status : post_slot(r, slot);
}

static int are_all_slots_full(const struct receiver *r)
{
	unsigned full = 0;

	for (unsigned i = 0; i < r->now.slots; i++)
		full += (unsigned)r->slot[i].full;
	return full == r->now.slots;
}

/* Writes all pieces that are next in the file, then checks whether the file is complete or cannot be completed. */
static int write_pieces(struct receiver *r)
{
	struct recv_transfer *t = &r->now;
	struct recv_slot *slot;
	int status = DONE;

	while (!status && (slot = next_slot(r)))
		status = write_slot(r, slot);
	if (status)
		return status;
	if (are_all_slots_full(r) || t->position > t->total || (t->has_end && t->position > t->end_bytes))
		return report_missing(r);
	if (t->has_end && t->position == t->end_bytes && (t->total == TRANSFER_UNKNOWN || t->total == t->end_bytes))
		return finish_transfer(r);
	return t->position == t->total ? post_end(r) : DONE;
}

static int handle_open(struct receiver *r, const struct spin_event *e)
{
	struct recv_transfer t = { .from = *e };
	struct transfer_open open;

	memcpy(&open, r->memory + r->control, sizeof(open));
	t.id = be32toh(open.id);
	t.total = be64toh(open.bytes);
	t.piece_bytes = be32toh(open.piece_bytes);
	if (e->length != sizeof(open) || e->offset || be32toh(open.version) != TRANSFER_VERSION || !t.piece_bytes) {
		recv_print__clear(r);
		report_error("a file in pieces was announced in a way that this spinctl does not know; has its sender a newer one?");
	} else if (r->state != RECV_TRANSFER || t.id != r->now.id) {
		r->next = t;
		r->has_next = 1;
	}
	/* one file waits at most: others are not acknowledged, so that their senders try again */
	return r->has_next ? DONE : post_open(r);
}

static int handle_end(struct receiver *r, const struct spin_event *e)
{
	struct transfer_end end;

	memcpy(&end, r->memory + r->control + END_OFFSET, sizeof(end));
	if (r->state != RECV_TRANSFER)
		return DONE;
	r->now.messages += 2; /* the first one, too */
	r->now.heard_s = now_s();
	r->now.has_end = e->length == sizeof(end) && !e->offset;
	r->now.end_bytes = be64toh(end.bytes);
	r->now.end_digest = be64toh(end.digest);
	return r->now.has_end ? write_pieces(r) : report_missing(r);
}

static int handle_piece(struct receiver *r, struct recv_slot *slot, const struct spin_event *e)
{
	struct recv_transfer *t = &r->now;

	if (r->state != RECV_TRANSFER)
		return DONE;
	if (e->flags & (SPIN_EVENT_FAILED | SPIN_EVENT_DROPPED)) {
		recv_print__clear(r);
		report_error("%s: a handler failed or dropped a piece; `spinctl run` of the handlers tells more", r->file.path);
		return discard_transfer(r);
	}
	t->heard_s = now_s();
	t->messages++;
	slot->full = 1;
	slot->position = e->hdr_data;
	slot->bytes = e->length;
	slot->offset = e->offset;
	return write_pieces(r);
}

/* Returns 1 if the event is that of the entry's message. The message has used up the entry, which is then no longer posted. */
static int take_entry_event(struct recv_entry *entry, const struct spin_event *e)
{
	if (!entry->posted || entry->me != e->me)
		return 0;
	entry->posted = 0;
	return 1;
}

int recv_transfer__event(struct receiver *r, const struct spin_event *e, int *is_whole)
{
	*is_whole = take_entry_event(&r->whole, e);
	if (*is_whole)
		return DONE;
	if (take_entry_event(&r->open, e))
		return handle_open(r, e);
	if (take_entry_event(&r->end, e))
		return handle_end(r, e);
	for (unsigned i = 0; i < RECV_SLOTS; i++)
		if (take_entry_event(&r->slot[i].entry, e))
			return handle_piece(r, &r->slot[i], e);
	return DONE;
}

/* Returns 1 if a message is using the entry. */
static int is_in_use(const struct receiver *r, const struct recv_entry *entry)
{
	struct spin_me me;

	return entry->posted && !spin_ctx__me_get(context(r), entry->me, &me) && me.state != SPIN_ME_OPEN;
}

/* Returns 1 if a message is using one of the slots. */
static int is_receiving(const struct receiver *r)
{
	for (unsigned i = 0; i < r->now.slots; i++)
		if (is_in_use(r, &r->slot[i].entry))
			return 1;
	return 0;
}

int recv_transfer__is_busy(const struct receiver *r)
{
	return r->state != RECV_IDLE || r->has_next || is_in_use(r, &r->whole);
}

static int check_timeout(struct receiver *r)
{
	struct recv_transfer *t = &r->now;

	if (is_receiving(r)) {
		t->heard_s = now_s();
		return DONE;
	}
	if (t->has_end && now_s() > t->heard_s + MISSING_TIMEOUT_S)
		return report_missing(r);
	if (now_s() < t->heard_s + (r->has_next ? IDLE_TIMEOUT_WAITING_S : IDLE_TIMEOUT_S))
		return DONE;
	recv_print__transfer_given_up(r);
	return close_transfer(r);
}

static int close_entries(struct receiver *r)
{
	int closed = close_entry(r, &r->end);

	for (unsigned i = 0; i < RECV_SLOTS; i++)
		closed &= close_entry(r, &r->slot[i].entry);
	return closed;
}

int recv_transfer__step(struct receiver *r)
{
	int status = DONE;

	if (r->state == RECV_TRANSFER)
		status = check_timeout(r);
	if (!status && r->state == RECV_CLOSING && close_entries(r)) {
		memset(r->slot, 0, sizeof(r->slot));
		r->state = RECV_IDLE;
		status = recv_transfer__post_whole(r);
	}
	if (!status && r->state == RECV_IDLE && r->has_next && close_entry(r, &r->whole))
		status = begin_transfer(r);
	return status;
}

/* --- the file that is being received; it gets its final name when it is complete --- */

int recv_file__prepare(struct receiver *r)
{
	char path[PATH_MAX];
	struct stat st;
	int err;

	/* one message: the name as given */
	if (snprintf(path, sizeof(path), r->wanted == 1 ? "%s" : "%s.%u", r->path, r->received + 1) >= (int)sizeof(path))
		return report_error("%s: the path is too long", r->path);
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return report_error("%s is not a regular file: name another for the message", path);
	err = atomic_file__open(&r->file, path, "spinrecv");
	return err ? report_error("cannot write %s: %s", path, atomic_file__reason(err)) : DONE;
}

int recv_file__write(struct receiver *r, size_t from, size_t bytes)
{
	errno = 0;
	if (fwrite(r->memory + from, 1, bytes, r->file.file) == bytes)
		return DONE;
	return report_error("cannot write %s: %s; the message is lost", r->file.path, atomic_file__reason(errno ? -errno : -EIO));
}

int recv_file__publish(struct receiver *r)
{
	int err = fflush(r->file.file) ? (errno ? -errno : -EIO) : atomic_file__publish(&r->file);

	atomic_file__close(&r->file);
	return err ? report_error("cannot write %s: %s; the message is lost", r->file.path, atomic_file__reason(err)) : DONE;
}
