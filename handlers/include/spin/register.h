/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_REGISTER_H
#define SPIN_REGISTER_H

/*
 * Macros by which a handler file declares its memories and registers its handlers; part of <spin/spin.h>.
 *
 * SPIN_STATE(TYPE, initial...): the state that all handlers of this file share, with its initial value (sPIN B.2). It must precede the
 * first handler function:
 *
 *	SPIN_STATE(struct limits, .rate = 100);
 *
 * Fixed-width fields only, no pointers, because the host also reads and writes it.
 */
#define SPIN_STATE(TYPE, ...)         \
	typedef TYPE spin_state_type; \
	SPIN_STATE_(TYPE, __VA_ARGS__)

/* Targets that keep the state elsewhere (<spin/target/nfp.h>) define these themselves. */
#ifndef SPIN_STATE_
#define SPIN_STATE_(TYPE, ...) TYPE spin_state SPIN_STATE_ATTR_ = { __VA_ARGS__ }
#define SPIN_STATE_OF_(packet) (&spin_state)
#endif

/* For handlers without state; they take `struct spin_no_state *`. */
struct spin_no_state {
	uint32_t unused;
};
#ifndef SPIN_NO_STATE
#define SPIN_NO_STATE SPIN_STATE(struct spin_no_state)
#endif

/*
 * SPIN_SCRATCHPAD(TYPE): memory private to one message, in its home cluster's L1 (PsPIN 3.2.2), zeroed when the message begins. It must
 * precede the first handler function. SPIN_SCRATCH(v) is the message's TYPE *, in all three handlers. Only with SPIN_DELIVER_ME, up to
 * 7,680 bytes. Payload handlers of one message share it and run concurrently.
 */
#define SPIN_SCRATCHPAD(TYPE)                                                                                      \
	_Static_assert(sizeof(TYPE) <= 7680, "SPIN_SCRATCHPAD: at most 7680 bytes");                               \
	_Static_assert(sizeof(TYPE) % 8 == 0, "SPIN_SCRATCHPAD: pad the struct to a multiple of 8 bytes");         \
	const uint32_t spin_scratchpad_bytes_ __attribute__((used, section(SPIN_SCRATCH_SECTION))) = sizeof(TYPE); \
	typedef TYPE spin_scratchpad_type;                                                                         \
	SPIN_SCRATCHPAD_STORE_(TYPE)

#define SPIN_SCRATCH(v) ((__typeof__(spin_scratchpad_type) *)spin_scratch_((v)->packet))

/*
 * SPIN_HANDLERS(name, .header = f, .payload = g, .completion = h, ...): the
 * registration; any handler may be absent. See struct spin_registration for the
 * other fields. `name` is at most 15 characters. Signatures:
 *
 *	enum spin_header_rc     f(struct spin_header *, TYPE *state)
 *	enum spin_payload_rc    g(struct spin_payload *, TYPE *state)
 *	enum spin_completion_rc h(uint32_t dropped_bytes, _Bool flow_control_triggered, TYPE *state)
 *
 * or, instead of .completion, .message_completion, for handlers that use the scratchpad
 * or the host memory of their message:
 *
 *	enum spin_completion_rc h(struct spin_completion *, TYPE *state)
 *
 * The compiler inlines the functions into the runtime: the table of
 * pointers is never emitted, and an absent handler leaves no code.
 *
 * SPIN_REGISTER_TOO_ follows the file's own fields and so overrides them: `spinctl cost --advise` measures the cost of
 * a registration in this way.
 */
#ifndef SPIN_REGISTER_TOO_
#define SPIN_REGISTER_TOO_
#endif
#define SPIN_HANDLERS(name_, ...)                                                                                                 \
	static const struct {                                                                                                     \
		enum spin_header_rc (*header)(struct spin_header *, spin_state_type *);                                           \
		enum spin_payload_rc (*payload)(struct spin_payload *, spin_state_type *);                                        \
		enum spin_completion_rc (*completion)(uint32_t, _Bool, spin_state_type *);                                        \
		enum spin_completion_rc (*message_completion)(struct spin_completion *, spin_state_type *);                       \
		uint8_t state_placement, checksum, delivery, takes;                                                               \
		uint16_t user_header_bytes;                                                                                       \
		uint8_t payload_aligned;                                                                                          \
		uint32_t bytes_in_l1, idle_ms, budget;                                                                            \
		uint16_t fragmentation_bytes;                                                                                     \
	} spin_handlers_ __attribute__((unused)) = { __VA_ARGS__ SPIN_REGISTER_TOO_ };                                            \
	_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Waddress\"")                                            \
		SPIN_IGNORE_POINTER_BOOL_ const struct spin_meta spin_meta_ __attribute__((used, section(SPIN_META_SECTION))) = { \
			.magic = SPIN_META_MAGIC,                                                                                 \
			.api_version = SPIN_API_VERSION,                                                                          \
			.bytes = sizeof(struct spin_meta),                                                                        \
			.name = #name_,                                                                                           \
			.state_bytes = sizeof(spin_state_type),                                                                   \
			.registration = { __VA_ARGS__ SPIN_REGISTER_TOO_ },                                                       \
		};                                                                                                                \
	_Pragma("GCC diagnostic pop") _Static_assert(sizeof(#name_) <= 16, "SPIN_HANDLERS: a name has at most 15 characters");    \
	typedef int spin_registered_

#ifdef __clang__
#define SPIN_IGNORE_POINTER_BOOL_ _Pragma("GCC diagnostic ignored \"-Wpointer-bool-conversion\"")
#else
#define SPIN_IGNORE_POINTER_BOOL_
#endif

#endif
