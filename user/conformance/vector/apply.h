/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_VECTOR_APPLY_H
#define USER_CONFORMANCE_VECTOR_APPLY_H

/* Changes of a vector, made in what is expected of memory, and on an engine. */
#include "user/conformance/vector/vector.h"

/* As the application makes them. 0 or a negative errno; engine_why() has the reason. */
int vector_make(const struct vector_changes *changes, const struct types *t, struct engine *e, struct image *want, struct host_image *host);
/* As they are expected. */
int vector_expect(const struct vector_changes *changes, const struct types *t, struct image *want, struct host_image *host);

#endif
