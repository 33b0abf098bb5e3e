/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_JSON_H
#define USER_LIB_JSON_H

/*
 * Writes JSON to a stream, for all commands with --json. The writer adds commas and indentation; the caller opens and closes objects and
 * arrays. `key` must be NULL inside an array and at the top. Strings may contain any bytes (utf8.h).
 */
#include <stdint.h>
#include <stdio.h>

/* A document while it is written. */
struct json {
	FILE *to;
	int pretty; /* 1: a line per member; 0: all on one line */
	unsigned depth;
	unsigned members; /* one bit per depth: 1 if the object or array there is not empty */
};

void json_begin(struct json *j, FILE *to, int pretty);
void json_end(struct json *j); /* ends the document with a newline */

void json_object(struct json *j, const char *key);
void json_object_end(struct json *j);
void json_array(struct json *j, const char *key);
void json_array_end(struct json *j);

void json_string(struct json *j, const char *key, const char *value); /* NULL value: null */
void json_uint(struct json *j, const char *key, uint64_t value);
void json_int(struct json *j, const char *key, int64_t value);
void json_double(struct json *j, const char *key, double value); /* not finite: null */
void json_bool(struct json *j, const char *key, int value);

#endif
