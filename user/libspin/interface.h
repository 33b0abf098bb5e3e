/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_INTERFACE_H
#define USER_LIBSPIN_INTERFACE_H

/*
 * Properties of an interface that limits and rings depend on. An offline interface has all of them zero, and then nothing is
 * refused.
 */
#include "user/libspin/internal.h"

struct iface {
	unsigned mtu;  /* 0: none */
	int redirects; /* its driver takes and sends packets that programs redirect */
};

/* -ENODEV with a reason: it went away. */
int iface__read(const struct spin_nic *nic, struct iface *out);

#endif
