/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Lists of numbers and ranges in match rules ("dport 53,9000-9010"): ports, VLAN ids, DSCP and TTL. Called by rule.c. Sets are always
 * normalized: sorted, without overlap (spin/rule.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/internal.h"

#define ITEMS_MAX 64 /* of a list, before adjacent ranges are joined */

/* Names of DSCP values, the traffic class in an IP header. */
static const struct {
	const char *name;
	unsigned value;
} dscp_names[] = {
	{ "cs0", 0 },   { "cs1", 8 },   { "cs2", 16 },  { "cs3", 24 },  { "cs4", 32 },  { "cs5", 40 },  { "cs6", 48 },
	{ "cs7", 56 },  { "af11", 10 }, { "af12", 12 }, { "af13", 14 }, { "af21", 18 }, { "af22", 20 }, { "af23", 22 },
	{ "af31", 26 }, { "af32", 28 }, { "af33", 30 }, { "af41", 34 }, { "af42", 36 }, { "af43", 38 }, { "ef", 46 },
};

struct list {
	unsigned count;
	struct spin_rule_range range[ITEMS_MAX + 1];
};

static unsigned field_max(const char *which)
{
	return !strcmp(which, "vlan") ? SPIN_RULE_UNTAGGED : !strcmp(which, "dscp") ? 63 : !strcmp(which, "ttl") ? 255 : 65535;
}

/* Parses a number or name. Returns what follows it, or NULL. */
static const char *parse_value(const char *which, const char *at, unsigned *out)
{
	size_t length = strcspn(at, ",-");
	unsigned long n;
	char *end;

	if (!strcmp(which, "vlan") && length == 4 && !strncmp(at, "none", 4)) {
		*out = SPIN_RULE_UNTAGGED;
		return at + 4;
	}
	for (size_t i = 0; !strcmp(which, "dscp") && i < sizeof(dscp_names) / sizeof(dscp_names[0]); i++)
		if (strlen(dscp_names[i].name) == length && !strncmp(at, dscp_names[i].name, length)) {
			*out = dscp_names[i].value;
			return at + length;
		}
	if (*at < '0' || *at > '9')
		return NULL;
	errno = 0;
	n = strtoul(at, &end, 10);
	if (errno || n > field_max(which) - !strcmp(which, "vlan"))
		return NULL;
	*out = (unsigned)n;
	return end;
}

static int bad_list(const char *which, const char *text)
{
	if (!strcmp(which, "vlan"))
		return spin_fail(-EINVAL, "rule: '%s' is not a list of VLANs; write ids from 0 to 4095 or none, as in vlan 100-110,200",
				 text);
	if (!strcmp(which, "dscp"))
		return spin_fail(-EINVAL,
				 "rule: '%s' is not a list of DSCP; write 0 to 63, ef, af11 to af43 or cs0 to cs7, as in dscp ef,10", text);
	if (!strcmp(which, "ttl"))
		return spin_fail(-EINVAL, "rule: '%s' is not a list of TTL; write numbers from 0 to 255, as in ttl 1-5,255", text);
	return spin_fail(-EINVAL, "rule: '%s' is not a port from 1 to 65535, nor a list of ports as in %s 53,9000-9010", text, which);
}

static int parse_list(const char *which, const char *text, struct list *out)
{
	const int is_vlan = !strcmp(which, "vlan");
	const char *at = text;

	out->count = 0;
	for (;; at++) {
		unsigned first = 0, last;

		if (out->count == ITEMS_MAX)
			return spin_fail(-EINVAL, "rule: '%s' lists more than %u items: join them to ranges", which, ITEMS_MAX);
		at = parse_value(which, at, &first);
		last = first;
		if (at && *at == '-') {
			if (is_vlan && first == SPIN_RULE_UNTAGGED)
				return bad_list(which, text);
			at = parse_value(which, at + 1, &last);
			if (at && is_vlan && last == SPIN_RULE_UNTAGGED)
				return bad_list(which, text);
		}
		if (!at || (*at && *at != ','))
			return bad_list(which, text);
		if (first > last)
			return spin_fail(-EINVAL, "rule: '%s %s': nothing is from %u to %u; give the lower one first", which, text, first,
					 last);
		out->range[out->count++] = (struct spin_rule_range){ (uint16_t)first, (uint16_t)last };
		if (!*at)
			return 0;
	}
}

static int compare(const void *a, const void *b)
{
	const struct spin_rule_range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Sorts the ranges, and joins adjacent and overlapping ones. */
static void normalize(struct list *l)
{
	unsigned n = 0;

	qsort(l->range, l->count, sizeof(l->range[0]), compare);
	for (unsigned i = 1; i < l->count; i++) {
		if (l->range[i].first > l->range[n].last + 1u)
			l->range[++n] = l->range[i];
		else if (l->range[i].last > l->range[n].last)
			l->range[n].last = l->range[i].last;
	}
	l->count = n + 1;
}

/* Replaces a normalized list by all other numbers up to max. */
static void complement(struct list *l, unsigned max)
{
	struct list rest = { 0 };
	unsigned next = 0;

	for (unsigned i = 0; i < l->count; i++) {
		if (l->range[i].first > next)
			rest.range[rest.count++] = (struct spin_rule_range){ (uint16_t)next, (uint16_t)(l->range[i].first - 1) };
		next = l->range[i].last + 1u;
	}
	if (next <= max)
		rest.range[rest.count++] = (struct spin_rule_range){ (uint16_t)next, (uint16_t)max };
	*l = rest;
}

int rule__parse_set(const char *which, const char *text, int is_not, struct spin_rule_set *set, uint16_t *one)
{
	const unsigned max = field_max(which);
	struct list l;
	int err;

	if (set->count || (one && *one))
		return spin_fail(-EINVAL, "rule: '%s' is given twice; write one list, as in %s 1,5-7", which, which);
	err = parse_list(which, text, &l);
	if (err)
		return err;
	normalize(&l);
	if (one && !is_not && l.count == 1 && !l.range[0].last)
		return bad_list(which, text);
	if (is_not)
		complement(&l, max);
	if (!l.count || (one && l.count == 1 && !l.range[0].last))
		return spin_fail(-EINVAL, "rule: 'not %s %s' leaves nothing that matches: leave out a part of it", which, text);
	if (l.count > SPIN_RULE_RANGES_MAX)
		return spin_fail(-EINVAL, "rule: '%s %s' takes %u ranges, and a rule holds %u: join some, or make two contexts", which,
				 text, l.count, SPIN_RULE_RANGES_MAX);
	if (one && l.count == 1 && l.range[0].first == l.range[0].last) {
		*one = l.range[0].first;
		return 0;
	}
	if (l.count == 1 && !l.range[0].first && l.range[0].last == max) /* any number */
		return 0;
	set->count = l.count;
	memcpy(set->range, l.range, l.count * sizeof(l.range[0]));
	return 0;
}

/* Checks a set that an application has built. */
int rule__check_set(const char *which, const struct spin_rule_set *set, unsigned one)
{
	unsigned next = 0;

	if (set->count > SPIN_RULE_RANGES_MAX || (set->count && one))
		return spin_fail(-EINVAL, "rule: %s: give one number, or up to %u ranges", which, SPIN_RULE_RANGES_MAX);
	for (unsigned i = 0; i < SPIN_RULE_RANGES_MAX; i++) {
		const struct spin_rule_range *r = &set->range[i];

		if (i >= set->count ? r->first || r->last : r->first > r->last || r->last > field_max(which) || r->first < next)
			return spin_fail(-EINVAL,
					 "rule: %s: ranges are to ascend up to %u, with a gap between each two, and zeros behind the last",
					 which, field_max(which));
		next = r->last + 2u;
	}
	if (which[1] == 'p' && set->count == 1 && set->range[0].first == set->range[0].last)
		return spin_fail(-EINVAL, "rule: %s: a single port goes where one port has its place, and not into a set", which);
	return 0;
}

static size_t append(char *to, size_t bytes, size_t at, const char *separator, unsigned value)
{
	if (at < bytes)
		at += (size_t)snprintf(to + at, bytes - at, "%s%u", separator, value);
	return at;
}

static size_t format_list(char *to, size_t bytes, const char *which, int is_not, const struct list *l)
{
	const int is_vlan = !strcmp(which, "vlan");
	size_t at = (size_t)snprintf(to, bytes, is_not ? " not %s" : " %s", which);

	for (unsigned i = 0; i < l->count; i++) {
		const unsigned first = l->range[i].first, end = l->range[i].last;
		const int none = is_vlan && end == SPIN_RULE_UNTAGGED;
		const unsigned last = none ? end - 1 : end;

		if (first <= last)
			at = append(to, bytes, at, i ? "," : " ", first);
		if (first < last)
			at = append(to, bytes, at, "-", last);
		if (none && at < bytes)
			at += (size_t)snprintf(to + at, bytes - at, "%snone", i || first <= last ? "," : " ");
	}
	return at;
}

/* Formats the list, or its negation if that is shorter. */
void rule__format_set(char *to, size_t bytes, const char *which, const struct spin_rule_set *set, unsigned one)
{
	struct list l = { .count = set->count };
	char negated[160];
	size_t length;

	to[0] = '\0';
	if (one)
		snprintf(to, bytes, " %s %u", which, one);
	if (!set->count || set->count > SPIN_RULE_RANGES_MAX)
		return;
	memcpy(l.range, set->range, sizeof(set->range));
	length = format_list(to, bytes, which, 0, &l);
	complement(&l, field_max(which));
	if (l.count && format_list(negated, sizeof(negated), which, 1, &l) < length)
		snprintf(to, bytes, "%s", negated);
}
