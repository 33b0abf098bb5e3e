/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loads an interface's dispatcher (bpf/root.bpf.c), the XDP program that finds a packet's context and tail-calls its handlers, and sets and
 * clears its slots, each of which holds a context's program and match rule. Called by attach.c, root_attach.c, tap.c and the
 * files that replace a context's program. The caller holds the interface's lock.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/membarrier.h>

#include <bpf/bpf.h>

#include "user/libspin/internal.h"
#include "kernel/probe.h"
#include "user/libspin/load/failure.h"
#include "user/libspin/root.h"

extern const char root_image[], root_image_end[];

struct root {
	struct bpf_object *bpf;
	const char *program; /* spin_root, or without CAP_PERFMON spin_root_copy, which parses a copy of the headers */
	struct spin_memory bss;
	struct spin_match *match;
	const struct spin_counters *counters;
	uint32_t *taps_every;
	const uint64_t *taps_lost;
	int prog_fd, contexts_fd, taps_fd;
	int wait_fd; /* an inner map: replacing it waits for running programs, see root__wait() */
};

static int open_object(struct root *root, const struct root_loader *loader)
{
	char *log = calloc(1, VERIFIER_LOG_BYTES);
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "spin_root", .kernel_log_buf = log, .kernel_log_size = VERIFIER_LOG_BYTES);
	int trusted = kernel_probe__privileged(), err;
	struct bpf_program *prog;

	if (!log)
		return spin_fail(-ENOMEM, "no memory for the dispatcher");
	root->bpf = bpf_object__open_mem(root_image, (size_t)(root_image_end - root_image), &opts);
	if (!root->bpf) {
		err = spin_fail(-errno, "cannot read the dispatcher: %s", strerror(errno));
		free(log);
		return err;
	}
	class__take_fragments(root->bpf);
	root->program = trusted ? "spin_root" : "spin_root_copy";
	bpf_object__for_each_program(prog, root->bpf)
		bpf_program__set_autoload(prog, !strcmp(bpf_program__name(prog), root->program));
	if (loader)
		err = loader->load(loader->arg, root->bpf, root->program, log);
	else
		err = load_failure__load_own(root->bpf, log, trusted ? SPIN_CLASS_TRUSTED : SPIN_CLASS_ISOLATED, ROOT_WHAT);
	free(log);
	return err ? err : section__open(root->bpf, ".bss", "the dispatcher", &root->bss);
}

int root__load(struct root **out, const struct root_loader *loader)
{
	struct root *root = calloc(1, sizeof(*root));
	int err;

	*out = NULL;
	if (!root)
		return spin_fail(-ENOMEM, "no memory for the interface's program");
	root->wait_fd = -1;
	err = open_object(root, loader);
	if (!err) {
		struct bpf_program *prog = bpf_object__find_program_by_name(root->bpf, root->program);

		root->match = section__variable(root->bpf, ".bss", &root->bss, "spin_match", sizeof(*root->match));
		root->counters = section__variable(root->bpf, ".bss", &root->bss, "spin_counters", sizeof(*root->counters) * SPIN_HPUS_MAX);
		root->taps_every =
			section__variable(root->bpf, ".bss", &root->bss, "spin_taps_every", sizeof(*root->taps_every) * SPIN_CONTEXTS_MAX);
		root->taps_lost =
			section__variable(root->bpf, ".bss", &root->bss, "spin_taps_lost", sizeof(*root->taps_lost) * SPIN_CONTEXTS_MAX);
		root->prog_fd = bpf_program__fd(prog);
		root->contexts_fd = bpf_object__find_map_fd_by_name(root->bpf, "spin_contexts");
		root->taps_fd = bpf_object__find_map_fd_by_name(root->bpf, "spin_taps");
		root->wait_fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "spin_wait", 0, 0, (uint32_t)sysconf(_SC_PAGESIZE), NULL);
		if (!prog || !root->match || !root->counters || !root->taps_every || !root->taps_lost || root->contexts_fd < 0 ||
		    root->taps_fd < 0)
			err = spin_fail(-EINVAL, "the interface's program is of another version: build libspin again");
		else if (root->wait_fd < 0)
			err = spin_fail(root->wait_fd, "cannot make a map of the interface's program: %s", strerror(-root->wait_fd));
	}
	if (err) {
		root__free(root);
		return err;
	}
	*out = root;
	return 0;
}

void root__drop_short(struct root *root)
{
	__atomic_store_n(&root->match->drops_short, 1, __ATOMIC_RELEASE);
}

void root__free(struct root *root)
{
	if (!root)
		return;
	if (root->wait_fd >= 0)
		close(root->wait_fd);
	section__close(&root->bss);
	bpf_object__close(root->bpf);
	free(root);
}

int root__program_fd(const struct root *root)
{
	return root->prog_fd;
}

const struct spin_counters *root__counters(const struct root *root)
{
	return root->counters;
}

/*
 * A global membarrier waits for RCU. Where it is not permitted, changing a map of
 * maps has the same effect: the kernel waits for programs that still use the old map.
 */
void root__wait(const struct root *root)
{
	int slot = SPIN_CONTEXTS_MAX; /* a slot that no context uses */

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0)) {
		bpf_map_update_elem(root->taps_fd, &slot, &root->wait_fd, BPF_ANY);
		bpf_map_delete_elem(root->taps_fd, &slot);
	}
}

static void set_bit(uint64_t *word, unsigned slot)
{
	__atomic_fetch_or(word, 1ull << slot, __ATOMIC_SEQ_CST);
}

static void clear_bit(uint64_t *word, unsigned slot)
{
	__atomic_fetch_and(word, ~(1ull << slot), __ATOMIC_SEQ_CST);
}

void root__set_tailroom(struct root *root, unsigned slot, int needs_tailroom)
{
	if (needs_tailroom)
		set_bit(&root->match->tailroom, slot);
	else
		clear_bit(&root->match->tailroom, slot);
}

int root__add(struct root *root, unsigned slot, const struct spin_rule *rule, int prog_fd, int needs_tailroom)
{
	if (bpf_map_update_elem(root->contexts_fd, &slot, &prog_fd, BPF_ANY))
		return spin_fail(-errno, "the interface's program cannot take the context: %s", strerror(errno));
	if (!match__has_room(root->match, rule)) {
		bpf_map_delete_elem(root->contexts_fd, &slot);
		return spin_fail(-ENOSPC,
				 "%d contexts with u32 in their rules are attached, the most an interface can have: leave it out of "
				 "one, or detach one",
				 SPIN_WORD_RULES_MAX);
	}
	match__set(root->match, slot, rule);
	root__set_tailroom(root, slot, needs_tailroom);
	set_bit(rule->protocol == IPPROTO_TCP ? &root->match->tcp_active : &root->match->active, slot);
	return 0;
}

int root__replace(struct root *root, unsigned slot, int prog_fd)
{
	if (bpf_map_update_elem(root->contexts_fd, &slot, &prog_fd, BPF_ANY))
		return spin_fail(-errno, "the interface's program cannot take the new handlers: %s", strerror(errno));
	return 0;
}

void root__remove(struct root *root, unsigned slot)
{
	clear_bit(&root->match->active, slot);
	clear_bit(&root->match->tcp_active, slot);
	root__wait(root);
	bpf_map_delete_elem(root->contexts_fd, &slot);
	match__clear(root->match, slot);
}

int root__tap(struct root *root, unsigned slot, int ring_fd, uint32_t every)
{
	if (ring_fd < 0) {
		clear_bit(&root->match->tapped, slot);
		root__wait(root);
		bpf_map_delete_elem(root->taps_fd, &slot);
		return 0;
	}
	if (bpf_map_update_elem(root->taps_fd, &slot, &ring_fd, BPF_ANY))
		return spin_fail(-errno, "cannot tap the context: %s", strerror(errno));
	__atomic_store_n(&root->taps_every[slot], every, __ATOMIC_RELAXED);
	set_bit(&root->match->tapped, slot);
	return 0;
}

uint64_t root__tap_lost(const struct root *root, unsigned slot)
{
	return __atomic_load_n(&root->taps_lost[slot], __ATOMIC_RELAXED);
}
