/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include "user/libspin/send.h"

#define TIMEOUT_MS 1800u
#define MS_MAX     3600000u

/*
 * A receiver that has all of a message knows it for so long. If no acknowledgement came through, all packets are sent
 * again: it would take them for a new message if they came later.
 */
_Static_assert(TIMEOUT_MS < SPIN_TOMBSTONE_MS, "a message may be delivered twice");

int send_opts__read(const struct spin_send_opts *opts, struct spin_send_opts *out)
{
	memset(out, 0, sizeof(*out));
	if (opts && opts->bytes < sizeof(opts->bytes))
		return spin_fail(-EINVAL, "sender: `bytes` of the options is not set; it is sizeof(struct spin_send_opts)");
	if (opts)
		memcpy(out, opts, opts->bytes < sizeof(*out) ? opts->bytes : sizeof(*out));
	out->bytes = sizeof(*out);
	if (out->window > SPIN_WINDOW)
		return spin_fail(-EINVAL, "sender: a window of %u packets; receivers remember %u at most", out->window, SPIN_WINDOW);
	if (out->payload_bytes > SPIN_SLMP_PAYLOAD_MAX)
		return spin_fail(-EINVAL, "sender: %u bytes of payload per packet; at most %u fit", out->payload_bytes,
				 SPIN_SLMP_PAYLOAD_MAX);
	if (out->timeout_ms > MS_MAX || out->resend_ms > MS_MAX)
		return spin_fail(-EINVAL, "sender: times are at most %u ms", MS_MAX);
	if (!out->window)
		out->window = SPIN_WINDOW;
	if (out->no_acknowledgements)
		out->window = 1;
	if (!out->timeout_ms)
		out->timeout_ms = TIMEOUT_MS;
	return 0;
}

/* What stands in front of the first packet's payload counts for all: they are equally long. */
uint32_t send_opts__stride(const struct spin_send_opts *opts, unsigned room)
{
	unsigned front = sizeof(struct spin_slmp) + (opts->put ? sizeof(struct spin_slmp_put) : 0);
	unsigned most = sizeof(struct spin_slmp) + SPIN_SLMP_PAYLOAD_MAX;

	if (opts->payload_bytes && sizeof(struct spin_slmp) + opts->payload_bytes > room)
		return 0;
	if (room > most)
		room = most;
	room = room > front ? room - front : 0;
	if (opts->payload_bytes)
		return opts->payload_bytes < room ? opts->payload_bytes : room;
	return room & ~7u;
}
