/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_ECHO_CLIENTS_H
#define TESTS_COMMON_ECHO_CLIENTS_H

/*
 * Client threads that send to handlers which answer, and check every packet that comes back. Started by echo_test.c, for
 * tests/stress/stress.c.
 */
#include "tests/common/net/echo_test.h"

#define ECHO_PACKETS 8u /* of a message */
#define ECHO_EACH    2u /* puts of a datagram */

/* The argument is a struct echo_test. */
void *echo_test__ping(void *arg);
void *echo_test__fan(void *arg);

#endif
