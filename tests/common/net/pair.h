/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_PAIR_H
#define TESTS_COMMON_PAIR_H

/*
 * Two network namespaces joined by a veth pair of four queues. They have no name, and disappear with the process and its children. Used by
 * tests in tests/live, tests/ring, tests/segments and tests/transfer, and by benchmarks.
 */
#define NEAR_ADDR  "10.78.0.2"
#define FAR_ADDR   "10.78.0.1"
#define NEAR_ADDR6 "fd78::2"
#define FAR_ADDR6  "fd78::1"
#define NEAR_DEV   "near0"
#define FAR_DEV    "far0"

struct pair {
	int near_ns, far_ns;
	int pass; /* XDP program on the near end, so that frames that XDP sends back from the far end arrive */
};

/* Ends the test as skipped without root, as failed on other errors. The thread is then in the near namespace. */
void pair__open(struct pair *p);
void pair__close(struct pair *p);

/* Adds a veth pair from one namespace to another. */
void pair__add(int ns, const char *dev, int other_ns, const char *other_dev);
/* Sets the addresses of the devices named above, and the other end as neighbour. */
void pair__set_up_near(int ns);
void pair__set_up_far(int ns);

#endif
