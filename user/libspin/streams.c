/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs handlers on the bytes of TCP connections (streams.h). Called by spind and ctx.c. Loads bpf/streams.bpf.c once per process, enters
 * sockets into its maps, by which the programs on the root control group find each connection's context, and runs a thread that calls the
 * completion handler when a connection has ended. When this process ends, connections continue without handlers and lose no byte
 * (attach_verdict()).
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <linux/mount.h>

#include <bpf/bpf.h>

#include <spin/wire.h>

#include "bpf/abi/stream.h"
#include "kernel/cpus.h"
#include "user/libspin/guard.h"
#include "user/libspin/internal.h"
#include "user/libspin/load/failure.h"
#include "user/libspin/streams.h"

extern const char streams_image[], streams_image_end[];

#define UNITS               "spin_units"
#define TCP_STATE_CLOSE     7    /* TCP_CLOSE */
#define POLL_MS             20   /* interval at which waiting connections (struct waiting) are checked */
#define NEWS_AT_A_TIME      32   /* read from the ring while the lock is held: each may run a completion handler, for milliseconds */
#define WAITING_MAX         8192 /* as many connections as may end within COMPLETE_TIMEOUT_MS */
#define COMPLETE_TIMEOUT_MS 1000 /* a connection waits at most this long for its last bytes to be handled */
#define COMPLETE_TRIES      100  /* of complete_all(), each after 1 ms in which all units (one for each running program) were in use */

struct streams {
	struct streams *next; /* list of all that have a slot */
	uint32_t id, slot;    /* 0: none */
	int end_fd, prog_fd, taken_fd, units_taken_fd, seen_fd;
	int is_listening, attached;
	int ending;      /* 1: complete_all() completes its streams; written under the lock */
	uint64_t cookie; /* of a connected socket */
	struct spin_stream *stream;
	struct spin_streams_seen *seen;
};

/* --- shared by all contexts of this process --- */

static struct {
	pthread_mutex_t lock;
	struct bpf_object *bpf;
	struct bpf_link *link;
	struct ring_buffer *news;
	int verdict_link; /* -1: none */
	int owner_fd, socks_fd, kept_fd, known_fd, programs_fd, attached_fd, counts_fd, states_fd;
	struct streams *list;
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER, .verdict_link = -1 };

/* Returns a descriptor of the root control group, as a detached mount. */
static int open_root_cgroup(void)
{
	int fs = (int)syscall(SYS_fsopen, "cgroup2", FSOPEN_CLOEXEC), mount = -1, err;

	if (fs < 0)
		return spin_fail(-errno, "the control groups of this host cannot be opened: %s", strerror(errno));
	if (!syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mount = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	err = -errno;
	close(fs);
	return mount >= 0 ? mount : spin_fail(err, "the control groups of this host cannot be mounted: %s", strerror(-err));
}

static int load_shared(void)
{
	char *log = calloc(1, VERIFIER_LOG_BYTES);
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "spin_streams", .kernel_log_buf = log,
		    .kernel_log_size = VERIFIER_LOG_BYTES);
	int err;

	if (!log)
		return spin_fail(-ENOMEM, "no memory for the programs of TCP connections");
	shared.bpf = bpf_object__open_mem(streams_image, (size_t)(streams_image_end - streams_image), &opts);
	err = shared.bpf ? load_failure__load_own(shared.bpf, log, SPIN_CLASS_TRUSTED, "the programs of TCP connections")
			 : spin_fail(-EINVAL, "the programs of TCP connections cannot be read");
	free(log);
	return err;
}

static void *run_completions(void *arg);
static int on_news(void *arg, void *data, size_t bytes);

static int shared_fd(const char *map)
{
	return bpf_object__find_map_fd_by_name(shared.bpf, map);
}

static int attach_to_root_cgroup(void)
{
	const struct bpf_program *prog = bpf_object__find_program_by_name(shared.bpf, "spin_stream_begins");
	int group = open_root_cgroup();

	if (group < 0)
		return group;
	shared.link = bpf_program__attach_cgroup(prog, group);
	close(group);
	if (shared.link)
		return 0;
	return spin_fail(-errno, "the program of TCP connections cannot be attached to the root of the control groups: %s",
			 errno == EPERM ? "another program has it for itself (`bpftool cgroup tree`)" : strerror(errno));
}

/*
 * When this process ends, connections must keep the verdict program, which then passes everything, and lose no byte. For that, the program
 * holds the map that keeps the sockets. The link detaches the program from the other map before that map is freed; otherwise the program's
 * sockets would be left without a reader from TCP. Linux 6.9 has no such links: there connections hang when this process is killed.
 */
static int attach_verdict(int verdict_fd)
{
	if (bpf_prog_bind_map(verdict_fd, shared.kept_fd, NULL))
		return spin_fail(-errno, "the program of TCP streams cannot hold its map: %s", strerror(errno));
	shared.verdict_link = bpf_link_create(verdict_fd, shared.socks_fd, BPF_SK_SKB_STREAM_VERDICT, NULL);
	if (shared.verdict_link < 0 && bpf_prog_attach(verdict_fd, shared.socks_fd, BPF_SK_SKB_STREAM_VERDICT, 0))
		return spin_fail(-errno, "the program of TCP streams cannot be attached: %s", strerror(errno));
	return 0;
}

static int open_shared(void)
{
	const int verdict_fd = bpf_program__fd(bpf_object__find_program_by_name(shared.bpf, "spin_stream_guard"));
	pthread_t thread;
	int err;

	shared.owner_fd = shared_fd("spin_stream_owner");
	shared.socks_fd = shared_fd("spin_stream_socks");
	shared.kept_fd = shared_fd("spin_stream_kept");
	shared.known_fd = shared_fd("spin_stream_known");
	shared.programs_fd = shared_fd("spin_stream_programs");
	shared.attached_fd = shared_fd("spin_stream_attached");
	shared.counts_fd = shared_fd("spin_stream_counts");
	shared.states_fd = shared_fd("spin_stream_seen");
	err = attach_verdict(verdict_fd);
	if (!err)
		err = attach_to_root_cgroup();
	if (err)
		return err;
	shared.news = ring_buffer__new(shared_fd("spin_stream_news"), on_news, NULL, NULL);
	if (!shared.news || pthread_create(&thread, NULL, run_completions, NULL))
		return spin_fail(-EAGAIN, "no thread for the ends of TCP connections");
	pthread_detach(thread);
	return 0;
}

/* The caller holds the lock. */
static int init_shared(void)
{
	int err;

	if (shared.news)
		return 0;
	err = load_shared();
	if (!err)
		err = open_shared();
	if (err) {
		if (shared.verdict_link >= 0)
			close(shared.verdict_link);
		bpf_link__destroy(shared.link);
		bpf_object__close(shared.bpf);
		shared.verdict_link = -1;
		shared.link = NULL;
		shared.bpf = NULL;
	}
	return err;
}

/* --- ends of connections --- */

/* A connection whose peer has stopped sending and whose last bytes handlers have not seen yet. */
static struct waiting {
	struct spin_stream_news news;
	uint64_t since_ms;
} waiting[WAITING_MAX];
static unsigned waiting_count;

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static struct spin_stream *find_stream(const struct streams *s, uint64_t cookie)
{
	for (unsigned i = 0; i < SPIN_STREAM_WAYS; i++) {
		struct spin_stream *stream = &s->stream[((uint32_t)cookie * SPIN_STREAM_WAYS + i) & (SPIN_STREAMS_MAX - 1)];

		if (__atomic_load_n(&stream->cookie, __ATOMIC_ACQUIRE) == cookie)
			return stream;
	}
	return NULL;
}

/* Frees the unit and slot of a stream whose completion handler was ended by the work limit, as the program does after others. */
static void free_slot(const struct streams *s, uint64_t cookie)
{
	struct spin_stream *stream = find_stream(s, cookie);
	const uint32_t number = stream ? (uint32_t)(stream - s->stream) : 0, none = 0;
	uint32_t unit;

	if (!stream)
		return;
	unit = __atomic_exchange_n(&stream->unit, 0, __ATOMIC_ACQ_REL) - 1;
	bpf_map_update_elem(s->units_taken_fd, &unit, &none, BPF_ANY); /* fails if it had none */
	__atomic_store_n(&stream->cookie, 0, __ATOMIC_RELEASE);
	bpf_map_update_elem(s->taken_fd, &number, &none, BPF_ANY);
}

/* Runs the completion handler with headers like those of the stream, and frees the stream's slot. Returns 0 if all units are in use. */
static int complete(const struct streams *s, const struct spin_stream_news *news)
{
	uint8_t frame[SPIN_STREAM_DATA + sizeof(news->cookie)] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame), .repeat = 1);
	struct spin_udp udp = { .src_port = htons(news->remote_port), .dst_port = htons(news->local_port), .length = htons(sizeof(udp)) };
	struct spin_eth *eth = (struct spin_eth *)frame;

	if (news->family == AF_INET6) {
		struct spin_ip6 ip = { .next_header = SPIN_IP_TCP };

		eth->type = htons(SPIN_ETH_IP6);
		memcpy(ip.src, news->remote, sizeof(ip.src));
		memcpy(ip.dst, news->local, sizeof(ip.dst));
		memcpy(frame + SPIN_STREAM_IP6_AT, &ip, sizeof(ip));
	} else {
		struct spin_ip4 ip = { .version_ihl = 0x45, .protocol = SPIN_IP_TCP, .src = news->remote[0], .dst = news->local[0] };

		eth->type = htons(SPIN_ETH_IP4);
		memcpy(frame + SPIN_STREAM_IP4_AT, &ip, sizeof(ip));
	}
	memcpy(frame + SPIN_STREAM_UDP_AT, &udp, sizeof(udp));
	memcpy(frame + SPIN_STREAM_DATA, &news->cookie, sizeof(news->cookie));
	if (bpf_prog_test_run_opts(s->end_fd, &opts))
		return 1;
	if (opts.retval == XDP_ABORTED)
		free_slot(s, news->cookie);
	return opts.retval != XDP_TX;
}

/* TCP counts FIN as a byte. For a closed connection it is unknown whether one arrived. */
static int has_all_bytes(const struct spin_stream *stream, const struct spin_stream_news *news)
{
	return __atomic_load_n(&stream->bytes, __ATOMIC_ACQUIRE) + 1 >= news->bytes;
}

/* Returns 1 if done, or if there is nothing to do. The caller holds the lock. */
static int try_complete(const struct waiting *w)
{
	const int is_closed = w->news.state == TCP_STATE_CLOSE, is_late = now_ms() - w->since_ms >= COMPLETE_TIMEOUT_MS;
	const struct spin_stream *stream;
	const struct streams *s = shared.list;

	while (s && s->id != w->news.context)
		s = s->next;
	stream = s ? find_stream(s, w->news.cookie) : NULL;
	/* no stream: its context has ended, no byte has arrived, or none has been handled yet */
	if (!is_late && ((stream && !has_all_bytes(stream, &w->news)) || (s && !stream && !is_closed && w->news.bytes > 1)))
		return 0;
	if (!stream || s->ending || !(is_closed || has_all_bytes(stream, &w->news)) || complete(s, &w->news))
		return 1;
	if (is_late && is_closed) /* no unit in all this time, and no other news will come */
		free_slot(s, w->news.cookie);
	return is_late;
}

static unsigned news_count; /* handled since the thread took the lock */

/* Called by the thread, which holds the lock. Ends the reading of the ring if others may be waiting for the lock. */
static int on_news(void *arg, void *data, size_t bytes)
{
	struct waiting w = { .since_ms = now_ms() };

	(void)arg;
	if (bytes != sizeof(w.news))
		return 0;
	memcpy(&w.news, data, sizeof(w.news));
	if (!try_complete(&w) && waiting_count < WAITING_MAX)
		waiting[waiting_count++] = w;
	return ++news_count < NEWS_AT_A_TIME ? 0 : -EAGAIN;
}

static void *run_completions(void *arg)
{
	struct pollfd wait = { .fd = ring_buffer__epoll_fd(shared.news), .events = POLLIN };
	int has_more = 0;

	for (;;) {
		poll(&wait, 1, has_more ? 0 : waiting_count ? POLL_MS : 1000);
		pthread_mutex_lock(&shared.lock);
		news_count = 0;
		has_more = ring_buffer__consume(shared.news) == -EAGAIN;
		for (unsigned i = waiting_count; i-- > 0;)
			if (try_complete(&waiting[i]))
				waiting[i] = waiting[--waiting_count];
		pthread_mutex_unlock(&shared.lock);
		if (has_more)
			usleep(100); /* a mutex is not fair: who waits for it gets it now */
	}
	return arg;
}

/* --- a context --- */

int spin_streams__fit(const struct spin_object *obj)
{
	const struct spin_meta *meta = &obj->meta;

	if (meta->registration.delivery == SPIN_DELIVER_SEGMENTS)
		return spin_fail(
			-EOPNOTSUPP,
			"%s takes TCP segments as they arrive, and not the bytes of a stream: register .delivery = SPIN_DELIVER_STACK",
			meta->name);
	if (meta->registration.delivery != SPIN_DELIVER_STACK)
		return spin_fail(-EOPNOTSUPP, "%s takes messages, and those come by UDP: attach it to a socket of UDP", meta->name);
	if (meta->registration.puts)
		return spin_fail(-EOPNOTSUPP, "%s sends packets (SPIN_PUTS), and a stream has none that they could leave in", meta->name);
	if (meta->registration.user_header_bytes)
		return spin_fail(-EOPNOTSUPP,
				 "%s registers user_header_bytes, and a stream's first bytes may come one by one: look at them in the "
				 "payload handler",
				 meta->name);
	return 0;
}

uint32_t streams__units(void)
{
	const int cpus = kernel_cpus__possible();
	const uint32_t units = (uint32_t)cpus * SPIN_UNITS_OF_CPU, room = SPIN_HPUS_MAX - (uint32_t)cpus;

	return units < room ? units : room;
}

static const char *const map_names[] = { "spin_streams", "spin_stream_on", UNITS };

uint64_t streams__map_entries(const struct bpf_map *map, int is_stream)
{
	for (size_t i = 0; i < sizeof(map_names) / sizeof(map_names[0]); i++)
		if (!strcmp(bpf_map__name(map), map_names[i]))
			return !is_stream ? 0 : !strcmp(map_names[i], UNITS) ? streams__units() : 1;
	return 1;
}

int streams__prepare(struct spin_ctx *ctx)
{
	struct bpf_program *stream = bpf_object__find_program_by_name(ctx->bpf, "spin_stream");
	struct bpf_program *end = bpf_object__find_program_by_name(ctx->bpf, "spin_stream_end");
	struct bpf_map *map = NULL;
	int err = 0;

	for (size_t i = 0; i < sizeof(map_names) / sizeof(map_names[0]) && !err; i++) {
		map = bpf_object__find_map_by_name(ctx->bpf, map_names[i]);
		if (map)
			err = bpf_map__set_autocreate(map, ctx->takes_streams);
		else if (ctx->takes_streams)
			err = -ENOENT;
	}
	if (err || !ctx->takes_streams)
		return err;
	if (!stream || !end)
		return -ENOENT;
	if (!streams__units()) {
		ctx->failure_reported = 1;
		return spin_fail(-E2BIG,
				 "this machine has %d CPUs, and with so many no HPU is left for streams: attach %s to sockets of UDP",
				 kernel_cpus__possible(), ctx->name);
	}
	bpf_program__set_autoload(stream, true);
	bpf_program__set_autoload(end, true);
	map = bpf_object__find_map_by_name(ctx->bpf, UNITS);
	return bpf_map__set_max_entries(map, streams__units());
}

static void *map_memory(int map_fd, size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

int streams__open(struct spin_ctx *ctx)
{
	const struct bpf_program *stream = bpf_object__find_program_by_name(ctx->bpf, "spin_stream");
	const struct bpf_program *end = bpf_object__find_program_by_name(ctx->bpf, "spin_stream_end");
	int on_fd = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_stream_on"), zero = 0;
	struct streams *s;

	if (!ctx->takes_streams)
		return 0;
	s = ctx->streams = calloc(1, sizeof(*s));
	if (!s)
		return spin_fail(-ENOMEM, "no memory for the streams of %s", ctx->name);
	s->end_fd = bpf_program__fd(end);
	s->prog_fd = bpf_program__fd(stream);
	s->taken_fd = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_streams_taken");
	s->units_taken_fd = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_units_taken");
	s->seen_fd = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_streams_seen");
	s->stream = map_memory(bpf_object__find_map_fd_by_name(ctx->bpf, "spin_streams"), sizeof(*s->stream) * SPIN_STREAMS_MAX);
	s->seen = map_memory(s->seen_fd, sizeof(*s->seen));
	if (!s->stream || !s->seen)
		return spin_fail(-errno, "the streams of %s cannot be mapped: %s", ctx->name, strerror(errno));
	if (bpf_map_update_elem(on_fd, &zero, &s->prog_fd, BPF_ANY))
		return spin_fail(-errno, "the program of %s for streams cannot be connected: %s", ctx->name, strerror(errno));
	return 0;
}

/* --- sockets --- */

/* The caller holds the lock. */
static int alloc_slot(struct streams *s)
{
	uint8_t taken[SPIN_STREAM_SLOTS] = { 0 };

	for (const struct streams *at = shared.list; at; at = at->next)
		taken[at->slot] = 1;
	for (uint32_t slot = 1; slot < SPIN_STREAM_SLOTS; slot++)
		if (!taken[slot]) {
			s->slot = slot;
			s->next = shared.list;
			shared.list = s;
			return 0;
		}
	return spin_fail(-ENOSPC, "%u contexts have sockets of TCP, the most there can be", SPIN_STREAM_SLOTS - 1);
}

/* A connection stays in the maps when its context ends, and the kernel refuses to add a socket with a verdict program again (-EBUSY). */
static int add_socket(int map_fd, uint64_t cookie, uint64_t fd)
{
	uint64_t value;

	return bpf_map_lookup_elem(map_fd, &cookie, &value) ? bpf_map_update_elem(map_fd, &cookie, &fd, BPF_ANY) : 0;
}

static int add_connection(const struct streams *s, int socket_fd)
{
	const struct spin_stream_known known = { .owner = { s->id, s->slot } };
	const uint64_t fd = (uint64_t)socket_fd;
	int err = 0;

	if (bpf_map_update_elem(shared.known_fd, &s->cookie, &known, BPF_NOEXIST))
		return spin_fail(-errno, "the connection cannot have handlers: %s",
				 errno == EEXIST ? "another context has it" : strerror(errno));
	if (add_socket(shared.kept_fd, s->cookie, fd) || add_socket(shared.socks_fd, s->cookie, fd))
		err = spin_fail(-errno, "the connection cannot have handlers: %s", strerror(errno));
	if (err)
		bpf_map_delete_elem(shared.known_fd, &s->cookie);
	return err;
}

/* Returns 1 if an existing context has marked the socket. */
static int is_marked(int socket_fd, struct spin_stream_owner *owner)
{
	int is = 0;

	if (bpf_map_lookup_elem(shared.owner_fd, &socket_fd, owner))
		return 0;
	pthread_mutex_lock(&shared.lock);
	for (const struct streams *at = shared.list; at; at = at->next)
		is |= at->id == owner->context && at->slot == owner->slot;
	pthread_mutex_unlock(&shared.lock);
	return is;
}

int spin_streams__install(struct spin_ctx *ctx, int socket_fd, int is_listening)
{
	struct streams *s = ctx->streams;
	struct spin_stream_owner owner;
	socklen_t bytes = sizeof(s->cookie);
	int err;

	s->id = spin_guard__id(ctx);
	s->is_listening = is_listening;
	pthread_mutex_lock(&shared.lock);
	err = init_shared();
	pthread_mutex_unlock(&shared.lock);
	if (err)
		return err;
	if (getsockopt(socket_fd, SOL_SOCKET, SO_COOKIE, &s->cookie, &bytes))
		return spin_fail(-errno, "the socket has no number: %s", strerror(errno));
	if (is_marked(socket_fd, &owner))
		return spin_fail(-EEXIST, "the socket has the handlers of context %u already", owner.context);
	pthread_mutex_lock(&shared.lock);
	err = alloc_slot(s);
	pthread_mutex_unlock(&shared.lock);
	if (err)
		return err;
	owner = (struct spin_stream_owner){ s->id, s->slot };
	if (is_listening && bpf_map_update_elem(shared.owner_fd, &socket_fd, &owner, BPF_ANY))
		return spin_fail(-errno, "the socket cannot be marked: %s", strerror(errno));
	return is_listening ? 0 : add_connection(s, socket_fd);
}

int streams__attach(struct spin_ctx *ctx)
{
	struct streams *s = ctx->streams;
	const uint32_t none = 0;

	if (s->attached)
		return spin_fail(-EALREADY, "%s is attached already", ctx->name);
	pthread_mutex_lock(&shared.lock);
	s->ending = 0;
	pthread_mutex_unlock(&shared.lock);
	/* clear what a program that was running during the last detach may have left */
	for (uint32_t i = 0; s->is_listening && i < SPIN_STREAMS_MAX; i++)
		if (__atomic_exchange_n(&s->stream[i].cookie, 0, __ATOMIC_ACQ_REL))
			bpf_map_update_elem(s->taken_fd, &i, &none, BPF_ANY);
	if (bpf_map_update_elem(shared.counts_fd, &s->slot, &none, BPF_ANY) ||
	    bpf_map_update_elem(shared.states_fd, &s->slot, &s->seen_fd, BPF_ANY) ||
	    bpf_map_update_elem(shared.programs_fd, &s->slot, &s->prog_fd, BPF_ANY) ||
	    bpf_map_update_elem(shared.attached_fd, &s->slot, &s->id, BPF_ANY))
		return spin_fail(-errno, "connections cannot be given to %s: %s", ctx->name, strerror(errno));
	s->attached = 1;
	return 0;
}

/* Waits until no program runs that has read the slot before: the kernel does so when an entry of a map of maps is replaced. */
static void wait_for_programs(const struct streams *s)
{
	bpf_map_update_elem(shared.states_fd, &s->slot, &s->seen_fd, BPF_ANY);
}

/* next's maps are the same as ctx's, under other descriptors, except for those that only a running program has. */
int streams__replace(struct spin_ctx *ctx, struct spin_ctx *next)
{
	struct streams *s = ctx->streams, *other = next->streams, old = *s;

	if (s->attached && bpf_map_update_elem(shared.programs_fd, &s->slot, &other->prog_fd, BPF_ANY))
		return spin_fail(-errno, "the streams of %s cannot be given the new handlers: %s", ctx->name, strerror(errno));
	pthread_mutex_lock(&shared.lock); /* completion handlers run under it */
	s->end_fd = other->end_fd;
	s->prog_fd = other->prog_fd;
	s->taken_fd = other->taken_fd;
	s->units_taken_fd = other->units_taken_fd;
	s->seen_fd = other->seen_fd;
	pthread_mutex_unlock(&shared.lock);
	other->end_fd = old.end_fd;
	other->prog_fd = old.prog_fd;
	other->taken_fd = old.taken_fd;
	other->units_taken_fd = old.units_taken_fd;
	other->seen_fd = old.seen_fd;
	if (s->attached) /* not before: while the old program runs, it finds the rest of a piece by its own program array */
		wait_for_programs(s);
	return 0;
}

/* Calls fn for each connection of the context. Another one may have had its slot before. */
static void for_each_connection(const struct streams *s, void (*fn)(void *arg, uint64_t cookie), void *arg)
{
	struct spin_stream_known known;
	uint64_t key, next;
	int more = !bpf_map_get_next_key(shared.known_fd, NULL, &next);

	for (uint32_t n = 0; more && n < 2 * SPIN_STREAMS_OF_HOST; n++) {
		key = next;
		more = !bpf_map_get_next_key(shared.known_fd, &key, &next);
		if (!bpf_map_lookup_elem(shared.known_fd, &key, &known) && known.owner.slot == s->slot && known.owner.context == s->id)
			fn(arg, key);
	}
}

/*
 * Leaves the connection in the maps, so that the verdict program passes its data: a socket that is removed from them stops reading from
 * TCP.
 */
static void forget_connection(void *arg, uint64_t cookie)
{
	(void)arg;
	bpf_map_delete_elem(shared.known_fd, &cookie);
}

/* Runs the completion handlers of all connections that have not ended yet. */
static void complete_all(const struct streams *s)
{
	int tries = COMPLETE_TRIES;

	for (unsigned i = 0; i < SPIN_STREAMS_MAX; i++) {
		const struct spin_stream_news news = { .cookie = __atomic_load_n(&s->stream[i].cookie, __ATOMIC_ACQUIRE),
						       .family = AF_INET };

		while (news.cookie && !complete(s, &news) && tries-- > 0)
			usleep(1000);
	}
}

void streams__detach(struct spin_ctx *ctx)
{
	const uint32_t none = 0;
	struct streams *s = ctx->streams;

	if (!s->attached)
		return;
	s->attached = 0;
	__atomic_fetch_add(&s->seen->without, 1, __ATOMIC_SEQ_CST); /* before the first byte that no handler sees */
	bpf_map_update_elem(shared.attached_fd, &s->slot, &none, BPF_ANY);
	bpf_map_delete_elem(shared.programs_fd, &s->slot);
	for_each_connection(s, forget_connection, NULL);
	bpf_map_update_elem(shared.counts_fd, &s->slot, &none, BPF_ANY);
	pthread_mutex_lock(&shared.lock);
	s->ending = 1;
	pthread_mutex_unlock(&shared.lock);
	complete_all(s); /* without the lock, because a hostile program could hold it for long */
}

int streams__attached(const struct spin_ctx *ctx)
{
	return ctx->streams->attached;
}

static void count_open(void *arg, uint64_t cookie)
{
	unsigned *count = arg;
	uint64_t value;

	*count += !bpf_map_lookup_elem(shared.socks_fd, &cookie, &value);
}

unsigned spin_streams__count(const struct spin_ctx *ctx)
{
	unsigned count = 0;

	if (ctx->streams && ctx->streams->attached)
		for_each_connection(ctx->streams, count_open, &count);
	return count;
}

void streams__free(struct streams *s)
{
	if (!s)
		return;
	if (shared.news && s->slot) /* also of a context that was never attached: a connection is known before */
		for_each_connection(s, forget_connection, NULL);
	pthread_mutex_lock(&shared.lock);
	for (struct streams **at = &shared.list; *at; at = &(*at)->next)
		if (*at == s) {
			bpf_map_delete_elem(shared.states_fd, &s->slot);
			*at = s->next;
			break;
		}
	pthread_mutex_unlock(&shared.lock);
	if (s->stream)
		munmap(s->stream, sizeof(*s->stream) * SPIN_STREAMS_MAX);
	if (s->seen)
		munmap(s->seen, sizeof(*s->seen));
	free(s);
}
