/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens an interface, loads a handler and attaches it in one call (attached.h). Used by tests in tests/live, tests/ring, tests/segments and
 * tests/transfer, and by tests/bench/ring.c. On failure nothing stays attached.
 */
#include "tests/common/attached.h"
#include "tests/common/built.h"

const char *attached__context(struct spin_ctx **out, struct spin_nic *nic, const char *handler, const char *rule_text,
			      const struct spin_ctx_opts *opts)
{
	struct spin_object *object = NULL;
	const char *reason = NULL;
	struct spin_rule rule;
	char path[512];

	*out = NULL;
	if (built_object(handler, path, sizeof(path)))
		return engine_error();
	if (spin_object__open(path, &object) || spin_rule__parse(rule_text, &rule) ||
	    spin_ctx__create_opts(nic, object, &rule, opts, out) || spin_ctx__attach(*out)) {
		reason = spin_strerror_last();
		spin_ctx__destroy(*out);
		*out = NULL;
	}
	spin_object__close(object);
	return reason;
}

const char *attached__open(struct spin_ctx **out, const char *handler, const char *dev, const char *rule_text,
			   const struct spin_message_opts *message, enum spin_mode mode)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message = *message };
	struct spin_nic *nic = NULL;
	const char *reason;

	*out = NULL;
	if (spin_nic__open(dev, &nic) || spin_nic__set_mode(nic, mode))
		reason = spin_strerror_last();
	else
		reason = attached__context(out, nic, handler, rule_text, &opts);
	spin_nic__close(nic); /* the context holds a reference */
	return reason;
}
