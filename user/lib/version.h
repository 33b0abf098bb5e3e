/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_VERSION_H
#define USER_LIB_VERSION_H

/* The version of programs, library, man pages and pkg-config file, defined only here. The Makefile reads it, too. */
#define SPIN_VERSION "0.2"

#endif
