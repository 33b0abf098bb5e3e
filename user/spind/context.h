/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_CONTEXT_H
#define USER_SPIND_CONTEXT_H

/*
 * Checks a client's request for a context, and keeps what is listed about one that was created. Functions return 0 or a negative
 * errno with a reason.
 */
#include <spin/libspin.h>

#include "user/spind/held.h"
#include "user/spind/order.h"

/* Reads a sealed file (broker__is_sealed()). */
int context__read_object(int fd, struct spin_object **out);
/* Against quotas; is_stream: for a socket of TCP; *map_bytes: of the maps that the context will have. */
int context__check_object(const struct client *client, const struct spin_object *obj, int is_stream, uint64_t *map_bytes);
int context__check_class(const struct client *client);
int context__check_name(const char name[16]);

/* Held while something of this user is verified. */
void context__lock_loads(uint32_t uid);
void context__unlock_loads(uint32_t uid);
/*
 * The same for a migration, which keeps packets waiting, and with them everybody's on the same CPUs: after one, its user has none for
 * MIGRATION_REST times as long as packets may have waited, `stall_ns`. Returns 0, or for how many nanoseconds there is none yet: nothing is
 * locked then, and the caller tries again after that, without a lock that others wait for.
 */
#define MIGRATION_REST 20
uint64_t context__lock_migration(uint32_t uid);
void context__unlock_migration(uint32_t uid, uint64_t stall_ns);

/* What others see of held->ctx. Takes the client's descriptor of the object. */
void context__fill(struct held *held, struct client *client, const struct spin_object *obj);

/* Lines for the journal. */
void context__say_begin(const struct held *held);
void context__say_end(const struct held *held);

#endif
