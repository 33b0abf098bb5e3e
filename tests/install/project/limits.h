/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_INSTALL_PROJECT_LIMITS_H
#define TESTS_INSTALL_PROJECT_LIMITS_H

/* Shared by the handler ports.c and the application watch.c: the limit of ports. */
#define PORTS_LOWEST 1024

#endif
