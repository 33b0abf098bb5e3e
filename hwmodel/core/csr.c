/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Control and status registers (CSRs) of the simulated RISC-V core: which ones exist in machine and in user mode, as measured on PsPIN, and
 * their values. Called by exec.c for csrrw, csrrs and csrrc, and by hazard.c for those that flush the pipeline.
 */
#include "hwmodel/core/state.h"

/* Numbers of the CSRs; after them bits of misa and mstatus. */
enum {
	USTATUS = 0x000,
	UHARTID = 0x014,
	UEPC = 0x041,
	UCAUSE = 0x042,
	PRIVLV = 0xc10,
	MSTATUS = 0x300,
	MISA = 0x301,
	MIE = 0x304,
	MTVEC = 0x305,
	MCOUNTINHIBIT = 0x320,
	MSCRATCH = 0x340,
	MEPC = 0x341,
	MCAUSE = 0x342,
	MTVAL = 0x343,
	MIP = 0x344,
	MCYCLE = 0xb00,
	MINSTRET = 0xb02,
	MCYCLEH = 0xb80,
	MINSTRETH = 0xb82,
	MVENDORID = 0xf11,
	MARCHID = 0xf12,
	MIMPID = 0xf13,
	MHARTID = 0xf14,
	CYCLE = 0xc00,
	TIME = 0xc01,
	INSTRET = 0xc02,
	CYCLEH = 0xc80,
	TIMEH = 0xc81,
	INSTRETH = 0xc82,
	MISA_RV32IMACU = 1 << 30 | 1 << 0 | 1 << 2 | 1 << 8 | 1 << 12 | 1 << 20,
	STATUS_MIE = 1 << 3,
	STATUS_MPIE = 1 << 7,
	STATUS_MPP = 3 << 11,
};

bool csr__flushes(unsigned csr)
{
	return csr == USTATUS || csr == UEPC || csr == MSTATUS || csr == MEPC;
}

static uint32_t mstatus(const struct rv32_core *core)
{
	return (core->mie ? STATUS_MIE : 0) | (core->mpie ? STATUS_MPIE : 0) | (core->mpp_user ? 0 : STATUS_MPP);
}

/* Reads a CSR that user mode may read. Returns false if there is none of this number. */
static bool read_user(struct rv32_core *core, const struct op *op, unsigned csr, uint64_t now, uint32_t *value)
{
	switch (csr) {
	case UHARTID:
		*value = core->hart_id;
		return true;
	case PRIVLV:
		*value = core->user_mode ? 0 : 3;
		return true;
	case USTATUS:
	case UEPC:
	case UCAUSE: /* no user-mode traps are delegated */
		*value = 0;
		return true;
	default:
		break;
	}
	if (core->mtvec) /* the counters are a convenience for bare programs; an HPU's user mode has none */
		return false;
	switch (csr) {
	case CYCLE:
	case TIME:
		*value = (uint32_t)now;
		return true;
	case CYCLEH:
	case TIMEH:
		*value = (uint32_t)(now >> 32);
		return true;
	case INSTRET:
		*value = (uint32_t)stats__instructions_at(core, op);
		return true;
	case INSTRETH:
		*value = (uint32_t)(stats__instructions_at(core, op) >> 32);
		return true;
	default:
		return false;
	}
}

static bool read_csr(struct rv32_core *core, const struct op *op, unsigned csr, uint64_t now, uint32_t *value)
{
	if ((csr >> 8 & 3) == 0)
		return read_user(core, op, csr, now, value);
	if (core->user_mode)
		return false;
	*value = 0;
	switch (csr) {
	case MSTATUS:
		*value = mstatus(core);
		return true;
	case MISA:
		*value = MISA_RV32IMACU;
		return true;
	case MTVEC:
		*value = core->mtvec;
		return true;
	case MSCRATCH:
		*value = core->mscratch;
		return true;
	case MEPC:
		*value = core->mepc;
		return true;
	case MCAUSE:
		*value = core->mcause;
		return true;
	case MTVAL:
		*value = core->mtval;
		return true;
	case MCYCLE:
		*value = (uint32_t)now;
		return true;
	case MCYCLEH:
		*value = (uint32_t)(now >> 32);
		return true;
	case MINSTRET:
		*value = (uint32_t)stats__instructions_at(core, op);
		return true;
	case MINSTRETH:
		*value = (uint32_t)(stats__instructions_at(core, op) >> 32);
		return true;
	case MHARTID:
		*value = core->hart_id;
		return true;
	case MIE:
	case MIP:
	case MVENDORID:
	case MARCHID:
	case MIMPID:
	case MCOUNTINHIBIT: /* the counters are never inhibited */
		return true;
	default:
		return false;
	}
}

/* Writes to registers without storage are ignored. */
static void write_csr(struct rv32_core *core, unsigned csr, uint32_t value)
{
	switch (csr) {
	case MSTATUS:
		core->mie = !!(value & STATUS_MIE);
		core->mpie = !!(value & STATUS_MPIE);
		core->mpp_user = !(value & STATUS_MPP);
		break;
	case MTVEC:
		core->mtvec = value;
		break;
	case MSCRATCH:
		core->mscratch = value;
		break;
	case MEPC:
		core->mepc = value & ~1u;
		break;
	case MCAUSE:
		core->mcause = value;
		break;
	case MTVAL:
		core->mtval = value;
		break;
	default:
		break;
	}
}

bool csr__access(struct rv32_core *core, const struct op *op, uint32_t operand, uint64_t now, uint32_t *old)
{
	unsigned csr = (unsigned)op->imm, kind = op_info(op)->word >> 12 & 3;
	bool writes = kind == 1 || op->rs1 != 0;

	if (!read_csr(core, op, csr, now, old))
		return false;
	if (!writes)
		return true;
	if ((csr >> 10 & 3) == 3) /* the number says read-only */
		return false;
	write_csr(core, csr, kind == 1 ? operand : kind == 2 ? *old | operand : *old & ~operand);
	return true;
}
