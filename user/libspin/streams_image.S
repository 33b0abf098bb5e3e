/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Embeds the compiled bpf/streams.bpf.c into libspin; streams.c loads it. STREAMS_IMAGE names the object. */
	.section .rodata
	.global streams_image, streams_image_end
	.hidden streams_image, streams_image_end
	.balign 16
streams_image:
	.incbin STREAMS_IMAGE
streams_image_end:
	.section .note.GNU-stack, "", @progbits
