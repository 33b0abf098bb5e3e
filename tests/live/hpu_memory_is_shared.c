/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * HPU memory (state of handlers, which all HPUs share) outlives contexts and can be shared by them: tests libspin_hpu.h. Two contexts of
 * one interface with different handlers, of datagrams and of messages, count in one state from several CPUs and must lose nothing. The
 * memory must survive one and both contexts, also in the isolated class. It may be freed while a context uses it. SIGKILL must leave
 * nothing. Run by tests/run.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/child.h"
#include "tests/common/expect.h"
#include "tests/common/net/leak_check.h"
#include "tests/common/net/netns.h"
#include "user/conformance/template/template.h"
#include "tests/handlers/memory/share.h"
#include <spin/libspin_hpu.h>

#define DATAGRAMS 200000u
#define BATCH     1000u
#define MESSAGES  20000u
static uint32_t unique_bytes; /* a size that no other process's maps have */

static struct spin_object *first, *second;
static struct spin_nic *nic;
static struct template datagram, message;

static struct spin_ctx_opts make_opts(struct spin_hpu_mem *mem)
{
	return (struct spin_ctx_opts){ .bytes = sizeof(struct spin_ctx_opts), .hpu_mem = mem };
}

static struct spin_ctx *create(const struct spin_object *object, const struct spin_ctx_opts *opts)
{
	struct spin_rule rule;
	struct spin_ctx *ctx;

	expect(0, spin_rule__parse(object == first ? "udp dport 9000" : "udp dport 9330", &rule), "a rule");
	expect(0, spin_ctx__create_opts(nic, object, &rule, opts, &ctx), "a context");
	expect(0, spin_ctx__attach(ctx), "attaching");
	return ctx;
}

static struct spin_hpu_mem *alloc(size_t bytes)
{
	struct spin_hpu_mem *mem;

	expect(0, spin_hpu_mem__alloc(nic, bytes, &mem), "HPU memory");
	return mem;
}

static void make_packet(struct template *t, const char *udp, const char *what)
{
	template_start(t);
	if (template_line(t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 || template_line(t, "ip4 10.0.0.1 > 10.0.0.2") != 1 ||
	    template_line(t, udp) != 1 || template_line(t, what) != 1 || template_line(t, "fill 64 1") != 1 || template_finish(t))
		fail(engine_error());
}

static void run(const struct template *t, unsigned repeat)
{
	uint8_t out[ENGINE_FRAME_MAX];
	struct spin_run_result result;

	if (spin_nic__run(nic, t->frame, t->bytes, repeat, out, sizeof(out), &result))
		fail("packets");
}

static void send_datagrams(unsigned count)
{
	for (unsigned i = 0; i < count; i += BATCH)
		run(&datagram, count - i < BATCH ? count - i : BATCH);
}

static uint32_t next_id;

/* Sends messages of one packet. They have no checksum, so that the number can be written into them. */
static void send_messages(unsigned count)
{
	static __thread struct template mine;

	mine = message;
	for (unsigned i = 0; i < count; i++) {
		uint32_t id = __builtin_bswap32(__atomic_fetch_add(&next_id, 1, __ATOMIC_RELAXED));

		memcpy(mine.frame + mine.slmp_at + 2, &id, sizeof(id));
		run(&mine, 1);
	}
}

static void *datagrams_thread(void *unused)
{
	send_datagrams(DATAGRAMS);
	return unused;
}

static void *messages_thread(void *unused)
{
	send_messages(MESSAGES);
	return unused;
}

static void expect_counts(const struct shared *s, uint32_t want_first, uint32_t want_second, const char *when)
{
	expect(want_first, s->first, when);
	expect(want_second, s->second, when);
	expect((want_first + want_second) * s->step, s->both, when);
}

static void two_contexts_count_in_one_state(void)
{
	struct spin_hpu_mem *mem = alloc(16384);
	struct spin_ctx_opts opts = make_opts(mem);
	const struct shared start = { .step = 3 };
	struct spin_ctx *a, *b;
	struct shared *mine, *s;
	pthread_t thread[3];
	size_t bytes;

	s = spin_hpu_mem__addr(mem, &bytes);
	expect(16384, (long long)bytes, "its size");
	for (unsigned i = 0; i < bytes; i++)
		expect(0, ((uint8_t *)s)[i], "new HPU memory");
	opts.initial_state = &start;
	opts.initial_state_bytes = sizeof(start);
	a = create(first, &opts);
	expect(3, s->step, "the initial state");
	opts = make_opts(mem);
	opts.message.lose_events = 1; /* the events of the 20,000 messages are not read */
	b = create(second, &opts);
	opts = make_opts(mem);
	expect(3, s->step, "what the second context found");
	expect(0, spin_ctx__symbol(a, "spin_state", (void **)&mine, &bytes), "the first one's state");
	expect(sizeof(*mine), (long long)bytes, "its size");
	pthread_create(&thread[0], NULL, datagrams_thread, NULL);
	pthread_create(&thread[1], NULL, messages_thread, NULL);
	pthread_create(&thread[2], NULL, datagrams_thread, NULL);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	expect_counts(s, 2 * DATAGRAMS, MESSAGES, "two contexts at work");
	expect(s->both, mine->both, "what the first one's state says");
	expect(0, spin_ctx__set(b, "spin_state.shared.step=0"), "a field of the second one's");
	expect(0, (long long)mine->step, "the first one's");
	expect(0, spin_ctx__set(a, "spin_state.step=3"), "a field of the first one's");

	spin_ctx__destroy(a);
	send_messages(10);
	expect_counts(s, 2 * DATAGRAMS, MESSAGES + 10, "when one context is gone");
	spin_ctx__destroy(b);
	expect_counts(s, 2 * DATAGRAMS, MESSAGES + 10, "when both are gone");
	a = create(first, &opts);
	send_datagrams(5);
	expect_counts(s, 2 * DATAGRAMS + 5, MESSAGES + 10, "of a third one");
	spin_ctx__destroy(a);
	opts.class = SPIN_CLASS_ISOLATED;
	a = create(first, &opts);
	send_datagrams(7);
	expect_counts(s, 2 * DATAGRAMS + 12, MESSAGES + 10, "of the isolated class");

	spin_hpu_mem__free(mem); /* s is unmapped; the context's own mapping is not */
	expect(0, spin_ctx__symbol(a, "spin_state", (void **)&mine, &bytes), "the state of freed HPU memory");
	send_datagrams(1);
	expect_counts(mine, 2 * DATAGRAMS + 13, MESSAGES + 10, "when the memory is freed");
	spin_ctx__destroy(a);
}

static void a_state_begins_as_the_host_says(void)
{
	const struct shared start = { .first = 5, .step = 7 };
	struct spin_ctx_opts opts = make_opts(NULL);
	struct shared *s;
	struct spin_ctx *a;
	size_t bytes;

	opts.initial_state = &start;
	opts.initial_state_bytes = sizeof(start);
	a = create(first, &opts);
	expect(0, spin_ctx__symbol(a, "spin_state", (void **)&s, &bytes), "the state");
	expect(5, s->first, "its first field");
	expect(7, s->step, "its last field");
	spin_ctx__destroy(a);
	opts.initial_state_bytes = 4; /* the rest is the handler's initial state */
	a = create(first, &opts);
	expect(0, spin_ctx__symbol(a, "spin_state", (void **)&s, &bytes), "the state");
	expect(5, s->first, "its first field");
	expect(1000, s->step, "its last field, which the handler says");
	spin_ctx__destroy(a);
}

static void expect_refused(const struct spin_object *object, const struct spin_ctx_opts *opts, int err, const char *reason)
{
	struct spin_rule rule = { 0 };
	struct spin_ctx *ctx;

	expect(err, spin_ctx__create_opts(NULL, object, &rule, opts, &ctx), reason);
	expect_error_text(reason);
}

static void sizes_that_cannot_be(void)
{
	struct spin_ctx_opts opts = make_opts(NULL);
	struct spin_hpu_mem *mem;
	struct spin_ctx *ctx;
	char state[64];

	expect(-EINVAL, spin_hpu_mem__alloc(nic, 0, &mem), "no bytes");
	expect(-E2BIG, spin_hpu_mem__alloc(nic, (4u << 20) + 1, &mem), "more than there can be");
	expect_error_text("the limit (max_handler_mem) is 4194304");
	mem = alloc(4u << 20);
	spin_hpu_mem__free(mem);
	mem = alloc(sizeof(struct shared) - 1);
	opts.hpu_mem = mem;
	expect_refused(first, &opts, -EINVAL, "the state of share_first has 16 bytes, the HPU memory 15");
	expect_refused(second, &opts, -EINVAL, "the HPU memory 15");
	spin_hpu_mem__free(mem);
	mem = alloc(sizeof(struct shared));
	opts.hpu_mem = mem;
	ctx = create(first, &opts);
	spin_ctx__destroy(ctx);
	spin_hpu_mem__free(mem);
	opts = make_opts(NULL);
	opts.initial_state = state;
	expect_refused(first, &opts, -EINVAL, "give both, or neither");
	opts.initial_state_bytes = sizeof(struct shared) + 1;
	expect_refused(first, &opts, -EINVAL, "has 17 bytes, its state 16");
	opts.initial_state_bytes = (1u << 20) + 1;
	expect_refused(first, &opts, -E2BIG, "the limit (max_initial_state) is 1048576");
	opts.initial_state = NULL;
	expect_refused(first, &opts, -EINVAL, "give both, or neither");
}

static unsigned descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	while (dir && readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* Creating and refusing contexts repeatedly must not leak descriptors or memory. */
static void nothing_is_kept(void)
{
	struct spin_hpu_mem *mem = alloc(unique_bytes);
	struct spin_ctx_opts opts = make_opts(mem);
	unsigned before = descriptors();

	for (unsigned i = 0; i < 5; i++) {
		spin_ctx__destroy(create(second, &opts));
		spin_ctx__destroy(create(first, &opts));
		opts.initial_state_bytes = 1;
		expect_refused(first, &opts, -EINVAL, "give both, or neither");
		opts.initial_state_bytes = 0;
	}
	expect(before, descriptors(), "descriptors");
	expect(1, leak_check__maps(unique_bytes), "maps of the HPU memory");
	spin_hpu_mem__free(mem);
	for (unsigned i = 0; i < 50 && leak_check__maps(unique_bytes); i++)
		usleep(100000); /* the kernel frees it with a delay */
	expect(0, leak_check__maps(unique_bytes), "maps when it is freed");
}

static int ready[2];

static int owner(int unused)
{
	struct spin_ctx_opts opts = make_opts(alloc(unique_bytes));
	struct spin_nic *own;

	(void)unused;
	expect(0, spin_nic__open("v0", &own), "v0");
	nic = own;
	create(first, &opts);
	create(second, &opts);
	if (write(ready[1], "r", 1) != 1)
		return 1;
	pause();
	return 0;
}

static void a_kill_leaves_nothing(int ns)
{
	pid_t pid;
	char byte;

	if (pipe(ready))
		fail("a pipe");
	pid = child__start(ns, owner, 0);
	if (read(ready[0], &byte, 1) != 1)
		fail("the owner does not start");
	expect(1, leak_check__maps(unique_bytes), "maps of the owner's HPU memory");
	child__kill(&pid);
	for (unsigned i = 0; i < 50 && (leak_check__maps(unique_bytes) || leak_check__program("v0")); i++)
		usleep(100000);
	expect(0, leak_check__maps(unique_bytes), "maps that are left");
	expect(0, leak_check__program("v0"), "a program that is left");
}

int main(void)
{
	int ns = netns_new();

	unique_bytes = 8192 + 8 * leak_check__own_number();
	first = built_open("share_first");
	second = built_open("share_second");
	netns_shell("ip link add v0 type veth peer name v1 && ip link set v0 up && ip link set v1 up");
	make_packet(&datagram, "udp 4000 > 9000", "hex 00000000");
	make_packet(&message, "udp 4000 > 9330 sum none", "slmp SYN EOM id 1 off 0");
	expect(0, spin_nic__open("v0", &nic), "v0");
	two_contexts_count_in_one_state();
	a_state_begins_as_the_host_says();
	sizes_that_cannot_be();
	nothing_is_kept();
	spin_nic__close(nic);
	a_kill_leaves_nothing(ns);
	return 0;
}
