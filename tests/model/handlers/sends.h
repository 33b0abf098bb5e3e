/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_HANDLERS_SENDS_H
#define TESTS_MODEL_HANDLERS_SENDS_H

/* Shared by sends.c and its test, handlers_send_and_overrun.c. */
#define OVERRUNS 100u /* instead of a packet count: loop until the budget is used up */

#endif
