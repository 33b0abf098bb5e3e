/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_CLOCK_H
#define SPIN_TARGET_RV32_CLOCK_H

/*
 * Time, random numbers and VLAN tag for handlers on an HPU, a core of the NIC (<spin/clock.h>, <spin/random.h>): registers that the model
 * adds to the HPU driver. PsPIN's own driver does not have them: a read returns the word that a command register answered last. There are
 * no TCP streams here, so handlers miss none of their bytes. Included by <spin/target/rv32.h>.
 */

SPIN_INLINE uint64_t spin_clock_ns_(void)
{
	return spin_command_clock_();
}

SPIN_INLINE uint64_t spin_clock_coarse_ns_(void)
{
	return spin_command_clock_();
}

SPIN_INLINE uint32_t spin_random32_(const struct spin_packet *packet)
{
	(void)packet;
	return spin_random_mix_(spin_command_draw_());
}

SPIN_INLINE uint32_t spin_tag_(const struct spin_packet *packet)
{
	(void)packet;
	return spin_command_tag_();
}

SPIN_INLINE uint32_t spin_connections_missed_(const struct spin_packet *packet)
{
	(void)packet;
	return 0;
}

#endif
