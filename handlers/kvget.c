/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kvget - kvstore's GET from a table that the server fills
 *
 * A GET whose key is in the table is answered from here and counted; all else, SETs among it, goes to the server. The messages are
 * kvstore's. Unlike its cache, which takes lines for keys that are asked for, this one needs no more than a lookup and a counter, so
 * it also runs on a card with hardware XDP (spincc --target nfp).
 *
 * An entry does not change while it is in the table. Before the server acknowledges a SET it takes the key out; then it may enter the
 * new value, once no handler can have the old entry any more. So a GET that is sent after the acknowledgement gets the new value. Key 0
 * cannot be in a table: the server answers it.
 */
#include <spin/spin.h>
#include <kvstore.h>

struct kv_entry {
	SPIN_KEY(uint32_t, key); /* host order */
	SPIN_READ_ONLY(uint32_t, value[KV_WORDS]);
	SPIN_COUNTER(hits);
};

SPIN_TABLE(values, struct kv_entry, 16384);
SPIN_NO_STATE;

static enum spin_payload_rc kvget_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	const struct kv_message *m = SPIN_GET(p, 0, struct kv_message);
	struct kv_entry *entry;

	if (!m || m->op != spin_hton16(KV_GET))
		return SPIN_SUCCESS;
	entry = SPIN_FIND(values, spin_ntoh32(m->key));
	if (!entry)
		return SPIN_SUCCESS;
	spin_set16(p, &m->op, spin_hton16(KV_REPLY));
	spin_set16(p, &m->found, spin_hton16(1));
	for (int i = 0; i < KV_WORDS; i++)
		spin_set32(p, &m->value[i], entry->value[i]);
	spin_count(&entry->hits, 1);
	return spin_reply(p, sizeof(*m));
}

SPIN_HANDLERS(kvget, .payload = kvget_payload);
