/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_VERSION_H
#define USER_LIB_VERSION_H

/* The version of programs, library, pages and pkg-config file. It is defined only here. */
#define SPIN_VERSION "0.2"

#endif
