/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * mix - uses all features, selected by the packet's bytes: every return code, accessor, stores, replies, tables. For
 * tests/fuzz/fuzz_packets.c, which sends random packets and compares the engines.
 */
#include <spin/spin.h>

struct ask {
	uint8_t header, payload, completion, what;
	spin_be16 at, bytes;
	spin_be32 value;
};

struct tally {
	uint32_t messages, header_bytes, words, word_sum, completion_rc, dropped_bytes, cell, ip4;
};

struct port {
	SPIN_COUNTER(packets);
	SPIN_COUNTER(bytes);
};

SPIN_TABLE(ports, struct port, 256);
SPIN_STATE(struct tally, .cell = 1);

static enum spin_header_rc mix_header(struct spin_header *h, struct tally *state)
{
	const struct ask *ask = SPIN_GET(h, 0, struct ask);

	spin_add32(&state->messages, 1);
	spin_add32(&state->header_bytes, h->length);
	spin_add32(&state->ip4, spin_is_ip4(h));
	state->completion_rc = 0;
	if (!ask)
		return SPIN_HEADER_PROCEED;
	state->completion_rc = ask->completion;
	if (ask->what & 0x80)
		spin_set_dst_port(h, ask->at);
	return ask->header & 0xf0 ? SPIN_HEADER_PROCESS_DATA : (enum spin_header_rc)ask->header;
}

static enum spin_payload_rc mix_payload(struct spin_payload *p, struct tally *state)
{
	const struct ask *ask = SPIN_GET(p, 0, struct ask);
	uint32_t words = 0, sum = 0, at, bytes, what, rc;
	const uint32_t *word;
	struct port *port;

	if (!ask)
		return SPIN_SEGV;
	at = spin_ntoh16(ask->at) % 2048 & ~1u;
	bytes = spin_ntoh16(ask->bytes) % 2048;
	what = ask->what;
	rc = ask->payload;
	port = SPIN_AT(ports, (spin_ntoh16(spin_dst_port(p)) + spin_src_addr4(p)) % 300);
	if (!port)
		return SPIN_SEGV;
	spin_count(&port->packets, 1);
	spin_count(&port->bytes, p->length);
	if (what & 1) {
		SPIN_FOR_EACH(p, uint32_t, w) {
			words++;
			sum += *w;
		}
		spin_add32(&state->words, words);
		spin_add32(&state->word_sum, sum);
	}
	if (what & 2) {
		word = SPIN_GET(p, at, uint32_t);
		if (!word)
			return SPIN_FAIL;
		spin_set32(p, word, *word + ask->value);
	}
	if (what & 4)
		spin_set16(p, &ask->bytes, (uint16_t)spin_src_port(p));
	if (what & 8 && !spin_cas32(&state->cell, ask->value & 3, ask->value >> 8 & 3))
		spin_add32(&state->cell, 1);
	if (what & 16)
		return spin_reply(p, bytes);
	return rc & 0xf0 || rc == SPIN_REPLIED ? SPIN_SUCCESS : (enum spin_payload_rc)rc;
}

static enum spin_completion_rc mix_completion(uint32_t dropped_bytes, _Bool flow_control_triggered, struct tally *state)
{
	spin_add32(&state->dropped_bytes, dropped_bytes + flow_control_triggered);
	return state->completion_rc & 0xf0 ? SPIN_COMPLETION_SUCCESS : (enum spin_completion_rc)state->completion_rc;
}

SPIN_HANDLERS(mix, .header = mix_header, .payload = mix_payload, .completion = mix_completion);
