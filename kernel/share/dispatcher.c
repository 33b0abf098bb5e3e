/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Reads which programs libxdp's dispatcher (dispatcher.h) on an interface has. Called by share.c, attach.c and libspin. Changes nothing. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <xdp/libxdp.h>
#include <xdp/prog_dispatcher.h>

#include "kernel/share/dispatcher.h"

static __thread char message[256];
static __thread int has_warned;

static int from_libxdp(enum libxdp_print_level level, const char *format, va_list args)
{
	if (level == LIBXDP_DEBUG || has_warned)
		return 0;
	has_warned = level == LIBXDP_WARN;
	vsnprintf(message, sizeof(message), format, args);
	message[strcspn(message, "\n")] = '\0';
	return 0;
}

void kernel_dispatcher__clear_messages(void)
{
	libxdp_set_print(from_libxdp);
	message[0] = '\0';
	has_warned = 0;
}

const char *kernel_dispatcher__message(void)
{
	return message;
}

struct xdp_multiprog *kernel_dispatcher__open(int ifindex)
{
	struct xdp_multiprog *mp = xdp_multiprog__get_from_ifindex(ifindex);

	if (!mp || libxdp_get_error(mp))
		return NULL;
	if (xdp_multiprog__is_legacy(mp)) {
		xdp_multiprog__close(mp);
		return NULL;
	}
	return mp;
}

int kernel_dispatcher__is_generic(int ifindex)
{
	struct xdp_multiprog *mp;
	int is_generic;

	kernel_dispatcher__clear_messages();
	mp = kernel_dispatcher__open(ifindex);
	if (!mp)
		return -1;
	is_generic = xdp_multiprog__attach_mode(mp) == XDP_MODE_SKB;
	xdp_multiprog__close(mp);
	return is_generic;
}

void kernel_dispatcher__names(int ifindex, char *names, size_t bytes)
{
	struct xdp_multiprog *mp;
	size_t at = 0;

	names[0] = '\0';
	kernel_dispatcher__clear_messages();
	mp = kernel_dispatcher__open(ifindex);
	if (!mp)
		return;
	for (struct xdp_program *p = NULL; (p = xdp_multiprog__next_prog(p, mp)) && at < bytes;)
		at += (size_t)snprintf(names + at, bytes - at, "%s%s", at ? ", " : "", xdp_program__name(p));
	xdp_multiprog__close(mp);
}

/* Enables all slots. Otherwise the verifier removes the functions that are to be replaced as dead code, because nothing calls them. */
static int enable_programs(struct bpf_object *bpf)
{
	struct bpf_map *map = bpf_object__next_map(bpf, NULL);
	uint8_t config[512]; /* struct xdp_dispatcher_config, of any version */
	const void *value;
	size_t bytes = 0;

	value = map ? bpf_map__initial_value(map, &bytes) : NULL;
	if (!value || bytes > sizeof(config) || bytes < offsetof(struct xdp_dispatcher_config, chain_call_actions))
		return -EINVAL;
	memcpy(config, value, bytes);
	config[offsetof(struct xdp_dispatcher_config, num_progs_enabled)] = 2;
	return bpf_map__set_initial_value(map, config, bytes);
}

struct xdp_program *kernel_dispatcher__load(int *prog_fd)
{
	DECLARE_LIBXDP_OPTS(xdp_program_opts, file, .find_filename = "xdp-dispatcher.o", .prog_name = "xdp_dispatcher");
	struct xdp_program *p;

	kernel_dispatcher__clear_messages();
	p = xdp_program__create(&file);
	if (!p || libxdp_get_error(p))
		return NULL;
	if (enable_programs(xdp_program__bpf_obj(p)) || bpf_object__load(xdp_program__bpf_obj(p))) {
		xdp_program__close(p);
		return NULL;
	}
	*prog_fd = bpf_program__fd(bpf_object__find_program_by_name(xdp_program__bpf_obj(p), "xdp_dispatcher"));
	return p;
}
