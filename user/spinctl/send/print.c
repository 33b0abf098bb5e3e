/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Prints progress and results of spinctl send, which sends files over UDP: a bar on a terminal, and a line or a JSON object for each file
 * that has arrived. Called by send.c and file.c.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "user/lib/printable.h"
#include "user/tool/notify.h"
#include "user/spinctl/send/send.h"

#define BAR_MIN          10
#define BAR_MAX          60
#define NAME_COLUMNS_MAX 24

static double mbit_per_s(uint64_t bytes, uint64_t us)
{
	return us ? (double)bytes * 8 / (double)us : 0;
}

static unsigned columns(void)
{
	struct winsize size;

	return !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

void send_print__add(struct send_print *p, const struct spin_send_report *r)
{
	if (!p->messages++)
		p->sum.message_id = r->message_id;
	p->sum.packets += r->packets;
	p->sum.sent += r->sent;
	p->sum.resent += r->resent;
	p->sum.begun_again += r->begun_again;
	p->sum.acknowledged += r->acknowledged;
	p->sum.bytes += r->bytes;
	p->sum.round_trip_us = r->round_trip_us;
	p->sum.elapsed_us = (uint64_t)((now_s() - p->start_s) * 1e6);
}

/* Writes " 45 %  1.20 GiB  942 Mbit/s  0:12 left" to text. */
static void format_progress(const struct send_print *p, uint64_t bytes, char *text, size_t room)
{
	double rate = mbit_per_s(bytes, (uint64_t)((now_s() - p->start_s) * 1e6)), gib = (double)bytes / (1 << 30);
	int known = p->bytes != TRANSFER_UNKNOWN, n = 0;
	uint64_t left_s = known && rate > 0 ? (uint64_t)((double)(p->bytes - bytes) * 8e-6 / rate + 0.5) : 0;

	if (known)
		n = snprintf(text, room, "%3.0f %%  ", p->bytes ? (double)bytes * 100 / (double)p->bytes : 100.0);
	n += snprintf(text + n, room - (size_t)n, gib < 1 ? "%.1f MiB  " : "%.2f GiB  ", gib < 1 ? gib * 1024 : gib);
	n += snprintf(text + n, room - (size_t)n, "%.0f Mbit/s", rate);
	if (!known || rate <= 0 || left_s >= 100 * 3600)
		return;
	if (left_s >= 3600)
		n += snprintf(text + n, room - (size_t)n, "  %u:%02u", (unsigned)(left_s / 3600), (unsigned)(left_s / 60 % 60));
	else
		n += snprintf(text + n, room - (size_t)n, "  %u", (unsigned)(left_s / 60));
	snprintf(text + n, room - (size_t)n, ":%02u left", (unsigned)(left_s % 60));
}

/* If the line is too short, the bar is dropped first, then the name. The last column stays free: some terminals wrap after it. */
void send_print__progress(const struct send_print *p, const struct spin_send_report *so_far)
{
	uint64_t bytes = p->sum.bytes + so_far->bytes;
	unsigned width = columns() - 1, used, bar = 0;
	char name[NAME_COLUMNS_MAX + 1], text[64];

	if (!p->bar)
		return;
	if (bytes > p->bytes)
		bytes = p->bytes;
	format_progress(p, bytes, text, sizeof(text));
	printable(name, width / 5 < sizeof(name) ? width / 5 + 1 : sizeof(name), p->name);
	used = (unsigned)strlen(name) + 1 + (unsigned)strlen(text);
	if (p->bytes != TRANSFER_UNKNOWN && used + 3 + BAR_MIN <= width)
		bar = width - used - 3 < BAR_MAX ? width - used - 3 : BAR_MAX;
	fputc('\r', stderr);
	if (used <= width)
		fprintf(stderr, "%s ", name);
	if (bar)
		fputc('[', stderr);
	for (unsigned i = 0; i < bar; i++)
		fputc((uint64_t)i * p->bytes < bytes * bar ? '#' : '.', stderr);
	fprintf(stderr, "%s%.*s\033[K", bar ? "] " : "", (int)width, text);
	fflush(stderr);
}

void send_print__clear(const struct send_print *p)
{
	if (p->bar)
		fputs("\r\033[K", stderr);
}

static void print_json(const struct send_print *p)
{
	const struct spin_send_report *r = &p->sum;
	struct json j;

	json_begin(&j, stdout, 0);
	json_object(&j, NULL);
	json_string(&j, "file", p->name);
	json_string(&j, "to", p->to);
	json_uint(&j, "message_id", r->message_id);
	json_uint(&j, "messages", p->messages);
	json_uint(&j, "bytes", r->bytes);
	json_uint(&j, "packets", r->packets);
	json_uint(&j, "sent_packets", r->sent);
	json_uint(&j, "resent_packets", r->resent);
	json_uint(&j, "begun_again", r->begun_again);
	json_uint(&j, "acknowledged_packets", r->acknowledged);
	json_uint(&j, "round_trip_us", r->round_trip_us);
	json_double(&j, "elapsed_s", (double)r->elapsed_us * 1e-6);
	json_double(&j, "rate_mbit_s", mbit_per_s(r->bytes, r->elapsed_us));
	json_object_end(&j);
	json_end(&j);
}

void send_print__arrived(const struct send_print *p)
{
	const struct spin_send_report *r = &p->sum;
	char messages[48], again[48] = "";

	if (r->begun_again)
		snprintf(again, sizeof(again), ", begun again %u time%s", r->begun_again, r->begun_again == 1 ? "" : "s");
	snprintf(messages, sizeof(messages), p->messages == 1 ? "message %u" : "%u messages",
		 p->messages == 1 ? r->message_id : p->messages);
	if (p->json)
		print_json(p);
	else
		printf("%s: %s, %" PRIu64 " bytes in %" PRIu64 " packet%s, %" PRIu64 " resent%s, %.3f s, %.1f Mbit/s\n", p->name, messages,
		       r->bytes, r->packets, r->packets == 1 ? "" : "s", r->resent, again, (double)r->elapsed_us * 1e-6,
		       mbit_per_s(r->bytes, r->elapsed_us));
	fflush(stdout);
}
