/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Environment calls of a bare program under hpu-run: a few Linux system calls, and the tohost protocol. Called by machine.c at an ecall
 * or a store to tohost. Guest pointers are checked against the program's memory.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hwmodel/run/machine.h"

enum { CLOSE = 57, LSEEK = 62, READ = 63, WRITE = 64, FSTAT = 80, EXIT = 93, EXIT_GROUP = 94, BRK = 214 };
enum { A0 = 10, A1 = 11, A2 = 12, A7 = 17 };

/* Guest errno values are Linux's; those of all supported hosts are equal. */
enum { GUEST_EIO = 5, GUEST_EBADF = 9, GUEST_EFAULT = 14, GUEST_ESPIPE = 29, GUEST_ENOSYS = 38 };

static int32_t write_out(struct machine *m, uint32_t fd, uint32_t addr, uint32_t bytes)
{
	FILE *to = fd == 1 && !m->options.output_to_stderr ? stdout : stderr;

	if (fd != 1 && fd != 2)
		return -GUEST_EBADF;
	if ((uint64_t)addr + bytes > UINT64_C(1) << 32 || bytes > INT32_MAX)
		return -GUEST_EFAULT;
	if (!m->options.quiet && fwrite(m->memory + addr, 1, bytes, to) != bytes)
		return -GUEST_EIO;
	return (int32_t)bytes;
}

static uint32_t move_brk(struct machine *m, uint32_t to)
{
	if (to >= m->heap_start && to - m->heap_start <= m->options.memory_mib << 20)
		m->heap_now = to;
	return m->heap_now;
}

static void end_by_exit(struct machine_result *r, int32_t code)
{
	r->ok = true;
	r->end = "exit";
	r->has_exit_code = true;
	r->exit_code = code;
}

bool syscall__do(struct machine *m, struct machine_result *r)
{
	uint32_t a0 = rv32_core__reg(m->core, A0), a1 = rv32_core__reg(m->core, A1), a2 = rv32_core__reg(m->core, A2);
	uint32_t number = rv32_core__reg(m->core, A7), answer = 0;

	switch (number) {
	case EXIT:
	case EXIT_GROUP:
		end_by_exit(r, (int32_t)a0);
		return true;
	case WRITE:
		answer = (uint32_t)write_out(m, a0, a1, a2);
		break;
	case BRK:
		answer = move_brk(m, a0);
		break;
	case CLOSE:
	case READ:
		break;
	case LSEEK:
		answer = (uint32_t)-GUEST_ESPIPE;
		break;
	case FSTAT:
		answer = (uint32_t)-GUEST_ENOSYS;
		break;
	default:
		r->end = "unknown ecall";
		snprintf(r->error, sizeof(r->error),
			 "ecall number %" PRIu32 " (a7) at pc 0x%08" PRIx32 " is not supported; 93 exits, 64 writes", number,
			 rv32_core__trap(m->core).pc);
		return true;
	}
	rv32_core__set_reg(m->core, A0, answer);
	return false;
}

/*
 * The host interface of riscv-tests: an odd value ends the program, an even one is the address of {number, 0, arguments}, 64 bits each.
 */
bool tohost__do(struct machine *m, struct machine_result *r)
{
	uint32_t value = m->tohost_value, word[16], done = 1;

	if (value & 1) {
		end_by_exit(r, (int32_t)(value >> 1));
		r->end = "tohost";
		return true;
	}
	if (value > UINT32_MAX - sizeof(word))
		return false;
	memcpy(word, m->memory + value, sizeof(word));
	if (word[0] == WRITE) {
		uint32_t from;

		word[0] = (uint32_t)write_out(m, word[2], word[4], word[6]);
		memcpy(m->memory + value, word, 8);
		if (hw_elf__symbol(m->elf, "fromhost", &from, NULL) == 0 && from <= UINT32_MAX - 4)
			memcpy(m->memory + from, &done, 4);
	}
	return false;
}
