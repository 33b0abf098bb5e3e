/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_LISTING_H
#define TESTS_MODEL_LISTING_H

/*
 * Lists what a modelled core writes to the NIC's command registers, in order, with PsPIN's register names. Also lists the accesses to the
 * locks in the state, and all AMOs in L2. Accesses to L1 are not listed. Used by tests/model/commands_are_pspins.c, which compares the list
 * with commands.golden.
 */
#include <stdarg.h>

#include "tests/model/common/rig.h"

#define LISTING_BYTES 32768

struct listing {
	char text[LISTING_BYTES];
	size_t used;
	uint32_t state, state_bytes, locks; /* addresses; locks: where the locks in the state begin */
	uint32_t host_lock;                 /* address of the runtime's lock for host memory */
	uint32_t word[7], order[7], words;  /* written for the next command; order: which were written, in order */
	uint32_t info;
};

static inline __attribute__((format(printf, 2, 3))) void listing__add(struct listing *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	l->used += (size_t)vsnprintf(l->text + l->used, sizeof(l->text) - l->used, format, args);
	va_end(args);
	if (l->used >= sizeof(l->text))
		l->used = sizeof(l->text) - 1;
}

static inline void listing__address(struct listing *l, uint32_t addr)
{
	if (addr - l->state < l->state_bytes)
		listing__add(l, "state+%u", addr - l->state);
	else if (addr - (L1_GLOBAL + L1_STACKS) < 8 * L1_STACK_BYTES)
		listing__add(l, "variable");
	else if (addr - (L1_GLOBAL + L1_PACKETS) < 0x10000)
		listing__add(l, "packet+%u", addr - (L1_GLOBAL + L1_PACKETS));
	else if (addr == l->host_lock)
		listing__add(l, "host lock");
	else
		listing__add(l, "0x%08x", addr);
}

static inline void listing__word(struct listing *l, unsigned i)
{
	static const char *const names[3][5] = {
		{ "host_low", "host_high", "nic", "bytes", "direction" },
		{ "nid", "fid", "from_low", "from_high", "bytes" },
		{ "host_low", "host_high", "size", "data_low", "data_high" },
	};
	const char *name = names[l->info >> 1 & 3][i];
	uint32_t value = l->word[i];

	listing__add(l, "\t%-10s", name);
	if (!strcmp(name, "host_low"))
		listing__add(l, "memory+%u", value - (uint32_t)HOST_BASE);
	else if (!strcmp(name, "host_high") || (!strcmp(name, "from_high") && value))
		listing__add(l, "%s", value == HOST_BASE >> 32 ? "host" : "?");
	else if (!strcmp(name, "from_low") && l->word[3])
		listing__add(l, "memory+%u", value - (uint32_t)HOST_BASE);
	else if (!strcmp(name, "nic") || !strcmp(name, "from_low") || (!strcmp(name, "nid") && value))
		listing__address(l, value);
	else if (!strcmp(name, "size"))
		listing__add(l, "%u << 1 | %u", value >> 1, value & 1);
	else
		listing__add(l, "%u", value);
	listing__add(l, "\n");
}

static inline void listing__issue(struct listing *l, const struct rv32_bus_request *req)
{
	static const char *const types[] = { "host DMA", "NIC send", "host-direct", "?" };

	for (unsigned i = 0; i < l->words; i++)
		listing__word(l, l->order[i]);
	listing__add(l, "\tissue     %s, is %u\n", types[l->info >> 1 & 3], req->value);
	l->words = 0;
}

static inline void listing__driver(struct listing *l, const struct rv32_bus_request *req, uint32_t off)
{
	if (req->kind == RV32_STORE && off >= HPU_COMMAND_WORD && off < HPU_COMMAND_WORD + 20) {
		if (l->words < 7)
			l->order[l->words++] = (off - HPU_COMMAND_WORD) / 4;
		l->word[(off - HPU_COMMAND_WORD) / 4] = req->value;
	} else if (req->kind == RV32_STORE && off == HPU_COMMAND_INFO) {
		l->info = req->value;
	} else if (req->kind == RV32_LOAD && off == HPU_COMMAND_ISSUE) {
		listing__issue(l, req);
	} else if (req->kind == RV32_STORE && off == HPU_COMMAND_WAIT) {
		listing__add(l, "\twait      %u\n", req->value);
	} else if (req->kind == RV32_LOAD && off == HPU_COMMAND_TEST && req->value) {
		listing__add(l, "\ttest      until done\n");
	} else if (req->kind == RV32_STORE && off == HPU_ERROR) {
		listing__add(l, "\terror     0x%x\n", req->value);
	}
}

static inline void listing__watch(void *arg, const struct rv32_bus_request *req)
{
	static const char *const amos[32] = { [0x00] = "amoadd", [0x01] = "amoswap", [0x08] = "amoor", [0x0c] = "amoand" };
	static const char *const kinds[] = { [RV32_LOAD] = "load", [RV32_STORE] = "store", [RV32_LR] = "lr", [RV32_SC] = "sc" };
	struct listing *l = arg;
	int lock = req->addr - l->locks < 8 || req->addr == l->host_lock;

	if (req->addr - HPU_DRIVER < HPU_DRIVER_BYTES) {
		listing__driver(l, req, req->addr - HPU_DRIVER);
		return;
	}
	if (req->kind != RV32_AMO && req->kind != RV32_LR && req->kind != RV32_SC && !lock)
		return;
	listing__add(l, "\t%-10s", req->kind == RV32_AMO ? amos[req->amo] : kinds[req->kind]);
	listing__address(l, req->addr);
	listing__add(l, "\n");
}

static inline void listing__begin(struct listing *l, const char *name)
{
	listing__add(l, "%s\n", name);
	l->words = 0;
}

#endif
