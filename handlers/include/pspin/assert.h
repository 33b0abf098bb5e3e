/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* May be included again, with another NDEBUG. A condition that does not hold ends the task with an error (ebreak). */
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
