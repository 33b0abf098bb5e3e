/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_C35_RAID_H
#define TESTS_HANDLERS_C35_RAID_H

/*
 * Shared by c35_acknowledge.c, c35_parity.c and c35_write.c, the handlers of sPIN's listing C.3.5, "Reed-Solomon": data nodes that keep a
 * parity node up to date (RAID-5). A process, an endpoint of messages, is encoded in 64 bits, in hdr_data and user headers: IPv4 address
 * and port in network byte order, and two bytes of 0.
 */
enum { PARITY_TAG = 53 /* match bits of updates for the parity server */ };

struct raid_process {
	spin_be32 addr;
	spin_be16 port;
	uint16_t unused;
};

SPIN_INLINE uint64_t raid_as_bits(const struct spin_process *process)
{
	return process->addr[0] | (uint64_t)process->port << 32;
}

SPIN_INLINE struct spin_process raid_process(const struct raid_process *process)
{
	return (struct spin_process){ .addr = { process->addr }, .port = process->port, .ip_version = 4 };
}

#endif
