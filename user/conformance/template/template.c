/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Builds Ethernet frames from text lines like "udp 1 > 2": each line appends a header, and template_finish() fills in lengths and
 * checksums. Called by tests and by the parsers of vectors (tests as text).
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/template/template.h"
#include "user/conformance/template/number.h"

#define WORDS_MAX      512
#define IP4_HEADER_MAX 60u

int template_append(struct template *t, const void *from, uint32_t bytes)
{
	if (bytes > sizeof(t->frame) - t->bytes)
		return engine_fail(-EINVAL, "the frame is too long");
	if (from)
		memcpy(t->frame + t->bytes, from, bytes);
	else
		memset(t->frame + t->bytes, 0, bytes);
	t->bytes += bytes;
	return 0;
}

static void store16(uint8_t *at, unsigned v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

int template_hex(struct template *t, const char *word)
{
	for (; *word; word += 2) {
		char pair[3] = { word[0], word[1], 0 };
		uint8_t byte;

		if (!isxdigit(pair[0]) || !isxdigit(pair[1]))
			return engine_fail(-EINVAL, "'%s' is not hex, two digits a byte", word);
		byte = (uint8_t)strtoul(pair, NULL, 16);
		if (template_append(t, &byte, 1))
			return -EINVAL;
	}
	return 0;
}

/* Stores the EtherType in the header before, which cannot know it when it is appended. */
static void set_type(struct template *t, unsigned type)
{
	if (t->type_at >= 0)
		store16(t->frame + t->type_at, type);
	t->type_at = -1;
}

static int append_mac(struct template *t, const char *word)
{
	uint8_t mac[6];
	int end = 0;

	if (sscanf(word, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2], &mac[3], &mac[4], &mac[5], &end) != 6 ||
	    word[end])
		return engine_fail(-EINVAL, "'%s' is not an Ethernet address", word);
	return template_append(t, mac, 6);
}

/* eth SRC > DST [type N] */
static int parse_eth(struct template *t, char **word, int words)
{
	uint64_t type;

	if ((words != 4 && words != 6) || strcmp(word[2], ">") || (words == 6 && strcmp(word[4], "type")))
		return engine_fail(-EINVAL, "write: eth SRC > DST [type N]");
	if (append_mac(t, word[3]) || append_mac(t, word[1]) || template_append(t, NULL, 2))
		return -EINVAL;
	t->type_at = (int)t->bytes - 2;
	if (words == 6) {
		if (template_number(word[5], "type", UINT16_MAX, &type))
			return -EINVAL;
		set_type(t, (unsigned)type);
	}
	return 0;
}

/* vlan TAG, qinq TAG */
static int parse_vlan(struct template *t, char **word, int words)
{
	uint64_t tag;

	if (words != 2)
		return engine_fail(-EINVAL, "write: %s TAG", word[0]);
	if (template_number(word[1], "tag", UINT16_MAX, &tag))
		return -EINVAL;
	set_type(t, word[0][0] == 'v' ? 0x8100 : 0x88a8);
	if (template_append(t, NULL, 4))
		return -EINVAL;
	store16(t->frame + t->bytes - 4, (unsigned)tag);
	t->type_at = (int)t->bytes - 2;
	return 0;
}

int template_parse_sum(const char *word, uint8_t *field)
{
	uint64_t value;

	if (!strcmp(word, "right"))
		return SUM_RIGHT;
	if (!strcmp(word, "none"))
		return SUM_NONE;
	if (!strcmp(word, "partial"))
		return SUM_PARTIAL;
	if (!strcmp(word, "wrong"))
		return SUM_WRONG;
	if (template_number(word, "sum", UINT16_MAX, &value))
		return -EINVAL;
	store16(field, (unsigned)value);
	return SUM_GIVEN;
}

/* Appends IPv4 options. Their length must be a multiple of 4, since the header length counts words. */
static int append_options(struct template *t, const char *word)
{
	uint32_t bytes;

	if (template_hex(t, word))
		return -EINVAL;
	bytes = t->bytes - (uint32_t)t->ip_at;
	if (bytes > IP4_HEADER_MAX || bytes % 4)
		return engine_fail(-EINVAL, "%u bytes of options: they come in words of 4, up to %u", bytes - 20, IP4_HEADER_MAX - 20);
	t->ip_header_bytes = bytes;
	t->frame[t->ip_at] = (uint8_t)((t->frame[t->ip_at] & 0xf0) | bytes / 4);
	return 0;
}

/* ip4 SRC > DST [ttl N] [id N] [tos N] [fragment N] [proto N] [length N] [version N] [words N] [sum S] [options HEX] */
static int parse_ip4(struct template *t, char **word, int words)
{
	uint8_t *ip;
	int err, mode;

	if (words < 4 || words % 2 || strcmp(word[2], ">"))
		return engine_fail(-EINVAL, "write: ip4 SRC > DST [NAME VALUE]...");
	set_type(t, 0x0800);
	t->ip_at = (int)t->bytes;
	t->ip_version = 4;
	t->ip_header_bytes = 20;
	if (template_append(t, NULL, 20))
		return -EINVAL;
	ip = t->frame + t->ip_at;
	ip[0] = 0x45;
	ip[8] = 64;
	ip[9] = 17;
	if (inet_pton(AF_INET, word[1], ip + 12) != 1 || inet_pton(AF_INET, word[3], ip + 16) != 1)
		return engine_fail(-EINVAL, "'%s > %s' are not IPv4 addresses", word[1], word[3]);
	for (int i = 4; i < words; i += 2) {
		const char *name = word[i];

		if (!strcmp(name, "sum")) {
			mode = template_parse_sum(word[i + 1], ip + 10);
			if (mode < 0)
				return mode;
			t->ip_sum = mode;
			continue;
		}
		if (!strcmp(name, "options")) {
			err = append_options(t, word[i + 1]);
			if (err)
				return err;
			continue;
		}
		if (template_store(template_ip4_fields, "ip4", name, word[i + 1], ip))
			return -EINVAL;
		t->ip_length_given |= !strcmp(name, "length");
		t->ip_protocol_given |= !strcmp(name, "proto");
	}
	return 0;
}

/* ip6 SRC > DST [hop N] [next N] [length N] [version N] [flow N] */
static int parse_ip6(struct template *t, char **word, int words)
{
	uint8_t *ip;

	if (words < 4 || words % 2 || strcmp(word[2], ">"))
		return engine_fail(-EINVAL, "write: ip6 SRC > DST [NAME VALUE]...");
	set_type(t, 0x86dd);
	t->ip_at = (int)t->bytes;
	t->ip_version = 6;
	t->ip_header_bytes = 40;
	if (template_append(t, NULL, 40))
		return -EINVAL;
	ip = t->frame + t->ip_at;
	ip[0] = 0x60;
	ip[6] = 17;
	ip[7] = 64;
	if (inet_pton(AF_INET6, word[1], ip + 8) != 1 || inet_pton(AF_INET6, word[3], ip + 24) != 1)
		return engine_fail(-EINVAL, "'%s > %s' are not IPv6 addresses", word[1], word[3]);
	for (int i = 4; i < words; i += 2) {
		if (template_store(template_ip6_fields, "ip6", word[i], word[i + 1], ip))
			return -EINVAL;
		t->ip_length_given |= !strcmp(word[i], "length");
		t->ip_protocol_given |= !strcmp(word[i], "next");
	}
	return 0;
}

void template_set_protocol(struct template *t, uint8_t ip4, uint8_t ip6)
{
	if (t->ip_at >= 0 && !t->ip_protocol_given)
		t->frame[t->ip_at + (t->ip_version == 4 ? 9 : 6)] = t->ip_version == 4 ? ip4 : ip6;
}

/* udp SPORT > DPORT [length N] [sum right|none|partial|wrong|N] */
static int parse_udp(struct template *t, char **word, int words)
{
	uint64_t from, to, value;
	uint8_t *udp;
	int mode;

	if (words < 4 || words % 2 || strcmp(word[2], ">"))
		return engine_fail(-EINVAL, "write: udp SPORT > DPORT [NAME VALUE]...");
	if (template_number(word[1], "port", UINT16_MAX, &from) || template_number(word[3], "port", UINT16_MAX, &to))
		return -EINVAL;
	t->udp_at = (int)t->bytes;
	if (template_append(t, NULL, 8))
		return -EINVAL;
	udp = t->frame + t->udp_at;
	store16(udp, (unsigned)from);
	store16(udp + 2, (unsigned)to);
	for (int i = 4; i < words; i += 2) {
		if (!strcmp(word[i], "sum")) {
			mode = template_parse_sum(word[i + 1], udp + 6);
			if (mode < 0)
				return mode;
			t->udp_sum = mode;
		} else if (!strcmp(word[i], "length")) {
			if (template_number(word[i + 1], "length", UINT16_MAX, &value))
				return -EINVAL;
			store16(udp + 4, (unsigned)value);
			t->udp_length_given = 1;
		} else {
			return engine_fail(-EINVAL, "udp has no '%s'", word[i]);
		}
	}
	return 0;
}

/* icmp TYPE CODE [id N] [seq N] [sum right|none|wrong|N] */
static int parse_icmp(struct template *t, char **word, int words)
{
	uint64_t type, code, value;
	uint8_t *icmp;
	int mode;

	if (words < 3 || !(words % 2))
		return engine_fail(-EINVAL, "write: icmp TYPE CODE [NAME VALUE]...");
	if (template_number(word[1], "type", UINT8_MAX, &type) || template_number(word[2], "code", UINT8_MAX, &code))
		return -EINVAL;
	t->icmp_at = (int)t->bytes;
	if (template_append(t, NULL, 8))
		return -EINVAL;
	icmp = t->frame + t->icmp_at;
	icmp[0] = (uint8_t)type;
	icmp[1] = (uint8_t)code;
	for (int i = 3; i < words; i += 2) {
		if (!strcmp(word[i], "sum")) {
			mode = template_parse_sum(word[i + 1], icmp + 2);
			if (mode < 0)
				return mode;
			t->icmp_sum = mode;
		} else if (!strcmp(word[i], "id") || !strcmp(word[i], "seq")) {
			if (template_number(word[i + 1], word[i], UINT16_MAX, &value))
				return -EINVAL;
			store16(icmp + (word[i][0] == 'i' ? 4 : 6), (unsigned)value);
		} else {
			return engine_fail(-EINVAL, "icmp has no '%s'", word[i]);
		}
	}
	template_set_protocol(t, 1, 58);
	return 0;
}

static int parse_hex(struct template *t, char **word, int words)
{
	int err = 0;

	for (int i = 1; i < words && !err; i++)
		err = template_hex(t, word[i]);
	return err;
}

/* text WORD: its bytes */
static int parse_text(struct template *t, char **word, int words)
{
	return words == 2 ? template_append(t, word[1], (uint32_t)strlen(word[1])) : engine_fail(-EINVAL, "write: text WORD");
}

/* be16, be32, le32 N... */
static int parse_numbers(struct template *t, char **word, int words)
{
	int little = word[0][0] == 'l', bytes = word[0][2] == '1' ? 2 : 4;

	for (int i = 1; i < words; i++) {
		uint8_t raw[4];
		uint64_t value;

		if (template_number(word[i], word[0], bytes == 2 ? UINT16_MAX : UINT32_MAX, &value))
			return -EINVAL;
		for (int b = 0; b < bytes; b++)
			raw[b] = (uint8_t)(value >> 8 * (little ? b : bytes - 1 - b));
		if (template_append(t, raw, (uint32_t)bytes))
			return -EINVAL;
	}
	return 0;
}

/* fill N BYTE, count N FIRST (each byte one more), pad N (zeros up to N bytes of frame), cut N, tail */
static int parse_amount(struct template *t, char **word, int words)
{
	uint64_t n, byte = 0;
	int filled = word[0][0] == 'f' || !strcmp(word[0], "count");

	if (words < 2 || words > 2 + filled)
		return engine_fail(-EINVAL, "write: %s N%s", word[0], filled ? " BYTE" : "");
	if (template_number(word[1], "number of bytes", ENGINE_FRAME_MAX, &n) ||
	    (words == 3 && template_number(word[2], "byte", UINT8_MAX, &byte)))
		return -EINVAL;
	if (!strcmp(word[0], "cut")) {
		t->cut = (uint32_t)n;
		return 0;
	}
	if (!strcmp(word[0], "pad")) {
		if (!t->datagram_end)
			t->datagram_end = t->bytes;
		return n > t->bytes ? template_append(t, NULL, (uint32_t)n - t->bytes) : 0;
	}
	for (uint64_t i = 0; i < n; i++) {
		uint8_t b = (uint8_t)(word[0][0] == 'c' ? byte + i : byte);

		if (template_append(t, &b, 1))
			return -EINVAL;
	}
	return 0;
}

/* tail HEX: bytes after the datagram */
static int parse_tail(struct template *t, char **word, int words)
{
	if (!t->datagram_end)
		t->datagram_end = t->bytes;
	return parse_hex(t, word, words);
}

static const struct {
	const char *word;
	int (*line)(struct template *t, char **word, int words);
} lines[] = {
	{ "eth", parse_eth },      { "vlan", parse_vlan },    { "qinq", parse_vlan },   { "ip4", parse_ip4 },
	{ "ip6", parse_ip6 },      { "udp", parse_udp },      { "tcp", template_tcp },  { "icmp", parse_icmp },
	{ "raw", parse_hex },      { "hex", parse_hex },      { "text", parse_text },   { "be16", parse_numbers },
	{ "be32", parse_numbers }, { "le32", parse_numbers }, { "fill", parse_amount }, { "count", parse_amount },
	{ "pad", parse_amount },   { "cut", parse_amount },   { "tail", parse_tail },   { "slmp", template_slmp },
	{ "put", template_put },
};

void template_start(struct template *t)
{
	*t = (struct template){ .type_at = -1, .ip_at = -1, .udp_at = -1, .tcp_at = -1, .icmp_at = -1, .slmp_at = -1 };
}

int template_line(struct template *t, const char *line)
{
	char *copy = strdup(line), *save = NULL, *word[WORDS_MAX + 1];
	int words = 0, rc = 0;

	if (!copy)
		return engine_fail(-ENOMEM, "no memory");
	for (char *w = strtok_r(copy, " \t", &save); w && words <= WORDS_MAX; w = strtok_r(NULL, " \t", &save))
		word[words++] = w;
	for (unsigned i = 0; words && i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (strcmp(word[0], lines[i].word))
			continue;
		rc = words > WORDS_MAX ? engine_fail(-EINVAL, "more than %d words", WORDS_MAX) : lines[i].line(t, word, words);
		rc = rc ? rc : 1;
		break;
	}
	free(copy);
	return rc;
}

uint16_t template_sum(const uint8_t *at, uint32_t bytes, uint32_t start)
{
	uint64_t sum = start;

	for (uint32_t i = 0; i < bytes; i++)
		sum += i & 1 ? at[i] : (uint32_t)at[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* A wrong sum is 1 more in ones' complement, so that it stays wrong after incremental updates. */
void template_put_sum(uint8_t *field, int mode, unsigned sum)
{
	if (mode == SUM_WRONG)
		sum = sum + 1 > 0xffff ? 1 : sum + 1;
	store16(field, sum);
}

static void finish_ip(struct template *t, uint32_t datagram_bytes)
{
	uint8_t *ip = t->frame + t->ip_at;

	if (t->ip_version == 6) {
		if (!t->ip_length_given)
			store16(ip + 4, datagram_bytes - 40);
		return;
	}
	if (!t->ip_length_given)
		store16(ip + 2, datagram_bytes);
	if (t->ip_sum == SUM_GIVEN || t->ip_sum == SUM_NONE)
		return;
	template_put_sum(ip + 10, t->ip_sum, (uint16_t)~template_sum(ip, t->ip_header_bytes, 0));
}

static void finish_udp(struct template *t, uint32_t datagram_end)
{
	uint8_t *udp = t->frame + t->udp_at, *ip = t->frame + t->ip_at;
	uint32_t bytes = datagram_end - (uint32_t)t->udp_at, pseudo;
	unsigned sum;

	if (!t->udp_length_given)
		store16(udp + 4, bytes);
	if (t->udp_sum == SUM_GIVEN || t->udp_sum == SUM_NONE || t->ip_at < 0)
		return;
	pseudo = 17u + udp[4] * 256u + udp[5];
	pseudo = t->ip_version == 4 ? template_sum(ip + 12, 8, pseudo) : template_sum(ip + 8, 32, pseudo);
	if (t->udp_sum == SUM_PARTIAL) {
		store16(udp + 6, pseudo);
		return;
	}
	sum = (uint16_t)~template_sum(udp, bytes, pseudo);
	template_put_sum(udp + 6, t->udp_sum, sum ? sum : 0xffff);
}

/* Sets the ICMP checksum; for ICMPv6 it includes the pseudo-header. A sum of 0 is stored as 0xffff, as the runtime does. */
static int finish_icmp(struct template *t, uint32_t end)
{
	uint8_t *icmp = t->frame + t->icmp_at, *ip = t->frame + t->ip_at;
	uint32_t bytes = end - (uint32_t)t->icmp_at;
	unsigned sum;

	if (t->icmp_sum == SUM_PARTIAL)
		return engine_fail(-EINVAL, "nobody leaves a partial sum to offloads in ICMP");
	if (t->icmp_sum == SUM_GIVEN || t->icmp_sum == SUM_NONE || t->ip_at < 0)
		return 0;
	sum = (uint16_t)~template_sum(icmp, bytes, t->ip_version == 4 ? 0 : template_sum(ip + 8, 32, 58 + bytes));
	template_put_sum(icmp + 2, t->icmp_sum, sum ? sum : 0xffff);
	return 0;
}

int template_finish(struct template *t)
{
	uint32_t end = t->datagram_end ? t->datagram_end : t->bytes;

	if ((t->udp_at >= 0 && end < (uint32_t)t->udp_at + 8) || (t->icmp_at >= 0 && end < (uint32_t)t->icmp_at + 8) ||
	    (t->tcp_at >= 0 && end < (uint32_t)t->tcp_at + 20) || (t->ip_at >= 0 && end < (uint32_t)t->ip_at + t->ip_header_bytes))
		return engine_fail(-EINVAL, "headers must not follow `pad` or `tail`, which end the datagram");
	if (t->udp_at >= 0)
		finish_udp(t, end);
	if (t->tcp_at >= 0)
		template_finish_tcp(t, end);
	if (t->icmp_at >= 0 && finish_icmp(t, end))
		return -EINVAL;
	if (t->ip_at >= 0)
		finish_ip(t, end - (uint32_t)t->ip_at);
	if (t->cut && t->cut < t->bytes)
		t->bytes = t->cut;
	return t->bytes >= 14 ? 0 : engine_fail(-EINVAL, "a frame has at least 14 bytes");
}
