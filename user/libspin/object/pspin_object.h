/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_PSPIN_OBJECT_H
#define USER_LIBSPIN_OBJECT_PSPIN_OBJECT_H

/*
 * Objects of `spincc --api pspin`: a handler for PsPIN's own runtime, as an rv32 program that runs only on the modelled NIC. libspin
 * (object.c) refuses them with a message; spinctl cost (user/cost/pspin.c) runs them. They are untrusted: their description is checked
 * here. The program itself runs in the model's own memory.
 */
#include <stddef.h>
#include <stdint.h>

#include <hwmodel/pspin_api.h>

/*
 * Checks the bytes of an ELF file, without its trailer. Returns 0 and the description in *out; -ENOENT: not such an object; -EINVAL: it is
 * damaged or of another version (spin_strerror_last()).
 */
int pspin_object__read(const char *path, const uint8_t *data, size_t bytes, struct pspin_api *out);

#endif
