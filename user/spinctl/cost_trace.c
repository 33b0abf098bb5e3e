/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "user/spinctl/cost_run.h"

struct cost_trace {
	const char *path;
	pcap_t *pcap;
	uint64_t frames, cut_short; /* since the last rewind */
	struct timeval first;
	uint32_t now_ms;
};

static pcap_t *open_file(const char *path)
{
	char error[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_open_offline(path, error);

	if (!pcap) {
		complain("cannot read the trace: %s%s%s; give a capture file, as tcpdump -w writes it", strstr(error, path) ? "" : path,
			 strstr(error, path) ? "" : ": ", error);
		return NULL;
	}
	if (pcap_datalink(pcap) != DLT_EN10MB) {
		const char *name = pcap_datalink_val_to_name(pcap_datalink(pcap));

		complain("%s has link type %s, not Ethernet: capture on an Ethernet interface, not on 'any'", path,
			 name ? name : "unknown");
		pcap_close(pcap);
		return NULL;
	}
	return pcap;
}

struct cost_trace *cost_trace__open(const char *path)
{
	struct cost_trace *t = calloc(1, sizeof(*t));

	if (!t) {
		complain("no memory");
		return NULL;
	}
	t->path = path;
	t->pcap = open_file(path);
	if (t->pcap)
		return t;
	free(t);
	return NULL;
}

void cost_trace__close(struct cost_trace *t)
{
	if (!t)
		return;
	if (t->pcap)
		pcap_close(t->pcap);
	free(t);
}

int cost_trace__rewind(struct cost_trace *t)
{
	const char *path = t->path;

	pcap_close(t->pcap);
	*t = (struct cost_trace){ .path = path, .pcap = open_file(path) };
	return t->pcap ? DONE : FAILED;
}

/* Milliseconds from the first frame to this one; a capture may go back a little. */
static uint32_t since(const struct timeval *first, const struct timeval *now, uint32_t before_ms)
{
	int64_t ms = ((int64_t)now->tv_sec - first->tv_sec) * 1000 + ((int64_t)now->tv_usec - first->tv_usec) / 1000;

	return ms > before_ms && ms <= UINT32_MAX ? (uint32_t)ms : before_ms;
}

int cost_trace__next(struct cost_trace *t, struct cost_packet *out)
{
	struct pcap_pkthdr *header;
	const unsigned char *frame;
	int rc;

	while ((rc = pcap_next_ex(t->pcap, &header, &frame)) == 1) {
		if (!t->frames++)
			t->first = header->ts;
		t->now_ms = since(&t->first, &header->ts, t->now_ms);
		if (header->caplen < header->len || !header->caplen) {
			t->cut_short++;
			continue;
		}
		*out = (struct cost_packet){ .frame = frame, .bytes = header->caplen, .at_ms = t->now_ms, .end_of_message = 1 };
		return 1;
	}
	if (rc != PCAP_ERROR)
		return 0;
	complain("%s: damaged after frame %llu: %s", t->path, (unsigned long long)t->frames, pcap_geterr(t->pcap));
	return FAILED_SOURCE;
}

void cost_trace__counts(const struct cost_trace *t, uint64_t *frames, uint64_t *cut_short)
{
	*frames = t->frames;
	*cut_short = t->cut_short;
}
