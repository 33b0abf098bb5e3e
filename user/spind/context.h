/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_CONTEXT_H
#define USER_SPIND_CONTEXT_H

/*
 * Checks a client's request to spind for a context (loaded packet handlers), and records what `spinctl list` shows about one that was
 * created. Called by client.c, by_rule.c and operate.c. Functions return 0 or a negative errno with a reason.
 */
#include <spin/libspin.h>

#include "user/spind/held.h"
#include "user/spind/handoff.h"

/* Reads the object from a sealed file (broker__is_sealed()). */
int context__read_object(int fd, struct spin_object **out);
/* Checks the object against the socket and the quotas. is_tcp: for a TCP socket. *map_bytes: the size of the maps that the context will have. */
int context__check_object(const struct client *client, const struct spin_object *obj, int is_tcp, uint64_t host_bytes, uint64_t *map_bytes);
int context__check_class(const struct client *client);
int context__check_name(const char name[16]);

/* Held while the kernel verifies a program of this user. */
void context__lock_loads(uint32_t uid);
void context__unlock_loads(uint32_t uid);
/*
 * The same lock for a migration, which delays packets, also those of other users on the same CPUs. After a migration its user must wait
 * MIGRATION_REST times as long as packets may have waited (`stall_ns`). context__lock_migration() returns 0 with the lock held, or the
 * nanoseconds until the next migration is allowed. In that case nothing is locked; the caller sleeps without holding other locks and tries
 * again.
 */
#define MIGRATION_REST 20
uint64_t context__lock_migration(uint32_t uid);
void context__unlock_migration(uint32_t uid, uint64_t stall_ns);

/* Fills in what `spinctl list` shows of held->ctx. Takes over the client's descriptor of the object. */
void context__fill(struct held *held, struct client *client, const struct spin_object *obj);

/* Log lines. */
void context__say_begin(const struct held *held);
void context__say_end(const struct held *held);

#endif
