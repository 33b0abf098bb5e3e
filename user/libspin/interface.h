/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_INTERFACE_H
#define USER_LIBSPIN_INTERFACE_H

/*
 * Properties of a network interface on which limits and rings depend. Implemented by limits.c; called by it and by ring/ring.c. For an
 * offline interface (packets only from tests) all are zero, which refuses nothing.
 */
#include "user/libspin/internal.h"

/* Properties of an interface. */
struct iface {
	unsigned mtu;  /* 0: none */
	int redirects; /* its driver receives and sends packets that programs redirect */
};

/* -ENODEV with a reason: it went away. */
int iface__read(const struct spin_nic *nic, struct iface *out);

#endif
