/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_INSTALL_PROJECT_LIMITS_H
#define TESTS_INSTALL_PROJECT_LIMITS_H

/* Source ports below this are dropped by the handler ports.c. A header of the project, to test that spincc -I finds it. */
#define PORTS_LOWEST 1024

#endif
