/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <pcap/pcap.h>
#include <string.h>

#include "cost.h"

/* Milliseconds from the first frame to this one; a capture may go back a little. */
static uint32_t since(const struct timeval *first, const struct timeval *now, uint32_t before_ms)
{
	int64_t ms = ((int64_t)now->tv_sec - first->tv_sec) * 1000 + ((int64_t)now->tv_usec - first->tv_usec) / 1000;

	return ms > before_ms && ms <= UINT32_MAX ? (uint32_t)ms : before_ms;
}

static int run_packets(pcap_t *pcap, struct pspin *nic, struct cost_totals *t, struct cost_report *r)
{
	struct timeval first = { 0 };
	struct pcap_pkthdr *header;
	const unsigned char *frame;
	uint32_t now_ms = 0;
	int rc;

	while ((rc = pcap_next_ex(pcap, &header, &frame)) == 1) {
		uint32_t before_ms = now_ms;

		if (!r->frames++)
			first = header->ts;
		now_ms = since(&first, &header->ts, before_ms);
		if (now_ms != before_ms && cost_totals__clock(t, nic, now_ms, r))
			return FAILED;
		if (header->caplen < header->len || header->caplen > PSPIN_FRAME_BYTES_MAX)
			r->cut_short++;
		else if (cost_totals__frame(t, nic, frame, header->caplen, r))
			return FAILED;
	}
	if (rc == PCAP_ERROR)
		return complain("%s: damaged after frame %llu: %s", r->trace, (unsigned long long)r->frames,
				pcap_geterr(pcap));
	return DONE;
}

int cost_trace__run(struct pspin *nic, const char *path, struct cost_totals *t, struct cost_report *r)
{
	char error[PCAP_ERRBUF_SIZE];
	pcap_t *pcap;
	int status;

	r->trace = path;
	pcap = pcap_open_offline(path, error);
	if (!pcap)
		return complain("cannot read the trace: %s%s%s; give a capture file, as tcpdump -w writes it",
				strstr(error, path) ? "" : path, strstr(error, path) ? "" : ": ", error);
	if (pcap_datalink(pcap) != DLT_EN10MB)
		status = complain("%s has link type %s, not Ethernet: capture on an Ethernet interface, not on 'any'",
				  path, pcap_datalink_val_to_name(pcap_datalink(pcap)) ?
				  pcap_datalink_val_to_name(pcap_datalink(pcap)) : "unknown");
	else
		status = run_packets(pcap, nic, t, r);
	pcap_close(pcap);
	return status;
}
