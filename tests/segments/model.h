/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_SEGMENTS_MODEL_H
#define TESTS_SEGMENTS_MODEL_H

/*
 * Makes frames of TCP segments, opens a modelled NIC with handlers of segments, runs segments on it and checks what they did. Used by the
 * tests model_* of this directory.
 */
#include <errno.h>
#include <string.h>

#include <spin/segment.h>
#include <spin/wire.h>

#include "hwmodel/nic/checksum.h"
#include "tests/handlers/segments/seg_count.h"
#include "tests/model/common/rig.h"

#define SYN SPIN_TCP_SYN
#define ACK SPIN_TCP_ACK
#define FIN SPIN_TCP_FIN
#define RST SPIN_TCP_RST

enum segment_sum { SUM_RIGHT, SUM_WRONG, SUM_PARTIAL, SUM_ZERO };

struct segment_spec {
	uint16_t port; /* of the peer; the others are constant */
	uint32_t seq;
	uint8_t flags;
	const char *text; /* payload; NULL: none */
	uint32_t bytes;   /* of payload; 0: the text's */
	int is_ip6, is_tagged;
	unsigned ip_words, tcp_words; /* of options */
	enum segment_sum sum;
	unsigned first_word; /* words of TCP's header, if not 0: a wrong length */
	uint32_t cut;        /* bytes that are missing from the end of the frame */
};

#define SEGMENT_FRAME_MAX 1700u

/* Writes Ethernet and IP headers. Returns the offset of the IP header; *l4 becomes that of TCP's. */
static inline size_t segment__headers(uint8_t *frame, const struct segment_spec *s, size_t tcp_bytes, size_t *l4)
{
	const uint16_t type = s->is_ip6 ? SPIN_ETH_IP6 : SPIN_ETH_IP4;
	const uint8_t eth[] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2 };
	const size_t ip_bytes = 20 + 4 * s->ip_words;
	size_t at = sizeof(eth);
	struct spin_ip4 ip4 = { .version_ihl = (uint8_t)(0x40 | ip_bytes / 4),
				.total_length = spin_hton16((uint16_t)(ip_bytes + tcp_bytes)),
				.ttl = 9,
				.protocol = SPIN_IP_TCP,
				.src = 0x0100000a,
				.dst = 0x0200000a };
	struct spin_ip6 ip6 = { .version_class_flow = spin_hton32(6u << 28),
				.payload_length = spin_hton16((uint16_t)tcp_bytes),
				.next_header = SPIN_IP_TCP,
				.hop_limit = 9,
				.src = { 1, 2, 3, 4 },
				.dst = { 5, 6, 7, 8 } };

	memcpy(frame, eth, sizeof(eth));
	if (s->is_tagged) {
		memcpy(frame + at, (const uint8_t[]){ SPIN_ETH_VLAN >> 8, SPIN_ETH_VLAN & 255, 0, 7 }, 4);
		at += 4;
	}
	frame[at] = (uint8_t)(type >> 8);
	frame[at + 1] = (uint8_t)type;
	at += 2;
	if (s->is_ip6) {
		memcpy(frame + at, &ip6, sizeof(ip6));
		*l4 = at + sizeof(ip6);
		return at;
	}
	memcpy(frame + at, &ip4, sizeof(ip4));
	memset(frame + at + 20, 1 /* no operation */, 4 * s->ip_words);
	ip4.checksum = (uint16_t)~checksum__fold(checksum__sum(frame + at, ip_bytes));
	memcpy(frame + at, &ip4, sizeof(ip4));
	*l4 = at + ip_bytes;
	return at;
}

/* Returns the bytes of the frame. */
static inline size_t segment__make(uint8_t *frame, const struct segment_spec *s)
{
	const uint32_t bytes = s->bytes ? s->bytes : s->text ? (uint32_t)strlen(s->text) : 0;
	const size_t tcp_header = 20 + 4 * s->tcp_words;
	struct spin_tcp tcp = { .src_port = spin_hton16(s->port ? s->port : 4000),
				.dst_port = spin_hton16(80),
				.seq = spin_hton32(s->seq),
				.ack = spin_hton32(77),
				.words = (uint8_t)(tcp_header / 4 << 4),
				.flags = s->flags,
				.window = spin_hton16(1000) };
	size_t l4, ip = segment__headers(frame, s, tcp_header + bytes, &l4);
	uint64_t pseudo = checksum__pseudo(frame + ip, SPIN_IP_TCP, (uint32_t)tcp_header + bytes);

	if (s->first_word)
		tcp.words = (uint8_t)(s->first_word << 4);
	memcpy(frame + l4, &tcp, sizeof(tcp));
	memset(frame + l4 + 20, 1 /* no operation */, 4 * s->tcp_words);
	for (uint32_t i = 0; i < bytes; i++)
		frame[l4 + tcp_header + i] = s->text && i < strlen(s->text) ? (uint8_t)s->text[i] : (uint8_t)('a' + (s->seq + i) % 26);
	tcp.checksum = (uint16_t)~checksum__fold(pseudo + checksum__sum(frame + l4, tcp_header + bytes));
	if (s->sum == SUM_WRONG)
		tcp.checksum ^= 0x0100;
	else if (s->sum == SUM_PARTIAL)
		tcp.checksum = checksum__fold(pseudo);
	else if (s->sum == SUM_ZERO)
		tcp.checksum = 0;
	memcpy(frame + l4, &tcp, sizeof(tcp));
	return l4 + tcp_header + bytes - s->cut;
}

static inline struct pspin *segments__try(struct rig_file file, struct spin_registration registration, const struct spin_rule *rule,
					  char *err, size_t err_bytes)
{
	struct spin_meta meta = { .magic = SPIN_META_MAGIC, .api_version = SPIN_API_VERSION, .registration = registration };
	struct pspin *nic = NULL;

	pspin__open(&nic, pspin_target__find("pspin-rtl"), &meta, file.data, file.bytes, rule, err, err_bytes);
	return nic;
}

static const struct spin_registration seg_count_registration = {
	.header = 1, .payload = 1, .message_completion = 1, .delivery = SPIN_DELIVER_SEGMENTS
};
static const struct spin_registration seg_bytes_registration = { .payload = 1,
								 .bytes_in_l1 = SPIN_HEADERS_ONLY,
								 .delivery = SPIN_DELIVER_SEGMENTS };
static const struct spin_rule tcp_rule = { .protocol = SPIN_IP_TCP };

static inline struct pspin *segments__open_rule(struct rig_file file, struct spin_registration registration, const struct spin_rule *rule)
{
	char err[256] = "";
	struct pspin *nic = segments__try(file, registration, rule, err, sizeof(err));

	if (nic)
		return nic;
	printf("FAIL open: %s\n", err);
	exit(1);
}

static inline struct pspin *segments__open(struct rig_file file, struct spin_registration registration)
{
	return segments__open_rule(file, registration, &tcp_rule);
}

static inline struct rig_file segments__build(const char *name)
{
	char sources[256];

	snprintf(sources, sizeof(sources), "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/handlers/segments/%s.c\"'", name);
	return rig__build(name, sources);
}

/* Reads the handlers' state. */
static inline void segments__state(const struct pspin *nic, void *to, size_t bytes)
{
	uint32_t addr;

	if (!pspin__symbol(nic, "spin_state", &addr, NULL) && !pspin__read(nic, addr, to, bytes))
		return;
	printf("FAIL no state in the image\n");
	exit(1);
}

/* The state of seg_count. */
static inline struct seg_count segments__count(const struct pspin *nic)
{
	struct seg_count state;

	segments__state(nic, &state, sizeof(state));
	return state;
}

/* --- runs and checks --- */

static inline struct pspin_result segments__run(struct pspin *nic, const uint8_t *frame, size_t bytes)
{
	struct pspin_result r;

	if (!pspin__packet(nic, frame, bytes, &r))
		return r;
	printf("FAIL the model refuses a packet\n");
	exit(1);
}

static inline struct pspin_result segments__send(struct pspin *nic, const struct segment_spec *s)
{
	uint8_t frame[SEGMENT_FRAME_MAX];

	return segments__run(nic, frame, segment__make(frame, s));
}

static int failures;

/* Counts a failure, and goes on. */
static inline void check(int line, int ok, const char *what)
{
	if (ok)
		return;
	printf("FAIL line %d: %s\n", line, what);
	failures++;
}
#define CHECK(ok, what) check(__LINE__, ok, what)

#endif
