/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The runtime on HPUs, the NIC's RISC-V cores: the functions that the NIC calls to run a handler, in one translation unit with the handler,
 * so that unused features leave no code. Built by spincc, from the root:
 *
 *   riscv64-unknown-elf-gcc @hwmodel/image/cflags -Wl,--gc-sections -Wl,--build-id=none \
 *	-Ihandlers/include -I. -DSPIN_HANDLER_FILE='"handlers/x.c"' -T hwmodel/image/pspin.ld \
 *	hwmodel/image/boot.S hwmodel/image/entry.c -lgcc -o x.elf
 *	[-Wl,--defsym=SPIN_STATE_IN_L1=1] [-DHPU_HAS_CLUSTERS] [-DHPU_HAS_EXCLUSIVE]
 *
 * HPU_HAS_CLUSTERS: it has memory of clusters or of HPUs. HPU_HAS_EXCLUSIVE: it calls spin_fadd32(), spin_cas32() or locks
 * (exclusive.S).
 *
 * cflags has -fno-ipa-* because gcc would otherwise clone the handler before inlining it; -Werror=stack-usage because an HPU's stack has
 * 1 KiB; and -fno-finite-loops because a compiler may otherwise remove an endless loop, which then runs differently on each engine.
 *
 * The NIC runs these tasks for a message, as PsPIN's MPQ engine does, and selects the entry for the IP version:
 *
 *   hpu_header_*     if a header handler is registered, for the first packet
 *   hpu_payload_*    for each packet (including the first) if a payload handler is
 *                    registered and the packet has payload beyond the user header,
 *   hpu_proceed_*    else: the default action
 *   hpu_completion   if a completion handler is registered, when all others have ended
 *   hpu_*_icmp, hpu_*_icmp6, hpu_*_ether  the same for a context of ICMP or ICMPv6, or of frames that are not IP;
 *                    hpu_completion_icmp serves both ICMP versions
 *
 * A segment of TCP is a message of one packet, for which the NIC selects fewer tasks (segment.h).
 *
 * For messages of many packets an entry returns the handler's return code.
 */
#include SPIN_HANDLER_FILE

#include "hwmodel/image/datagram.h"
#include "hwmodel/image/message.h"
#include "hwmodel/image/segment.h"

#define HPU_ENTRY __attribute__((used, flatten, noinline, section(".text.hpu")))

/* Return value of datagram entries: an undefined register value, since the NIC does not read it. */
HPU_INLINE uint32_t hpu_nothing(void)
{
	uint32_t any;

	__asm__("" : "=r"(any));
	return any;
}

/* The commands that the accessors call (<spin/target/rv32_command.h>). */
SPIN_INLINE uint32_t spin_command_to_host_(uint32_t high, uint32_t low, uint32_t from, uint32_t bytes)
{
	return hpu_command_to_host(high, low, from, bytes);
}

SPIN_INLINE uint32_t spin_command_from_host_(uint32_t high, uint32_t low, uint32_t to, uint32_t bytes)
{
	return hpu_command_from_host(high, low, to, bytes);
}

SPIN_INLINE uint32_t spin_command_write_(uint32_t high, uint32_t low, uint32_t bytes, uint32_t data_low, uint32_t data_high)
{
	return hpu_command_write(high, low, bytes, data_low, data_high);
}

SPIN_INLINE uint32_t spin_command_forward_(uint32_t from, uint32_t bytes)
{
	return hpu_command_send(0, HPU_SEND_FORWARD, 0, from, bytes);
}

SPIN_INLINE uint32_t spin_command_put_(uint32_t put, uint32_t high, uint32_t from, uint32_t bytes)
{
	return hpu_command_send(put, HPU_SEND_PUT, high, from, bytes);
}

SPIN_INLINE uint32_t spin_command_acked_(uint32_t put, uint32_t high, uint32_t from, uint32_t bytes)
{
	return hpu_command_send(put, HPU_SEND_ACKED, high, from, bytes);
}

SPIN_INLINE uint32_t spin_command_get_(uint32_t put, uint32_t from, uint32_t bytes, uint32_t asked)
{
	return hpu_command_request(put, HPU_SEND_GET, from, bytes, asked);
}

SPIN_INLINE uint32_t spin_command_atomic_(uint32_t put, uint32_t from, uint32_t bytes, uint32_t op)
{
	return hpu_command_request(put, HPU_SEND_ATOMIC, from, bytes, op);
}

SPIN_INLINE void spin_command_wait_(uint32_t id)
{
	hpu_command_wait(id);
}

SPIN_INLINE void spin_command_yield_(void)
{
	hpu_command_yield();
}

SPIN_INLINE _Bool spin_command_test_(uint32_t id)
{
	return hpu_command_test(id);
}

/* The read of the lower half latches the upper half for the second read. */
SPIN_INLINE uint64_t spin_command_clock_(void)
{
	const uint32_t low = HPU_REG_(HPU_CLOCK_LOW);

	return (uint64_t)HPU_REG_(HPU_CLOCK_HIGH) << 32 | low;
}

SPIN_INLINE uint32_t spin_command_draw_(void)
{
	return HPU_REG_(HPU_RANDOM);
}

/* Not volatile: the value is constant during a task. */
SPIN_INLINE uint32_t spin_command_tag_(void)
{
	return *(const uint32_t *)(HPU_DRIVER + HPU_TAG);
}

SPIN_INLINE _Bool spin_is_segment_(void)
{
	return HPU_TAKES_SEGMENTS;
}

SPIN_INLINE uint32_t spin_command_connection_(void)
{
	return hpu_scratch()->connection;
}

/*
 * Returns an address that all clusters know. A variable on the stack has an address in the own L1, valid in this cluster alone;
 * 0x1b...... is the only region with bit 25 set. For spin_state the compiler decides at compile time.
 */
SPIN_INLINE uint32_t spin_nic_address_(const void *at)
{
	uint32_t addr = (uint32_t)at;

	if (__builtin_constant_p(addr - (uint32_t)&spin_state))
		return addr;
	if (__builtin_expect((int32_t)(addr << 6) < 0, 0)) {
		uint32_t hart;

		__asm__(".insn i 0x73, 2, %0, x0, 0x014" : "=r"(hart)); /* csrr of uhartid */
		addr += L1_GLOBAL - L1_OWN + (hart >> 5 & 63) * L1_STRIDE;
	}
	return addr;
}

SPIN_INLINE uint32_t spin_move_begin_(uint32_t to, uint32_t from, uint32_t bytes)
{
	return hpu_dma_launch(to, from, bytes);
}

SPIN_INLINE _Bool spin_move_is_done_(uint32_t id)
{
	return hpu_dma_is_done(id);
}

SPIN_INLINE uint32_t spin_l1_of_(uint32_t cluster, uint32_t own)
{
	return own - L1_OWN + L1_GLOBAL + cluster * L1_STRIDE;
}

SPIN_INLINE uint32_t spin_stack_address_(const void *at)
{
	uint32_t hart;

	__asm__(".insn i 0x73, 2, %0, x0, 0x014" : "=r"(hart)); /* csrr of uhartid */
	return (uint32_t)at + L1_GLOBAL - L1_OWN + (hart >> 5 & 63) * L1_STRIDE;
}

uint32_t spin_hpus_ __attribute__((section(".data.spin_hpus"))) = 32; /* PsPIN's 4 clusters of 8 */

uint32_t spin_clusters_ __attribute__((section(".data.spin_clusters"))) = 4;

/* Present in images whose handlers can use up a budget of steps: the NIC then sets the watchdog to leave them that time. */
const uint32_t spin_steps_ __attribute__((section(".rodata.spin_steps"))) = 1;

HPU_INLINE uint32_t hpu_header(_Bool is_ip4, const struct hpu_args *args)
{
	if (HPU_TAKES_MESSAGES)
		return hpu_message_header(is_ip4, args);
	hpu_datagram_header(is_ip4, HPU_TAKES_SEGMENTS ? HPU_TCP : HPU_UDP, args);
	return hpu_nothing();
}

HPU_INLINE uint32_t hpu_data(_Bool is_ip4, enum spin_payload_rc (*handler)(struct spin_payload *, spin_state_type *),
			     const struct hpu_args *args)
{
	if (HPU_TAKES_MESSAGES)
		return hpu_message_data(is_ip4, handler, args);
	if (HPU_TAKES_SEGMENTS)
		hpu_segment_data(is_ip4, handler, args);
	else
		hpu_datagram_data(is_ip4, HPU_UDP, handler, args);
	return hpu_nothing();
}

HPU_ENTRY uint32_t hpu_header_ip4(const struct hpu_args *args)
{
	return hpu_header(1, args);
}
HPU_ENTRY uint32_t hpu_header_ip6(const struct hpu_args *args)
{
	return hpu_header(0, args);
}
HPU_ENTRY uint32_t hpu_payload_ip4(const struct hpu_args *args)
{
	return hpu_data(1, spin_handlers_.payload, args);
}
HPU_ENTRY uint32_t hpu_payload_ip6(const struct hpu_args *args)
{
	return hpu_data(0, spin_handlers_.payload, args);
}
HPU_ENTRY uint32_t hpu_proceed_ip4(const struct hpu_args *args)
{
	return hpu_data(1, 0, args);
}
HPU_ENTRY uint32_t hpu_proceed_ip6(const struct hpu_args *args)
{
	return hpu_data(0, 0, args);
}

HPU_ENTRY uint32_t hpu_completion(const struct hpu_args *args)
{
	if (HPU_TAKES_MESSAGES)
		return hpu_message_completion(args);
	if (HPU_TAKES_SEGMENTS)
		hpu_segment_completion(args);
	else
		hpu_datagram_completion(HPU_UDP, args);
	return hpu_nothing();
}

/*
 * Entries for ICMP and for frames that are not IP. They are last in program memory, so that they do not change the timing of UDP's
 * entries. They are three more copies of the handlers: spincc leaves them out (HPU_UDP_ALONE) if program memory has no room.
 */
#ifndef HPU_UDP_ALONE
#define HPU_OTHER_ENTRY __attribute__((used, flatten, noinline, section(".text.others")))

HPU_INLINE uint32_t hpu_other_header(_Bool is_ip4, enum hpu_takes takes, const struct hpu_args *args)
{
	if (HPU_TAKES_OTHERS)
		hpu_datagram_header(is_ip4, takes, args);
	return hpu_nothing();
}

HPU_INLINE uint32_t hpu_other_data(_Bool is_ip4, enum hpu_takes takes,
				   enum spin_payload_rc (*handler)(struct spin_payload *, spin_state_type *), const struct hpu_args *args)
{
	if (HPU_TAKES_OTHERS)
		hpu_datagram_data(is_ip4, takes, handler, args);
	return hpu_nothing();
}

HPU_OTHER_ENTRY uint32_t hpu_header_icmp(const struct hpu_args *args)
{
	return hpu_other_header(1, HPU_ICMP, args);
}
HPU_OTHER_ENTRY uint32_t hpu_header_icmp6(const struct hpu_args *args)
{
	return hpu_other_header(0, HPU_ICMP, args);
}
HPU_OTHER_ENTRY uint32_t hpu_payload_icmp(const struct hpu_args *args)
{
	return hpu_other_data(1, HPU_ICMP, spin_handlers_.payload, args);
}
HPU_OTHER_ENTRY uint32_t hpu_payload_icmp6(const struct hpu_args *args)
{
	return hpu_other_data(0, HPU_ICMP, spin_handlers_.payload, args);
}
HPU_OTHER_ENTRY uint32_t hpu_proceed_icmp(const struct hpu_args *args)
{
	return hpu_other_data(1, HPU_ICMP, 0, args);
}
HPU_OTHER_ENTRY uint32_t hpu_proceed_icmp6(const struct hpu_args *args)
{
	return hpu_other_data(0, HPU_ICMP, 0, args);
}

HPU_OTHER_ENTRY uint32_t hpu_header_ether(const struct hpu_args *args)
{
	return hpu_other_header(0, HPU_ETHER, args);
}
HPU_OTHER_ENTRY uint32_t hpu_payload_ether(const struct hpu_args *args)
{
	return hpu_other_data(0, HPU_ETHER, spin_handlers_.payload, args);
}
HPU_OTHER_ENTRY uint32_t hpu_proceed_ether(const struct hpu_args *args)
{
	return hpu_other_data(0, HPU_ETHER, 0, args);
}

HPU_INLINE uint32_t hpu_other_completion(enum hpu_takes takes, const struct hpu_args *args)
{
	if (HPU_TAKES_OTHERS)
		hpu_datagram_completion(takes, args);
	return hpu_nothing();
}

HPU_OTHER_ENTRY uint32_t hpu_completion_icmp(const struct hpu_args *args)
{
	return hpu_other_completion(HPU_ICMP, args);
}
HPU_OTHER_ENTRY uint32_t hpu_completion_ether(const struct hpu_args *args)
{
	return hpu_other_completion(HPU_ETHER, args);
}
#endif

/* Called by boot.S after a handler's trap. Runs in machine mode, unlike handlers. */
HPU_ENTRY void hpu_trapped(const struct hpu_args *args)
{
	if (HPU_TAKES_MESSAGES)
		hpu_message_trapped(args);
}
