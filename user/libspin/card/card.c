/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loads a handler's program for a card with hardware XDP (Netronome), bound to an interface or, in tests, as an ordinary program, and
 * attaches it. Called by ctx.c and attach.c for interfaces in SPIN_MODE_OFFLOAD. program.c writes the match rule into the instructions
 * before libbpf sees them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <spin/offload.h>

#include "kernel/attach.h"
#include "user/libspin/card/card.h"
#include "user/libspin/load/failure.h"
#include "user/libspin/load/progress.h"

/* Finds the last line that the driver or verifier logged, without the verifier's statistics. */
static void last_line(const char *log, char *line, size_t bytes)
{
	line[0] = '\0';
	for (const char *at = log; *at;) {
		size_t length = strcspn(at, "\n");

		if (length && strncmp(at, "processed ", 10) && strncmp(at, "verification time ", 18) && strncmp(at, "stack depth ", 12))
			snprintf(line, bytes, "%.*s", (int)length, at);
		at += length + (at[length] == '\n');
	}
}

/* Turns a failed load into a reason for the user: the last line of the log, if there is one, and else what errno means for a card. */
static int explain_refusal(const struct card *card, int err, const char *log)
{
	char line[512];

	last_line(log, line, sizeof(line));
	load_failure__log_lines(log);
	if (line[0])
		return spin_fail(
			-EINVAL,
			"%s: the verifier, or the driver of %s, refuses the program for the card: %s; `spinctl check` says what it takes",
			card->name, card->ifindex ? card->ifname : "the card", line);
	switch (-err) {
	case EPERM:
		return spin_fail(-EPERM, "%s: loading a program onto a card needs CAP_BPF and CAP_NET_ADMIN: run it as root (sudo)",
				 card->name);
	case EINVAL:
	case EOPNOTSUPP:
		return spin_fail(
			-EOPNOTSUPP,
			"%s does not offload XDP programs: its driver or firmware has no hardware XDP (Netronome's Agilio cards have, with "
			"BPF firmware); run it with --mode native, or --mode offload,native",
			card->ifname);
	case ENOMEM:
	case E2BIG:
	case ENOSPC:
		return spin_fail(
			-ENOSPC,
			"%s: the device has no room for the program or its tables: a card has at most %u entries of all programs together; "
			"make the tables smaller, or detach other programs",
			card->ifname, SPIN_NFP_ENTRIES_MAX);
	case ENODEV:
		return spin_fail(-ENODEV, "interface %s has gone away", card->ifname);
	default:
		return spin_fail(err, "%s: the kernel refuses to load the program for the card: %s; `dmesg` may say more", card->name,
				 strerror(-err));
	}
}

static void bind_to_device(struct card *card)
{
	struct bpf_program *prog;
	struct bpf_map *map;

	bpf_object__for_each_program(prog, card->bpf)
		bpf_program__set_ifindex(prog, (uint32_t)card->ifindex);
	bpf_object__for_each_map(map, card->bpf)
		bpf_map__set_ifindex(map, (uint32_t)card->ifindex);
}

static int load(struct card *card, const uint8_t *elf, size_t bytes, int uncounted)
{
	char *log = calloc(1, VERIFIER_LOG_BYTES);
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = card->name, .kernel_log_buf = log, .kernel_log_size = VERIFIER_LOG_BYTES);
	int err;

	if (!log)
		return spin_fail(-ENOMEM, "no memory to load %s", card->name);
	card->bpf = bpf_object__open_mem(elf, bytes, &opts);
	if (!card->bpf) {
		free(log);
		return spin_fail(-EINVAL, "%s: libbpf cannot read the program for the card", card->name);
	}
	if (uncounted)
		bpf_map__set_autocreate(bpf_object__find_map_by_name(card->bpf, "spin_counters"), false);
	if (card->ifindex)
		bind_to_device(card);
	err = load_progress__load(card->bpf, card->name);
	if (err)
		err = explain_refusal(card, err, log);
	free(log);
	return err;
}

/* Initializes the state from the object's .data section. */
static int write_state(struct card *card)
{
	const struct bpf_map *map = section__map(card->object->types, ".data");
	struct layout_variable var;
	struct spin_memory mem = { 0 };

	if (!bpf_object__find_map_by_name(card->bpf, "spin_state"))
		return 0;
	mem.addr = map ? (char *)bpf_map__initial_value((struct bpf_map *)map, &mem.bytes) : NULL;
	if (layout__find(card->btf, "spin_state", &var) || !mem.addr || var.offset > mem.bytes || var.bytes > mem.bytes - var.offset)
		return spin_fail(-EINVAL, "%s has no state; compile it again with spincc", card->name);
	return card__write_entry(card, "spin_state", 0, mem.addr + var.offset);
}

static int open_card(struct card *card, const struct spin_rule *rule, const struct card_options *options)
{
	const struct spin_object *obj = card->object;
	uint8_t *elf;
	int err;

	err = card__program(obj, rule, options->accept_partial && !options->ifindex, !options->uncounted, &elf);
	if (err)
		return err;
	err = load(card, elf, obj->card_bytes, options->uncounted);
	if (!err)
		err = write_state(card);
	free(elf);
	return err;
}

int card__open(const struct spin_object *obj, const struct spin_rule *rule, const struct card_options *options, struct card **out)
{
	struct card *card;
	int err;

	*out = NULL;
	card = calloc(1, sizeof(*card));
	if (!card)
		return spin_fail(-ENOMEM, "no memory for a context");
	snprintf(card->name, sizeof(card->name), "%s", options->name);
	snprintf(card->ifname, sizeof(card->ifname), "%s", options->ifname ? options->ifname : "");
	card->ifindex = options->ifindex;
	card->link_fd = -1;
	card->object = object__hold(obj);
	card->btf = bpf_object__btf(obj->types);
	err = open_card(card, rule, options);
	if (err) {
		card__close(card);
		return err;
	}
	*out = card;
	return 0;
}

void card__close(struct card *card)
{
	if (!card)
		return;
	card__detach(card);
	bpf_object__close(card->bpf);
	spin_object__close(card->object);
	free(card);
}

int card__cannot(const struct spin_ctx *ctx, const char *what)
{
	return spin_fail(-EOPNOTSUPP, "%s runs on a card, and has no %s", ctx->name, what);
}

int card__program_fd(const struct card *card)
{
	return bpf_program__fd(bpf_object__find_program_by_name(card->bpf, SPIN_NFP_PROGRAM));
}

int card__attach(struct card *card)
{
	char reason[SPIN_ERROR_BYTES];
	int fd;

	if (!card->ifindex)
		return spin_fail(-EINVAL, "this context was made without an interface: it runs given packets only");
	if (card->link_fd >= 0)
		return spin_fail(-EALREADY, "%s is attached to %s already", card->name, card->ifname);
	fd = kernel_attach__link(card__program_fd(card), card->ifindex, card->ifname, KERNEL_ATTACH_OFFLOAD, reason, sizeof(reason));
	if (fd < 0)
		return spin_fail(fd, "%s", reason);
	card->link_fd = fd;
	return 0;
}

void card__detach(struct card *card)
{
	if (card->link_fd >= 0)
		close(card->link_fd);
	card->link_fd = -1;
}

int card__is_attached(const struct card *card)
{
	return card->link_fd >= 0;
}

int card__alive(const struct card *card)
{
	char name[IF_NAMESIZE];
	int ifindex;

	if (card->link_fd < 0)
		return 0;
	ifindex = kernel_link__ifindex(card->link_fd);
	if (ifindex > 0)
		return 1;
	if (ifindex < 0)
		return spin_fail(ifindex, "the link to %s cannot be queried", card->ifname);
	if (if_indextoname((unsigned)card->ifindex, name))
		return spin_fail(-ENOLINK, "somebody else has detached the program of %s's card: nothing is attached any more", name);
	return spin_fail(-ENODEV, "interface %s has gone away: nothing is attached any more", card->ifname);
}
