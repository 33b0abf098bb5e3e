/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The file that spinctl send sends over UDP. A file that is sent as one message is mapped, or read completely if it cannot be mapped. A
 * longer file is cut into pieces: it is read piece by piece, so it may have any length, and may be truncated while it is sent, without a
 * SIGBUS. Called by send.c.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/tool/notify.h"
#include "user/spinctl/send/send.h"
#include "user/tool/notify.h"

#define FIRST_BYTES 65536u
#define PIPE_MS     2000 /* a piece waits this long for a pipe; then it is sent, even empty, to show that the sender is alive */

static int report_too_long(const struct send_file *file, uint64_t max_bytes)
{
	return report_error("%s has more than the %llu bytes that one message may have; let it be cut: without --piece-kib 0, and "
			    "without --match, --hdr-data and --offset",
			    file->name, (unsigned long long)max_bytes);
}

static int report_read_error(const struct send_file *file)
{
	return report_error("cannot read %s: %s", file->name, strerror(errno));
}

/* Reads to the end into a growing buffer, because the length of a pipe is not known. */
static int read_all(struct send_file *file, uint64_t max_bytes, int cut)
{
	size_t room = 0;

	for (;;) {
		ssize_t got;

		if (file->bytes > max_bytes) {
			file->is_cut = cut;
			file->total = TRANSFER_UNKNOWN;
			return cut ? DONE : report_too_long(file, max_bytes);
		}
		if (file->bytes == room) {
			void *more = realloc(file->data, room = room ? 2 * room : FIRST_BYTES);

			if (!more)
				return report_error("%s: no memory for what comes from there", file->name);
			file->data = more;
		}
		got = read(file->fd, (char *)file->data + file->bytes, room - file->bytes);
		if (!got)
			return DONE;
		if (got > 0)
			file->bytes += (size_t)got;
		else if (signals__signal())
			return report_error("%s: ended by a signal before all was read; nothing was sent", file->name);
		else if (errno != EINTR)
			return report_read_error(file);
	}
}

/* Maps the file or reads it. Files of size 0 are read, because files of /proc report size 0. */
static int load_file(struct send_file *file, uint64_t max_bytes, int cut)
{
	struct stat st;
	void *data;

	if (fstat(file->fd, &st))
		return report_read_error(file);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return read_all(file, max_bytes, cut);
	file->total = (uint64_t)st.st_size;
	if (file->total > max_bytes && !cut)
		return report_too_long(file, max_bytes);
	if (file->total > max_bytes) {
		file->is_cut = 1;
		return DONE;
	}
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, file->fd, 0);
	if (data == MAP_FAILED)
		return read_all(file, max_bytes, cut);
	file->data = data;
	file->bytes = (size_t)st.st_size;
	file->mapped = 1;
	return DONE;
}

int send_file__open(struct send_file *file, const char *path, uint64_t max_bytes, int cut)
{
	int from_stdin = !strcmp(path, "-"), status;

	*file = (struct send_file){ .name = from_stdin ? "standard input" : path };
	file->fd = from_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0)
		return signals__signal() ? report_error("%s: ended by a signal; nothing was sent", file->name) : report_read_error(file);
	status = load_file(file, max_bytes, cut);
	if (status)
		send_file__close(file);
	return status;
}

/* Returns 0 if a pipe has neither data nor its end before the deadline, or if a signal came. */
static int has_more(const struct send_file *file, double deadline_s)
{
	struct pollfd fd = { .fd = file->fd, .events = POLLIN };
	const double left_s = deadline_s - now_s();

	return file->total != TRANSFER_UNKNOWN || poll(&fd, 1, left_s > 0 ? (int)(left_s * 1000) + 1 : 0) > 0;
}

int send_file__read(struct send_file *file, void *to, size_t bytes, size_t *got)
{
	/* a slow pipe fills no piece in time: what has come is sent, before the receiver gives up waiting for a piece */
	const double deadline_s = now_s() + PIPE_MS / 1000.0;
	ssize_t part;

	*got = file->bytes - file->given < bytes ? file->bytes - file->given : bytes;
	if (*got)
		memcpy(to, (char *)file->data + file->given, *got);
	file->given += *got;
	while (*got < bytes && !file->ended && !signals__signal() && has_more(file, deadline_s)) {
		part = read(file->fd, (char *)to + *got, bytes - *got);
		file->ended = !part;
		if (part > 0)
			*got += (size_t)part;
		else if (part < 0 && errno != EINTR && errno != EAGAIN)
			return report_read_error(file);
	}
	return DONE;
}

void send_file__close(struct send_file *file)
{
	if (file->mapped)
		munmap(file->data, file->bytes);
	else
		free(file->data);
	if (file->fd >= 0)
		close(file->fd);
	file->data = NULL;
	file->fd = -1;
}

/* Files that are longer than one message are sent in pieces, which spinctl recv reassembles (transfer.h). */

#define PROGRESS_S 0.1

struct pieces {
	struct senders *senders;
	struct send_file *file;
	struct send_print *print;
	uint32_t id;
	uint64_t position; /* bytes sent so far */
	struct transfer_digest digest;
	double shown_s;
};

/* Shows progress between pieces, because libspin reports none for messages that take less than 0.1 s. */
static void show_progress(struct pieces *t)
{
	static const struct spin_send_report none;

	if (now_s() < t->shown_s + PROGRESS_S)
		return;
	t->shown_s = now_s();
	send_print__progress(t->print, &none);
}

static int send_one(struct pieces *t, uint64_t match_bits, uint64_t hdr_data, const void *data, size_t bytes)
{
	const struct spin_send_put put = { .match_bits = match_bits, .hdr_data = hdr_data };
	struct spin_send_report report;
	int err = spin_sender__send(t->senders->sender, data, bytes, &put, &report);

	if (!err) {
		if ((match_bits & ~(uint64_t)UINT32_MAX) != TRANSFER_PIECE)
			report.bytes = 0; /* not bytes of the file */
		send_print__add(t->print, &report);
		show_progress(t);
		return DONE;
	}
	send_print__clear(t->print);
	if (t->senders->is_opening && (err == -ETIMEDOUT || (err == -ECANCELED && !signals__signal())))
		return report_error(
			"%s: no acknowledgement within %.1f s; a file that is sent in pieces needs a `spinctl recv` there that is "
			"not at work on another one: without pieces, --piece-kib 0%s",
			t->file->name, (double)report.elapsed_us * 1e-6, t->print->hint);
	if (err == -EFBIG)
		return report_error("%s: %s: here with a smaller --piece-kib", t->file->name, spin_strerror_last());
	if (!t->position)
		return report_error("%s: %s%s", t->file->name, spin_strerror_last(), t->print->hint);
	return report_error("%s: %llu bytes had been sent, of which the receiver keeps nothing: %s%s", t->file->name,
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

static int check_length(const struct pieces *t)
{
	if (t->file->total == TRANSFER_UNKNOWN || t->position == t->file->total)
		return DONE;
	send_print__clear(t->print);
	return report_error("%s has become shorter while it was sent: %llu bytes instead of %llu; the receiver keeps nothing of it",
			    t->file->name, (unsigned long long)t->position, (unsigned long long)t->file->total);
}

/* Reads and sends until the file ends. Data appended to the file during the transfer is not sent. */
static int send_all(struct pieces *t, uint8_t *piece)
{
	const size_t piece_bytes = t->senders->piece_bytes;
	int status = DONE;

	while (!status && !t->file->ended && t->position != t->file->total) {
		uint64_t left = t->file->total - t->position;
		size_t got;

		status = send_file__read(t->file, piece, left < piece_bytes ? (size_t)left : piece_bytes, &got);
		if (!status && signals__signal()) {
			send_print__clear(t->print);
			status = report_error("%s: ended by a signal; the receiver keeps nothing of it", t->file->name);
		}
		if (status || (!got && t->file->ended))
			break;
		transfer_digest__add(&t->digest, piece, got);
		status = send_one(t, TRANSFER_PIECE | t->id, t->position, piece, got);
		t->position += got;
	}
	return status ? status : check_length(t);
}

int send_pieces(struct senders *s, struct send_file *file)
{
	struct pieces t = { .senders = s, .file = file, .print = s->print };
	uint8_t *piece = malloc(s->piece_bytes);
	int status = DONE;

	if (!piece)
		status = report_error("no memory for a piece of %zu bytes; give a smaller --piece-kib", s->piece_bytes);
	else if (getrandom(&t.id, sizeof(t.id), 0) != sizeof(t.id))
		status = report_error("no random number for %s: %s", file->name, strerror(errno));
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

int send_target__parse(const char *text, struct send_target *out)
{
	const char *colon = strrchr(text, ':'), *host = text, *end;

	/* more than one colon: an IPv6 address, which can have a port only after brackets */
	if (colon && colon != strchr(text, ':') && !(text[0] == '[' && colon[-1] == ']'))
		colon = NULL;
	end = colon ? colon : text + strlen(text);
	if (text[0] == '[' && end > text + 1 && end[-1] == ']') {
		host++;
		end--;
	}
	if (end == host || (size_t)(end - host) >= sizeof(out->host))
		return -1;
	memcpy(out->host, host, (size_t)(end - host));
	out->host[end - host] = '\0';
	out->port[0] = '\0';
	if (colon && (!colon[1] || strlen(colon + 1) >= sizeof(out->port)))
		return -1;
	if (colon)
		strcpy(out->port, colon + 1);
	return 0;
}
