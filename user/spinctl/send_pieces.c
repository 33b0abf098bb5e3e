/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A file that is longer than one message is to be: sent as spinctl recv puts it together (transfer.h). */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "user/spinctl/ready.h"
#include "user/spinctl/send.h"
#include "user/spinctl/stop.h"

#define TELL_S 0.1

struct pieces {
	struct senders *senders;
	struct send_file *file;
	struct send_print *print;
	uint32_t id;
	uint64_t position; /* bytes that have been sent */
	struct transfer_digest digest;
	double told_s;
};

/* A sender tells nothing of messages that take less than a tenth of a second. */
static void tell(struct pieces *t)
{
	static const struct spin_send_report none;

	if (now_s() < t->told_s + TELL_S)
		return;
	t->told_s = now_s();
	send_print__progress(t->print, &none);
}

static int send_one(struct pieces *t, uint64_t match_bits, uint64_t hdr_data, const void *data, size_t bytes)
{
	const struct spin_send_put put = { .match_bits = match_bits, .hdr_data = hdr_data };
	struct spin_send_report report;
	int err = spin_sender__send(t->senders->sender, data, bytes, &put, &report);

	if (!err) {
		if ((match_bits & ~(uint64_t)UINT32_MAX) != TRANSFER_PIECE)
			report.bytes = 0; /* not the file's */
		send_print__add(t->print, &report);
		tell(t);
		return DONE;
	}
	send_print__clear(t->print);
	if (t->senders->is_opening && (err == -ETIMEDOUT || (err == -ECANCELED && !stop__signal())))
		return complain("%s: no acknowledgement within %.1f s; a file that is sent in pieces needs a `spinctl recv` there that is "
				"not at work on another one: without pieces, --piece-kib 0%s",
				t->file->name, (double)report.elapsed_us * 1e-6, t->print->hint);
	if (err == -EFBIG)
		return complain("%s: %s: here with a smaller --piece-kib", t->file->name, spin_strerror_last());
	if (!t->position)
		return complain("%s: %s%s", t->file->name, spin_strerror_last(), t->print->hint);
	return complain("%s: %llu bytes had been sent, of which the receiver keeps nothing: %s%s", t->file->name,
			(unsigned long long)t->position, spin_strerror_last(), t->print->hint);
}

static int open_transfer(struct pieces *t)
{
	const struct transfer_open open = { .version = htobe32(TRANSFER_VERSION),
					    .id = htobe32(t->id),
					    .bytes = htobe64(t->file->total),
					    .piece_bytes = htobe32((uint32_t)t->senders->piece_bytes) };
	int status;

	t->senders->is_opening = 1;
	status = send_one(t, TRANSFER_OPEN, 0, &open, sizeof(open));
	t->senders->is_opening = 0;
	return status;
}

static int end_transfer(struct pieces *t)
{
	const struct transfer_end end = { htobe64(t->position), htobe64(transfer_digest__value(&t->digest)) };

	return send_one(t, TRANSFER_END | t->id, 0, &end, sizeof(end));
}

static int is_wrong_length(const struct pieces *t)
{
	if (t->file->total == TRANSFER_UNKNOWN || t->position == t->file->total)
		return DONE;
	send_print__clear(t->print);
	return complain("%s has become shorter while it was sent: %llu bytes instead of %llu; the receiver keeps nothing of it",
			t->file->name, (unsigned long long)t->position, (unsigned long long)t->file->total);
}

/* Reads and sends until the file ends; what is appended to a file during the transfer is not sent. */
static int send_all(struct pieces *t, uint8_t *piece)
{
	const size_t piece_bytes = t->senders->piece_bytes;
	int status = DONE;

	while (!status && !t->file->ended && t->position != t->file->total) {
		uint64_t left = t->file->total - t->position;
		size_t got;

		status = send_file__read(t->file, piece, left < piece_bytes ? (size_t)left : piece_bytes, &got);
		if (!status && stop__signal()) {
			send_print__clear(t->print);
			status = complain("%s: ended by a signal; the receiver keeps nothing of it", t->file->name);
		}
		if (status || (!got && t->file->ended))
			break;
		transfer_digest__add(&t->digest, piece, got);
		status = send_one(t, TRANSFER_PIECE | t->id, t->position, piece, got);
		t->position += got;
	}
	return status ? status : is_wrong_length(t);
}

int send_pieces(struct senders *s, struct send_file *file)
{
	struct pieces t = { .senders = s, .file = file, .print = s->print };
	uint8_t *piece = malloc(s->piece_bytes);
	int status = DONE;

	if (!piece)
		status = complain("no memory for a piece of %zu bytes; give a smaller --piece-kib", s->piece_bytes);
	else if (getrandom(&t.id, sizeof(t.id), 0) != sizeof(t.id))
		status = complain("no random number for %s: %s", file->name, strerror(errno));
	if (!status)
		status = senders__use(s, SEND_PIECES);
	if (!status)
		status = open_transfer(&t);
	if (!status)
		status = send_all(&t, piece);
	if (!status)
		status = end_transfer(&t);
	free(piece);
	return status;
}
