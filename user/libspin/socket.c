/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Contexts that the daemon spind holds for this process, which has no privileges (libspin_socket.h). Called by applications
 * (spin_socket__attach() and others). The programs belong to spind. This process maps their memories and keeps a connection to spind; the
 * context that it has created ends with that connection.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "user/libspin/broker.h"
#include "user/libspin/internal.h"
#include "user/libspin/messages/host_side.h"
#include "user/libspin/socket.h"
#include "user/libspin/swap/swap.h"

#pragma GCC visibility push(default)
#include <spin/libspin_socket.h>
#pragma GCC visibility pop

#define ANSWER_MS 300000 /* verification may take minutes */

struct remote {
	int connection;
	uint32_t id;
	int attached;
	int is_own; /* 1: the context ends with the connection */
	int events_fd;
	int moved;    /* 1: the mapped memories are no longer used */
	char *broker; /* path given by the application; NULL: none */
};

static int fail_connect(int err, const char *path)
{
	if (err == -ENOENT || err == -ECONNREFUSED)
		return spin_fail(
			err,
			"spind does not run here: nothing listens at %s; start it as root (`systemctl start spind`, or `spind`), or "
			"set %s to its socket",
			broker__path(path), BROKER_ENV);
	return spin_fail(err, "cannot connect to spind at %s: %s", broker__path(path), strerror(-err));
}

/* The caller owns the descriptors of the answer. *moved becomes 1 if spind announces that first; NULL: not expected on this connection. */
static int wait_answer(int connection, struct broker_answer *answer, int got[BROKER_FDS], unsigned *got_count, int *moved)
{
	struct pollfd wait = { .fd = connection, .events = POLLIN };
	ssize_t bytes;
	int err = 0;

	*got_count = 0;
	for (int ready = 0; !err && ready <= 0;) {
		ready = poll(&wait, 1, ANSWER_MS);
		if (!ready || (ready < 0 && errno != EINTR))
			err = -ETIMEDOUT;
	}
	if (err)
		return spin_fail(err, "spind has not answered for %d minutes; its log may say why", ANSWER_MS / 60000);
	bytes = broker__receive(connection, answer, sizeof(*answer), got, got_count, 0);
	/* spind has closed the connection without reading the request: the kernel reports this once, and then what spind sent before */
	if (bytes == -ECONNRESET)
		bytes = broker__receive(connection, answer, sizeof(*answer), got, got_count, 0);
	if (bytes == sizeof(*answer) && answer->magic == BROKER_MAGIC && answer->version == BROKER_VERSION) {
		answer->text[sizeof(answer->text) - 1] = '\0';
		if (moved && answer->flags & BROKER_MOVED) {
			broker__close(got, *got_count);
			*moved = 1;
			return wait_answer(connection, answer, got, got_count, moved);
		}
		if (!answer->error)
			return 0;
		broker__close(got, *got_count);
		*got_count = 0;
		return spin_fail(answer->error < 0 ? answer->error : -EPROTO, "%s", answer->text);
	}
	broker__close(got, *got_count);
	*got_count = 0;
	if (bytes <= 0)
		return spin_fail(bytes && bytes != -ECONNRESET && bytes != -EPIPE ? (int)bytes : -ENOTCONN,
				 "spind has closed the connection: it ended, or it was stopped; try again");
	return spin_fail(-EPROTO, "spind is of another version than libspin: update both, and start it again");
}

/* Sends a request and waits for its answer. */
static int send_and_wait(int connection, const struct broker_request *request, const int *fds, unsigned count, struct broker_answer *answer,
			 int got[BROKER_FDS], unsigned *got_count, int *moved)
{
	int err = broker__send(connection, request, sizeof(*request), fds, count, 0);

	*got_count = 0;
	/* spind may refuse a client and close the connection at once; its reason can still be read */
	return err && err != -EPIPE && err != -ECONNRESET ? spin_fail(err, "cannot send to spind: %s", strerror(-err))
							  : wait_answer(connection, answer, got, got_count, moved);
}

static int seal_object(const struct spin_object *obj, int *out)
{
	*out = broker__seal(obj->data, obj->file_bytes);
	return *out < 0 ? spin_fail(*out, "cannot hand %s to spind: %s", obj->path, strerror(-*out)) : 0;
}

/* Maps the memories whose descriptors were received, and keeps the descriptors that are still needed. */
static int open_memories(struct spin_ctx *ctx, const struct broker_answer *answer, int fds[BROKER_FDS], unsigned count)
{
	int memory[BROKER_MEMORIES];
	unsigned at = 0;
	int err = 0;

	for (unsigned i = 0; i < BROKER_MEMORIES; i++)
		memory[i] = answer->memories & 1u << i && at < count ? fds[at++] : -1;
	if (memory[BROKER_EVENTS] < 0 || memory[BROKER_BSS] < 0)
		return spin_fail(-EPROTO, "spind has sent no memories of %s", ctx->name);
	if (memory[BROKER_DATA] >= 0)
		err = section__open_fd(ctx->bpf, ".data", memory[BROKER_DATA], ctx->name, &ctx->data);
	if (!err)
		err = section__open_fd(ctx->bpf, ".bss", memory[BROKER_BSS], ctx->name, &ctx->bss);
	if (err)
		return err;
	ctx->counters = section__variable(ctx->bpf, ".bss", &ctx->bss, "spin_counters", sizeof(struct spin_counters) * SPIN_HPUS_MAX);
	if (!ctx->counters)
		return spin_fail(-EINVAL, "%s has no counters of this version; compile it again with spincc", ctx->name);
	ctx->remote->events_fd = ctx->events_fd = fcntl(memory[BROKER_EVENTS], F_DUPFD_CLOEXEC, 0);
	if (ctx->events_fd < 0)
		return spin_fail(-errno, "no descriptor for the events of %s: %s", ctx->name, strerror(errno));
	err = work__open(ctx);
	return err ? err : host_side__open_shared(ctx, memory[BROKER_HOST]);
}

/* Creates a context from spind's description. Takes over the connection, even on failure. */
static int new_context(const struct spin_object *obj, int connection, const char *broker, const struct broker_answer *answer,
		       int fds[BROKER_FDS], unsigned count, int is_own, struct spin_ctx **out)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = obj->meta.name);
	struct spin_ctx *ctx = calloc(1, sizeof(*ctx));
	const void *programs;
	size_t bytes;
	int err;

	if (!ctx || !(ctx->remote = calloc(1, sizeof(*ctx->remote))) || (broker && !(ctx->remote->broker = strdup(broker)))) {
		free(ctx ? ctx->remote : NULL);
		free(ctx);
		close(connection);
		return spin_fail(-ENOMEM, "no memory for a context");
	}
	ctx->remote->connection = connection;
	ctx->remote->id = answer->id;
	ctx->remote->attached = answer->attached != 0;
	ctx->remote->is_own = is_own;
	ctx->remote->events_fd = -1;
	ctx->prog_fd = ctx->events_fd = -1;
	memcpy(ctx->name, answer->name, sizeof(ctx->name) - 1);
	ctx->class = answer->class == SPIN_CLASS_TRUSTED ? SPIN_CLASS_TRUSTED : SPIN_CLASS_ISOLATED;
	ctx->num_hpus = answer->hpus;
	ctx->bounded = answer->bounded && obj->bounded;
	ctx->direct_bytes = answer->direct_bytes;
	ctx->host.memory.bytes = answer->host_bytes;
	programs = object__programs(obj, ctx->bounded, &bytes);
	ctx->bpf = bpf_object__open_mem(programs, bytes, &opts);
	ctx->btf = ctx->bpf ? bpf_object__btf(ctx->bpf) : NULL;
	err = ctx->btf ? open_memories(ctx, answer, fds, count) : spin_fail(-EINVAL, "%s cannot be read by libbpf", obj->path);
	if (err) {
		spin_ctx__destroy(ctx);
		return err;
	}
	*out = ctx;
	return 0;
}

static int copy_options(const struct spin_socket_opts *from, struct spin_socket_opts *to)
{
	memset(to, 0, sizeof(*to));
	if (!from)
		return 0;
	if (from->bytes < sizeof(from->bytes))
		return spin_fail(-EINVAL, "spin_socket_opts: set bytes to sizeof(struct spin_socket_opts)");
	memcpy(to, from, from->bytes < sizeof(*to) ? from->bytes : sizeof(*to));
	if (to->name && strlen(to->name) >= sizeof(((struct broker_request *)NULL)->name))
		return spin_fail(-EINVAL, "'%s' is too long for the name of a context: at most 15 characters", to->name);
	return 0;
}

static void request_options(const struct spin_socket_opts *wanted, struct broker_request *request)
{
	request->class = wanted->trusted ? SPIN_CLASS_TRUSTED : SPIN_CLASS_ISOLATED;
	request->host_bytes = wanted->host_bytes;
	request->share = wanted->share;
	if (wanted->name)
		memcpy(request->name, wanted->name, strlen(wanted->name));
}

int spin_socket__attach(int fd, const struct spin_object *obj, const struct spin_socket_opts *opts, struct spin_ctx **out)
{
	struct broker_request request = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = BROKER_CREATE };
	struct spin_socket_opts wanted;
	struct broker_answer answer;
	int fds[2] = { fd, -1 }, got[BROKER_FDS], connection, err;
	unsigned count = 0;

	*out = NULL;
	spin_quiet_libbpf();
	err = copy_options(opts, &wanted);
	if (err)
		return err;
	if (fcntl(fd, F_GETFD) < 0)
		return spin_fail(-EBADF, "%d is not an open descriptor", fd);
	request_options(&wanted, &request);
	connection = broker__connect(wanted.broker);
	if (connection < 0)
		return fail_connect(connection, wanted.broker);
	err = seal_object(obj, &fds[1]);
	if (!err) {
		err = send_and_wait(connection, &request, fds, 2, &answer, got, &count, NULL);
		close(fds[1]);
	}
	if (err) {
		close(connection);
		return err;
	}
	err = new_context(obj, connection, wanted.broker, &answer, got, count, 1, out);
	broker__close(got, count);
	if (!err && !wanted.detached) {
		err = remote__attach(*out);
		if (err) {
			spin_ctx__destroy(*out);
			*out = NULL;
		}
	}
	return err;
}

static int read_object(int fd, uint32_t id, struct spin_object **out)
{
	char name[32];
	off_t bytes = lseek(fd, 0, SEEK_END);
	void *data = bytes > 0 ? malloc((size_t)bytes) : NULL;
	int err = 0;

	snprintf(name, sizeof(name), "the object of context %u", id);
	if (!data || pread(fd, data, (size_t)bytes, 0) != bytes)
		err = spin_fail(-EPROTO, "%s cannot be read", name);
	if (!err)
		err = spin_object__open_mem(name, data, (size_t)bytes, out);
	free(data);
	return err;
}

int spin_socket__open(uint32_t id, const char *broker, struct spin_object **obj, struct spin_ctx **out)
{
	struct broker_request request = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = BROKER_OPEN, .id = id };
	int connection = broker__connect(broker), got[BROKER_FDS], err;
	struct broker_answer answer;
	unsigned count = 0;

	*out = NULL;
	*obj = NULL;
	spin_quiet_libbpf();
	if (connection < 0)
		return fail_connect(connection, broker);
	err = send_and_wait(connection, &request, NULL, 0, &answer, got, &count, NULL);
	if (!err && (!(answer.memories & 1u << BROKER_OBJECT) || !count))
		err = spin_fail(-EPROTO, "spind has sent no object of context %u", id);
	if (!err)
		err = read_object(got[count - 1], id, obj);
	if (err) {
		close(connection);
	} else {
		err = new_context(*obj, connection, broker, &answer, got, count, 0, out);
		if (err) {
			spin_object__close(*obj);
			*obj = NULL;
		}
	}
	broker__close(got, count);
	return err;
}

/* Sends one request on its own connection. */
static int request_answer(const struct broker_request *request, const int *fds, unsigned count, const char *broker,
			  struct broker_answer *answer)
{
	int connection = broker__connect(broker), got[BROKER_FDS], err;
	unsigned got_count;

	if (connection < 0)
		return fail_connect(connection, broker);
	err = send_and_wait(connection, request, fds, count, answer, got, &got_count, NULL);
	broker__close(got, got_count);
	close(connection);
	return err;
}

/* The same, for callers that need only the id of the answer; id NULL: nothing of it. */
static int request_once(const struct broker_request *request, const int *fds, unsigned count, const char *broker, uint32_t *id)
{
	struct broker_answer answer;
	int err = request_answer(request, fds, count, broker, &answer);

	if (!err && id)
		*id = answer.id;
	return err;
}

int spin_socket__stop(uint32_t id, const char *broker)
{
	struct broker_request request = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = BROKER_STOP, .id = id };

	return request_once(&request, NULL, 0, broker, NULL);
}

int spin_socket__swap(uint32_t id, const struct spin_object *obj, const char *broker)
{
	struct broker_request request = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = BROKER_SWAP, .id = id };
	int fd = -1, err = seal_object(obj, &fd);

	if (err)
		return err;
	err = request_once(&request, &fd, 1, broker, NULL);
	close(fd);
	return err;
}

int spin_socket__migrate(uint32_t id, const struct spin_object *obj, const char *broker, struct spin_migration *report)
{
	struct broker_request request = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = BROKER_MIGRATE, .id = id };
	const size_t bytes = report ? report->bytes : 0;
	struct spin_migration result = { .bytes = bytes };
	struct broker_answer answer;
	int fd = -1, err;

	if (report && bytes < sizeof(bytes))
		return spin_fail(-EINVAL, "spin_migration: set bytes to sizeof(struct spin_migration)");
	err = seal_object(obj, &fd);
	if (err)
		return err;
	err = request_answer(&request, &fd, 1, broker, &answer);
	close(fd);
	if (err || !report)
		return err;
	result.moved_bytes = answer.moved_bytes;
	result.late_bytes = answer.late_bytes;
	result.wait_ns = answer.wait_ns;
	result.tries = answer.tries;
	snprintf(result.lost, sizeof(result.lost), "%.*s", (int)sizeof(result.lost) - 1, answer.text);
	memcpy(report, &result, bytes < sizeof(result) ? bytes : sizeof(result));
	return 0;
}

static int copy_text(char *to, size_t bytes, const char *from, const char *what)
{
	if (strlen(from) >= bytes)
		return spin_fail(-EINVAL, "'%.40s...' is too long for %s", from, what);
	memcpy(to, from, strlen(from) + 1);
	return 0;
}

int spin_socket__set_rule(uint32_t id, const char *rule, const char *broker)
{
	struct broker_request request = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = BROKER_SET_RULE, .id = id };
	int err = copy_text(request.rule, sizeof(request.rule), rule, "a rule");

	return err ? err : request_once(&request, NULL, 0, broker, NULL);
}

int spin_socket__add(const struct spin_object *obj, const char *interface, const char *rule, const struct spin_socket_opts *opts,
		     uint32_t *id)
{
	struct broker_request request = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = BROKER_ADD };
	struct spin_socket_opts wanted;
	int fds[2] = { -1, -1 }, err = copy_options(opts, &wanted);

	if (!err)
		err = copy_text(request.interface, sizeof(request.interface), interface, "the name of an interface");
	if (!err)
		err = copy_text(request.rule, sizeof(request.rule), rule, "a rule");
	if (err)
		return err;
	request_options(&wanted, &request);
	fds[0] = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (fds[0] < 0)
		return spin_fail(-errno, "this thread's network namespace cannot be opened: %s", strerror(errno));
	err = seal_object(obj, &fds[1]);
	if (!err)
		err = request_once(&request, fds, 2, wanted.broker, id);
	broker__close(fds, 2);
	return err;
}

int spin_socket__list(const char *broker, int (*fn)(void *arg, const struct spin_socket_info *info), void *arg)
{
	struct broker_request request = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = BROKER_LIST };
	int connection = broker__connect(broker), got[BROKER_FDS], err;
	struct broker_answer answer;
	unsigned count;

	if (connection < 0)
		return fail_connect(connection, broker);
	err = send_and_wait(connection, &request, NULL, 0, &answer, got, &count, NULL);
	while (!err && answer.flags & BROKER_MORE) {
		const struct spin_socket_info info = {
			.bytes = sizeof(info),
			.id = answer.id,
			.uid = answer.uid,
			.pid = answer.pid,
			.class = answer.class,
			.attached = answer.attached != 0,
			.handled = answer.handled,
			.left = answer.left,
			.refused = answer.refused,
			.over = answer.over,
			.busy_ns = answer.busy_ns,
			.swaps = answer.swaps,
			.map_bytes = answer.map_bytes,
			.netns = answer.netns,
			.name = answer.name,
			.handler = answer.handler,
			.interfaces = answer.interfaces,
			.rule = answer.text,
		};

		broker__close(got, count);
		err = fn(arg, &info);
		if (!err)
			err = wait_answer(connection, &answer, got, &count, NULL);
	}
	close(connection);
	return err;
}

uint32_t spin_socket__id(const struct spin_ctx *ctx)
{
	return ctx->remote ? ctx->remote->id : 0;
}

/* Sends ATTACH or DETACH on the context's own connection. */
static int send_own_request(struct spin_ctx *ctx, enum broker_op op)
{
	struct broker_request request = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = op, .id = ctx->remote->id };
	struct broker_answer answer;
	int got[BROKER_FDS], err;
	unsigned count;

	if (!ctx->remote->is_own)
		return spin_fail(-EPERM, "%s is another program's context: that one attaches and detaches it", ctx->name);
	err = send_and_wait(ctx->remote->connection, &request, NULL, 0, &answer, got, &count, &ctx->remote->moved);
	broker__close(got, count);
	if (!err)
		ctx->remote->attached = op == BROKER_ATTACH;
	return err;
}

int remote__attach(struct spin_ctx *ctx)
{
	return send_own_request(ctx, BROKER_ATTACH);
}

int remote__detach(struct spin_ctx *ctx)
{
	return ctx->remote->is_own && ctx->remote->attached ? send_own_request(ctx, BROKER_DETACH) : 0;
}

int remote__alive(const struct spin_ctx *ctx)
{
	struct pollfd wait = { .fd = ctx->remote->connection, .events = POLLRDHUP | POLLIN };
	struct broker_answer answer;
	int got[BROKER_FDS], ready;
	unsigned count;

	while ((ready = poll(&wait, 1, 0)) > 0 && wait.revents == POLLIN) {
		if (broker__receive(wait.fd, &answer, sizeof(answer), got, &count, MSG_DONTWAIT) != sizeof(answer))
			break;
		broker__close(got, count);
		if (answer.flags & BROKER_MOVED)
			ctx->remote->moved = 1;
	}
	if (ready > 0)
		return spin_fail(-ENOTCONN, "%s is gone: its socket was closed, it was stopped, or spind ended", ctx->name);
	if (ctx->remote->moved)
		return spin_fail(-ESTALE, "the memory of %s was moved for other handlers: spin_socket__renew() maps the new one",
				 ctx->name);
	return ctx->remote->attached;
}

int spin_socket__renew(struct spin_ctx *ctx)
{
	struct spin_object *obj;
	struct spin_ctx *renewed;
	int err;

	if (!ctx->remote)
		return spin_fail(-EINVAL, "%s is not spind's: its memory is always mapped", ctx->name);
	err = spin_socket__open(ctx->remote->id, ctx->remote->broker, &obj, &renewed);
	if (err)
		return err;
	renewed->object = obj;
	/* the event queue and the host memory are unchanged */
	swap__exchange_memory(ctx, renewed);
	swap__exchange_object(ctx, renewed);
	spin_ctx__destroy(renewed);
	ctx->remote->moved = 0;
	return 0;
}

void remote__free(struct remote *remote)
{
	if (!remote)
		return;
	if (remote->is_own)
		shutdown(remote->connection, SHUT_RDWR); /* children may have copies, which would keep the context */
	close(remote->connection);
	if (remote->events_fd >= 0)
		close(remote->events_fd);
	free(remote->broker);
	free(remote);
}
