/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include "choice.h"
#include "libspin/internal.h"

enum spin_mode choice__mode(const char *name)
{
	enum spin_mode mode = SPIN_MODE_AUTO;

	while (mode < SPIN_MODE_GENERIC && strcmp(name, spin_mode_name(mode)))
		mode++;
	return mode;
}

enum spin_class choice__class(const char *name)
{
	return strcmp(name, spin_class_name(SPIN_CLASS_ISOLATED)) ? SPIN_CLASS_TRUSTED : SPIN_CLASS_ISOLATED;
}

int choice__match(const char *text, struct spin_rule *out)
{
	if (!text[strspn(text, " \t\n")])
		return spin_fail(-EINVAL, "--match is empty; write udp for all datagrams");
	return spin_rule__parse(text, out);
}
