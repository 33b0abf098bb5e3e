/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_DOCTOR_LOAD_H
#define USER_SPINCTL_DOCTOR_LOAD_H

/* Test loads for spinctl doctor: the dispatcher and small handlers are loaded as `spinctl run` would, and closed again. */
#include "user/spinctl/doctor/facts.h"

/* Fills in TEST_LOADS rows. all: 0 loads only what no handler can do without. Takes one to two seconds for all. */
void doctor_load__try(struct test_load *test_loads, int all);
/* 1 if datagram handlers of this class load, with their dispatcher. */
int doctor_load__has(const struct test_load *test_loads, enum spin_class class);

#endif
