/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kill -9 of a client, of spind, of the processes that hold its contexts, or of all of them, at any moment while contexts are created,
 * migrated and destroyed. Afterwards each program, interface and process must be as before or have an owner, and a new client must be
 * served. While only spind is dead the contexts must keep running. Run by tests/run.
 *
 *	killed_at_any_time [ROUNDS]
 */
#include <errno.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/common/built.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define ROUNDS 30

static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *rewrite;
static int sender;
static uint64_t seed = 1;

static void finish(void)
{
	spind__cleanup(&spind);
}

/* Attaches, migrates every second context, and destroys it, until it is killed. Writes to `ready` when the first context exists. */
static int be_client(int ready, int keeps)
{
	for (unsigned i = 0;; i++) {
		int fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
		struct spin_ctx *ctx;

		udp_hosts__bind(fd, "10.9.0.1", (uint16_t)(UDP_HOSTS_PORT + 10 + i % 4));
		ctx = spind__try_attach(&spind, fd, rewrite, NULL);
		if (!ctx)
			return 0; /* spind is dead */
		if (!i && write(ready, "r", 1) != 1)
			return 1;
		while (keeps)
			pause();
		if (i % 2)
			spin_socket__migrate(spin_socket__id(ctx), rewrite, spind.socket, NULL);
		spin_ctx__destroy(ctx);
		close(fd);
	}
}

static pid_t start_client(int keeps)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		die("no pipe");
	pid = fork();
	if (!pid) {
		spind__drop_privileges();
		close(ready[0]);
		_exit(be_client(ready[1], keeps));
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		die("a client has no context: %s", "it ended");
	close(ready[0]);
	return pid;
}

static uint32_t program_on_s0(void)
{
	uint32_t id = 0;

	bpf_xdp_query_id((int)if_nametoindex("s0"), 0, &id);
	return id;
}

static void wait_for(unsigned seconds, const char *what, int (*is)(void))
{
	for (unsigned i = 0; i < 100 * seconds; i++) {
		if (is())
			return;
		usleep(10000);
	}
	die("after %u seconds: %s", seconds, what);
}

static void wait_until(const char *what, int (*is)(void))
{
	wait_for(10, what, is);
}

static int s0_is_free(void)
{
	return !program_on_s0();
}

static int no_holders(void)
{
	return !spind__holders(&spind);
}

/* Programs of guards, and of gates of migrations, in the kernel, of any process. */
static unsigned guards(void)
{
	struct bpf_prog_info info;
	uint32_t id = 0, bytes;
	unsigned count = 0;

	while (!bpf_prog_get_next_id(id, &id)) {
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;
		memset(&info, 0, sizeof(info));
		bytes = sizeof(info);
		if (!bpf_obj_get_info_by_fd(fd, &info, &bytes))
			count += !strcmp(info.name, "spin_guard") || !strcmp(info.name, "spin_gate");
		close(fd);
	}
	return count;
}

static unsigned guards_before;

static int guards_are_gone(void)
{
	return guards() <= guards_before;
}

static void end_client(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void check_new_client(void)
{
	int fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	struct spin_ctx *ctx = NULL;

	udp_hosts__bind(fd, "10.9.0.1", UDP_HOSTS_PORT);
	for (int i = 0; i < 100 && !(ctx = spind__try_attach(&spind, fd, rewrite, NULL)); i++)
		usleep(20000);
	if (!ctx)
		die("a new client is not served: %s", spin_strerror_last());
	if (!udp_hosts__is_rewritten(sender, "10.9.0.1", UDP_HOSTS_PORT, &fd, 1))
		die("the handlers of a new client do not run");
	spin_ctx__destroy(ctx);
	close(fd);
}

/* Kills only the front process: contexts must keep running, and the next spind must find them. */
static void kill_front(pid_t client)
{
	uint32_t before = program_on_s0();

	spind__kill(&spind, SIGKILL);
	usleep(20000);
	if (!before || program_on_s0() != before)
		die("the context of a client has not outlived spind");
	spind__restart(&spind);
	check_new_client();
	if (program_on_s0() != before)
		die("the next spind does not go on with the process that holds the contexts");
	end_client(client);
}

static void run_round(unsigned round)
{
	const unsigned what = (unsigned)(random_next(&seed) % 5);
	pid_t client = start_client(what == 1);

	usleep((useconds_t)(random_next(&seed) % 60000));
	switch (what) {
	case 0:
		end_client(client);
		break;
	case 1:
		kill_front(client);
		break;
	case 2: /* first the holders, then the rest */
		spind__kill_holders(&spind);
		end_client(client);
		break;
	case 3: /* all at once */
		spind__kill(&spind, SIGKILL);
		spind__kill_holders(&spind);
		end_client(client);
		break;
	case 4: /* spind and its client; the holders end by themselves */
		spind__kill(&spind, SIGKILL);
		end_client(client);
		wait_until("a process without spind and clients lives on", no_holders);
	}
	wait_until("an interface without contexts has a program", s0_is_free);
	/* other tests that run at the same time may have some for a while */
	wait_for(180, "a guard or a gate without context is in the kernel", guards_are_gone);
	if (!spind.pid)
		spind__restart(&spind);
	check_new_client();
	if (round % 10 == 9)
		printf("%u rounds\n", round + 1);
}

int main(int argc, char **argv)
{
	const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : ROUNDS;

	setvbuf(stdout, NULL, _IOLBF, 0);
	udp_hosts__hosts(&hosts);
	guards_before = guards();
	rewrite = built_open("rewrite");
	sender = udp_hosts__socket(&hosts, hosts.client_ns, AF_INET);
	udp_hosts__bind(sender, "0.0.0.0", UDP_HOSTS_SENDER);
	spind__start(&spind, "");
	atexit(finish);
	for (unsigned i = 0; i < rounds; i++)
		run_round(i);
	spind__kill(&spind, SIGTERM);
	wait_until("a process without spind and clients lives on", no_holders);
	return 0;
}
