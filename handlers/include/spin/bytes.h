/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_BYTES_H
#define SPIN_BYTES_H

/* Types and conversions for values in network byte order. All targets are little-endian. Included by the headers of the handler API. */
#include <stddef.h>
#include <stdint.h>

typedef uint16_t spin_be16;
typedef uint32_t spin_be32;

#define SPIN_INLINE static inline __attribute__((always_inline, unused))

/* Written out, because gcc calls a library function for __builtin_bswap32 on rv32imac. */
SPIN_INLINE uint16_t spin_swap16(uint16_t v)
{
	return (uint16_t)(v << 8 | v >> 8);
}

SPIN_INLINE uint32_t spin_swap32(uint32_t v)
{
	return v << 24 | (v & 0xff00u) << 8 | (v >> 8 & 0xff00u) | v >> 24;
}

SPIN_INLINE uint16_t spin_ntoh16(spin_be16 v)
{
	return spin_swap16(v);
}
SPIN_INLINE uint32_t spin_ntoh32(spin_be32 v)
{
	return spin_swap32(v);
}
SPIN_INLINE spin_be16 spin_hton16(uint16_t v)
{
	return spin_swap16(v);
}
SPIN_INLINE spin_be32 spin_hton32(uint32_t v)
{
	return spin_swap32(v);
}

#endif
