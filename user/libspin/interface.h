/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_INTERFACE_H
#define USER_LIBSPIN_INTERFACE_H

/*
 * Properties of an interface on which limits and rings depend. For an offline interface all are zero, which refuses
 * nothing.
 */
#include "user/libspin/internal.h"

struct iface {
	unsigned mtu;  /* 0: none */
	int redirects; /* its driver receives and sends packets that programs redirect */
};

/* -ENODEV with a reason: it went away. */
int iface__read(const struct spin_nic *nic, struct iface *out);

#endif
