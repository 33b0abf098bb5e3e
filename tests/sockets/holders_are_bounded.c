/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the number of spind's processes, one for each network namespace with contexts. A user must not get more of them than contexts
 * (`contexts` of spind.conf), whether its requests are refused or its contexts have ended, and those without contexts must end soon.
 * Requests to list contexts, which go to all of them, come all the time. Another user's context must stay, and no request that is within
 * the quota may be refused. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define USER       1234
#define OTHER      1235
#define CONTEXTS   4
#define REFUSED    32
#define PORT       7300
#define LIST_US    50000 /* between two lists */
#define END_STEPS  200   /* of END_US, in which a process without a context must end */
#define END_US     40000
#define LISTER_MAX 10 /* failed lists in a row */

static struct spind spind;
static struct spin_object *rewrite;
static pid_t lister;

/* Returns a socket of UDP in a new namespace, which lives as long as the socket. Handlers can only be attached if its lo is up. */
static int socket_in_new_namespace(int is_up)
{
	const struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd;

	close(netns_new());
	if (is_up)
		netns_shell("ip link set lo up");
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&any, sizeof(any)))
		die("no socket in a new namespace: %s", strerror(errno));
	return fd;
}

/* spind sees the user at connect(). */
static int attach(uid_t uid, int fd, struct spin_ctx **ctx)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket };
	int err;

	if (seteuid(uid))
		die("cannot become user %u: %s", uid, strerror(errno));
	err = spin_socket__attach(fd, rewrite, &opts, ctx);
	if (seteuid(0))
		die("cannot become root again: %s", strerror(errno));
	return err;
}

/* Tries again for as long as a context that has ended may count. */
static struct spin_ctx *attach_in_new_namespace(uid_t uid)
{
	const int fd = socket_in_new_namespace(1);
	struct spin_ctx *ctx;

	for (int tries = 0; attach(uid, fd, &ctx); tries++) {
		if (tries == END_STEPS * slow_factor())
			die("a context within the quota: %s", spin_strerror_last());
		usleep(END_US);
	}
	return ctx; /* its socket stays open until this process ends */
}

static void expect_at_most(unsigned most, const char *when)
{
	const unsigned holders = spind__holders(&spind);

	if (holders > most)
		die("%s: spind has %u processes with contexts, and %u may be", when, holders, most);
}

/* --- lists --- */

static int skip_entry(void *arg, const struct spin_socket_info *info)
{
	(void)arg;
	(void)info;
	return 0;
}

static void start_lister(void)
{
	lister = fork();
	if (lister)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int failed = 0; failed < LISTER_MAX; usleep(LIST_US))
		failed = spin_socket__list(spind.socket, skip_entry, NULL) < 0 ? failed + 1 : 0;
	_exit(1);
}

static void stop_lister(void)
{
	int status;

	kill(lister, SIGKILL);
	waitpid(lister, &status, 0);
	if (WIFEXITED(status))
		die("spind does not list its contexts any more");
}

/* --- the checks --- */

static void check_refused(unsigned others)
{
	unsigned tries;

	for (unsigned i = 0; i < REFUSED; i++) {
		const int fd = socket_in_new_namespace(0);
		struct spin_ctx *ctx;

		if (!attach(USER, fd, &ctx))
			die("handlers are attached in a namespace without an interface");
		close(fd);
		expect_at_most(others + CONTEXTS, "after refused requests");
	}
	printf("ok: after %u refused requests in as many namespaces there are %u processes\n", REFUSED, spind__holders(&spind));
	for (tries = 0; spind__holders(&spind) != others; tries++) {
		if (tries == END_STEPS * (unsigned)slow_factor())
			die("processes without a context do not end while contexts are listed: %u are left", spind__holders(&spind));
		usleep(END_US);
	}
	printf("ok: and then none without a context\n");
}

/* One context more than the quota. On a busy machine spind may first have to be asked again. */
static void expect_refusal(void)
{
	const int fd = socket_in_new_namespace(1);
	struct spin_ctx *ctx;
	int err;

	for (int tries = 0; tries < END_STEPS * slow_factor(); tries++) {
		err = attach(USER, fd, &ctx);
		if (err != -EDQUOT || !strstr(spin_strerror_last(), "try again"))
			break;
		usleep(END_US);
	}
	if (err != -EDQUOT || !strstr(spin_strerror_last(), "`contexts`"))
		die("one context more than the quota: %d: %s", err, err ? spin_strerror_last() : "success");
	close(fd);
}

static void check_ended(unsigned others)
{
	struct spin_ctx *ctx[CONTEXTS];

	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < CONTEXTS; i++) {
			ctx[i] = attach_in_new_namespace(USER);
			expect_at_most(others + CONTEXTS, "with contexts in new namespaces");
		}
		if (spind__holders(&spind) != others + CONTEXTS)
			die("%u processes for contexts in %u namespaces", spind__holders(&spind), others + CONTEXTS);
		expect_refusal();
		expect_at_most(others + CONTEXTS, "with one more request than the quota");
		for (unsigned i = 0; i < CONTEXTS; i++)
			spin_ctx__destroy(ctx[i]);
	}
	printf("ok: contexts in new namespaces, after those in others have ended, within the quota\n");
}

static void finish(void)
{
	if (lister > 0)
		kill(lister, SIGKILL);
	if (!seteuid(0) && spind.directory[0])
		spind__cleanup(&spind);
}

int main(void)
{
	char settings[32];
	struct spin_ctx *of_other;

	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(settings, sizeof(settings), "contexts %u\n", CONTEXTS);
	spind__start(&spind, settings);
	start_lister();
	atexit(finish); /* also of a failed check */
	rewrite = built_open("rewrite");
	check_refused(0);
	of_other = attach_in_new_namespace(OTHER);
	check_refused(1);
	check_ended(1);
	if (spin_ctx__alive(of_other) < 0)
		die("another user's context has ended: %s", spin_strerror_last());
	printf("ok: another user's context is still there\n");
	spin_ctx__destroy(of_other);
	stop_lister();
	lister = 0;
	return 0;
}
