/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The HPU side of the runtime: one translation unit with the handler, so that
 * what a handler does not use leaves no code. Built by spincc, from the root:
 *
 *   riscv64-unknown-elf-gcc @hwmodel/image/cflags -Wl,--gc-sections -Wl,--build-id=none \
 *	-Ihandlers/include -I. -DSPIN_HANDLER_FILE='"handlers/x.c"' -T hwmodel/image/pspin.ld \
 *	hwmodel/image/boot.S hwmodel/image/entry.c -lgcc -o x.elf
 *	[-Wl,--defsym=SPIN_STATE_IN_L1=1]
 *
 * (-fno-ipa-* in cflags: else gcc clones the handler before it would inline it.)
 *
 * The NIC runs these tasks for a message, as PsPIN's MPQ engine does, and picks
 * the IP version's entry:
 *
 *   hpu_header_*     if a header handler is registered, for the first packet
 *   hpu_payload_*    for each packet (the first one, too) if a payload handler is
 *                    registered and the packet has payload beyond the user header,
 *   hpu_proceed_*    else: the default action
 *   hpu_completion   if a completion handler is registered, when all have ended
 *
 * What they return says, of messages of many packets, what the handler said.
 */
#include SPIN_HANDLER_FILE

#include "datagram.h"
#include "message.h"

#define HPU_ENTRY __attribute__((used, flatten, noinline, section(".text.hpu")))

/* For entries of datagrams, where nobody looks: whatever stands there. */
HPU_INLINE uint32_t hpu_nothing(void)
{
	uint32_t any;

	__asm__("" : "=r"(any));
	return any;
}

/* The accessors' commands (<spin/target/rv32.h>). */
SPIN_INLINE uint32_t spin_command_to_host_(uint32_t high, uint32_t low, const void *from, uint32_t bytes)
{
	return hpu_command_to_host(high, low, (uint32_t)from, bytes);
}

SPIN_INLINE void spin_command_wait_(uint32_t id)
{
	hpu_command_wait(id);
}

HPU_INLINE uint32_t hpu_header(_Bool is_ip4)
{
	if (HPU_TAKES_MESSAGES)
		return hpu_message_header(is_ip4);
	hpu_datagram_header(is_ip4);
	return hpu_nothing();
}

HPU_INLINE uint32_t hpu_data(_Bool is_ip4,
			     enum spin_payload_rc (*handler)(struct spin_payload *, spin_state_type *))
{
	if (HPU_TAKES_MESSAGES)
		return hpu_message_data(is_ip4, handler);
	hpu_datagram_data(is_ip4, handler);
	return hpu_nothing();
}

HPU_ENTRY uint32_t hpu_header_ip4(void)
{
	return hpu_header(1);
}
HPU_ENTRY uint32_t hpu_header_ip6(void)
{
	return hpu_header(0);
}
HPU_ENTRY uint32_t hpu_payload_ip4(void)
{
	return hpu_data(1, spin_handlers_.payload);
}
HPU_ENTRY uint32_t hpu_payload_ip6(void)
{
	return hpu_data(0, spin_handlers_.payload);
}
HPU_ENTRY uint32_t hpu_proceed_ip4(void)
{
	return hpu_data(1, 0);
}
HPU_ENTRY uint32_t hpu_proceed_ip6(void)
{
	return hpu_data(0, 0);
}

HPU_ENTRY uint32_t hpu_completion(void)
{
	if (HPU_TAKES_MESSAGES)
		return hpu_message_completion();
	hpu_datagram_completion();
	return hpu_nothing();
}

/* Called by boot.S after a trap of a handler, in machine mode. */
HPU_ENTRY void hpu_trapped(void)
{
	if (HPU_TAKES_MESSAGES)
		hpu_message_trapped();
}
