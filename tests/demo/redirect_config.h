/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_REDIRECT_CONFIG_H
#define TESTS_DEMO_REDIRECT_CONFIG_H

/* Shared by redirect.bpf.c and redirect.c. */
#include <linux/types.h>

#define REDIRECT_PORTS_MAX 16

/* Ports in host byte order. */
struct redirect_config {
	__u16 first_port, ports, published_port;
};

#endif
