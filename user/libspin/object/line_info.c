/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds source lines in an object's .BTF.ext (line_info.h). Called by contract_code.c before anything has checked this section, so every
 * number in it is compared with what is left of the section. Not by libbpf: it has no function that returns lines of an object which is
 * not loaded.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdio.h>
#include <string.h>

#include "user/libspin/object/line_info.h"

#define FILE_NAME_MAX 100 /* bytes of a file's name in a message */

/* Some bytes of a section. */
struct part {
	const uint8_t *data;
	size_t bytes;
};

/* The header of .BTF.ext up to what is used here. <linux/btf.h> does not have it. */
struct ext_header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t header_bytes, func_at, func_bytes, line_at, line_bytes;
};

/* Before the records of each code section. */
struct section_header {
	uint32_t name, records;
};

/* A record, struct bpf_line_info: `offset` of its first instruction, in bytes of the section. Newer compilers may append fields. */
struct record {
	uint32_t offset, file, source, line_column;
};

/* Takes the first bytes of a part. Returns 0 if it has fewer. */
static int take(struct part *from, uint64_t bytes, struct part *out)
{
	if (bytes > from->bytes)
		return 0;
	*out = (struct part){ from->data, (size_t)bytes };
	from->data += bytes;
	from->bytes -= (size_t)bytes;
	return 1;
}

static int take_copy(struct part *from, void *to, size_t bytes)
{
	struct part part;

	if (!take(from, bytes, &part))
		return 0;
	memcpy(to, part.data, bytes);
	return 1;
}

/* Takes what lies `at` bytes after the header. */
static int find_part(const uint8_t *data, size_t section_bytes, uint32_t header_bytes, uint32_t at, uint32_t bytes, struct part *out)
{
	struct part all = { data, section_bytes }, before;

	return take(&all, (uint64_t)header_bytes + at, &before) && take(&all, bytes, out);
}

static int find_strings(const struct line_info *info, struct part *strings)
{
	struct part all = { info->btf, info->btf_bytes };
	struct btf_header header;

	return take_copy(&all, &header, sizeof(header)) && header.magic == BTF_MAGIC &&
	       find_part(info->btf, info->btf_bytes, header.hdr_len, header.str_off, header.str_len, strings);
}

static int find_lines(const struct line_info *info, struct part *lines)
{
	struct part all = { info->ext, info->ext_bytes };
	struct ext_header header;

	return take_copy(&all, &header, sizeof(header)) && header.magic == BTF_MAGIC &&
	       find_part(info->ext, info->ext_bytes, header.header_bytes, header.line_at, header.line_bytes, lines);
}

/* Returns a string, or "" if it does not end inside the table. */
static const char *string_at(const struct part *strings, uint32_t at)
{
	if (at >= strings->bytes || !memchr(strings->data + at, '\0', strings->bytes - at))
		return "";
	return (const char *)strings->data + at;
}

/* Looks for the last record from `from` to `at`. The compiler sorts records, but an object may not be the compiler's. */
static void search(struct part records, uint32_t record_bytes, uint64_t from, uint64_t at, struct record *best)
{
	struct part one;

	while (take(&records, record_bytes, &one)) {
		struct record record;

		memcpy(&record, one.data, sizeof(record));
		if (record.offset < from || record.offset > at || !BPF_LINE_INFO_LINE_NUM(record.line_column))
			continue; /* line 0: of no line */
		if (!best->line_column || record.offset >= best->offset)
			*best = record;
	}
}

int line_info__find(const struct line_info *info, const char *section, uint64_t from, uint64_t at, char *text, size_t text_bytes)
{
	struct part strings, lines, records;
	struct section_header header;
	struct record best = { 0 };
	uint32_t record_bytes;
	const char *file;
	size_t length;

	text[0] = '\0';
	if (!find_strings(info, &strings) || !find_lines(info, &lines) || !take_copy(&lines, &record_bytes, sizeof(record_bytes)) ||
	    record_bytes < sizeof(struct record))
		return 0;
	while (take_copy(&lines, &header, sizeof(header)) && take(&lines, (uint64_t)header.records * record_bytes, &records))
		if (!strcmp(string_at(&strings, header.name), section))
			search(records, record_bytes, from, at, &best);
	file = string_at(&strings, best.file);
	length = strlen(file);
	if (!best.line_column || !length)
		return 0;
	snprintf(text, text_bytes, "%s%s:%u", length > FILE_NAME_MAX ? "..." : "",
		 length > FILE_NAME_MAX ? file + length - FILE_NAME_MAX : file, BPF_LINE_INFO_LINE_NUM(best.line_column));
	return 1;
}
