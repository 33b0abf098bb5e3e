/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Parses the line of a vector (a test as text) that describes a TCP header, and completes the header when the segment is complete. Called
 * by template.c, which builds the frame from such lines. What the line leaves out is an ACK with window 65535, and a header length and
 * checksum that are right.
 */
#include <errno.h>
#include <string.h>

#include <spin/wire.h>

#include "user/conformance/template/template.h"
#include "user/conformance/template/number.h"

#define HEADER_BYTES     ((uint32_t)sizeof(struct spin_tcp))
#define HEADER_BYTES_MAX 60u

static const struct {
	const char *name;
	uint8_t flag;
} flags[] = {
	{ "FIN", SPIN_TCP_FIN }, { "SYN", SPIN_TCP_SYN }, { "RST", SPIN_TCP_RST },
	{ "PSH", SPIN_TCP_PSH }, { "ACK", SPIN_TCP_ACK }, { "URG", SPIN_TCP_URG },
};

/* SYN,ACK: names separated by commas; or a number, 0 for none. */
static int parse_flags(const char *word, uint8_t *tcp)
{
	uint64_t value = 0;

	if (*word >= '0' && *word <= '9') {
		if (template_number(word, "flags", UINT8_MAX, &value))
			return -EINVAL;
		tcp[offsetof(struct spin_tcp, flags)] = (uint8_t)value;
		return 0;
	}
	while (*word) {
		const size_t length = strcspn(word, ",");
		unsigned i = 0;

		while (i < sizeof(flags) / sizeof(flags[0]) && (strlen(flags[i].name) != length || strncmp(word, flags[i].name, length)))
			i++;
		if (i == sizeof(flags) / sizeof(flags[0]))
			return engine_fail(-EINVAL, "'%.*s' is not a flag of TCP: FIN, SYN, RST, PSH, ACK, URG, or a number for all",
					   (int)(length < 32 ? length : 32), word);
		value |= flags[i].flag;
		word += length + (word[length] == ',');
	}
	tcp[offsetof(struct spin_tcp, flags)] = (uint8_t)value;
	return 0;
}

/* Appends options, which are words of 4 bytes, and counts them in the header's length unless that is given. */
static int append_options(struct template *t, const char *word)
{
	uint32_t bytes;

	if (template_hex(t, word))
		return -EINVAL;
	bytes = t->bytes - (uint32_t)t->tcp_at;
	if (bytes > HEADER_BYTES_MAX || bytes % 4)
		return engine_fail(-EINVAL, "%u bytes of options: they come in words of 4, up to %u", bytes - HEADER_BYTES,
				   HEADER_BYTES_MAX - HEADER_BYTES);
	if (!t->tcp_words_given)
		t->frame[t->tcp_at + offsetof(struct spin_tcp, words)] = (uint8_t)(bytes / 4 << 4);
	return 0;
}

/* tcp SPORT > DPORT [seq N] [ack N] [flags SYN,ACK] [win N] [urg N] [words N] [opt HEX] [sum right|none|partial|wrong|N] */
int template_tcp(struct template *t, char **word, int words)
{
	uint8_t *tcp;
	int mode;

	if (words < 4 || words % 2 || strcmp(word[2], ">"))
		return engine_fail(-EINVAL, "write: tcp SPORT > DPORT [NAME VALUE]...");
	t->tcp_at = (int)t->bytes;
	if (template_append(t, NULL, HEADER_BYTES))
		return -EINVAL;
	tcp = t->frame + t->tcp_at;
	tcp[offsetof(struct spin_tcp, words)] = HEADER_BYTES / 4 << 4;
	tcp[offsetof(struct spin_tcp, flags)] = SPIN_TCP_ACK;
	if (template_store(template_tcp_fields, "tcp", "sport", word[1], tcp) ||
	    template_store(template_tcp_fields, "tcp", "dport", word[3], tcp) ||
	    template_store(template_tcp_fields, "tcp", "win", "65535", tcp))
		return -EINVAL;
	for (int i = 4; i < words; i += 2) {
		const char *name = word[i], *value = word[i + 1];

		if (!strcmp(name, "sum")) {
			mode = template_parse_sum(value, tcp + offsetof(struct spin_tcp, checksum));
			if (mode < 0)
				return mode;
			t->tcp_sum = mode;
		} else if (!strcmp(name, "flags")) {
			if (parse_flags(value, tcp))
				return -EINVAL;
		} else if (!strcmp(name, "opt")) {
			if (append_options(t, value))
				return -EINVAL;
		} else if (template_store(template_tcp_fields, "tcp", name, value, tcp)) {
			return -EINVAL;
		}
		t->tcp_words_given |= !strcmp(name, "words");
	}
	template_set_protocol(t, SPIN_IP_TCP, SPIN_IP_TCP);
	return 0;
}

void template_finish_tcp(struct template *t, uint32_t end)
{
	uint8_t *tcp = t->frame + t->tcp_at, *ip = t->frame + t->ip_at, *at = tcp + offsetof(struct spin_tcp, checksum);
	const uint32_t bytes = end - (uint32_t)t->tcp_at;
	uint32_t pseudo = SPIN_IP_TCP + bytes;

	if (t->tcp_sum == SUM_GIVEN || t->tcp_sum == SUM_NONE || t->ip_at < 0)
		return;
	pseudo = t->ip_version == 4 ? template_sum(ip + 12, 8, pseudo) : template_sum(ip + 8, 32, pseudo);
	template_put_sum(at, t->tcp_sum, t->tcp_sum == SUM_PARTIAL ? pseudo : (uint16_t)~template_sum(tcp, bytes, pseudo));
}
