/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Common to spind's contexts (loaded packet handlers) on sockets and by rules: the checks of a request before one is created, and what is
 * logged and listed afterwards (context.h). Called by client.c, by_rule.c and operate.c.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "user/libspin/error.h"
#include "user/libspin/guard.h"
#include "user/libspin/share.h"
#include "user/spind/context.h"
#include "user/spind/journal.h"

#define OBJECT_BYTES_MAX (16u << 20)

/*
 * Per user: a lock that serializes the user's loads, so that these do not take all CPUs and no other user waits for them, and the time
 * before which the user may not migrate again. A row without threads may be given to another user, and its time is then forgotten; so the
 * row with the earliest time is given away. A holder serves at most HANDOFF_USERS_MAX users at a time, so there is always one.
 */
static struct load_lock {
	uint32_t uid;
	unsigned threads;           /* that hold it or wait for it */
	uint64_t next_migration_ns; /* CLOCK_MONOTONIC */
	pthread_mutex_t mutex;
} load_locks[HANDOFF_USERS_MAX] = { [0 ... HANDOFF_USERS_MAX - 1] = { .mutex = PTHREAD_MUTEX_INITIALIZER } };
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the user's lock, or the one to be given to the user. The caller holds table_lock. */
static struct load_lock *find_lock(uint32_t uid)
{
	struct load_lock *best = NULL;

	for (size_t i = 0; i < HANDOFF_USERS_MAX; i++) {
		if (load_locks[i].uid == uid)
			return &load_locks[i];
		if (!load_locks[i].threads && (!best || load_locks[i].next_migration_ns < best->next_migration_ns))
			best = &load_locks[i];
	}
	return best;
}

/* Locks, and returns the user's lock. */
static struct load_lock *lock_user(uint32_t uid)
{
	struct load_lock *lock;

	pthread_mutex_lock(&table_lock);
	lock = find_lock(uid);
	if (lock->uid != uid) {
		lock->uid = uid;
		lock->next_migration_ns = 0;
	}
	lock->threads++;
	pthread_mutex_unlock(&table_lock);
	pthread_mutex_lock(&lock->mutex);
	return lock;
}

/* Unlocks. If not 0, the user may not migrate before next_migration_ns. */
static void unlock_user(uint32_t uid, uint64_t next_migration_ns)
{
	struct load_lock *lock;

	pthread_mutex_lock(&table_lock);
	lock = find_lock(uid);
	if (next_migration_ns)
		lock->next_migration_ns = next_migration_ns;
	lock->threads--;
	pthread_mutex_unlock(&lock->mutex);
	pthread_mutex_unlock(&table_lock);
}

void context__lock_loads(uint32_t uid)
{
	lock_user(uid);
}

void context__unlock_loads(uint32_t uid)
{
	unlock_user(uid, 0);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t context__lock_migration(uint32_t uid)
{
	const uint64_t at = lock_user(uid)->next_migration_ns, now = now_ns();

	if (now >= at)
		return 0;
	context__unlock_loads(uid);
	return at - now;
}

void context__unlock_migration(uint32_t uid, uint64_t stall_ns)
{
	unlock_user(uid, now_ns() + stall_ns * MIGRATION_REST);
}

static int check_text(const char *text, const char *what)
{
	for (; *text; text++)
		if ((unsigned char)*text <= ' ' || (unsigned char)*text >= 0x7f || *text == '"' || *text == '\\')
			return spin_fail(-EINVAL, "%s has characters other than letters, digits and signs of ASCII without \" and \\",
					 what);
	return 0;
}

/* The handler's name appears in logs and lists, so its characters are checked. */
static int open_checked(const void *data, size_t bytes, struct spin_object **out)
{
	int err = spin_object__open_mem("the object", data, bytes, out);

	if (!err) {
		err = check_text(spin_object__meta(*out)->name, "the handler's name");
		if (err) {
			spin_object__close(*out);
			*out = NULL;
		}
	}
	return err;
}

int context__read_object(int fd, struct spin_object **out)
{
	struct stat st;
	void *data;
	int err;

	if (!broker__is_sealed(fd) || fstat(fd, &st) || st.st_size <= 0)
		return spin_fail(-EINVAL, "the object is not in a sealed memfd: use spin_socket__attach()");
	if (st.st_size > OBJECT_BYTES_MAX)
		return spin_fail(-EDQUOT, "the object has %lld bytes: spind takes at most %u", (long long)st.st_size, OBJECT_BYTES_MAX);
	data = malloc((size_t)st.st_size);
	if (!data)
		return spin_fail(-ENOMEM, "spind has no memory for the object");
	if (pread(fd, data, (size_t)st.st_size, 0) == st.st_size)
		err = open_checked(data, (size_t)st.st_size, out);
	else
		err = spin_fail(-EIO, "the object cannot be read");
	free(data);
	return err;
}

int context__check_object(const struct client *client, const struct spin_object *obj, int is_tcp, uint64_t host_bytes, uint64_t *map_bytes)
{
	const uint64_t host_memory = host_bytes ? host_bytes : SPIN_HOST_BYTES, max_bytes = (uint64_t)client->settings->memory_mib << 20;
	const unsigned delivery = spin_object__meta(obj)->registration.delivery;
	const char *name = spin_object__meta(obj)->name;
	struct share_needs needs;
	int err;

	if (delivery == SPIN_DELIVER_SEGMENTS && !is_tcp)
		return spin_fail(-EOPNOTSUPP,
				 "%s takes TCP segments: attach it to a socket of TCP, or, as root, to an interface with `spinctl add` or "
				 "`spinctl run`",
				 name);
	if (delivery == SPIN_DELIVER_ME)
		return spin_fail(-EOPNOTSUPP,
				 "%s takes messages, which no socket reads: register .delivery = SPIN_DELIVER_STACK, or attach it with "
				 "`spinctl run`, as root",
				 name);
	err = share__needs(obj, is_tcp && delivery == SPIN_DELIVER_STACK, &needs);
	if (err)
		return err;
	needs.map_bytes += spin_guard__map_bytes(obj);
	if (needs.instructions > client->settings->instructions)
		return spin_fail(-EDQUOT, "%s has %u instructions, and spind takes %u of an object (`instructions` of spind.conf)", name,
				 needs.instructions, client->settings->instructions);
	if (host_memory > max_bytes || needs.map_bytes > max_bytes - host_memory)
		return spin_fail(
			-EDQUOT,
			"%s needs %llu bytes of maps and %llu of host memory, and a context may have %u MiB (`memory` of spind.conf)", name,
			(unsigned long long)needs.map_bytes, (unsigned long long)host_memory, client->settings->memory_mib);
	*map_bytes = needs.map_bytes + host_memory;
	return 0;
}

int context__check_class(const struct client *client)
{
	const uint32_t class = client->handoff.request.class;

	if (class != SPIN_CLASS_ISOLATED && class != SPIN_CLASS_TRUSTED)
		return spin_fail(-EINVAL, "there is no load class %u", class);
	if (class == SPIN_CLASS_TRUSTED && !client->handoff.trusted)
		return spin_fail(
			-EPERM,
			"user %u may load the isolated class alone: leave the class out, or become a member of the group that spind.conf "
			"names as `trusted-group`",
			client->handoff.uid);
	return 0;
}

int context__check_name(const char name[16])
{
	if (!memchr(name, '\0', 16))
		return spin_fail(-EINVAL, "the context's name has more than 15 characters");
	return check_text(name, "the context's name");
}

/* Fills in what `spinctl list` shows of the context. */
void context__fill(struct held *held, struct client *client, const struct spin_object *obj)
{
	held->object_fd = client->fds[2];
	client->fds[2] = -1;
	held->class = client->handoff.request.class;
	held->id = share__id(held->ctx);
	held->netns = client->handoff.netns;
	snprintf(held->handler, sizeof(held->handler), "%s", spin_object__meta(obj)->name);
	spin_rule__format(share__rule(held->ctx), held->rule, sizeof(held->rule));
	if (share__takes_streams(held->ctx)) /* rules have no TCP: for a stream the rule is only shown to people */
		memcpy(held->rule, "tcp", 3);
}

void context__say_begin(const struct held *held)
{
	journal__say(JOURNAL_INFO, "user %u, process %u: %s is context %u, %s, of %s", held->uid, held->pid, spin_ctx__name(held->ctx),
		     held->id, spin_class_name(held->class), held->rule);
}

void context__say_end(const struct held *held)
{
	journal__say(JOURNAL_INFO, "context %u has ended", held->id);
}
