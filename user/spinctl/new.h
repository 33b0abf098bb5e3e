/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_NEW_H
#define USER_SPINCTL_NEW_H

/*
 * Templates that `spinctl new` writes: a handler file and its first test. Embedded in spinctl and NUL-terminated; new.c replaces NAME by
 * the handler's name.
 */
extern const char new_template_handler[], new_template_vector[];

#endif
