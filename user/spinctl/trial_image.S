/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Fat objects of the handlers in trial/, for doctor/trial.c: they are in a directory of -I. */
	.macro image name
	.global trial_\name, trial_\name\()_end
	.hidden trial_\name, trial_\name\()_end
	.balign 16
trial_\name:
	.incbin "\name\().spin"
trial_\name\()_end:
	.endm

	.section .rodata
	image datagram
	image message
	image sender
	.section .note.GNU-stack, "", @progbits
