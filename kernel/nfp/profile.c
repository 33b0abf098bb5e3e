/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads and writes profiles of NFP cards: files that say what a card's firmware can do. Called by `spinctl check`, `spinctl cost` and
 * check.c. One table drives both directions. Every key must be there exactly once, so a truncated profile is refused.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel/nfp/profile.h"

#define PROFILE_BYTES_MAX 65536

extern const char nfp_profile_text[];

enum kind {
	FLAG,
	NUMBER,
	TYPES,
	WORD,
};

static const struct key_row {
	const char *key;
	enum kind kind;
	size_t offset;
	uint32_t max; /* largest value of a number */
	const char *what;
} keys[] = {
#define KEY(name, kind, max, what)                                         \
	{                                                                  \
#name, kind, offsetof(struct nfp_profile, name), max, what \
	}
	KEY(firmware, WORD, 0, "name and version of the firmware"),
	KEY(map_types, TYPES, 0, "types of maps, of hash and array"),
	KEY(maps_max, NUMBER, UINT32_MAX, "maps on the card"),
	KEY(entries_max, NUMBER, UINT32_MAX, "entries of all maps together"),
	KEY(key_bytes_max, NUMBER, 4096, "bytes of a key"),
	KEY(value_bytes_max, NUMBER, 4096, "bytes of a value"),
	KEY(element_bytes_max, NUMBER, 8192, "bytes of both, each rounded up to 8"),
	KEY(map_lookup, FLAG, 1, "bpf_map_lookup_elem"),
	KEY(map_update, FLAG, 1, "bpf_map_update_elem"),
	KEY(map_delete, FLAG, 1, "bpf_map_delete_elem"),
	KEY(perf_event_output, FLAG, 1, "bpf_perf_event_output"),
	KEY(random, FLAG, 1, "bpf_get_prandom_u32"),
	KEY(queue_select, FLAG, 1, "stores to rx_queue_index"),
	KEY(adjust_tail, FLAG, 1, "bpf_xdp_adjust_tail"),
	KEY(adjust_head, FLAG, 1, "bpf_xdp_adjust_head"),
	KEY(head_offset_min, NUMBER, 255, "first byte of the buffer where a packet may begin"),
	KEY(head_offset_max, NUMBER, 255, "last byte of the buffer where a packet may begin"),
	KEY(head_guaranteed_sub, NUMBER, 65535, "bytes by which any packet may grow at the head"),
	KEY(head_guaranteed_add, NUMBER, 65535, "bytes by which any packet may shrink at the head"),
	KEY(instructions_max, NUMBER, 65535, "instructions of the NFP in a program"),
	KEY(stack_bytes, NUMBER, 16320, "bytes of a program's stack"),
	KEY(inline_chunks, NUMBER, 255, "programs reach 64 bytes times this, less 32, of a packet; 0: not known"),
#undef KEY
};
#define KEYS (sizeof(keys) / sizeof(keys[0]))

static int refuse(char *reason, size_t bytes, const char *name, unsigned line, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
static int refuse(char *reason, size_t bytes, const char *name, unsigned line, const char *format, ...)
{
	char what[200];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (line)
		snprintf(reason, bytes, "%s:%u: %s; README.md of kernel/nfp has the format", name, line, what);
	else
		snprintf(reason, bytes, "%s: %s", name, what);
	return -EINVAL;
}

static uint32_t *number_at(struct nfp_profile *p, const struct key_row *row)
{
	return (uint32_t *)((char *)p + row->offset);
}

static int parse_number(const char *value, uint32_t max, uint32_t *out)
{
	char *end;
	unsigned long long number;

	if (*value < '0' || *value > '9')
		return -1;
	errno = 0;
	number = strtoull(value, &end, 10);
	if (errno || *end || number > max)
		return -1;
	*out = (uint32_t)number;
	return 0;
}

static int parse_types(char *value, uint32_t *out)
{
	char *save = NULL;

	*out = 0;
	for (char *word = strtok_r(value, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (!strcmp(word, "hash"))
			*out |= 1u << BPF_MAP_TYPE_HASH;
		else if (!strcmp(word, "array"))
			*out |= 1u << BPF_MAP_TYPE_ARRAY;
		else
			return -1;
	}
	return *out ? 0 : -1;
}

static int parse_value(struct nfp_profile *p, const struct key_row *row, char *value)
{
	switch (row->kind) {
	case WORD:
		if (strlen(value) >= sizeof(p->firmware))
			return -1;
		for (const char *c = value; *c; c++)
			if (*c <= ' ' || *c > '~')
				return -1;
		strcpy(p->firmware, value);
		return 0;
	case TYPES:
		return parse_types(value, number_at(p, row));
	default:
		return parse_number(value, row->max, number_at(p, row));
	}
}

/* Parses a line, which it modifies. */
static int parse_line(char *line, struct nfp_profile *p, uint32_t *seen, const char *name, unsigned number, char *reason,
		      size_t reason_bytes)
{
	char *save = NULL, *key, *value, *more;

	line[strcspn(line, "#")] = 0;
	key = strtok_r(line, " \t\r", &save);
	if (!key)
		return 0;
	value = strtok_r(NULL, " \t\r", &save);
	more = strtok_r(NULL, " \t\r", &save);
	for (unsigned i = 0; i < KEYS; i++) {
		if (strcmp(keys[i].key, key))
			continue;
		if (*seen & 1u << i)
			return refuse(reason, reason_bytes, name, number, "%s is there twice", key);
		*seen |= 1u << i;
		if (!value || more || parse_value(p, &keys[i], value))
			return refuse(reason, reason_bytes, name, number, "%s needs one value: %s", key,
				      keys[i].kind == FLAG    ? "0 or 1"
				      : keys[i].kind == TYPES ? "hash, array or hash,array"
				      : keys[i].kind == WORD  ? "a word of up to 63 characters"
							      : "a decimal number in its range");
		return 0;
	}
	return refuse(reason, reason_bytes, name, number, "there is no key \"%.40s\"", key);
}

/* Same as nfp_profile__read(), for text in memory. */
static int parse(const char *text, size_t bytes, const char *name, struct nfp_profile *p, char *reason, size_t reason_bytes)
{
	unsigned number = 0;
	uint32_t seen = 0;

	*p = (struct nfp_profile){ 0 };
	while (bytes) {
		const char *end = memchr(text, '\n', bytes);
		size_t length = end ? (size_t)(end - text) : bytes;
		char line[256];

		number++;
		if (length >= sizeof(line) || memchr(text, 0, length))
			return refuse(reason, reason_bytes, name, number, "the line is too long, or not text");
		memcpy(line, text, length);
		line[length] = 0;
		if (parse_line(line, p, &seen, name, number, reason, reason_bytes))
			return -EINVAL;
		text += length + !!end;
		bytes -= length + !!end;
	}
	for (unsigned i = 0; i < KEYS; i++)
		if (!(seen & 1u << i))
			return refuse(reason, reason_bytes, name, 0,
				      "the key %s is missing; begin with `spinctl check --target nfp --save FILE`", keys[i].key);
	if (p->head_offset_min > p->head_offset_max)
		return refuse(reason, reason_bytes, name, 0, "head_offset_min is more than head_offset_max");
	return 0;
}

int nfp_profile__read(const char *path, struct nfp_profile *out, char *reason, size_t reason_bytes)
{
	char *text = malloc(PROFILE_BYTES_MAX + 1);
	FILE *file = fopen(path, "re");
	size_t bytes;
	int err;

	if (!file || !text) {
		snprintf(reason, reason_bytes, "%s: %s", path, strerror(text ? errno : ENOMEM));
		err = -EINVAL;
	} else {
		bytes = fread(text, 1, PROFILE_BYTES_MAX + 1, file);
		if (ferror(file) || bytes > PROFILE_BYTES_MAX)
			err = refuse(reason, reason_bytes, path, 0, ferror(file) ? "it cannot be read" : "it is too large for a profile");
		else
			err = parse(text, bytes, path, out, reason, reason_bytes);
	}
	if (file)
		fclose(file);
	free(text);
	return err;
}

int nfp_profile__default(struct nfp_profile *out)
{
	char reason[256];

	return parse(nfp_profile_text, strlen(nfp_profile_text), "built-in profile", out, reason, sizeof(reason));
}

int nfp_profile__write(const struct nfp_profile *p, FILE *to)
{
	for (unsigned i = 0; i < KEYS; i++) {
		uint32_t value = keys[i].kind == WORD ? 0 : *number_at((struct nfp_profile *)p, &keys[i]);

		fprintf(to, "# %s\n", keys[i].what);
		if (keys[i].kind == WORD)
			fprintf(to, "%s %s\n", keys[i].key, p->firmware);
		else if (keys[i].kind == TYPES)
			fprintf(to, "%s %s%s%s\n", keys[i].key, value & 1u << BPF_MAP_TYPE_HASH ? "hash" : "",
				value == (1u << BPF_MAP_TYPE_HASH | 1u << BPF_MAP_TYPE_ARRAY) ? "," : "",
				value & 1u << BPF_MAP_TYPE_ARRAY ? "array" : "");
		else
			fprintf(to, "%s %u\n", keys[i].key, value);
	}
	return ferror(to) ? -EIO : 0;
}

uint32_t nfp_profile__packet_bytes(const struct nfp_profile *p)
{
	return p->inline_chunks ? p->inline_chunks * 64 - 32 : 0;
}

/*
 * No file, ioctl or netlink request of Linux 6.1 to 6.12 shows what the firmware told the driver about BPF. The firmware's name is shown
 * (ethtool -i), so a firmware with a known profile is recognized, and any other is refused.
 */
int nfp_profile__of_device(const char *ifname, struct nfp_profile *out, char *reason, size_t reason_bytes)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq request = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (strlen(ifname) >= sizeof(request.ifr_name)) {
		snprintf(reason, reason_bytes, "%.40s is not the name of an interface", ifname);
		err = -EINVAL;
		goto out;
	}
	strcpy(request.ifr_name, ifname);
	request.ifr_data = (void *)&info;
	if (fd < 0 || ioctl(fd, SIOCETHTOOL, &request)) {
		err = -errno;
		snprintf(reason, reason_bytes, "%s: %s; `ip link` lists the interfaces", ifname, strerror(-err));
		goto out;
	}
	info.driver[sizeof(info.driver) - 1] = 0;
	info.fw_version[sizeof(info.fw_version) - 1] = 0;
	err = -ENODEV;
	if (strcmp(info.driver, "nfp"))
		snprintf(reason, reason_bytes, "%s is of the driver %s, not of nfp", ifname, info.driver);
	else if (nfp_profile__default(out) || !strstr(info.fw_version, out->firmware))
		snprintf(reason, reason_bytes,
			 "%s has the firmware \"%s\", whose capabilities are not known, and the driver does not show them; load the "
			 "firmware bpf-2.0.6.124, or write a profile yourself and pass it by --profile",
			 ifname, info.fw_version);
	else
		err = 0;
out:
	if (fd >= 0)
		close(fd);
	return err;
}
