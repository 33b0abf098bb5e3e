/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_DESCRIPTORS_H
#define USER_LIB_DESCRIPTORS_H

/*
 * Lets this process have as many descriptors open as its hard limit permits. A context takes about 60, and a shell's
 * soft limit is often 1,024. For programs, not for libraries: what uses select() must not be called afterwards.
 */
void descriptors_raise_limit(void);

#endif
