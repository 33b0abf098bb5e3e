/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_SPIN_H
#define SPIN_SPIN_H

/*
 * The handler API: all that a handler file includes.
 *
 * A handler is plain C without #ifdef. The same file runs in the kernel (eBPF
 * at XDP), on a PsPIN HPU (rv32) and as a host function in tests, with the same
 * result. Semantics are those of sPIN, appendix B; the target NIC is PsPIN's.
 * A file reads from top to bottom: what it does, the packet, the state, the
 * functions, the registration:
 *
 *	#include <spin/spin.h>
 *
 *	struct tally { uint32_t datagrams, words; };
 *	SPIN_STATE(struct tally);
 *
 *	static enum spin_payload_rc tally_payload(struct spin_payload *p, struct tally *state)
 *	{
 *		uint32_t words = 0;
 *
 *		SPIN_FOR_EACH(p, uint32_t, w)
 *			words += *w != 0;
 *		spin_add32(&state->words, words);
 *		spin_add32(&state->datagrams, 1);
 *		return SPIN_SUCCESS;
 *	}
 *
 *	SPIN_HANDLERS(tally, .payload = tally_payload);
 *
 * Handlers of different packets run concurrently on different HPUs and
 * share the state. These operations are for its 32-bit words (sPIN B.6):
 *
 *	void     spin_add32(uint32_t *at, uint32_t n)        fetch-and-add, result unused
 *	uint32_t spin_fadd32(uint32_t *at, uint32_t n)       fetch-and-add: returns the old value
 *	_Bool    spin_cas32(uint32_t *at, uint32_t expect, uint32_t swap)
 *	                                                     1 if *at was `expect` and is now `swap`
 *	uint32_t spin_load32(const uint32_t *at)             acquire: read once, before all that follows
 *	void     spin_store32(uint32_t *at, uint32_t value)  release: written once, after all that precedes
 *
 * If others may change a word by spin_fadd32() or spin_cas32() at the same time, only spin_add32() is never lost. A handler may
 * store to such a word only if it holds it, as after a spin_cas32() that excludes others: PsPIN performs those two by a load and an
 * addition, and after a store in between the word is the sum of the stored and the added value.
 *
 * All of these are included here:
 *
 *	<spin/lock.h>     locks, and loops that wait       <spin/hpu.h>      data of each HPU
 *	<spin/cluster.h>  data of each cluster of HPUs     <spin/copy.h>     copies within HPU memory
 *	<spin/buffer.h>   buffers of an HPU                <spin/reply.h>    replies longer than their request
 *	<spin/deliver.h>  datagrams delivered in another length
 *	<spin/action.h>   transfers to and from the host   <spin/put.h>      packets that handlers send
 *	<spin/work.h>     work items for the application   <spin/clock.h>    the time
 *	<spin/random.h>   random numbers
 *
 * Byte order: values from the wire are in network order (spin_be16,
 * spin_be32) until spin_ntoh*().
 */
#include <spin/meta.h>
#include <spin/reason.h>
#include <spin/return.h>
#include <spin/bytes.h>

/*
 * For a file with SPIN_SCRATCHPAD: its size, and the address of an MPQ's scratchpad. Declared in all files, and 0 if not defined, so the
 * runtime can test it.
 */
static const uint32_t spin_scratch_size_;
static void *(*const spin_scratch_at_)(uint32_t mpq);
/* Likewise for SPIN_PUTS: how many packets handlers may send for one that arrives. */
static const uint32_t spin_puts_;
/* Likewise for SPIN_WORK: how many work items may be unread. */
static const uint32_t spin_work_items_;
/* Likewise for SPIN_REPLY: bytes of its buffer. */
static const uint32_t spin_reply_size_;
static uint32_t *(*const spin_reply_at_)(uint32_t hpu);

#include <spin/action.h>
#include <spin/lock.h>
#include <spin/hpu.h>
#include <spin/cluster.h>
#include <spin/buffer.h>
#include <spin/reply.h>
#include <spin/deliver.h>
#include <spin/copy.h>
#include <spin/clock.h>
#include <spin/random.h>

/* The target defines struct spin_packet, the accessors' bodies, the atomics, and the placement of state and tables. */
#if defined(SPIN_NFP_)
#include <spin/target/nfp.h>
#elif defined(__bpf__)
#include <spin/target/bpf.h>
#elif defined(__riscv) && __riscv_xlen == 32
#include <spin/target/rv32.h>
#else
#include <spin/target/host.h>
#endif

#include <spin/packet.h>
#include <spin/table.h>
#include <spin/register.h>

#endif
