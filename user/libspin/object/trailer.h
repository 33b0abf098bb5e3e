/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_TRAILER_H
#define USER_LIBSPIN_OBJECT_TRAILER_H

/*
 * A handler's object (spincc's output, an ELF file) ends in a trailer: length and checksum of the file before it. Written by spincc,
 * checked by object.c. ELF readers ignore what follows the last section; libspin refuses an object whose trailer is wrong before anything
 * of it is interpreted.
 */
#include <stddef.h>
#include <stdint.h>

#define SPIN_TRAILER_BYTES 24

/* Writes the trailer for a file of these bytes. */
void spin_trailer__make(const void *data, size_t bytes, uint8_t trailer[SPIN_TRAILER_BYTES]);

/* Returns the size of the ELF file before the trailer; 0: there is no trailer; -EINVAL: it does not match. */
long spin_trailer__check(const void *data, size_t bytes);

#endif
