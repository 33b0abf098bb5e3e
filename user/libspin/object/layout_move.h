/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_LAYOUT_MOVE_H
#define USER_LIBSPIN_OBJECT_LAYOUT_MOVE_H

/*
 * Takes a variable's value from one layout to another, field by field and by name (spin_ctx__migrate()). A plan is made once from the two
 * types (layout_plan.h); then the value can be brought up to date again and again, while handlers change the old one: what has not changed
 * since the last time is only compared. Types come from objects of others: what they say of sizes and places is checked, and so is how
 * much there is to do.
 *
 * Functions return 0 or a negative errno with a reason, which names the field.
 */
#include <stdint.h>

#include "user/libspin/object/layout_plan.h"

/*
 * Makes the new value the old one's. `from` and `to` have all copies of the variable, and nobody else uses `to`. *changed grows by the bytes
 * of the old value that had changed, at first by all that are taken. -ENOSPC: the new one has no place for an entry that is in use; the
 * new value is not to be used then.
 */
int layout_move__update(struct layout_move *move, const void *from, void *to, uint64_t *changed);

#endif
