/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_DAMAGED_OBJECT_H
#define TESTS_COMMON_DAMAGED_OBJECT_H

/* Fat objects with some bytes changed, and with a new trailer: what the checks behind the trailer are for. */
#include <stddef.h>

#include "user/libspin/internal.h"

/* As spin_object__open() of the changed object. Ends the test as failed if that cannot be made. */
int damaged_open(const struct spin_object *good, size_t offset, const void *value, size_t bytes, struct spin_object **out);
/* The same of a field of what is registered: offset and size of it, and a number. */
int damaged_registration(const struct spin_object *good, size_t field, size_t bytes, uint32_t value, struct spin_object **out);

/* Offset and size of a field of struct spin_registration. */
#define REGISTERED(name) offsetof(struct spin_registration, name), sizeof(((struct spin_registration *)NULL)->name)

#endif
