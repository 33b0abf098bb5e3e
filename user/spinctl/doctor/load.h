/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_DOCTOR_LOAD_H
#define USER_SPINCTL_DOCTOR_LOAD_H

/*
 * Test loads for spinctl doctor: loads the dispatcher (an interface's XDP program) and small handlers as `spinctl run` does, and closes
 * them again. exam.c runs the loads; load.c and process.c read the results. Implemented by test_load.c.
 */
#include "user/spinctl/doctor/facts.h"

/* Fills in TEST_LOADS rows. all: 0 loads only what every handler needs. Loading all takes one to two seconds. */
void doctor_load__try(struct test_load *test_loads, int all);
/* Returns 1 if datagram handlers of this class and their dispatcher load. */
int doctor_load__has(const struct test_load *test_loads, enum spin_class class);

#endif
