/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Starts and stops memcached and the handlers in front of it (spind, the daemon that attaches them, and spin-memcached, which fills their
 * cache), for tests, benchmarks and the demo (server.h). Failures end the test.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memcached.h>
#include <spin/libspin_socket.h>

#include "kernel/features.h"
#include "tests/common/built.h"
#include "tests/common/memcached/server.h"
#include "tests/common/net/netns.h"
#include "tests/common/proc.h"

#define START_MS  20000
#define STEP_US   5000
#define WORDS_MAX 40
#define PROGRAM   "/usr/bin/memcached"

const char *mc_server__missing(void)
{
	return access(PROGRAM, X_OK) ? "memcached is not installed" : NULL;
}

const char *mc_server__missing_handlers(void)
{
	static char refusal[256];
	char path[512];

	if (!kernel_feature__has(KERNEL_ISOLATED))
		return kernel_feature__refusal(KERNEL_ISOLATED, refusal, sizeof(refusal));
	if (built_object("memcached", path, sizeof(path)))
		return "there is no memcached.spin";
	snprintf(path, sizeof(path), "%s/bin/spin-memcached", built_dir());
	return access(path, X_OK) ? "there is no spin-memcached" : NULL;
}

/* Must be called in the namespace. memcached opens its UDP sockets last; each has its handlers when it is bound. */
static int listens(void)
{
	const struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(MC_PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	static const char command[] = "\0\0\0\0\0\1\0\0mn\r\n";
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), answers = 0;
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	char answer[64];

	if (!connect(fd, (const struct sockaddr *)&to, sizeof(to)) && send(fd, command, sizeof(command) - 1, 0) > 0 &&
	    poll(&wait, 1, 200) > 0)
		answers = recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0;
	close(fd);
	return answers;
}

/* Copies the programs, because the user nobody may not be able to read the build directory. */
static void copy_programs(const struct mc_server *server)
{
	const char *to = server->spind.directory;
	char command[1200];

	snprintf(command, sizeof(command),
		 "cp '%s/handlers/memcached.spin' '%s/bin/spinctl' '%s/bin/spin-memcached' %s && cd %s && chmod 755 memcached.spin spinctl "
		 "spin-memcached",
		 built_dir(), built_dir(), built_dir(), to, to);
	if (system(command))
		die("cannot copy to %s", server->spind.directory);
}

static pid_t start_as_nobody(const struct mc_server *server, int out_fd, char *const *words)
{
	char *argv[WORDS_MAX] = { "setpriv", "--pdeathsig", "KILL", "--reuid", "65534", "--regid", "65534", "--clear-groups" };
	unsigned n = 8;

	while (*words && n < WORDS_MAX - 1)
		argv[n++] = *words++;
	return proc_exec(server->ns, server->cpu, out_fd, argv);
}

/* `spinctl exec` has one child, the program. */
static pid_t child_of(pid_t pid)
{
	char path[64];
	FILE *from;
	int child = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	from = fopen(path, "re");
	if (from && fscanf(from, "%d", &child) != 1)
		child = 0;
	if (from)
		fclose(from);
	return child ? child : pid;
}

static void start_memcached(struct mc_server *server)
{
	char spinctl[100], handler[100], threads[12], port[8];
	char *with[] = { spinctl,     "exec",  "--socket", server->spind.socket, "--class", "trusted", "--protocol", "both",
			 "--handler", handler, "--" };
	char *alone[] = { PROGRAM, "-u", "nobody", "-p", port, "-U", port, "-t", threads, NULL };
	char *words[WORDS_MAX];
	unsigned n = 0;

	snprintf(spinctl, sizeof(spinctl), "%s/spinctl", server->spind.directory);
	snprintf(handler, sizeof(handler), "%s/memcached.spin", server->spind.directory);
	snprintf(threads, sizeof(threads), "%u", server->threads);
	snprintf(port, sizeof(port), "%d", MC_PORT);
	if (server->with) {
		memcpy(words, with, sizeof(with));
		n = sizeof(with) / sizeof(with[0]);
	}
	memcpy(&words[n], alone, sizeof(alone));
	server->pid = start_as_nobody(server, STDERR_FILENO, words);
	for (unsigned us = 0; !listens(); us += STEP_US) {
		if (us > START_MS * 1000u || !proc_alive(server->pid))
			die("memcached does not start");
		usleep(STEP_US);
	}
	server->memcached = server->with ? child_of(server->pid) : server->pid;
}

static int take_first(void *arg, const struct spin_socket_info *info)
{
	uint32_t *id = arg;

	*id = info->id;
	return 1;
}

static void open_cache(struct mc_server *server)
{
	uint32_t id = 0;
	void *cache;
	size_t bytes;

	if (spin_socket__list(server->spind.socket, take_first, &id) < 0 || !id ||
	    spin_socket__open(id, server->spind.socket, &server->object, &server->ctx) ||
	    spin_ctx__symbol(server->ctx, "spin_state", &cache, &bytes))
		die("the handlers' cache: %s", spin_strerror_last());
	if (bytes != sizeof(struct mc_cache))
		die("memcached.spin is of another build");
	server->cache = cache;
}

static void start_fill(struct mc_server *server)
{
	char program[100];
	char *words[] = { program, "--socket", server->spind.socket, NULL };

	snprintf(program, sizeof(program), "%s/spin-memcached", server->spind.directory);
	server->fill = start_as_nobody(server, STDERR_FILENO, words);
	for (unsigned us = 0; !*(volatile const uint32_t *)&server->cache->on; us += STEP_US) {
		if (us > START_MS * 1000u || !proc_alive(server->fill))
			die("spin-memcached does not start");
		usleep(STEP_US);
	}
}

void mc_server__restart_fill(struct mc_server *server)
{
	const int own = netns_here();

	kill(server->fill, SIGKILL);
	waitpid(server->fill, NULL, 0);
	netns_enter(server->ns);
	start_fill(server);
	netns_enter(own);
	close(own);
}

void mc_server__start(struct mc_server *server)
{
	int own = netns_here();

	server->fill = 0;
	server->ctx = NULL;
	server->object = NULL;
	server->cache = NULL;
	netns_enter(server->ns);
	if (server->with) {
		spind__start(&server->spind, "trusted-group nogroup\n"); /* the group of the user nobody */
		copy_programs(server);
	}
	start_memcached(server);
	if (server->with) {
		open_cache(server);
		start_fill(server);
	}
	netns_enter(own);
	close(own);
}

void mc_server__stop(struct mc_server *server)
{
	if (server->fill)
		proc_stop(server->fill, SIGTERM);
	if (server->ctx)
		spin_ctx__destroy(server->ctx);
	if (server->object)
		spin_object__close(server->object);
	proc_stop(server->pid, SIGTERM);
	if (server->with)
		spind__cleanup(&server->spind);
	server->fill = 0;
}

uint32_t mc_server__hits(const struct mc_server *server)
{
	return server->cache ? *(volatile const uint32_t *)&server->cache->hits : 0;
}
