/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_REDIRECT_CONFIG_H
#define TESTS_DEMO_REDIRECT_CONFIG_H

/*
 * The configuration that redirect.c writes and redirect.bpf.c reads: which destination ports of the filtering demo's datagrams are changed,
 * and to which.
 */
#include <linux/types.h>

#define REDIRECT_PORTS_MAX 16

/* Ports in host byte order. */
struct redirect_config {
	__u16 first_port, ports, published_port;
};

#endif
