/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_LAYOUT_MOVE_H
#define USER_LIBSPIN_OBJECT_LAYOUT_MOVE_H

/*
 * Copies the value of a handler's variable from one struct layout to another, field by field and by name, when handlers are replaced.
 * Called by swap/migrate.c (spin_ctx__migrate()). A plan is made once from the two types (layout_plan.h). Then the new value can be updated
 * repeatedly while handlers change the old one; data that has not changed since the last update is only compared. The types come from
 * untrusted objects, so their sizes and offsets are checked, and the work is limited.
 *
 * Functions return 0 or a negative errno with a reason, which names the field.
 */
#include <stdint.h>

#include "user/libspin/object/layout_plan.h"

/*
 * Updates the new value from the old one. `from` and `to` have all copies of the variable, and only the caller uses `to`. *changed grows by
 * the bytes of the old value that had changed, on the first call by all that are copied. -ENOSPC: the new table has no slot for an entry
 * that is in use; the new value must then not be used.
 */
int layout_move__update(struct layout_move *move, const void *from, void *to, uint64_t *changed);

#endif
