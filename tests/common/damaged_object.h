/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_DAMAGED_OBJECT_H
#define TESTS_COMMON_DAMAGED_OBJECT_H

/*
 * Compiled handlers (.spin files) with changed bytes and a new trailer (length and checksum at the end), for tests in tests/unit and
 * tests/live of the checks that libspin makes after the trailer's.
 */
#include <stddef.h>

#include "user/libspin/internal.h"

/* Same as spin_object__open() on the changed object. Ends the test as failed if the changed object cannot be created. */
int damaged_open(const struct spin_object *good, size_t offset, const void *value, size_t bytes, struct spin_object **out);
/* Same for a field of the registration: its offset and size, and the new value. */
int damaged_registration(const struct spin_object *good, size_t field, size_t bytes, uint32_t value, struct spin_object **out);

/* Offset and size of a field of struct spin_registration. */
#define REGISTERED(name) offsetof(struct spin_registration, name), sizeof(((struct spin_registration *)NULL)->name)

#endif
