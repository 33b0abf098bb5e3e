/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_PAIR_H
#define TESTS_COMMON_PAIR_H

/*
 * Two network namespaces joined by a veth pair of four queues. They have no name, and end with the process and
 * its children.
 */
#define NEAR_ADDR  "10.78.0.2"
#define FAR_ADDR   "10.78.0.1"
#define NEAR_ADDR6 "fd78::2"
#define FAR_ADDR6  "fd78::1"
#define NEAR_DEV   "near0"
#define FAR_DEV    "far0"

struct pair {
	int near_ns, far_ns;
	int pass; /* a program on the near end: what XDP sends back from the far end arrives */
};

/* Ends the test as skipped without root, as failed if it cannot be made. The thread is in the near namespace then. */
void pair__open(struct pair *p);
void pair__close(struct pair *p);

/* A veth pair from one namespace to another. */
void pair__add(int ns, const char *dev, int other_ns, const char *other_dev);
/* Addresses, and the other end as neighbour, of the devices named above. */
void pair__set_up_near(int ns);
void pair__set_up_far(int ns);

#endif
