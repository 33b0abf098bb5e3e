/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef LIBSPIN_SEAL_H
#define LIBSPIN_SEAL_H

/*
 * A fat object ends in a seal: length and checksum of the ELF file before it.
 * ELF readers ignore what follows the last section; libspin refuses an object
 * whose seal is broken before anything of it is interpreted.
 */
#include <stddef.h>
#include <stdint.h>

#define SPIN_SEAL_BYTES 24

/* Writes the seal for a file of these bytes. */
void spin_seal__make(const void *data, size_t bytes, uint8_t seal[SPIN_SEAL_BYTES]);

/* Bytes of the ELF file before the seal; 0: no seal at the end; -EINVAL: broken. */
long spin_seal__check(const void *data, size_t bytes);

#endif
