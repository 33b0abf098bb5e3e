/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The kernel's queue of ended TCP connections overflows while the process that holds the contexts is stopped. When it goes on, it must find
 * which connections have ended: each that had handlers must get its completion handler, and their places must be free for later
 * connections. Runs as root, which may stop that process. Run by tests/run.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "tests/common/built.h"
#include "tests/common/net/lines.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include "tests/common/traffic/tcp_pair.h"
#include <spin/libspin.h>

#define ADDRESS     "127.0.0.1"
#define PORT        7125
#define CONNECTIONS 8000 /* two entries each: more than the queue of 1 MiB has room for */
#define KEPT        64   /* connections that end when the queue is full */
#define LATER       200  /* connections afterwards */

static struct udp_hosts hosts;
static struct spind spind;

/* Returns how many entries found no room in the queue, by the newest map of that name. */
static uint32_t count_lost(void)
{
	uint32_t id = 0, zero = 0, lost = 0, value;

	while (!bpf_map_get_next_id(id, &id)) {
		struct bpf_map_info info = { 0 };
		uint32_t bytes = sizeof(info);
		int fd = bpf_map_get_fd_by_id(id);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &bytes) &&
		    !strncmp(info.name, "spin_stream_lost", BPF_OBJ_NAME_LEN - 1) && !bpf_map_lookup_elem(fd, &zero, &value))
			lost = value;
		if (fd >= 0)
			close(fd);
	}
	return lost;
}

/* Opens and closes connections while the process that reads the queue is stopped, and closes those in `kept` last. */
static void overflow(int listener, const struct tcp_pair *kept, pid_t holder)
{
	if (kill(holder, SIGSTOP))
		die("the holder cannot be stopped: %s", strerror(errno));
	for (unsigned i = 0; i < CONNECTIONS; i++) {
		const struct tcp_pair pair = tcp_pair__open(listener);

		if (send(pair.client, "abc", 3, MSG_NOSIGNAL) != 3)
			die("cannot send: %s", strerror(errno));
		tcp_pair__close(&pair);
		proc_progress();
	}
	for (unsigned i = 0; i < KEPT; i++)
		tcp_pair__close(&kept[i]);
	kill(holder, SIGCONT);
}

/* The connections in `kept` have a context of their own: its queue in the process, unlike the kernel's, does not overflow. */
static void check(void)
{
	const int listener = tcp_pair__listen(ADDRESS, PORT), kept_listener = tcp_pair__listen(ADDRESS, PORT + 1);
	struct spin_object *object = built_open("lines");
	struct spin_ctx *ctx = spind__attach(&spind, listener, object, NULL),
			*kept_ctx = spind__attach(&spind, kept_listener, object, NULL);
	struct lines *state = lines__state(ctx), *kept_state = lines__state(kept_ctx);
	struct tcp_pair kept[KEPT];
	uint32_t begun;

	for (unsigned i = 0; i < KEPT; i++) {
		kept[i] = tcp_pair__open(kept_listener);
		tcp_pair__check_read("a connection", &kept[i], "abc", "Abc");
	}
	overflow(listener, kept, spind__holder(&spind));
	begun = lines__load(&state->begun);
	printf("%u of %u connections had handlers, %u news were lost\n", begun, CONNECTIONS, count_lost());
	if (!begun || !count_lost())
		die("the queue has not overflowed: the test means nothing");
	lines__wait_for("connections end whose end was lost", &kept_state->ended, KEPT);
	lines__wait_for("the connections that filled the queue end", &state->ended, begun);
	for (unsigned i = 0; i < LATER; i++) {
		const struct tcp_pair pair = tcp_pair__open(listener);

		tcp_pair__check_read("a later connection", &pair, "abc", "Abc");
		tcp_pair__close(&pair);
	}
	lines__wait_for("later connections end", &state->ended, begun + LATER);
	spin_ctx__destroy(kept_ctx);
	spin_ctx__destroy(ctx);
	close(kept_listener);
	close(listener);
}

static int run(void)
{
	check();
	return 0;
}

int main(void)
{
	udp_hosts__hosts(&hosts);
	spind__start(&spind, "");
	return spind__run_in_child(&spind, run);
}
