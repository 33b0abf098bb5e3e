/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_PSPIN_OBJECT_H
#define USER_LIBSPIN_OBJECT_PSPIN_OBJECT_H

/*
 * Objects of `spincc --api pspin`: an rv32 program for the model alone. libspin refuses them by name, spinctl cost runs them. They
 * are data: what is read of them is checked here, the rest by the model, which has the program in memory of its own.
 */
#include <stddef.h>
#include <stdint.h>

#include <hwmodel/pspin_api.h>

/*
 * The bytes of an ELF file, without its trailer. 0: it is one, and *out what it says of itself; -ENOENT: it is none; -EINVAL: it says
 * that it is, and is damaged or of another version (spin_strerror_last()).
 */
int pspin_object__read(const char *path, const uint8_t *data, size_t bytes, struct pspin_api *out);

#endif
