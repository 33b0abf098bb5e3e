/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * assert() for handler files written for PsPIN's own runtime (`spincc --api pspin`): a false condition ends the task with an error
 * (ebreak). As in C, the file may be included again with another NDEBUG.
 */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition)                           \
	do {                                        \
		if (!(condition))                   \
			__asm__ volatile("ebreak"); \
	} while (0)
#endif
