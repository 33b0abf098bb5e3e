/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes a match rule into a copy of an object's program for a card with hardware XDP (<spin/offload.h>): constants in its instructions
 * become the rule. Called by card.c, and by applications that inspect or load the program themselves (spin_object__card_program()).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>
#include <netinet/in.h>

#include <spin/offload.h>

#include "user/libspin/card/card.h"

#define MOV32   (BPF_ALU | BPF_MOV | BPF_K)
#define LOAD_64 (BPF_LD | BPF_IMM | BPF_DW)

int card__takes_rule(const struct spin_rule *rule)
{
	if (rule->ether_type || rule->protocol != IPPROTO_UDP)
		return spin_fail(-EOPNOTSUPP,
				 "a card's program takes UDP alone: its rule cannot be of tcp, icmp, icmp6 or ether; write udp");
	if (rule->words || rule->has_eom)
		return spin_fail(-EOPNOTSUPP, "a card's program matches no words of the frame: leave u32 and eom out of its rule");
	if (rule->has_sets || rule->src_not || rule->dst_not)
		return spin_fail(-EOPNOTSUPP,
				 "a card's program matches addresses, one source port, one destination port and the IP version: "
				 "leave vlan, dscp, ttl, `not` and lists of ports out of its rule");
	return 0;
}

/* Fills in the numbers that the card's program has as constants: the rule, and options. */
static void fill_words(const struct spin_rule *rule, int accept_partial, int counted, uint32_t *words)
{
	for (unsigned i = 0; i < 4; i++) {
		words[SPIN_NFP_SRC_ADDR + i] = rule->src_addr[i];
		words[SPIN_NFP_SRC_MASK + i] = rule->src_mask[i];
		words[SPIN_NFP_DST_ADDR + i] = rule->dst_addr[i];
		words[SPIN_NFP_DST_MASK + i] = rule->dst_mask[i];
	}
	words[SPIN_NFP_SRC_PORT] = htons(rule->src_port);
	words[SPIN_NFP_SRC_PORT_MASK] = rule->src_port ? 0xffff : 0;
	words[SPIN_NFP_DST_PORT] = htons(rule->dst_port);
	words[SPIN_NFP_DST_PORT_MASK] = rule->dst_port ? 0xffff : 0;
	words[SPIN_NFP_IP_VERSION] = rule->ip_version;
	words[SPIN_NFP_PARTIAL] = accept_partial;
	words[SPIN_NFP_COUNT] = counted;
}

/* Replaces the words in a copy of the ELF file. -EINVAL: one is missing, so part of the rule would be ignored. */
static int write_words(const char *path, uint8_t *elf, size_t elf_bytes, const uint32_t *words)
{
	unsigned found[SPIN_NFP_WORDS] = { 0 };
	size_t offset, bytes;
	struct bpf_insn insn;

	if (spin_elf__section(elf, elf_bytes, "xdp", &offset, &bytes))
		return spin_fail(-EINVAL, "%s is damaged: its sections cannot be read", path);
	for (size_t at = 0; at + sizeof(insn) <= bytes; at += sizeof(insn)) {
		uint32_t word;

		memcpy(&insn, elf + offset + at, sizeof(insn));
		word = (uint32_t)insn.imm - SPIN_NFP_WORD;
		if (insn.code == LOAD_64)
			at += sizeof(insn);
		if (insn.code != MOV32 || word >= SPIN_NFP_WORDS)
			continue;
		insn.imm = (int32_t)words[word];
		memcpy(elf + offset + at, &insn, sizeof(insn));
		found[word]++;
	}
	for (unsigned i = 0; i < SPIN_NFP_WORDS; i++)
		if (!found[i])
			return spin_fail(
				-EINVAL,
				"%s has a program for a card without the word %u of <spin/offload.h>; compile it again with spincc", path,
				i);
	return 0;
}

int card__program(const struct spin_object *obj, const struct spin_rule *rule, int accept_partial, int counted, uint8_t **out)
{
	uint32_t words[SPIN_NFP_WORDS];
	uint8_t *elf;
	int err;

	*out = NULL;
	if (!obj->card)
		return spin_fail(-ENODATA,
				 "%s has no program for a card: compile it with `spincc --target nfp`, which says what cannot offload",
				 obj->path);
	err = card__takes_rule(rule);
	if (err)
		return err;
	elf = malloc(obj->card_bytes);
	if (!elf)
		return spin_fail(-ENOMEM, "no memory for the program of %s", obj->path);
	memcpy(elf, obj->card, obj->card_bytes);
	fill_words(rule, accept_partial, counted, words);
	err = write_words(obj->path, elf, obj->card_bytes, words);
	if (err)
		free(elf);
	else
		*out = elf;
	return err;
}

int spin_object__card_program(const struct spin_object *obj, const struct spin_rule *rule, int counted, void **elf, size_t *bytes)
{
	uint8_t *program;
	int err = card__program(obj, rule, 0, counted, &program);

	*elf = program;
	*bytes = err ? 0 : obj->card_bytes;
	return err;
}
