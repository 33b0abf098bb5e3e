/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_DESCRIPTORS_H
#define USER_LIB_DESCRIPTORS_H

/*
 * Raises this process's limit of open descriptors to the hard limit. A context takes about 60, and a shell's soft limit is
 * often 1,024. Only programs may call it, not libraries: the process must not use select() afterwards.
 */
void descriptors_raise_limit(void);

#endif
