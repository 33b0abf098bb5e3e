/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that no packet of handlers is lost. A million runs of a handler send two packets each: all must arrive in order, and the library's
 * counters must equal what arrived. Then the process is killed: nothing of it may remain. Run by tests/run.
 *
 *	handlers_send_lose_nothing [RUNS]
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "tests/common/built.h"
#include "tests/common/child.h"
#include "tests/common/net/leak_check.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/slow.h"
#include <spin/libspin.h>
#include "tests/handlers/sending/fan_out.h"

#define RUNS     1000000u
#define EACH     2u /* packets per run */
#define MAPS_MAX 128
#define WINDOW   32u /* runs in flight: their packets fit into any queue */

static struct shared {
	struct spin_put_stats stats;
	uint32_t map[MAPS_MAX]; /* of the process that is killed */
	unsigned maps;
	int ready, count, counted;
} * shared;

static void die(const char *what)
{
	printf("FAIL: %s: %s\n", what, spin_strerror_last());
	exit(1);
}

/*
 * Notes all maps that this process holds, except program arrays. Opening and closing a program array that is about to be
 * freed, to see whether it exists, makes the kernel keep it: it counts the reference twice. The programs in the arrays hold
 * the other maps.
 */
static void record_maps(void)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)) && shared->maps < MAPS_MAX) {
		struct bpf_map_info info = { 0 };
		unsigned bytes = sizeof(info);
		char path[300], name[64] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		if (readlink(path, name, sizeof(name) - 1) > 0 && strstr(name, "bpf-map") &&
		    !bpf_obj_get_info_by_fd(atoi(entry->d_name), &info, &bytes) && info.type != BPF_MAP_TYPE_PROG_ARRAY)
			shared->map[shared->maps++] = info.id;
	}
	closedir(dir);
}

static unsigned maps_left(void)
{
	unsigned left = 0;

	for (unsigned i = 0; i < shared->maps; i++) {
		int fd = bpf_map_get_fd_by_id(shared->map[i]);

		left += fd >= 0;
		if (fd >= 0)
			close(fd);
	}
	return left;
}

static int serve(int unused)
{
	struct spin_object *object;
	struct spin_nic *nic;
	struct spin_rule rule;
	struct spin_ctx *ctx;
	char path[512];
	size_t bytes;
	void *state;

	(void)unused;
	if (built_object("fan_out", path, sizeof(path)))
		die(engine_error());
	if (spin_object__open(path, &object) || spin_rule__parse("udp dport 7777", &rule) || spin_nic__open(FAR_DEV, &nic) ||
	    spin_ctx__create(nic, object, &rule, &ctx) || spin_ctx__symbol(ctx, "spin_state", &state, &bytes))
		die("create");
	*(struct fan_out *)state = (struct fan_out){ .count = EACH, .bytes = 8, .answer = FAN_OUT_DROP };
	if (spin_ctx__attach(ctx))
		die("attach");
	record_maps();
	__atomic_store_n(&shared->ready, 1, __ATOMIC_RELEASE);
	for (;;) {
		while (!__atomic_load_n(&shared->count, __ATOMIC_ACQUIRE))
			poll(NULL, 0, 5);
		if (spin_ctx__alive(ctx) != 1 || spin_ctx__put_stats(ctx, &shared->stats))
			die("alive");
		__atomic_store_n(&shared->count, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&shared->counted, 1, __ATOMIC_RELEASE);
	}
	return 0;
}

static int open_socket(void)
{
	struct sockaddr_in far = { .sin_family = AF_INET, .sin_port = htons(7777) };
	const struct timeval wait = slow_wait(2000);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), room = 4 << 20; /* a copy of a packet takes a page of it */

	inet_pton(AF_INET, FAR_ADDR, &far.sin_addr);
	if (fd < 0 || connect(fd, (struct sockaddr *)&far, sizeof(far)) || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		die("no socket");
	return fd;
}

static void send_run(int fd, uint32_t run)
{
	const uint32_t data[] = { run * EACH, run * EACH + 1, run * EACH + 2, 0 };

	if (send(fd, data, sizeof(data), 0) != sizeof(data))
		die("cannot send");
}

/* Receives the next packet. */
static void receive_packet(int fd, uint32_t want)
{
	uint32_t data[2];

	if (recv(fd, data, sizeof(data), 0) != sizeof(data)) {
		printf("FAIL: packet %u of %u has not come\n", want % EACH, want / EACH);
		exit(1);
	}
	if (data[0] != want || data[1] != want + 1) {
		printf("FAIL: packet %u came where %u was to\n", data[0], want);
		exit(1);
	}
}

static void check_counts(uint32_t runs)
{
	const struct spin_put_stats *s = &shared->stats;
	uint64_t lost = s->lost_queue + s->lost_copy + s->lost_way;

	__atomic_store_n(&shared->count, 1, __ATOMIC_RELEASE);
	for (int i = 0; !__atomic_load_n(&shared->counted, __ATOMIC_ACQUIRE); i++)
		if (i > 1000 || poll(NULL, 0, 10))
			die("the process does not count");
	if (s->copied == (uint64_t)runs * EACH && !s->returned && !s->sent && !lost)
		return;
	printf("FAIL: of %u packets %llu copied, %llu returned, %llu sent, %llu lost\n", runs * EACH, (unsigned long long)s->copied,
	       (unsigned long long)s->returned, (unsigned long long)s->sent, (unsigned long long)lost);
	exit(1);
}

/* The kernel frees its memory with a delay. */
static void check_nothing_left(const struct pair *pair, int fd)
{
	char byte;

	netns_enter(pair->far_ns);
	for (int i = 0; leak_check__program(FAR_DEV) || maps_left(); i++)
		if (i > 500 || poll(NULL, 0, 20)) {
			puts("FAIL: the killed process has left something");
			exit(1);
		}
	send_run(fd, 0);
	if (poll(&(struct pollfd){ fd, POLLIN, 0 }, 1, 200) && recv(fd, &byte, 1, 0) >= 0) {
		puts("FAIL: a handler runs whose process is dead");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	const uint32_t runs = argc > 1 ? (uint32_t)atoi(argv[1]) : RUNS;
	struct pair pair;
	pid_t server;
	int fd;

	pair__open(&pair);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	server = child__start(pair.far_ns, serve, 0);
	for (int i = 0; !__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE); i++)
		if (i > 3000 || poll(NULL, 0, 10))
			die("the handler is not attached");
	fd = open_socket();
	for (uint32_t run = 0; run < runs + WINDOW; run++) {
		if (run < runs)
			send_run(fd, run);
		for (uint32_t i = 0; i < EACH && run >= WINDOW; i++)
			receive_packet(fd, (run - WINDOW) * EACH + i);
	}
	check_counts(runs);
	if (maps_left() != shared->maps || shared->maps < 8)
		die("the process holds no maps");
	if (!child__kill(&server))
		die("the process has ended by itself");
	check_nothing_left(&pair, fd);
	pair__close(&pair);
	return 0;
}
