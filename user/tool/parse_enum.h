/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_PARSE_ENUM_H
#define USER_TOOL_PARSE_ENUM_H

/* Options whose value is one of a few words: --mode, --class and others. Called by the commands of spinctl. */
#include <spin/libspin.h>

/* What --mode and --class stand for. The table of options has let no other words through than there are. */
#define MODE_CHOICES "auto|native|generic"
/* Of a command that runs handlers on cards, too; the last one is for parse_enum__falls_back(). */
#define MODE_CHOICES_OFFLOAD MODE_CHOICES "|offload|offload,native"
#define CLASS_CHOICES        "trusted|isolated"

enum spin_mode parse_enum__mode(const char *name);
/* 1: another mode is allowed where the first one is refused. */
int parse_enum__falls_back(const char *name);
enum spin_class parse_enum__class(const char *name);

/* --need: "header_first,reliable" to bits. -EINVAL with a reason. */
int parse_enum__capabilities(const char *names, uint32_t *out);
/* --hpus cpu|queue|spread[=N]: *count is N, 0 for all. -EINVAL with a reason. */
int parse_enum__hpus(const char *text, enum spin_hpus *hpus, uint32_t *count);

/* --chain pass,drop, or as xdp-loader has them, XDP_PASS,XDP_DROP: to bits 1 << XDP_PASS; "none": 0. -EINVAL with a reason. */
int parse_enum__chain(const char *text, uint32_t *out);

/* --match: as spin_rule__parse(), but an empty one is refused: an unset variable of the shell's is not "all datagrams". */
int parse_enum__match(const char *text, struct spin_rule *out);

#endif
