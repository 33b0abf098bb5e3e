/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl send: sends files or standard input as messages over UDP (SLMP, sPIN's message protocol), one after the other, with libspin's
 * sender. Needs no privileges. main.c runs it through send_command.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <spin/slmp.h>

#include "user/lib/number.h"
#include "user/tool/notify.h"
#include "user/spinctl/send/send.h"
#include "user/tool/notify.h"

#define TIMEOUT_S_MAX 3600
#define NOT_GIVEN     UINT_MAX
#define WHOLE_KIB     65536u /* longer files are cut by default: spinctl recv has this much memory by default */
#define PIECE_KIB     8192u
#define PIECE_KIB_MAX 262144u  /* spinctl recv has at most 256 MiB of memory */
#define OPENING_US    1800000u /* timeout of the message that announces pieces: libspin's default, as for a whole file */

static struct send_options {
	const char *to, *source, *match, *hdr_data, *offset;
	unsigned window, payload_bytes, piece_kib;
	double timeout_s; /* negative: not given */
	int quiet, json;
} options = { .window = SPIN_WINDOW, .piece_kib = NOT_GIVEN, .timeout_s = -1 };

#define FIELD(name) offsetof(struct send_options, name)

static const struct option_row rows[] = {
	{ "to", 0, OPTION_STRING, "HOST[:PORT]", FIELD(to), "the receiver; [ADDR]:PORT for IPv6 (default port: 9330)", .required = 1 },
	{ "window", 0, OPTION_UINT, "N", FIELD(window),
	  "packets that wait for their acknowledgement at a time, at most; within that the window follows the path, 1 to 1024 (default: 1024)" },
	{ "payload", 0, OPTION_UINT, "BYTES", FIELD(payload_bytes),
	  "of each packet, 1 to 1462 (default: 0, what the way's MTU takes, a multiple of 8)" },
	{ "timeout", 0, OPTION_SECONDS, "SEC", FIELD(timeout_s),
	  "give up after so long without an acknowledgement; below the receiver's --tombstone, or a message may be "
	  "delivered twice (default: 1.8; of pieces 30)" },
	{ "piece-kib", 0, OPTION_UINT, "N", FIELD(piece_kib),
	  "KiB, at most 262144: files that are longer are sent in pieces of so many, which spinctl recv puts together; 0: each is one "
	  "message (default: pieces of 8192 of what is longer than 65536)" },
	{ "match", 0, OPTION_STRING, "BITS", FIELD(match), "match bits, decimal or 0x hex, for a receiver with several matching entries" },
	{ "hdr-data", 0, OPTION_STRING, "N", FIELD(hdr_data), "64 bits for the receiver, decimal or 0x hex" },
	{ "offset", 0, OPTION_STRING, "BYTES", FIELD(offset), "where the message goes in the matching entry's memory" },
	{ "source", 0, OPTION_STRING, "ADDR[:PORT]", FIELD(source), "address of this machine to send from" },
	{ "quiet", 'q', OPTION_FLAG, NULL, FIELD(quiet), "no progress bar" },
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "one JSON object per message" },
	{ 0 },
};

static int usage(const char *what, const char *reason)
{
	fprintf(stderr, "spinctl send: %s %s; see spinctl send --help\n", what, reason);
	return USAGE;
}

/* Parses an option's number; text NULL gives 0. */
static int read_number(const char *option, const char *text, uint64_t *out)
{
	*out = 0;
	if (text && number__read(text, UINT64_MAX, out))
		return usage(option, "takes a number of 64 bits, decimal or 0x hex");
	return DONE;
}

static int read_put(struct spin_send_put *put)
{
	int status = read_number("--match", options.match, &put->match_bits);

	if (!status)
		status = read_number("--hdr-data", options.hdr_data, &put->hdr_data);
	return status ? status : read_number("--offset", options.offset, &put->offset);
}

static int check_options(void)
{
	if (options.window < 1 || options.window > SPIN_WINDOW)
		return usage("--window", "is 1 to 1024");
	if (options.payload_bytes > SPIN_SLMP_PAYLOAD_MAX)
		return usage("--payload", "is 1 to 1462, or 0");
	if ((options.timeout_s >= 0 && options.timeout_s < 0.001) || options.timeout_s > TIMEOUT_S_MAX)
		return usage("--timeout", "is 0.001 to 3600");
	if (options.piece_kib != NOT_GIVEN && options.piece_kib > PIECE_KIB_MAX)
		return usage("--piece-kib", "is 1 to 262144, or 0");
	if (options.piece_kib != NOT_GIVEN && options.piece_kib && (options.match || options.hdr_data || options.offset))
		return usage("--piece-kib", "does not go with --match, --hdr-data and --offset: pieces have their own");
	return DONE;
}

/* Returns a hint for messages if --to is an IPv6 address without brackets whose last part may have been meant as a port; else "". */
static const char *hint(const struct send_target *target)
{
	const char *last = strrchr(target->host, ':');

	if (options.to[0] == '[' || target->port[0] || !last || strspn(last + 1, "0123456789") < 4 || strlen(last + 1) > 5)
		return "";
	return "; if a port was meant, write [ADDR]:PORT";
}

static int on_progress(void *arg, const struct spin_send_report *so_far)
{
	const struct senders *s = arg;

	send_print__progress(s->print, so_far);
	return signals__signal() || (s->is_opening && so_far->elapsed_us > OPENING_US);
}

/* Sets the length of the longest message and of pieces. */
static void set_lengths(struct senders *s)
{
	s->most = UINT32_MAX;
	if (!options.piece_kib || s->opts.put)
		return;
	s->most = (uint64_t)(options.piece_kib == NOT_GIVEN ? WHOLE_KIB : options.piece_kib) << 10;
	s->piece_bytes = (size_t)(options.piece_kib == NOT_GIVEN ? PIECE_KIB : options.piece_kib) << 10;
}

int senders__use(struct senders *s, enum send_kind kind)
{
	struct spin_send_opts opts = s->opts;

	if (s->kind == kind)
		return DONE;
	spin_sender__close(s->sender);
	s->sender = NULL;
	s->kind = SEND_NONE;
	opts.put |= kind != SEND_WHOLE;
	if (kind == SEND_PIECES && !s->has_timeout)
		opts.timeout_ms = TRANSFER_PATIENCE_MS;
	if (spin_sender__open(s->target.host, s->target.port[0] ? s->target.port : NULL, &opts, &s->sender))
		return report_error("%s%s", spin_strerror_last(), s->print->hint);
	spin_sender__on_progress(s->sender, on_progress, s);
	s->kind = kind;
	return DONE;
}

static int send_whole(struct senders *s, const struct send_file *file)
{
	struct spin_send_report report;
	int err;

	if (senders__use(s, SEND_WHOLE))
		return FAILED;
	err = spin_sender__send(s->sender, file->data, file->bytes, s->opts.put ? &s->put : NULL, &report);
	if (!err) {
		send_print__add(s->print, &report);
		return DONE;
	}
	send_print__clear(s->print);
	return report_error("%s: %s%s%s", file->name, spin_strerror_last(), s->print->hint,
			    err == -EFBIG && !s->opts.put ? " (to spinctl recv: with --piece-kib)" : "");
}

static int send_one(struct senders *s, const char *path)
{
	struct send_print *p = s->print;
	struct send_file file;
	int status = send_file__open(&file, path, s->most, s->piece_bytes > 0);

	if (status)
		return status;
	p->name = file.name;
	p->bytes = file.is_cut ? file.total : file.bytes;
	p->messages = 0;
	p->sum = (struct spin_send_report){ 0 };
	p->start_s = now_s();
	status = file.is_cut ? send_pieces(s, &file) : send_whole(s, &file);
	if (!status) {
		send_print__clear(p);
		send_print__arrived(p);
	}
	send_file__close(&file);
	return status;
}

static int run(const char **operands, unsigned count)
{
	struct send_print p = { .json = options.json, .to = options.to, .bar = !options.quiet && isatty(STDERR_FILENO) };
	struct senders s = { .opts = { .bytes = sizeof(s.opts),
				       .window = options.window,
				       .payload_bytes = options.payload_bytes,
				       .source = options.source },
			     .print = &p };
	int status = check_options();

	if (!status)
		status = read_put(&s.put);
	if (!status && send_target__parse(options.to, &s.target))
		status = usage("--to", "is HOST, HOST:PORT or [ADDR]:PORT");
	if (status)
		return status;
	signals__watch();
	p.hint = hint(&s.target);
	s.opts.put = options.match || options.hdr_data || options.offset;
	s.has_timeout = options.timeout_s >= 0;
	s.opts.timeout_ms = s.has_timeout ? (unsigned)(options.timeout_s * 1000) : 0;
	set_lengths(&s);
	status = senders__use(&s, SEND_WHOLE);
	for (unsigned i = 0; i < count && !status && !signals__signal(); i++)
		status = send_one(&s, operands[i]);
	if (!status && signals__signal())
		status = report_error("ended by a signal; not all files were sent");
	spin_sender__close(s.sender);
	return status;
}

/* clang-format off */
static const struct example_row examples[] = {
	{ "spinctl send kvstore.c filtering.c --to 10.0.0.7", "Two files, each a message." },
	{ "tar -c tests | spinctl send - --to 10.0.0.7:9330 --window 16 --json", "What comes from a pipe, as one message." },
	{ "head -c 100000000 /dev/zero | spinctl send - --to 10.0.0.7 --quiet", "More than one message may have, in pieces." },
	{ 0 },
};
/* clang-format on */

static const struct command_row row = {
	.name = "spinctl send",
	.operands = "FILE...",
	.min_operands = 1,
	.max_operands = UINT_MAX,
	.summary = "Sends files as messages, each acknowledged packet by packet",
	.options = rows,
	.notes = "- is standard input, read to its end. --match, --hdr-data and --offset need a receiver that takes put.",
	.about =
		"Each file becomes one message of SLMP, the sPIN Lightweight Message Protocol over UDP, in packets that are "
		"acknowledged one by one. Packets under way are as many as the path takes, at most --window. Lost packets are sent "
		"again: when several sent later are acknowledged, or when the time is over that the round trip makes likely. The "
		"command ends with status 0 when all of it has been acknowledged: the receiver has taken it; what its handlers did "
		"with it they tell there. A receiver may refuse a message that is longer than its matching entry; the "
		"status is 1 then, and a line says so.\n"
		"\n"
		"A file of more than 64 MiB, or of more than --piece-kib, has any length, and goes in pieces, which only `spinctl recv` puts "
		"together: each is a message with a put in front of its data. The first announces the file: match bits "
		"0x8000000100000000, as data version (1), id, length in bytes, longest piece, and 0, of 4, 4, 8, 4 and 4 bytes, big-endian. "
		"The length of what comes from a pipe is 0xffffffffffffffff. Then come the pieces in order: match bits 0x80000002 "
		"with the id behind it, header data: where the piece begins in the file. The last message has match bits 0x80000003 and "
		"the id, as data the length and a digest, 8 bytes each: of the file's words of 8 bytes, little-endian, the last one filled up "
		"with zeros, and of the length behind them, digest = (rotate_left(digest, 27) ^ word) * 0x9e3779b97f4a7c15, from 0. Each "
		"message is sent when the one before is acknowledged. For other receivers give --piece-kib 0: "
		"each file of up to 4 GiB - 1 bytes is one message then.\n"
		"\n"
		"A receiver knows a complete message for --tombstone seconds, 2 unless told otherwise (spinctl recv: 10). "
		"Packets that are sent again later would be a new message for it, so keep --timeout below that. Pieces "
		"that come twice do no harm: for them it is 30 seconds unless told otherwise, as a receiver writes to its disk in the meantime.\n"
		"\n"
		"--match, --hdr-data and --offset go with the first packet, in an extension of the protocol; a receiver "
		"that has not asked for it takes such packets for malformed, and the message times out. Such files are not cut.\n"
		"\n"
		"On a terminal a bar shows bytes, rate and the time that is left. "
		"A signal ends it; what has been sent then stays with the receiver as a message without an end, which it "
		"forgets after a while. Needs no privileges.",
	.examples = examples,
};

const struct subcommand send_command = { "send", &row, run, &options };
