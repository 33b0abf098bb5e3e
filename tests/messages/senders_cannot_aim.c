/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * More messages than a search looks at, whose ids were chosen so that all searches begin at one place: with the key that
 * the sender reckoned with they shut out another message; with any other key they lie far apart, and all are taken.
 */
#define SPIN_HANDLER_FILE "tests/handlers/msg_default.c"
#include "bpf/context.host.c"

#include <arpa/inet.h>
#include <stdio.h>

#define AIMED (SPIN_FLOW_PROBES + 1)

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = v >> 8;
	at[1] = (uint8_t)v;
}

static void put32(uint8_t *at, uint32_t v)
{
	v = htonl(v);
	memcpy(at, &v, sizeof(v));
}

/* The first packet of a message that has more; what it came to. */
static int packet(uint32_t id)
{
	uint8_t frame[14 + 20 + 8 + 10 + 4] = { 0 }, *ip = frame + 14, *udp = ip + 20, *slmp = udp + 8;
	uint32_t bytes = sizeof(frame), verdict, sum = 0;

	put16(frame + 12, SPIN_ETH_IP4);
	ip[0] = 0x45;
	put16(ip + 2, bytes - 14);
	ip[8] = 64;
	ip[9] = SPIN_IP_UDP;
	put32(ip + 12, 0x0a000001);
	put32(ip + 16, 0x0a000002);
	for (unsigned i = 0; i < 20; i += 2)
		sum += ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	put16(ip + 10, ~(sum + (sum >> 16)) & 0xffff);
	put16(udp, 4660);
	put16(udp + 2, SPIN_SLMP_PORT);
	put16(udp + 4, bytes - 34);
	put16(slmp, SPIN_SLMP_SYN);
	put32(slmp + 2, id);
	return spin_host_packet(frame, &bytes, &verdict);
}

/* Where the search for the message begins: as spin_key_of() does it for packet()'s source. */
static uint64_t home(uint32_t id)
{
	const struct spin_ip4 ip = { .src = htonl(0x0a000001) };
	struct spin_udp udp = { .src_port = htons(4660) };
	const struct spin_datagram d = { .ip = (void *)&ip, .udp = &udp, .is_ip4 = 1 };
	const struct spin_view view = { 0 };
	struct spin_key key;

	spin_key_of(&view, &d, id, &key);
	return key.home;
}

static unsigned taken(const uint32_t *id)
{
	unsigned count = 0;

	spin_host_reset();
	for (unsigned i = 0; i < AIMED; i++)
		count += packet(id[i]) == SPIN_REASON_PROCEEDED;
	return count;
}

int main(void)
{
	static const uint64_t others[][3] = { { 0x5851f42d4c957f2d, 0x14057b7ef767814f, 0x2545f4914f6cdd1d },
					      { 0x27d4eb2f165667c5, 0x85ebca77c2b2ae3d, 0xff51afd7ed558ccd },
					      { 0xc4ceb9fe1a85ec53, 0x62a9d9ed799705f5, 0xcb24d0a5c88c35b3 } };
	static uint8_t memory[4096 + SPIN_HOST_SLACK];
	uint32_t id[AIMED], next = 1, count = 1;
	unsigned failed = 0;

	spin_host_memory_at = memory;
	spin_config.host_bytes = 4096;
	spin_config.mpqs = SPIN_MPQS;
	spin_config.parking = SPIN_PARKING_MAX;
	spin_config.window = SPIN_WINDOW;
	spin_config.idle_ticks = spin_config.tombstone_ticks = 1000000;
	spin_config.virtual_clock = 1;
	for (id[0] = 0; count < AIMED; next++)
		if (home(next) == home(id[0]))
			id[count++] = next;
	count = taken(id);
	printf("with the key that was guessed: %u of %u messages taken\n", count, AIMED);
	if (count != SPIN_FLOW_PROBES)
		failed = printf("FAIL: the ids were to collide\n") > 0;
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		memcpy(spin_config.key, others[i], sizeof(spin_config.key));
		count = taken(id);
		printf("with another one: %u of %u\n", count, AIMED);
		if (count != AIMED)
			failed = printf("FAIL: a sender can aim at one place without knowing the key\n") > 0;
	}
	return failed ? 1 : 0;
}
