/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Prints what spinctl recv (files received as messages over UDP) reports: progress, received files and failures, as text and JSON. Called
 * by recv.c and transfer.c.
 */
#include <arpa/inet.h>
#include <inttypes.h>

#include "user/spinctl/recv/recv.h"

struct source {
	char text[INET6_ADDRSTRLEN];
};

static struct source format_source(uint32_t ip_version, const uint32_t *addr)
{
	struct source s = { "?" };

	inet_ntop(ip_version == 4 ? AF_INET : AF_INET6, addr, s.text, sizeof(s.text));
	return s;
}

void recv_print__start(const struct receiver *r, unsigned port)
{
	if (r->json)
		return;
	printf("receiving on");
	for (unsigned d = 0; d < r->set.devices; d++)
		printf(" %s", spin_nic__name(r->set.device[d].nic));
	printf(", port %u\n", port);
}

static int show_message(void *arg, const struct spin_message_info *m)
{
	(void)arg;
	fprintf(stderr, "\rmessage %u from %s: ", m->message_id, format_source(m->ip_version, m->src_addr).text);
	if (m->phase == SPIN_MESSAGE_WAITING)
		fprintf(stderr, "%u packets wait for the first one", m->parked);
	else if (m->packets_total)
		fprintf(stderr, "%u of %u packets, %.0f %%", m->packets, m->packets_total, m->packets * 100.0 / m->packets_total);
	else
		fprintf(stderr, "%u packets", m->packets);
	fprintf(stderr, ", %.1f s\033[K", m->age_ms / 1000.0);
	fflush(stderr);
	return 1; /* the others wait for an entry */
}

static void show_transfer(const struct recv_transfer *t)
{
	fprintf(stderr, "\rfrom %s: %.1f MiB", format_source(t->from.ip_version, t->from.src_addr).text, (double)t->position / (1 << 20));
	if (t->total != TRANSFER_UNKNOWN && t->total)
		fprintf(stderr, " of %.1f, %.0f %%", (double)t->total / (1 << 20), (double)t->position * 100 / (double)t->total);
	fputs("\033[K", stderr);
	fflush(stderr);
}

void recv_print__progress(const struct receiver *r)
{
	if (r->bar && r->state == RECV_TRANSFER)
		show_transfer(&r->now);
	else if (r->bar)
		spin_ctx__messages(r->set.context[0].ctx, show_message, NULL);
}

void recv_print__clear(const struct receiver *r)
{
	if (r->bar)
		fputs("\r\033[K", stderr);
}

void recv_print__received(const struct receiver *r, const struct spin_event *e, uint64_t bytes, unsigned messages)
{
	const struct source from = format_source(e->ip_version, e->src_addr);
	char what[48];
	struct json j;

	snprintf(what, sizeof(what), messages == 1 ? "message %u" : "%u messages", messages == 1 ? e->message_id : messages);
	if (!r->json) {
		printf("%s: %s from %s port %u, %" PRIu64 " bytes\n", r->file.path, what, from.text, e->src_port, bytes);
		fflush(stdout);
		return;
	}
	json_begin(&j, stdout, 0);
	json_object(&j, NULL);
	json_string(&j, "file", r->file.path);
	json_string(&j, "source", from.text);
	json_uint(&j, "source_port", e->src_port);
	json_uint(&j, "message_id", e->message_id);
	json_uint(&j, "messages", messages);
	json_uint(&j, "bytes", bytes);
	json_uint(&j, "header_data", e->hdr_data);
	json_uint(&j, "match_bits", e->match_bits);
	json_bool(&j, "flow_control", !!(e->flags & SPIN_EVENT_FLOW_CONTROL));
	json_object_end(&j);
	json_end(&j);
	fflush(stdout);
}

void recv_print__transfer_given_up(const struct receiver *r)
{
	const struct recv_transfer *t = &r->now;
	char of[32] = "";

	if (t->total != TRANSFER_UNKNOWN)
		snprintf(of, sizeof(of), " of %" PRIu64, t->total);
	recv_print__clear(r);
	report_error("a file from %s port %u stopped at byte %" PRIu64 "%s, its other pieces are missing: given up, nothing of it was "
		     "written; waiting for another",
		     format_source(t->from.ip_version, t->from.src_addr).text, t->from.src_port, t->position, of);
}

void recv_print__abandoned(const struct receiver *r, const struct spin_event *e)
{
	recv_print__clear(r);
	report_error("message %u from %s port %u stopped before it was complete: given up; waiting for another", e->message_id,
		     format_source(e->ip_version, e->src_addr).text, e->src_port);
}

void recv_print__end(const struct receiver *r)
{
	if (!r->json && r->wanted != 1)
		printf("%u file%s received\n", r->received, r->received == 1 ? "" : "s");
}
