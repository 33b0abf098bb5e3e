/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests changes while connections of the kernel's TCP are open and send, in both load classes: replaces handlers of TCP segments
 * (spin_ctx__swap()), moves their state to another layout (spin_ctx__migrate()) and changes the rule (spin_ctx__set_rule()). Each
 * connection must begin and end once, whichever handlers it began with, and its length must be exact. To replace them by handlers of
 * datagrams, or the reverse, must be refused. Uses namespaces of its own. Run by tests/run.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/common/attached.h"
#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/slow.h"
#include "tests/common/proc.h"
#include "tests/common/traffic/migration_handler.h"
#include "tests/segments/echo.h"

#define CLIENTS 4u
#define KEPT    3u    /* connections of each client that are open during all changes */
#define SHORT   3000u /* connections of each client that are not, at most: its ports must last */
#define PART    3000u
#define CHANGES 6u

static struct pair pair;
static struct echo echo;
static const char *class_name;
static atomic_int is_over;
static atomic_uint connections, bytes;

static struct spin_object *object_of(const char *handler)
{
	struct spin_object *object;
	char path[512];

	if (built_object(handler, path, sizeof(path)) || spin_object__open(path, &object))
		die("%s: %s", handler, spin_strerror_last());
	return object;
}

static unsigned count(struct spin_ctx *ctx, const char *field)
{
	char path[64];

	snprintf(path, sizeof(path), "spin_state.%s", field);
	return (unsigned)migration_handler__field(ctx, path);
}

static void send_part(int fd, uint64_t *random)
{
	echo__exchange(fd, random, PART);
	atomic_fetch_add(&bytes, PART);
}

/* Uses connections that are kept, and beside them one after the other. */
static void *client(void *arg)
{
	uint64_t random = 7 + (uint64_t)(uintptr_t)arg;
	int kept[KEPT], fd;
	uint16_t port;

	netns_enter(pair.near_ns);
	for (unsigned i = 0; i < KEPT; i++)
		kept[i] = echo__connect(&echo, &port);
	atomic_fetch_add(&connections, KEPT);
	for (unsigned n = 0; !atomic_load(&is_over); n++) {
		fd = n < SHORT ? echo__connect(&echo, &port) : -1;
		if (fd >= 0) {
			atomic_fetch_add(&connections, 1);
			send_part(fd, &random);
			echo__finish(fd);
		}
		for (unsigned i = 0; i < KEPT; i++)
			send_part(kept[i], &random);
		usleep(1000);
	}
	for (unsigned i = 0; i < KEPT; i++)
		echo__finish(kept[i]);
	return NULL;
}

static void change_rule(struct spin_ctx *ctx, const char *text)
{
	struct spin_rule rule;

	if (spin_rule__parse(text, &rule) || spin_ctx__set_rule(ctx, &rule))
		die("%s, rule %s: %s", class_name, text, spin_strerror_last());
}

static void migrate(struct spin_ctx *ctx, struct spin_object *to)
{
	if (spin_ctx__migrate(ctx, to, NULL))
		die("%s, migrate: %s", class_name, spin_strerror_last());
	proc_progress();
}

/* The handlers that only seg_live_moved has must be given packets, also after it was replaced by itself. */
static void expect_moved(struct spin_ctx *ctx)
{
	const unsigned had = count(ctx, "moved");

	for (int i = 0; count(ctx, "moved") == had; i++) {
		if (i == 1000 * slow_factor())
			die("%s: the new handlers get no packets", class_name);
		usleep(1000);
	}
}

static void change(struct spin_ctx *ctx, struct spin_object *live, struct spin_object *moved)
{
	for (unsigned i = 0; i < CHANGES; i++) {
		if (spin_ctx__swap(ctx, live))
			die("%s, swap: %s", class_name, spin_strerror_last());
		change_rule(ctx, "tcp dport 9000-9001");
		migrate(ctx, moved);
		expect_moved(ctx);
		if (spin_ctx__swap(ctx, moved))
			die("%s, swap: %s", class_name, spin_strerror_last());
		expect_moved(ctx);
		change_rule(ctx, "tcp dport 9000");
		migrate(ctx, live);
	}
}

static void expect_other_kinds_refused(struct spin_ctx *ctx, struct spin_nic *nic, struct spin_object *live)
{
	struct spin_object *datagrams = object_of("filter_counts");
	struct spin_ctx *of_datagrams;
	const char *failed = attached__context(&of_datagrams, nic, "filter_counts", "udp dport 9000", NULL);

	if (failed)
		die("%s", failed);
	if (spin_ctx__swap(ctx, datagrams) != -EOPNOTSUPP || spin_ctx__migrate(ctx, datagrams, NULL) != -EOPNOTSUPP)
		die("handlers of datagrams replace those of segments");
	if (spin_ctx__swap(of_datagrams, live) != -EOPNOTSUPP || spin_ctx__migrate(of_datagrams, live, NULL) != -EOPNOTSUPP)
		die("handlers of segments replace those of datagrams");
	spin_ctx__destroy(of_datagrams);
	spin_object__close(datagrams);
}

static void run(enum spin_class class)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };
	struct spin_object *live = object_of("seg_live"), *moved = object_of("seg_live_moved");
	pthread_t thread[CLIENTS];
	struct spin_ctx *ctx;
	struct spin_nic *nic;
	const char *failed;

	class_name = class == SPIN_CLASS_ISOLATED ? "isolated" : "trusted";
	atomic_store(&is_over, 0);
	atomic_store(&connections, 0);
	atomic_store(&bytes, 0);
	netns_enter(pair.far_ns);
	if (spin_nic__open(FAR_DEV, &nic))
		die("%s", spin_strerror_last());
	failed = attached__context(&ctx, nic, "seg_live", "tcp dport 9000", &opts);
	if (failed)
		die("%s", failed);
	expect_other_kinds_refused(ctx, nic, live);
	for (uintptr_t i = 0; i < CLIENTS; i++)
		if (pthread_create(&thread[i], NULL, client, (void *)i))
			die("no thread for a client");
	change(ctx, live, moved);
	atomic_store(&is_over, 1);
	for (unsigned i = 0; i < CLIENTS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; count(ctx, "ended") != connections && i < 1000 * slow_factor(); i++)
		usleep(10000);
	printf("%s: %u changes of each kind; %u connections, %u begun, %u ended, %u of %u bytes\n", class_name, 2 * CHANGES, connections,
	       count(ctx, "begun"), count(ctx, "ended"), count(ctx, "length"), bytes);
	if (connections <= CLIENTS * KEPT || count(ctx, "begun") != connections || count(ctx, "ended") != connections)
		die("not every connection begins and ends once");
	if (count(ctx, "length") != bytes)
		die("the lengths are wrong");
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
	spin_object__close(live);
	spin_object__close(moved);
}

int main(void)
{
	proc_init();
	pair__open(&pair);
	echo = (struct echo){ .near_ns = pair.near_ns, .far_ns = pair.far_ns, .port = 9000, .wait_seconds = 30 * slow_factor() };
	netns_enter(pair.near_ns);
	echo__start(&echo);
	run(SPIN_CLASS_TRUSTED);
	run(SPIN_CLASS_ISOLATED);
	echo__stop(&echo);
	pair__close(&pair);
	return 0;
}
