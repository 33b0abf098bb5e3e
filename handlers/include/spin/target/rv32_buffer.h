/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_BUFFER_H
#define SPIN_TARGET_RV32_BUFFER_H

/*
 * Buffers of HPUs, the NIC's cores (<spin/buffer.h>), on PsPIN: one for each HPU of a cluster, in a section at the address that means every
 * cluster's own L1 (hwmodel/image/pspin.ld). A cluster may have up to 16 HPUs, with consecutive numbers. Included by <spin/target/rv32.h>.
 */
#define SPIN_BUFFERS_ 16u

#define SPIN_BUFFER_(TYPE, name, entries) \
	TYPE spin_buffer_##name[SPIN_BUFFERS_][entries] __attribute__((section(".spin_buffers"), aligned(64)))

#define SPIN_BUFFER_OF_(v, name) (spin_buffer_##name[spin_my_hpu(v) & (SPIN_BUFFERS_ - 1)])

/*
 * Returns the global address of the buffer's bytes, which all clusters and the NIC use. A buffer is always in the own L1, so
 * spin_nic_address_()'s test is not needed.
 */
SPIN_INLINE uint32_t spin_buffer_address_(const void *buffer, uint32_t off)
{
	return spin_stack_address_(buffer) + off;
}

/* Returns the command's id. `bytes` must not be 0. */
SPIN_INLINE uint32_t spin_buffer_begin_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, const void *buffer,
					uint32_t off, uint32_t bytes, _Bool to_host)
{
	if (!to_host)
		spin_settle_(packet); /* the handler's earlier blocking transfers to the host complete before the read */
	spin_fence_();
	return spin_transfer_(packet, space, at, spin_buffer_address_(buffer, off), bytes, to_host);
}

SPIN_INLINE int spin_buffer_move_nb_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, void *buffer, uint32_t size,
				     uint32_t off, uint32_t bytes, _Bool to_host, struct spin_dma *dma)
{
	*dma = (struct spin_dma){ 0 };
	if (bytes > size || off > size - bytes || !spin_in_space_(packet, space, at, bytes))
		return SPIN_SEGV;
	if (bytes)
		*dma = spin_dma_of_(spin_buffer_begin_(packet, space, at, buffer, off, bytes, to_host));
	return 0;
}

SPIN_INLINE int spin_buffer_move_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, void *buffer, uint32_t size,
				  uint32_t off, uint32_t bytes, _Bool to_host)
{
	if (bytes > size || off > size - bytes || !spin_in_space_(packet, space, at, bytes))
		return SPIN_SEGV;
	if (bytes)
		spin_command_await_(spin_buffer_begin_(packet, space, at, buffer, off, bytes, to_host));
	spin_fence_();
	return 0;
}

/*
 * Replies from a buffer (<spin/reply.h>): the NIC sends contiguous bytes, so each HPU's buffer has room in front of it for the reply's
 * headers (hwmodel/image/datagram.h): 60 bytes for IPv4 with options, 8 for UDP.
 */
#define SPIN_REPLY_ROOM_ 72u

#define SPIN_REPLY_BUFFER_(bytes_)                                                                   \
	static struct spin_reply_ {                                                                  \
		uint8_t room[SPIN_REPLY_ROOM_];                                                      \
		uint32_t of[(bytes_) / 4];                                                           \
	} spin_reply_buffers_[SPIN_BUFFERS_] __attribute__((section(".spin_buffers"), aligned(64))); \
	SPIN_INLINE uint32_t *spin_reply_buffer_(uint32_t hpu)                                       \
	{                                                                                            \
		return spin_reply_buffers_[hpu & (SPIN_BUFFERS_ - 1)].of;                            \
	}                                                                                            \
	static uint32_t *(*const spin_reply_at_)(uint32_t) = spin_reply_buffer_
#define SPIN_REPLY_OF_(packet) (spin_reply_buffers_[(packet)->hpu & (SPIN_BUFFERS_ - 1)].of)

SPIN_INLINE enum spin_payload_rc spin_reply_from_buffer_(struct spin_packet *packet, uint32_t bytes)
{
	if (bytes > spin_reply_size_ || packet->is_icmp || packet->is_ether)
		return SPIN_SEGV;
	packet->reply_bytes = bytes | SPIN_REPLY_MADE_;
	return SPIN_REPLIED;
}

SPIN_INLINE enum spin_payload_rc spin_deliver_from_buffer_(struct spin_packet *packet, uint32_t bytes)
{
	if (bytes > spin_reply_size_ || packet->is_icmp || packet->is_ether)
		return SPIN_SEGV;
	packet->deliver_made = bytes;
	return SPIN_SUCCESS;
}

SPIN_INLINE int spin_put_from_buffer_(struct spin_packet *packet, const void *buffer, uint32_t size, uint32_t off, uint32_t bytes,
				      const struct spin_put *put)
{
	if (bytes > size || off > size - bytes || !spin_may_send_(packet, &put->target, bytes))
		return SPIN_SEGV;
	spin_fence_();
	spin_command_await_(spin_command_id_(&packet->commands,
					     spin_command_put_(spin_nic_address_(put), 0, spin_buffer_address_(buffer, off), bytes)));
	return 0;
}

#endif
