/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests how the dispatcher (an interface's XDP program) spreads packets over CPUs, which are the HPUs that run handlers. 500 packets of one
 * key (the same source), 10 at a time, must all run on one CPU, their home. When packets come faster than it handles them, at least one
 * other CPU must help, and packets that no CPU takes must be counted as NO_HPU. Run by tests/run.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/traffic/shared_updates.h"
#include "tests/common/net/slow.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"

static void die(const char *what)
{
	printf("FAIL: %s\n", what);
	exit(1);
}

/* Returns the number of HPUs that handlers ran on. */
static unsigned busy(const struct shared_updates *h)
{
	unsigned n = 0;
	uint32_t *mine;
	size_t bytes;
	void *at;

	if (spin_ctx__symbol(h->ctx, "mine", &at, &bytes))
		die(spin_strerror_last());
	mine = at;
	for (size_t i = 0; i < bytes / sizeof(*mine); i++)
		n += mine[i] > 0;
	return n;
}

int main(void)
{
	struct hammering_stream s = { .from = 6000, .to = 9000, .sockets = 1 };
	uint64_t packets[SPIN_REASON_COUNT], runs = 0, all;
	struct shared_updates h = { 0 };
	volatile int stop = 1;
	struct spin_nic *nic;
	struct pair pair;
	struct sockaddr_in to = { .sin_family = AF_INET };
	const char *reason;
	int fd;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("skip: one CPU has nobody to help it\n");
		return 77;
	}
	pair__open(&pair);
	netns_enter(pair.far_ns);
	if (spin_nic__open(FAR_DEV, &nic))
		die(spin_strerror_last());
	reason = shared_updates__open(&h, nic, "hammer", "udp dport 9000", SPIN_HPUS_SPREAD, 0);
	if (reason)
		die(reason);
	netns_enter(pair.near_ns);
	s.stop = &stop;
	to.sin_port = htons(9000);
	inet_pton(AF_INET, FAR_ADDR, &to.sin_addr);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	for (unsigned i = 0; i < 50; i++) {
		for (unsigned n = 0; n < 10; n++)
			s.sent += sendto(fd, "home", 4, 0, (struct sockaddr *)&to, sizeof(to)) == 4;
		for (int wait = 0; shared_updates__runs(&h) < s.sent && wait < 5000; wait++)
			usleep(1000);
	}
	close(fd);
	if (shared_updates__runs(&h) != s.sent || !s.sent || busy(&h) != 1)
		die("packets of one key do not all go to their home");
	h.state->rounds = 12000;
	s.pause_us = 0;
	stop = 0;
	reason = shared_updates__stream(&s);
	if (reason)
		die(reason);
	usleep(400000);
	stop = 1;
	pthread_join(s.thread, NULL);
	for (int still = 0; still < 5; still++, usleep(100000))
		if (shared_updates__runs(&h) != runs) {
			runs = shared_updates__runs(&h);
			still = 0;
		}
	spin_ctx__counters(h.ctx, packets);
	all = runs + packets[SPIN_REASON_NO_HPU];
	printf("%llu sent, %llu handled on %u HPUs, %llu found none\n", (unsigned long long)s.sent, (unsigned long long)runs, busy(&h),
	       (unsigned long long)packets[SPIN_REASON_NO_HPU]);
	if (busy(&h) < 2)
		die("nobody helps");
	if (all > s.sent || all < s.sent / 2 / (unsigned)slow_factor())
		die("packets are not counted");
	reason = shared_updates__check(&h);
	if (reason)
		die(reason);
	shared_updates__close(&h);
	spin_nic__close(nic);
	pair__close(&pair);
	return 0;
}
