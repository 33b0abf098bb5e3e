/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef LIBSPIN_INTERNAL_H
#define LIBSPIN_INTERNAL_H

/* What the files of libspin share. Nothing here is exported. */
#include <net/if.h>
#include <stdarg.h>

#include <bpf/libbpf.h>

/* All else is compiled hidden. */
#pragma GCC visibility push(default)
#include "libspin.h"
#pragma GCC visibility pop

#define SPIN_SENTENCE_BYTES 1024

/* Remembers the sentence and gives `err` (negative) back. */
int spin_fail(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));
void spin_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Makes libbpf speak through spin_set_log(), once. */
void spin_quiet_libbpf(void);

struct spin_object {
	char *path;
	uint8_t *data;            /* the whole file */
	size_t bytes;
	struct spin_meta meta;
	size_t image_offset, image_bytes;
	struct bpf_object *types; /* opened, never loaded: for its BTF */
};

/* Checks that every offset in an ELF file leads into it; finds one section. 0, -EINVAL with a sentence. */
int spin_elf__check(const char *path, const uint8_t *data, size_t bytes, int machine);
/* The same for its types. */
int spin_btf__check(const char *path, const uint8_t *data, size_t bytes);
/* Also 0 with *section_bytes 0 if there is none. */
int spin_elf__section(const uint8_t *data, size_t bytes, const char *name, size_t *offset,
		      size_t *section_bytes);

struct spin_nic {
	char name[IF_NAMESIZE];
	int ifindex;
	int is_virtual;
};

/* One of the object's data sections, mapped. */
struct spin_memory {
	char *addr; /* NULL: the object has no such section */
	size_t bytes;
};

struct spin_ctx {
	char name[16];
	enum spin_class class;
	struct spin_nic nic;      /* ifindex 0: none */
	struct bpf_object *bpf;
	const struct btf *btf;
	int prog_fd;
	int link_fd;              /* -1: not attached */
	struct spin_memory data, bss;
	const struct spin_counters *counters;
	struct ring_buffer *ring; /* made at first use */
	int ring_fd;
	void (*on_event)(void *arg, const struct spin_event *event);
	void *on_event_arg;
};

/* The end of a failed bpf_object__load(): verifier log to sentence. */
int spin_verifier__explain(const char *log, const char *handler, char *why, size_t why_bytes);

#endif
