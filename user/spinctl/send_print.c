/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/printable.h"
#include "send.h"

#define NAME_COLUMNS 24
#define FIGURES 48 /* columns beside name and bar */
#define BAR_MAX 60

static double mbit_per_s(uint64_t bytes, uint64_t us)
{
	return us ? (double)bytes * 8 / (double)us : 0;
}

static unsigned columns(void)
{
	struct winsize size;

	return !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

void send_print__progress(const struct send_print *p, const struct spin_send_report *so_far)
{
	double part = p->bytes ? (double)so_far->bytes / (double)p->bytes : 0;
	double rate = mbit_per_s(so_far->bytes, so_far->elapsed_us);
	unsigned width = columns(), bar = width > NAME_COLUMNS + FIGURES + 10 ? width - NAME_COLUMNS - FIGURES : 10;
	char name[NAME_COLUMNS + 1];

	if (!p->bar)
		return;
	if (bar > BAR_MAX)
		bar = BAR_MAX;
	printable(name, sizeof(name), p->name);
	fprintf(stderr, "\r%-*s [", NAME_COLUMNS, name);
	for (unsigned i = 0; i < bar; i++)
		fputc(i < part * bar ? '#' : '.', stderr);
	fprintf(stderr, "] %3.0f %% %6.0f MiB %8.0f Mbit/s", part * 100, (double)so_far->bytes / (1 << 20), rate);
	if (rate > 0)
		fprintf(stderr, " %4.0f s", (double)(p->bytes - so_far->bytes) * 8 / rate / 1e6);
	fputs("\033[K", stderr);
	fflush(stderr);
}

void send_print__clear(const struct send_print *p)
{
	if (p->bar)
		fputs("\r\033[K", stderr);
}

static void print_json(const struct send_print *p, const struct spin_send_report *r)
{
	struct json j;

	json_begin(&j, stdout, 0);
	json_object(&j, NULL);
	json_string(&j, "file", p->name);
	json_string(&j, "to", p->to);
	json_uint(&j, "message_id", r->message_id);
	json_uint(&j, "bytes", r->bytes);
	json_uint(&j, "packets", r->packets);
	json_uint(&j, "sent_packets", r->sent);
	json_uint(&j, "resent_packets", r->resent);
	json_uint(&j, "acknowledged_packets", r->acknowledged);
	json_uint(&j, "round_trip_us", r->round_trip_us);
	json_double(&j, "elapsed_s", (double)r->elapsed_us * 1e-6);
	json_double(&j, "rate_mbit_s", mbit_per_s(r->bytes, r->elapsed_us));
	json_object_end(&j);
	json_end(&j);
}

void send_print__arrived(const struct send_print *p, const struct spin_send_report *r)
{
	if (p->json)
		print_json(p, r);
	else
		printf("%s: message %" PRIu32 ", %" PRIu64 " bytes in %" PRIu64 " packet%s, %" PRIu64
		       " resent, %.3f s, %.1f Mbit/s\n", p->name, r->message_id, r->bytes, r->packets,
		       r->packets == 1 ? "" : "s", r->resent, (double)r->elapsed_us * 1e-6,
		       mbit_per_s(r->bytes, r->elapsed_us));
	fflush(stdout);
}
