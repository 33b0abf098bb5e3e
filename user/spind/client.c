/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Serves one client of a holder (client.h): makes the context that it asked for, gives it the memories, attaches and detaches it, until
 * the connection or the socket is closed. Nothing that a client sends is believed but its class and the context's name, and these
 * are checked.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/libspin/error.h"
#include "user/libspin/guard.h"
#include "user/libspin/share.h"
#include "user/spind/client.h"
#include "user/spind/facts.h"
#include "user/spind/held.h"
#include "user/spind/host.h"

#define OBJECT_BYTES_MAX (16u << 20)
#define LOOK_MS          250 /* so often a holder looks whether a socket is still open */

/* A user's objects are loaded one after the other, so that one user's do not take all CPUs. */
static pthread_mutex_t loading[64] = { [0 ... 63] = PTHREAD_MUTEX_INITIALIZER };

static void answer(int connection, const struct broker_answer *answer, const int *fds, unsigned count)
{
	broker__send(connection, answer, sizeof(*answer), fds, count, MSG_DONTWAIT);
}

static void begin_answer(struct broker_answer *out)
{
	memset(out, 0, sizeof(*out));
	out->magic = BROKER_MAGIC;
	out->version = BROKER_VERSION;
}

void client__refuse(int connection, int err, const char *reason)
{
	struct broker_answer out;

	begin_answer(&out);
	out.error = err;
	snprintf(out.text, sizeof(out.text), "%s", reason);
	answer(connection, &out, NULL, 0);
}

void client__describe(const struct held *held, struct broker_answer *out)
{
	uint64_t packets[SPIN_REASON_COUNT];
	struct spin_guard_sum sum;

	begin_answer(out);
	spin_ctx__counters(held->ctx, packets);
	for (unsigned r = SPIN_REASON_SUCCESS; r <= SPIN_REASON_OVERRUN; r++)
		out->handled += packets[r];
	spin_guard__counts(held->ctx, &sum);
	out->left = sum.left;
	out->refused = sum.refused;
	out->over = sum.over;
	out->busy_ns = sum.busy_ns;
	out->id = held->id;
	out->uid = held->uid;
	out->pid = held->pid;
	out->class = held->class;
	out->attached = (uint32_t)held->attached;
	out->hpus = held->hpus;
	out->bounded = held->bounded;
	out->host_bytes = held->host_bytes;
	out->map_bytes = held->map_bytes;
	out->swaps = held->swaps;
	out->netns = held->netns;
	snprintf(out->name, sizeof(out->name), "%s", spin_ctx__name(held->ctx));
	snprintf(out->handler, sizeof(out->handler), "%s", held->handler);
	snprintf(out->interfaces, sizeof(out->interfaces), "%s", held->interfaces);
	snprintf(out->text, sizeof(out->text), "%s", held->rule);
}

/* The context with descriptors of its memories, and of its object if with_object. The caller holds its `use`. */
static void answer_with_memories(int connection, const struct held *held, int with_object)
{
	struct share_memories memories;
	struct broker_answer out;
	int fds[BROKER_MEMORIES];
	unsigned count = 0;

	client__describe(held, &out);
	share__memories(held->ctx, &memories);
	out.bounded = memories.bounded;
	const int all[BROKER_MEMORIES] = { memories.data, memories.bss, memories.events, memories.host,
					   with_object ? held->object_fd : -1 };

	for (unsigned i = 0; i < BROKER_MEMORIES; i++)
		if (all[i] >= 0) {
			out.memories |= 1u << i;
			fds[count++] = all[i];
		}
	answer(connection, &out, fds, count);
}

/* --- the object --- */

/* Reads a file that nobody can change or shorten, and that is no device or network file that never ends. */
static int read_object(int fd, struct spin_object **out)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	int has = fcntl(fd, F_GET_SEALS), err;
	struct stat st;
	void *data;

	if (has < 0 || (has & seals) != seals || fstat(fd, &st) || st.st_size <= 0)
		return spin_fail(-EINVAL, "the object is not in a sealed memfd: use spin_socket__attach()");
	if (st.st_size > OBJECT_BYTES_MAX)
		return spin_fail(-EDQUOT, "the object has %lld bytes: spind takes at most %u", (long long)st.st_size, OBJECT_BYTES_MAX);
	data = malloc((size_t)st.st_size);
	if (!data)
		return spin_fail(-ENOMEM, "spind has no memory for the object");
	if (pread(fd, data, (size_t)st.st_size, 0) == st.st_size)
		err = spin_object__open_mem("the object", data, (size_t)st.st_size, out);
	else
		err = spin_fail(-EIO, "the object cannot be read");
	free(data);
	return err;
}

static int check_object(const struct client *client, const struct spin_object *obj, uint64_t *map_bytes)
{
	const uint64_t host = client->order.request.host_bytes, most = (uint64_t)client->settings->memory_mib << 20;
	const char *name = spin_object__meta(obj)->name;
	struct share_needs needs;

	if (spin_object__meta(obj)->registration.delivery != SPIN_DELIVER_STACK)
		return spin_fail(-EOPNOTSUPP,
				 "%s takes messages, which no socket reads: register .delivery = SPIN_DELIVER_STACK, or attach it with "
				 "`spinctl run`, as root",
				 name);
	share__needs(obj, &needs);
	if (needs.instructions > client->settings->instructions)
		return spin_fail(-EDQUOT, "%s has %u instructions, and spind takes %u of an object (`instructions` of spind.conf)", name,
				 needs.instructions, client->settings->instructions);
	if (host > most || needs.map_bytes + host > most)
		return spin_fail(-EDQUOT, "%s needs %llu KiB of memory in maps, and a context may have %u MiB (`memory` of spind.conf)",
				 name, (unsigned long long)(needs.map_bytes + host) >> 10, client->settings->memory_mib);
	*map_bytes = needs.map_bytes + host;
	return 0;
}

/* --- the context --- */

static int check_class(const struct client *client)
{
	const uint32_t class = client->order.request.class;

	if (class != SPIN_CLASS_ISOLATED && class != SPIN_CLASS_TRUSTED)
		return spin_fail(-EINVAL, "there is no load class %u", class);
	if (class == SPIN_CLASS_TRUSTED && !client->order.trusted)
		return spin_fail(
			-EPERM,
			"user %u may load the isolated class alone: leave the class out, or become a member of the group that spind.conf "
			"names as `trusted-group`",
			client->order.uid);
	return 0;
}

static int check_name(const char name[16])
{
	if (!memchr(name, '\0', 16))
		return spin_fail(-EINVAL, "the context's name has more than 15 characters");
	for (; *name; name++)
		if ((unsigned char)*name <= ' ' || (unsigned char)*name >= 0x7f)
			return spin_fail(-EINVAL, "the context's name has characters other than letters, digits and signs of ASCII");
	return 0;
}

static int create(const struct client *client, const struct facts *facts, const struct spin_object *obj, struct spin_ctx **out)
{
	const struct broker_request *request = &client->order.request;
	struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = request->class, .name = request->name[0] ? request->name : NULL };
	struct spin_nic *nics[HOST_INTERFACES_MAX];
	pthread_mutex_t *turn = &loading[client->order.uid % (sizeof(loading) / sizeof(loading[0]))];
	int count = host__interfaces(client->settings, facts->ifindex, nics), err;

	if (count < 0)
		return count;
	opts.message.host_bytes = request->host_bytes;
	pthread_mutex_lock(turn);
	err = spin_ctx__create_opts(nics[0], obj, &facts->rule, &opts, out);
	pthread_mutex_unlock(turn);
	host__close(nics, count);
	return err;
}

static int attach_to(struct held *held, struct spin_nic *nic)
{
	return nic == spin_ctx__nic(held->ctx) ? spin_ctx__attach(held->ctx) : spin_ctx__attach_also(held->ctx, nic);
}

static void append_name(char *names, size_t bytes, struct spin_nic *nic)
{
	const size_t length = strlen(names);

	snprintf(names + length, bytes - length, "%s%s", length ? " " : "", spin_nic__name(nic));
}

/* Attaches to every interface that the socket has packets from, or to none. */
static int attach(const struct client *client, const struct facts *facts, struct held *held)
{
	struct spin_nic *nics[HOST_INTERFACES_MAX];
	char names[sizeof(held->interfaces)] = "";
	int count, err = 0;

	held->changes = host__changes();
	count = host__interfaces(client->settings, facts->ifindex, nics);
	if (count < 0)
		return count;
	for (int i = 0; i < count && !err; i++) {
		err = attach_to(held, nics[i]);
		append_name(names, sizeof(names), nics[i]);
	}
	host__close(nics, count);
	if (err)
		spin_ctx__detach(held->ctx);
	held__set_attached(held, err ? NULL : names);
	return err;
}

/* Interfaces that have got an address since then are the socket's, too. One that cannot be attached is left out, with a message. */
static void follow_changes(const struct client *client, const struct facts *facts, struct held *held)
{
	struct spin_nic *nics[HOST_INTERFACES_MAX];
	char names[sizeof(held->interfaces)] = "";
	int count;

	if (!held->attached || held->changes == host__changes())
		return;
	pthread_mutex_lock(&held->use);
	held->changes = host__changes();
	count = host__interfaces(client->settings, facts->ifindex, nics);
	for (int i = 0; i < count; i++) {
		const int err = attach_to(held, nics[i]);

		if (!err || err == -EALREADY)
			append_name(names, sizeof(names), nics[i]);
		else
			fprintf(stderr, "spind: context %u is not on %s, which has become its socket's: %s\n", held->id,
				spin_nic__name(nics[i]), spin_strerror_last());
	}
	if (count >= 0) {
		host__close(nics, count);
		held__set_attached(held, names);
	}
	pthread_mutex_unlock(&held->use);
}

/* --- what a client asks after CREATE --- */

static void answer_result(int connection, const struct held *held, int err)
{
	struct broker_answer out;

	if (err) {
		client__refuse(connection, err, spin_strerror_last());
		return;
	}
	client__describe(held, &out);
	answer(connection, &out, NULL, 0);
}

/* 1: go on. */
static int take_request(const struct client *client, const struct facts *facts, struct held *held)
{
	struct broker_request request;
	int fds[BROKER_FDS], err;
	unsigned count;
	ssize_t got = broker__receive(held->connection, &request, sizeof(request), fds, &count, MSG_DONTWAIT);

	broker__close(fds, count);
	if (got == -EAGAIN)
		return 1;
	if (got <= 0)
		return 0;
	if (got != sizeof(request) || request.magic != BROKER_MAGIC || request.version != BROKER_VERSION) {
		client__refuse(held->connection, -EPROTO, "the request is not one of this version of libspin");
		return 0;
	}
	pthread_mutex_lock(&held->use);
	if (request.op == BROKER_ATTACH)
		err = held->attached ? spin_fail(-EALREADY, "the context is attached already") : attach(client, facts, held);
	else if (request.op == BROKER_DETACH) {
		err = spin_ctx__detach(held->ctx);
		held__set_attached(held, NULL);
	} else
		err = spin_fail(-EINVAL, "the connection has a context, which takes only ATTACH and DETACH");
	pthread_mutex_unlock(&held->use);
	answer_result(held->connection, held, err);
	return 1;
}

static void serve_context(const struct client *client, const struct facts *facts, struct held *held)
{
	struct pollfd wait = { .fd = held->connection, .events = POLLIN };

	for (;;) {
		const int ready = poll(&wait, 1, LOOK_MS);

		if (ready < 0 && errno != EINTR)
			return;
		if (ready > 0 && !take_request(client, facts, held))
			return;
		if (ready == 0 && !spin_guard__has_socket(held->ctx))
			return;
		follow_changes(client, facts, held);
	}
}

/* Makes the context; the socket's descriptor is closed in any case: while spind had one, the client could not close its socket. */
static int make_context(struct client *client, struct facts *facts, struct spin_object **obj, struct held *held)
{
	char why[256];
	int socket_fd, err;

	if (client->count != 3)
		return spin_fail(-EINVAL, "CREATE comes with two descriptors, the socket and the object; %u came", client->count - 1);
	socket_fd = client->fds[1];
	err = check_class(client);
	if (!err)
		err = check_name(client->order.request.name);
	if (!err && (err = facts__read(socket_fd, facts, why, sizeof(why))))
		spin_fail(err, "%s", why);
	if (!err)
		err = read_object(client->fds[2], obj);
	if (!err)
		err = check_object(client, *obj, &held->map_bytes);
	if (!err)
		err = create(client, facts, *obj, &held->ctx);
	if (!err)
		err = spin_guard__install(held->ctx, socket_fd, host__guards());
	close(socket_fd);
	client->fds[1] = -1;
	return err;
}

static void serve_creation(struct client *client)
{
	struct held held = { .uid = client->order.uid,
			     .pid = client->order.pid,
			     .connection = client->fds[0],
			     .object_fd = -1,
			     .use = PTHREAD_MUTEX_INITIALIZER };
	struct share_memories memories;
	struct spin_object *obj = NULL;
	struct facts facts;
	int err = make_context(client, &facts, &obj, &held);

	if (err) {
		client__refuse(held.connection, err, spin_strerror_last());
	} else {
		held.object_fd = client->fds[2];
		client->fds[2] = -1;
		held.class = client->order.request.class;
		held.id = spin_guard__id(held.ctx);
		share__memories(held.ctx, &memories);
		held.hpus = memories.hpus;
		held.bounded = memories.bounded;
		held.host_bytes = memories.host_bytes;
		held.netns = client->order.netns;
		snprintf(held.handler, sizeof(held.handler), "%s", spin_object__meta(obj)->name);
		spin_rule__format(share__rule(held.ctx), held.rule, sizeof(held.rule));
		held__add(&held);
		answer_with_memories(held.connection, &held, 0);
		printf("spind: user %u, process %u: %s is context %u, %s, of %s\n", held.uid, held.pid, spin_ctx__name(held.ctx), held.id,
		       spin_class_name(held.class), held.rule);
		fflush(stdout);
		serve_context(client, &facts, &held);
		held__remove(&held);
		printf("spind: context %u has ended\n", held.id);
		fflush(stdout);
	}
	spin_ctx__destroy(held.ctx);
	spin_object__close(obj);
	broker__close(&held.object_fd, 1);
}

/* --- what others ask of a context --- */

static int may(const struct client *client, const struct held *held)
{
	if (!client->order.uid || client->order.uid == held->uid)
		return 0;
	return spin_fail(-EPERM, "context %u is user %u's: only that user and root may operate it", held->id, held->uid);
}

static int open_for(void *arg, struct held *held)
{
	const struct client *client = arg;
	int err = may(client, held);

	if (err)
		return err;
	pthread_mutex_lock(&held->use);
	answer_with_memories(client->fds[0], held, 1);
	pthread_mutex_unlock(&held->use);
	return 0;
}

static int stop_for(void *arg, struct held *held)
{
	const struct client *client = arg;
	int err = may(client, held);

	if (!err)
		shutdown(held->connection, SHUT_RDWR); /* its thread then ends it, as if the client had gone */
	return err;
}

static int is_gone(void *arg, struct held *held)
{
	(void)arg;
	(void)held;
	return 0;
}

static int stop(struct client *client)
{
	const uint32_t id = client->order.request.id;
	struct broker_answer out;
	int err = held__with(id, stop_for, client);

	for (int i = 0; !err && i < 1000 && !held__with(id, is_gone, NULL); i++)
		usleep(10000);
	if (!err && !held__with(id, is_gone, NULL))
		return spin_fail(-ETIMEDOUT, "context %u has not ended in ten seconds", id);
	if (err)
		return err;
	begin_answer(&out);
	out.id = id;
	answer(client->fds[0], &out, NULL, 0);
	return 0;
}

struct swap {
	const struct client *client;
	struct spin_object *obj;
	uint64_t map_bytes;
};

static int swap_for(void *arg, struct held *held)
{
	struct swap *swap = arg;
	int err = may(swap->client, held);

	if (!err)
		err = check_object(swap->client, swap->obj, &swap->map_bytes);
	if (err)
		return err;
	pthread_mutex_lock(&held->use);
	err = spin_ctx__swap(held->ctx, swap->obj);
	pthread_mutex_unlock(&held->use);
	if (!err)
		held__set_object(held, swap->client->fds[1], spin_object__meta(swap->obj)->name);
	return err;
}

static int swap(struct client *client)
{
	struct swap swap = { .client = client };
	struct broker_answer out;
	int err;

	if (client->count != 2)
		return spin_fail(-EINVAL, "SWAP comes with one descriptor, the object");
	err = read_object(client->fds[1], &swap.obj);
	if (!err)
		err = held__using(client->order.request.id, swap_for, &swap);
	spin_object__close(swap.obj);
	if (err)
		return err;
	client->fds[1] = -1; /* the context has it */
	begin_answer(&out);
	out.id = client->order.request.id;
	answer(client->fds[0], &out, NULL, 0);
	return 0;
}

static void serve_operation(struct client *client)
{
	int err;

	switch (client->order.request.op) {
	case BROKER_OPEN:
		err = held__using(client->order.request.id, open_for, client);
		break;
	case BROKER_STOP:
		err = stop(client);
		break;
	case BROKER_SWAP:
		err = swap(client);
		break;
	default:
		err = spin_fail(-EOPNOTSUPP, "spind does not know request %u", client->order.request.op);
	}
	if (err == -ENOENT)
		spin_fail(err, "there is no context %u any more", client->order.request.id);
	if (err)
		client__refuse(client->fds[0], err, spin_strerror_last());
}

void client__serve(struct client *client)
{
	if (client->order.request.op == BROKER_CREATE)
		serve_creation(client);
	else
		serve_operation(client);
	broker__close(client->fds, client->count);
	free(client);
}
