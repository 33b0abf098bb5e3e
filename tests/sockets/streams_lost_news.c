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
#define LATER       200  /* connections afterwards */
#define SHARE_MIN   8    /* slots of a connection: so many at least have had handlers */

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

static void overflow(int listener, pid_t holder)
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
	kill(holder, SIGCONT);
}

static void check(void)
{
	const int listener = tcp_pair__listen(ADDRESS, PORT);
	struct spin_ctx *ctx = spind__attach(&spind, listener, built_open("lines"), NULL);
	struct lines *state = lines__state(ctx);
	uint32_t begun;

	overflow(listener, spind__holder(&spind));
	begun = lines__load(&state->begun);
	printf("%u of %u connections had handlers, %u news were lost\n", begun, CONNECTIONS, count_lost());
	if (begun < SHARE_MIN || !count_lost())
		die("the queue has not overflowed: the test means nothing");
	lines__wait_for("all connections end, also those whose end was lost", &state->ended, begun);
	for (unsigned i = 0; i < LATER; i++) {
		const struct tcp_pair pair = tcp_pair__open(listener);

		tcp_pair__check_read("a later connection", &pair, "abc", "Abc");
		tcp_pair__close(&pair);
	}
	lines__wait_for("later connections end", &state->ended, begun + LATER);
	spin_ctx__destroy(ctx);
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
