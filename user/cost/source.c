/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Supplies the packets of spinctl cost: those of a capture file, or generated ones, in the requested number and size. Called by the passes
 * that run packets through the modelled NIC (measure.c), and by comparisons.
 */
#include <pcap/pcap.h>
#include <spin/wire.h>
#include <stdlib.h>
#include <string.h>

#include "user/cost/run.h"
#include "user/tool/error.h"

struct cost_source {
	struct cost_trace *trace;   /* NULL: packets are generated */
	struct cost_generated made; /* current parameters of generated packets */
	unsigned size;              /* requested size, from the IP header on; 0: unchanged */
	struct cost_generator generator;
	uint32_t message;                  /* number of the next generated message */
	unsigned packet;                   /* of it; of a connection the SYN is not counted */
	uint32_t begun;                    /* connections whose SYN was generated */
	uint64_t returned, wanted, rounds; /* packets so far; wanted: number of packets, 0: one round */
	uint64_t frames, cut_short;        /* of the first round */
};

struct cost_source *cost_source__open(const struct cost_source_options *options)
{
	struct cost_source *s = calloc(1, sizeof(*s));

	if (!s) {
		report_error("no memory");
		return NULL;
	}
	s->made = options->made;
	s->generator.rule = options->rule;
	s->generator.takes_messages = options->takes_messages;
	s->generator.takes_segments = options->takes_segments;
	s->generator.is_raw = options->is_raw;
	s->generator.random = 1;
	if (options->trace)
		s->trace = cost_trace__open(options->trace);
	if (!options->trace || s->trace)
		return s;
	free(s);
	return NULL;
}

void cost_source__close(struct cost_source *s)
{
	if (s)
		cost_trace__close(s->trace);
	free(s);
}

int cost_source__rewind(struct cost_source *s)
{
	s->message = s->begun = 0;
	s->packet = 0;
	s->returned = s->wanted = s->rounds = 0;
	s->generator.random = 1;
	return s->trace ? cost_trace__rewind(s->trace) : DONE;
}

int cost_source__resize(struct cost_source *s, unsigned bytes)
{
	unsigned headers = cost_generator__header_bytes(&s->generator);
	unsigned minimum = !s->generator.is_raw && cost_is_icmp(s->generator.rule) ? COST_ICMP_BYTES_MIN : 4;

	s->size = bytes;
	if (bytes && !s->trace)
		s->made.payload_bytes = bytes >= headers + minimum ? (bytes - headers) & ~3u : minimum;
	return cost_source__rewind(s);
}

void cost_source__repeat(struct cost_source *s, uint64_t packets)
{
	s->wanted = packets;
}

/* Returns the next packet of the trace; rewinds at its end if more packets are wanted and the trace has any. */
static int next_of_trace(struct cost_source *s, struct cost_packet *out)
{
	int rc = cost_trace__next(s->trace, out);

	if (!s->rounds)
		cost_trace__counts(s->trace, &s->frames, &s->cut_short);
	if (!rc && s->returned && s->returned < s->wanted) {
		s->rounds++;
		rc = cost_trace__rewind(s->trace) ? FAILED_SOURCE : cost_trace__next(s->trace, out);
	}
	if (rc == 1)
		out->message = s->returned; /* each packet is a message of its own, in every round */
	if (rc == 1 && s->size) {
		unsigned bytes = cost_resize(s->generator.frame, out->frame, out->bytes, s->size);

		if (bytes)
			*out = (struct cost_packet){ .frame = s->generator.frame,
						     .bytes = bytes,
						     .at_ms = out->at_ms,
						     .message = out->message,
						     .end_of_message = 1 };
	}
	return rc;
}

/*
 * The SYN of a connection is sent this many connections before its other segments. A real client waits for the answer to its SYN; segments
 * that arrive while the header handler still runs for the SYN would be dropped. With a fixed source port there is one connection at a time.
 */
#define CONNECTIONS_AHEAD 64u

static int is_syn_next(const struct cost_source *s, uint64_t round)
{
	const struct spin_rule *rule = s->generator.rule;
	const uint32_t ahead = rule->src_port || rule->src_ports.count ? 1 : CONNECTIONS_AHEAD;

	return s->generator.takes_segments && s->begun - s->message < ahead && (s->begun < s->made.messages || s->wanted > round);
}

/* Generates the next packet. All messages are generated once; after that again from the first if more packets are wanted. */
static int next_generated(struct cost_source *s, struct cost_packet *out)
{
	const unsigned syns = s->generator.takes_segments ? 1 : 0; /* of a message */
	const uint64_t round = (uint64_t)s->made.messages * (s->made.packets + syns);
	uint32_t message = s->message;
	unsigned packet = s->packet + syns;

	if (s->returned >= round && !(s->wanted > round && (s->returned < s->wanted || s->packet)))
		return 0;
	if (is_syn_next(s, round)) {
		message = s->begun++;
		packet = 0;
	} else if (++s->packet == s->made.packets) {
		s->packet = 0;
		s->message++;
	}
	cost_generator__make(&s->generator, &s->made, message, packet);
	*out = (struct cost_packet){ .frame = s->generator.frame,
				     .bytes = s->generator.bytes,
				     .message = message,
				     .end_of_message = packet + 1 == s->made.packets + syns };
	if (s->returned < round)
		s->frames = s->returned + 1;
	return 1;
}

int cost_source__next(struct cost_source *s, struct cost_packet *out)
{
	int rc = s->trace ? next_of_trace(s, out) : next_generated(s, out);

	if (rc == 1) {
		unsigned link = s->generator.is_raw ? 0 : cost_link_bytes(out->frame, out->bytes);

		out->counted_bytes = out->bytes > link ? out->bytes - link : 0;
		s->returned++;
	}
	return rc;
}

void cost_source__counts(const struct cost_source *s, uint64_t *frames, uint64_t *cut_short)
{
	*frames = s->frames;
	*cut_short = s->cut_short;
}

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
		report_error("cannot read the trace: %s%s%s; give a capture file, as tcpdump -w writes it", strstr(error, path) ? "" : path,
			     strstr(error, path) ? "" : ": ", error);
		return NULL;
	}
	if (pcap_datalink(pcap) != DLT_EN10MB) {
		const char *name = pcap_datalink_val_to_name(pcap_datalink(pcap));

		report_error("%s has link type %s, not Ethernet: capture on an Ethernet interface, not on 'any'", path,
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
		report_error("no memory");
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

/* Returns the milliseconds from the first frame to this one. Timestamps of a capture may go back a little; the result does not. */
static uint32_t elapsed_ms(const struct timeval *first, const struct timeval *now, uint32_t before_ms)
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
		t->now_ms = elapsed_ms(&t->first, &header->ts, t->now_ms);
		if (header->caplen < header->len || !header->caplen) {
			t->cut_short++;
			continue;
		}
		*out = (struct cost_packet){ .frame = frame, .bytes = header->caplen, .at_ms = t->now_ms, .end_of_message = 1 };
		return 1;
	}
	if (rc != PCAP_ERROR)
		return 0;
	report_error("%s: damaged after frame %llu: %s", t->path, (unsigned long long)t->frames, pcap_geterr(t->pcap));
	return FAILED_SOURCE;
}

void cost_trace__counts(const struct cost_trace *t, uint64_t *frames, uint64_t *cut_short)
{
	*frames = t->frames;
	*cut_short = t->cut_short;
}

/* --- resizing of a captured datagram or ICMP message: truncates or repeats the payload, recomputes lengths and checksums --- */

unsigned cost_link_bytes(const uint8_t *frame, unsigned bytes)
{
	unsigned at = 12;

	/* two tags at most, as the NIC takes */
	while (at < 12 + 2 * sizeof(struct spin_vlan) && at + 6 <= bytes &&
	       ((frame[at] == 0x81 && frame[at + 1] == 0x00) || (frame[at] == 0x88 && frame[at + 1] == 0xa8)))
		at += 4;
	return at + 2;
}

static uint16_t ip4_checksum(const uint8_t *ip, unsigned bytes)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i + 1 < bytes; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~(sum + (sum >> 16));
}

static void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

#define L4_HEADER_BYTES 8u /* the UDP header, or the header of an ICMP message */

/* Returns the length of the IP header of a UDP or ICMP packet, or 0 if the packet is neither. */
static unsigned ip_header_bytes(const uint8_t *ip, unsigned bytes, int *is_icmp)
{
	unsigned header = bytes >= 20 && ip[0] >> 4 == 4 ? (ip[0] & 15u) * 4 : 40;
	uint8_t protocol;

	if (bytes < header + L4_HEADER_BYTES)
		return 0;
	protocol = ip[0] >> 4 == 4 ? ip[9] : ip[6];
	*is_icmp = protocol == (ip[0] >> 4 == 4 ? SPIN_IP_ICMP : SPIN_IP_ICMP6);
	if (!*is_icmp && protocol != SPIN_IP_UDP)
		return 0;
	if (ip[0] >> 4 == 4)
		return header >= 20 && !((ip[6] & 0x3f) | ip[7]) ? header : 0;
	return ip[0] >> 4 == 6 ? header : 0;
}

/* UDP over IPv6 requires a checksum. Returns the sum of the pseudo-header alone, as the sender's checksum offload leaves it. */
static unsigned pseudo_sum(const uint8_t *ip, unsigned protocol, unsigned bytes)
{
	uint32_t sum = bytes + protocol;

	for (unsigned i = 8; i < 40; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum + (sum >> 16)) & 0xffff;
}

void cost_set_icmp_checksum(const uint8_t *ip, uint8_t *icmp, unsigned bytes)
{
	uint32_t sum = ip[0] >> 4 == 6 ? pseudo_sum(ip, SPIN_IP_ICMP6, bytes) : 0;

	put16(icmp + 2, 0);
	for (unsigned i = 0; i < bytes; i += 2)
		sum += (uint32_t)(icmp[i] << 8 | (i + 1 < bytes ? icmp[i + 1] : 0));
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	put16(icmp + 2, sum == 0xffff ? sum : ~sum & 0xffff);
}

void cost_set_tcp_checksum(const uint8_t *ip, uint8_t *tcp, unsigned bytes)
{
	const unsigned addresses_at = ip[0] >> 4 == 4 ? 12 : 8, addresses_end = ip[0] >> 4 == 4 ? 20 : 40;
	uint32_t sum = SPIN_IP_TCP + bytes;

	for (unsigned i = addresses_at; i < addresses_end; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	put16(tcp + offsetof(struct spin_tcp, checksum), 0);
	for (unsigned i = 0; i < bytes; i += 2)
		sum += (uint32_t)(tcp[i] << 8 | (i + 1 < bytes ? tcp[i + 1] : 0));
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	put16(tcp + offsetof(struct spin_tcp, checksum), ~sum & 0xffff);
}

/* Returns the number of payload bytes after the 8-byte header. */
static unsigned payload_bytes(const uint8_t *ip, unsigned header, int is_icmp)
{
	unsigned bytes = (unsigned)(ip[header + 4] << 8 | ip[header + 5]);

	if (is_icmp)
		bytes = ip[0] >> 4 == 4 ? (unsigned)(ip[2] << 8 | ip[3]) - header : (unsigned)(ip[4] << 8 | ip[5]);
	return bytes >= L4_HEADER_BYTES && bytes < 65536 ? bytes - L4_HEADER_BYTES : 0;
}

unsigned cost_resize(uint8_t *to, const uint8_t *frame, unsigned frame_bytes, unsigned bytes)
{
	unsigned link = cost_link_bytes(frame, frame_bytes);
	const uint8_t *ip = frame + link;
	int is_icmp = 0;
	unsigned have = frame_bytes > link ? frame_bytes - link : 0, header = ip_header_bytes(ip, have, &is_icmp);
	unsigned before = header + L4_HEADER_BYTES, payload, room;
	uint8_t *out = to + link;

	if (!header || bytes < before || bytes > SPIN_IP_BYTES_MAX)
		return 0;
	room = bytes - before;
	payload = payload_bytes(ip, header, is_icmp);
	if (payload > have - before)
		payload = have - before;
	memcpy(to, frame, link + before);
	for (unsigned i = 0; i < room; i++)
		out[before + i] = payload ? ip[before + i % payload] : 0;
	if (!is_icmp)
		put16(out + header + 4, room + L4_HEADER_BYTES);
	if (ip[0] >> 4 == 4) {
		put16(out + 2, bytes);
		put16(out + 10, 0);
		put16(out + 10, ip4_checksum(out, header));
		if (!is_icmp)
			put16(out + header + 6, 0);
	} else {
		put16(out + 4, bytes - 40);
		if (!is_icmp)
			put16(out + header + 6, pseudo_sum(out, SPIN_IP_UDP, bytes - 40));
	}
	if (is_icmp)
		cost_set_icmp_checksum(out, out + header, bytes - header);
	return link + bytes;
}
