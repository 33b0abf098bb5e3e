/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kvget - answers kvstore's GETs from a table that the server fills
 *
 * A GET whose key is in the table is answered here and counted. Everything else, SETs included, is passed to the server. The messages
 * are kvstore's. Unlike kvstore's cache, which allocates lines for requested keys, this needs only a lookup and a counter, so it also
 * runs on a card with hardware XDP (spincc --target nfp).
 *
 * An entry does not change while it is in the table. Before the server acknowledges a SET, it removes the key. It may insert the new
 * value when no handler can still use the old entry. So a GET that is sent after the acknowledgement gets the new value. A table cannot
 * contain key 0: the server answers it.
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
