/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs TCP segments of all forms on the modelled NIC (IPv4 and IPv6, VLAN tags, options), with the whole packet or only headers in L1:
 * handlers must get the right payload. Segments with wrong lengths or checksums must not reach handlers. What handlers change must reach
 * the host with a right checksum, and nothing else be changed. Impossible contexts must be refused. Run by tests/run.
 */
#include <errno.h>

#include "tests/model/common/packet.h"
#include "tests/segments/model.h"

struct bytes {
	uint32_t payloads, bytes, sum;
}; /* the state of seg_bytes */

/* Returns 1 if the segment gets the reason, and reaches the host as it came if it does. */
static int gives(struct pspin *nic, const struct segment_spec *s, enum spin_reason reason)
{
	uint8_t frame[SEGMENT_FRAME_MAX];
	const size_t bytes = segment__make(frame, s);
	const struct pspin_result r = segments__run(nic, frame, bytes);

	return r.reason == reason &&
	       (r.verdict == SPIN_VERDICT_PASS ? r.frame_bytes == bytes && !memcmp(r.frame, frame, bytes) : !r.frame_bytes);
}
#define GIVES(reason, ...) CHECK(gives(nic, &(struct segment_spec){ .seq = 101, .flags = ACK, __VA_ARGS__ }, SPIN_REASON_##reason), #reason)

/* --- forms of segments --- */

static uint32_t sum_of(const struct segment_spec *s)
{
	uint8_t frame[SEGMENT_FRAME_MAX];
	const size_t bytes = segment__make(frame, s);
	uint32_t sum = 0;

	for (uint32_t i = 0; i < s->bytes; i++)
		sum += frame[bytes - s->bytes + i];
	return sum;
}

/* Each form on a connection of its own. */
static void all_forms(struct pspin *nic, int has_header)
{
	static const unsigned words[] = { 0, 1, 5, 10 };
	static const uint32_t bytes[] = { 1, 2, 3, 63, 64, 500, 1399 };
	struct bytes now, before = { 0 };
	struct seg_count state;

	for (unsigned i = 0; i < 2 * 2 * 4 * 4 * 7; i++) {
		const struct segment_spec s = {
			.port = (uint16_t)(1000 + i),
			.seq = 0xffffff00 + i,
			.flags = ACK,
			.bytes = bytes[i % 7],
			.tcp_words = words[i / 7 % 4],
			.ip_words = i & 1 ? 0 : words[i / 28 % 4],
			.is_ip6 = i & 1,
			.is_tagged = i / 2 & 1,
		};

		CHECK(gives(nic, &s, SPIN_REASON_SUCCESS), "a segment is handled, and reaches the host");
		if (has_header) {
			state = segments__count(nic);
			CHECK(state.payload_length == s.bytes && !state.offset && state.flags == ACK && !state.wrong &&
				      state.payload_connection == i && state.header_connection == i,
			      "its handlers see what it says");
			continue;
		}
		segments__state(nic, &now, sizeof(now));
		CHECK(now.payloads == before.payloads + 1 && now.bytes - before.bytes == s.bytes && now.sum - before.sum == sum_of(&s),
		      "its handler sees its bytes");
		before = now;
	}
}

/* --- what the inbound engine refuses --- */

static void refused_by_parser(struct pspin *nic)
{
	uint8_t frame[SEGMENT_FRAME_MAX];
	size_t bytes;

	GIVES(UDP_CHECKSUM, .text = "hello", .sum = SUM_WRONG);
	GIVES(UDP_CHECKSUM, .text = "hello", .sum = SUM_ZERO);
	GIVES(UDP_CHECKSUM, .text = "hello", .sum = SUM_ZERO, .is_ip6 = 1);
	GIVES(SUCCESS, .text = "hello", .sum = SUM_PARTIAL);
	GIVES(SUCCESS, .text = "hello", .sum = SUM_PARTIAL, .is_ip6 = 1);
	GIVES(UDP_LENGTH, .text = "hello", .first_word = 4);
	GIVES(UDP_LENGTH, .text = "hello", .first_word = 7);
	GIVES(UDP_LENGTH, .text = "hello", .first_word = 15, .is_ip6 = 1);
	GIVES(IP_LENGTH, .text = "hello", .cut = 1);
	GIVES(TRUNCATED, .cut = 1);
	GIVES(TRUNCATED, .text = "hello", .cut = 6);
	GIVES(TRUNCATED, .cut = 1, .is_ip6 = 1);
	GIVES(TRUNCATED, .ip_words = 3, .cut = 1);

	bytes = packet__make(frame, 0x0100000a, "datagram", 8);
	CHECK(segments__run(nic, frame, bytes).reason == SPIN_REASON_UNMATCHED, "UDP does not match a rule of TCP");
	frame[14 + offsetof(struct spin_ip4, protocol)] = SPIN_IP_ICMP;
	CHECK(segments__run(nic, frame, bytes).reason == SPIN_REASON_NOT_UDP, "ICMP is neither");
	bytes = segment__make(frame, &(struct segment_spec){ .text = "hello" });
	frame[14 + offsetof(struct spin_ip4, checksum)] ^= 1;
	CHECK(segments__run(nic, frame, bytes).reason == SPIN_REASON_IP_CHECKSUM, "IPv4 has a checksum of its own");
	bytes = segment__make(frame, &(struct segment_spec){ .text = "hello" });
	frame[14 + offsetof(struct spin_ip4, total_length) + 1] = 39;
	CHECK(segments__run(nic, frame, bytes).reason == SPIN_REASON_IP_LENGTH, "a packet has room for TCP's header");
}

static void checksum_of_host(struct rig_file image)
{
	struct spin_registration registration = seg_count_registration;
	struct pspin *nic;

	registration.checksum = SPIN_CHECKSUM_HOST;
	nic = segments__open(image, registration);
	GIVES(SUCCESS, .text = "hello", .sum = SUM_WRONG);
	GIVES(SUCCESS, .text = "hello", .sum = SUM_ZERO, .port = 1);
	pspin__close(nic);
}

static void other_rules(struct rig_file image)
{
	const struct spin_rule some = { .protocol = SPIN_IP_TCP, .ip_version = 4, .src_port = 5000, .dst_port = 80 };
	struct pspin *nic = segments__open_rule(image, seg_count_registration, &some);

	GIVES(UNMATCHED, .text = "hello");
	GIVES(SUCCESS, .text = "hello", .port = 5000);
	GIVES(UNMATCHED, .text = "hello", .port = 5000, .is_ip6 = 1);
	GIVES(UNMATCHED, .text = "hello", .port = 5001, .sum = SUM_WRONG);
	pspin__close(nic);
}

/* --- changes --- */

static const uint8_t *tcp_of(const struct pspin_result *r, const struct segment_spec *s)
{
	return r->frame + 14 + (s->is_tagged ? 4 : 0) + (s->is_ip6 ? 40 : 20 + 4 * s->ip_words);
}

static void one_change(struct pspin *nic, const struct segment_spec *s)
{
	const uint8_t written[] = { SEG_WRITTEN >> 24, SEG_WRITTEN >> 16 & 255, SEG_WRITTEN >> 8 & 255, SEG_WRITTEN & 255 };
	const size_t ip_bytes = s->is_ip6 ? 40 : 20 + 4 * s->ip_words, header = 20 + 4 * s->tcp_words;
	uint8_t frame[SEGMENT_FRAME_MAX];
	const size_t bytes = segment__make(frame, s);
	const struct pspin_result r = segments__run(nic, frame, bytes);
	const uint8_t *tcp = tcp_of(&r, s), *came = frame + (tcp - r.frame);
	const uint32_t tcp_bytes = (uint32_t)(bytes - (size_t)(tcp - r.frame));
	const size_t at = offsetof(struct spin_tcp, checksum);

	if (r.reason != SPIN_REASON_SUCCESS || r.frame_bytes != bytes) {
		CHECK(0, "a segment that its handler changes reaches the host");
		return;
	}
	CHECK(!memcmp(tcp + header, written, 4) && !memcmp(tcp + header + 4, came + header + 4, tcp_bytes - header - 4),
	      "with the change, and nothing else changed");
	CHECK(!memcmp(tcp, came, at) && !memcmp(tcp + at + 2, came + at + 2, header - at - 2), "nor in its header");
	if (s->sum == SUM_PARTIAL)
		CHECK(!memcmp(tcp + at, came + at, 2), "an offload's checksum is kept");
	else
		CHECK(checksum__tcp_state(tcp - ip_bytes, (uint32_t)ip_bytes, tcp_bytes) == CHECKSUM_RIGHT, "the checksum is right");
}

static void changes(struct pspin *nic)
{
	for (unsigned i = 0; i < 2 * 2 * 4 * 2; i++)
		one_change(nic, &(struct segment_spec){ .port = (uint16_t)(20000 + i),
							.seq = 0x12345678 * i,
							.flags = ACK,
							.text = "Write here",
							.bytes = 10 + i / 16,
							.is_ip6 = i & 1,
							.is_tagged = i >> 1 & 1,
							.tcp_words = i >> 2 & 3,
							.sum = i >> 4 & 1 ? SUM_PARTIAL : SUM_RIGHT });
}

/* --- contexts that cannot be opened --- */

static void refuse(int line, struct rig_file image, struct spin_registration registration, struct spin_rule rule, const char *part)
{
	char err[256] = "";
	struct pspin *nic = segments__try(image, registration, &rule, err, sizeof(err));

	if (!nic && strstr(err, part))
		return;
	printf("FAIL line %d: %s: \"%s\" has no \"%s\"\n", line, nic ? "opened" : "refused", err, part);
	failures++;
	pspin__close(nic);
}

static void refused_contexts(struct rig_file image)
{
	struct spin_registration segments = seg_count_registration, datagrams = segments;
	struct pspin_limits limits = { .mpqs = 7 };
	struct pspin_result r;
	struct pspin *nic;

	datagrams.delivery = SPIN_DELIVER_STACK;
	refuse(__LINE__, image, datagrams, tcp_rule, "does not take segments");
	refuse(__LINE__, image, segments, (struct spin_rule){ 0 }, "its rule must be TCP's");
	refuse(__LINE__, image, segments, (struct spin_rule){ .ether_type = 0x8999 }, "its rule must be TCP's");
	refuse(__LINE__, image, segments, (struct spin_rule){ .protocol = SPIN_IP_TCP, .has_eom = 1 }, "cannot send packets");
	segments.puts = 1;
	refuse(__LINE__, image, segments, tcp_rule, "cannot send packets");
	segments.puts = 0;
	segments.takes = SPIN_TAKES_GET;
	refuse(__LINE__, image, segments, tcp_rule, "cannot send packets");

	nic = segments__open(image, seg_count_registration);
	CHECK(pspin__limit(nic, &limits) == -EOPNOTSUPP && pspin__clock(nic, 1, &r) == -EOPNOTSUPP,
	      "a context of segments has no limits of messages, nor their clock");
	GIVES(SUCCESS, .text = "hello");
	limits = (struct pspin_limits){ .watchdog_cycles = 10000 };
	CHECK(!pspin__limit(nic, &limits), "but a watchdog");
	CHECK(segments__send(nic, &(struct segment_spec){ .seq = 106, .flags = FIN }).reason == SPIN_REASON_PROCEEDED &&
		      pspin__count(nic, SPIN_REASON_PROCEEDED) == 1,
	      "setting limits forgets connections");
	pspin__close(nic);
}

int main(void)
{
	struct rig_file image = segments__build("seg_count"), small = segments__build("seg_bytes");
	struct pspin *nic = segments__open(image, seg_count_registration), *headers = segments__open(small, seg_bytes_registration);

	all_forms(nic, 1);
	all_forms(headers, 0);
	changes(nic);
	pspin__close(nic);
	nic = segments__open(image, seg_count_registration);
	refused_by_parser(nic);
	checksum_of_host(image);
	other_rules(image);
	refused_contexts(image);
	pspin__close(nic);
	pspin__close(headers);
	free(image.data);
	free(small.data);
	return failures != 0;
}
