/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a local array as an HPU's buffer. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	uint32_t buf[16];

	if (spin_buffer_to_host(p, SPIN_HANDLER_MEM, 0, buf, 0, p->length)) // compiler: this call takes the name of an HPU's buffer; declare it with SPIN_BUFFER(TYPE, name, entries) before the first handler
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(buffer_is_local, .payload = f);
