/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_PARSE_ENUM_H
#define USER_TOOL_PARSE_ENUM_H

/* Parses options whose value is one of a few words (--mode, --class and others), and match rules. Called by the commands of spinctl. */
#include <spin/libspin.h>

/* Values of --mode and --class. The option table has already refused other words. */
#define MODE_CHOICES "auto|native|generic"
/* For commands that also run handlers on cards; parse_enum__falls_back() handles the last one. */
#define MODE_CHOICES_OFFLOAD MODE_CHOICES "|offload|offload,native"
#define CLASS_CHOICES        "trusted|isolated"

enum spin_mode parse_enum__mode(const char *name);
/* Returns 1 if another mode may be used when the first one is refused. */
int parse_enum__falls_back(const char *name);
enum spin_class parse_enum__class(const char *name);

/* --need: converts "header_first,reliable" to bits. Returns 0, or -EINVAL with a reason. */
int parse_enum__capabilities(const char *names, uint32_t *out);
/* --hpus cpu|queue|spread[=N]: sets *count to N, 0 for all. Returns 0, or -EINVAL with a reason. */
int parse_enum__hpus(const char *text, enum spin_hpus *hpus, uint32_t *count);

/* --chain pass,drop, or as in xdp-loader XDP_PASS,XDP_DROP: to bits 1 << XDP_PASS; "none" to 0. Returns 0, or -EINVAL with a reason. */
int parse_enum__chain(const char *text, uint32_t *out);

/*
 * --match: same as spin_rule__parse(), but refuses an empty rule: an unset shell variable must not match all datagrams. text NULL: the
 * option is not given, so all packets of the protocol that the object's handlers take; object NULL: handlers of datagrams.
 */
int parse_enum__match(const char *text, const struct spin_object *object, struct spin_rule *out);

#endif
