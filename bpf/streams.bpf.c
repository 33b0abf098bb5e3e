/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Assigns TCP connections to the execution contexts (handlers, their memories and a match rule) of their sockets (abi/stream.h). Loaded by
 * libspin for spind. It runs for every socket of this host that connects; for most of them it ends after the first lookup. A socket marked
 * by spind, and connections accepted by a marked listening socket, have an owner in their socket storage, which the kernel copies on
 * accept. So no address or port is compared, and a socket that another program binds to the same port is not mistaken for it.
 *
 * Each connection is in two maps until it is closed. One gives it the verdict program. The other keeps bytes that were passed but not yet
 * read, which would be lost when a socket leaves its last map. The program holds that map and the connection the program, so the map
 * outlives libspin's process.
 *
 * The verdict program is the same for all contexts. It ensures that each byte is handled once, and tail-calls the context's own program.
 *
 * Bytes cannot wait once TCP has acknowledged them. So the limits on CPU time and events hold before TCP: a segment with bytes for a
 * context that has used up its share is dropped, and its sender sends it again.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include <spin/bytes.h>
#include <spin/wire.h>

#include "bpf/abi/stream.h"
#include "bpf/share.h"

#define SPIN_AF_INET 2

char spin_license[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE);
	__type(key, int);
	__type(value, struct spin_stream_owner);
} spin_stream_owner SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_SOCKHASH);
	__uint(max_entries, SPIN_STREAMS_OF_HOST);
	__type(key, uint64_t);
	__type(value, uint64_t);
} spin_stream_socks SEC(".maps"), spin_stream_kept SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SPIN_STREAMS_OF_HOST);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, uint64_t);
	__type(value, struct spin_stream_known);
} spin_stream_known SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, SPIN_STREAM_SLOTS);
	__uint(key_size, 4);
	__uint(value_size, 4);
} spin_stream_programs SEC(".maps");

/* Numbers of the attached contexts, by slot. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SPIN_STREAM_SLOTS);
	__type(key, uint32_t);
	__type(value, uint32_t);
} spin_stream_attached SEC(".maps");

/*
 * Entries of spin_stream_known per context, by slot: limits each context to its own share. libspin sets it to 0 when it detaches the
 * context.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SPIN_STREAM_SLOTS);
	__type(key, uint32_t);
	__type(value, uint32_t);
} spin_stream_counts SEC(".maps");

/* spin_streams_seen of each context, by slot. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, SPIN_STREAM_SLOTS);
	__type(key, uint32_t);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_ARRAY);
			__uint(max_entries, 1);
			__uint(map_flags, BPF_F_MMAPABLE);
			__uint(key_size, 4);
			__uint(value_size, sizeof(struct spin_streams_seen));
		});
} spin_stream_seen SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1024 * 1024);
} spin_stream_news SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint32_t);
} spin_stream_lost SEC(".maps");

const volatile struct spin_guard_share spin_stream_limits;

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct spin_stream_owner);
} spin_stream_limited SEC(".maps");

/* Replaced by the guards' map at load time. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct spin_guard_cpu);
} spin_guard_cpus SEC(".maps");

/* What contexts have used, by slot. A hash, because most slots are free and each value is one for each CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, SPIN_STREAM_SLOTS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, uint32_t);
	__type(value, struct spin_guard_counts);
} spin_stream_used SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, SPIN_STREAM_SLOTS);
	__type(key, uint32_t);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_RINGBUF);
			__uint(max_entries, 64 * 1024);
		});
} spin_stream_events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SPIN_STREAM_SLOTS);
	__type(key, uint32_t);
	__type(value, struct spin_guard_events_window);
} spin_stream_windows SEC(".maps");

/* --- connections begin and end --- */

/* Removes a connection from spin_stream_known and its context's count. */
static void spin_forget(uint64_t cookie, uint32_t *count)
{
	if (!bpf_map_delete_elem(&spin_stream_known, &cookie) && *count) /* a detach may have set it to 0 */
		__sync_fetch_and_add(count, -1);
}

/*
 * Returns 1 if the connection is counted for this owner. A connection that was accepted beyond its context's share carries the context's
 * mark and is not counted for it, but may later have handlers of another one; and a context that has ended leaves its slot to another one.
 */
static int spin_is_counted(uint64_t cookie, const struct spin_stream_owner *owner)
{
	const struct spin_stream_known *known = bpf_map_lookup_elem(&spin_stream_known, &cookie);

	return known && known->owner.context == owner->context && known->owner.slot == owner->slot;
}

/* Returns 0 if the context has ended or is detached; libspin has counted that. */
static int spin_is_attached(const struct spin_stream_owner *owner)
{
	const uint32_t *context = bpf_map_lookup_elem(&spin_stream_attached, &owner->slot);

	return context && *context == owner->context;
}

static struct spin_streams_seen *spin_seen(const struct spin_stream_owner *owner)
{
	void *seen = bpf_map_lookup_elem(&spin_stream_seen, &owner->slot);
	uint32_t zero = 0;

	return seen ? bpf_map_lookup_elem(seen, &zero) : NULL;
}

/* Adds a connection of an attached context to the maps. Returns 1 if it will have handlers; 0: the context's share or a map is full. */
static int spin_take(struct bpf_sock_ops *ops, const struct spin_stream_owner *owner)
{
	const struct spin_stream_known known = { .owner = *owner };
	uint64_t cookie = bpf_get_socket_cookie(ops);
	uint32_t *count = bpf_map_lookup_elem(&spin_stream_counts, &owner->slot);

	if (!count || *count >= SPIN_STREAMS_MAX || bpf_map_update_elem(&spin_stream_known, &cookie, &known, BPF_NOEXIST))
		return 0;
	__sync_fetch_and_add(count, 1);
	if (!bpf_sock_hash_update(ops, &spin_stream_kept, &cookie, BPF_ANY) &&
	    !bpf_sock_hash_update(ops, &spin_stream_socks, &cookie, BPF_ANY))
		return 1;
	spin_forget(cookie, count);
	return 0;
}

/*
 * Attaches a new connection to its context, or counts it if it cannot have handlers. If its end cannot be observed, it counts as open for
 * ever.
 */
static void spin_connected(struct bpf_sock_ops *ops, struct spin_stream_owner *owner)
{
	struct spin_streams_seen *seen;

	if (!spin_is_attached(owner))
		return;
	if (!bpf_sock_ops_cb_flags_set(ops, ops->bpf_sock_ops_cb_flags | BPF_SOCK_OPS_STATE_CB_FLAG) && spin_take(ops, owner))
		return;
	seen = spin_seen(owner);
	if (!seen)
		return;
	owner->without = 1;
	__sync_fetch_and_add(&seen->without, 1);
}

/* A connection that may have handlers has closed: corrects the counts of its context and forgets it. */
static void spin_closed(struct bpf_sock_ops *ops, const struct spin_stream_owner *owner)
{
	uint32_t *count = bpf_map_lookup_elem(&spin_stream_counts, &owner->slot);
	struct spin_streams_seen *seen = owner->without && spin_is_attached(owner) ? spin_seen(owner) : NULL;
	const uint64_t cookie = bpf_get_socket_cookie(ops);

	if (seen) {
		__sync_fetch_and_add(&seen->missed, 1); /* first: a reader must see at least one of the two */
		__sync_fetch_and_add(&seen->without, -1);
	}
	if (count && spin_is_attached(owner) && spin_is_counted(cookie, owner))
		spin_forget(cookie, count);
}

/* Reports to libspin that the connection was closed by its peer or has ended. */
static void spin_tell_state(struct bpf_sock_ops *ops, uint32_t context, uint32_t state)
{
	struct spin_stream_news news = {
		.cookie = bpf_get_socket_cookie(ops),
		.bytes = ops->bytes_received,
		.context = context,
		.state = state,
		.family = ops->family,
		.remote_port = (uint16_t)__builtin_bswap16((uint16_t)(ops->remote_port >> 16)),
		.local_port = (uint16_t)ops->local_port,
	};
	uint32_t zero = 0, *lost = bpf_map_lookup_elem(&spin_stream_lost, &zero);

	if (ops->family == SPIN_AF_INET) {
		news.remote[0] = ops->remote_ip4;
		news.local[0] = ops->local_ip4;
	} else {
		news.remote[0] = ops->remote_ip6[0];
		news.remote[1] = ops->remote_ip6[1];
		news.remote[2] = ops->remote_ip6[2];
		news.remote[3] = ops->remote_ip6[3];
		news.local[0] = ops->local_ip6[0];
		news.local[1] = ops->local_ip6[1];
		news.local[2] = ops->local_ip6[2];
		news.local[3] = ops->local_ip6[3];
	}
	if (bpf_ringbuf_output(&spin_stream_news, &news, sizeof(news), 0) && lost)
		__sync_fetch_and_add(lost, 1);
}

/* Called for each new connection and each change of a connection's state, in all control groups. Returns 1: nothing is refused. */
SEC("sockops")
int spin_stream_begins(struct bpf_sock_ops *ops)
{
	struct bpf_sock *sk = ops->sk;
	struct spin_stream_owner *owner;

	if (ops->op != BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB && ops->op != BPF_SOCK_OPS_STATE_CB)
		return 1;
	owner = sk ? bpf_sk_storage_get(&spin_stream_owner, sk, 0, 0) : NULL;
	if (!owner)
		return 1;
	if (ops->op == BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB)
		spin_connected(ops, owner);
	else if (ops->args[1] == BPF_TCP_CLOSE_WAIT || ops->args[1] == BPF_TCP_CLOSE)
		spin_tell_state(ops, owner->context, ops->args[1]);
	if (ops->op == BPF_SOCK_OPS_STATE_CB && ops->args[1] == BPF_TCP_CLOSE)
		spin_closed(ops, owner);
	return 1;
}

/* --- limits --- */

static struct spin_guard_cpu *spin_cpu(void)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&spin_guard_cpus, &zero);
}

/* Returns what the context has used on this CPU. */
static struct spin_guard_counts *spin_used(uint32_t slot)
{
	return bpf_map_lookup_elem(&spin_stream_used, &slot);
}

/*
 * Returns the length of the segment's payload; UINT32_MAX if it is unknown, because of IPv6 extension headers. The address family of the
 * socket does not tell that of the packet: one of IPv6 also gets IPv4.
 */
static uint32_t spin_payload_bytes(struct __sk_buff *skb)
{
	uint32_t at = sizeof(struct spin_ip6);
	struct spin_ip6 ip6;
	struct spin_tcp tcp;
	uint8_t version_ihl;

	if (bpf_skb_load_bytes(skb, 0, &version_ihl, sizeof(version_ihl)))
		return UINT32_MAX;
	if (version_ihl >> 4 == 4)
		at = (version_ihl & 15) * 4;
	else if (bpf_skb_load_bytes(skb, 0, &ip6, sizeof(ip6)) || ip6.next_header != SPIN_IP_TCP)
		return UINT32_MAX;
	if (bpf_skb_load_bytes(skb, at, &tcp, sizeof(tcp)))
		return UINT32_MAX;
	at += (tcp.words >> 4) * 4;
	return skb->len > at ? skb->len - at : 0;
}

static _Bool spin_used_up_time(uint32_t slot)
{
	struct spin_guard_cpu *cpu = spin_cpu();
	struct spin_guard_counts *used = spin_used(slot);

	if (!spin_stream_limits.percent || !cpu || !used)
		return 0;
	spin_share_window_(cpu, bpf_ktime_get_ns());
	if (!spin_share_is_over_(cpu, used, spin_stream_limits.percent))
		return 0;
	used->over++;
	return 1;
}

static _Bool spin_used_up_events(uint32_t slot)
{
	struct spin_guard_events_window *window = bpf_map_lookup_elem(&spin_stream_windows, &slot);
	struct spin_guard_counts *used = spin_used(slot);
	void *events = bpf_map_lookup_elem(&spin_stream_events, &slot);

	if (!spin_stream_limits.event_bytes || !window || !used || !events)
		return 0;
	if (!spin_events_are_over_(window, bpf_ringbuf_query(events, BPF_RB_PROD_POS), spin_stream_limits.event_bytes))
		return 0;
	used->noisy++;
	return 1;
}

/*
 * Runs for each packet that a socket of this host receives. Segments without payload pass: they make no handler run, and the host's own
 * sending depends on them.
 */
SEC("?cgroup_skb/ingress")
int spin_stream_admit(struct __sk_buff *skb)
{
	struct bpf_sock *sk = skb->sk;
	const struct spin_stream_owner *owner;

	if (!sk)
		return 1;
	owner = bpf_sk_storage_get(&spin_stream_owner, sk, 0, 0);
	/* a mark that the connection inherited from a context that has ended, or that does not have it, is not its context */
	if (!owner || owner->without || !spin_is_attached(owner))
		owner = bpf_sk_storage_get(&spin_stream_limited, sk, 0, 0);
	if (!owner || !spin_is_attached(owner) || !spin_payload_bytes(skb))
		return 1;
	return !spin_used_up_time(owner->slot) && !spin_used_up_events(owner->slot);
}

/* --- pieces of streams --- */

/* The fields read from the kernel's structures, located by BTF. */
struct tcp_skb_cb {
	uint32_t seq;
} __attribute__((preserve_access_index));

struct tcp_sock {
	uint32_t copied_seq;
} __attribute__((preserve_access_index));

struct sk_buff {
	struct tcp_sock *sk;
	char cb[48];
} __attribute__((preserve_access_index));

extern void *bpf_cast_to_kern_ctx(void *ctx) __ksym;
extern void *bpf_rdonly_cast(const void *at, __u32 type) __ksym __weak; /* same declaration as in newer libbpf */

#define SPIN_SHRINK_MAX 0xfffu /* most bytes that bpf_skb_adjust_room() removes at a time */

/* Removes the first bytes of a piece, up to 64 KB. Returns 0 on success. */
static int spin_skip(struct __sk_buff *skb, uint32_t bytes)
{
	_Pragma("unroll") for (int i = 0; i < 17; i++)
	{
		uint32_t step = bytes < SPIN_SHRINK_MAX ? bytes : SPIN_SHRINK_MAX;

		if (step && bpf_skb_adjust_room(skb, -(int)step, 0, 0))
			return -1;
		bytes -= step;
	}
	return 0;
}

/* Runs the context's program. If the function were static, the verifier would assume that it always returns SK_PASS. */
__attribute__((noinline)) int spin_stream_run(struct __sk_buff *skb, uint32_t slot)
{
	int none = SK_PASS;

	bpf_tail_call(skb, &spin_stream_programs, slot);
	__asm__ volatile("" : "+r"(none));
	return none;
}

/* Runs the context's program and adds up its time. */
static int spin_stream_run_timed(struct __sk_buff *skb, uint32_t slot)
{
	struct spin_guard_cpu *cpu = spin_cpu();
	struct spin_guard_counts *used = spin_used(slot);
	struct spin_share_run run;
	int action;

	if (!spin_stream_limits.percent || !cpu || !used)
		return spin_stream_run(skb, slot);
	run = spin_share_begin_(cpu);
	action = spin_stream_run(skb, slot);
	spin_share_spend_(cpu, used, &run);
	return action;
}

/*
 * Removes bytes that were delivered before. If segments overlap, TCP leaves it to the reader to skip the first bytes of the later one, and
 * verdict programs get them again (tcp_read_skb(), seen on Linux 6.18).
 *
 * Tells the context's program in skb->priority whether the stream begins: with the first piece that comes while the context is attached.
 * The kernel lets these programs write two fields of an skb, and TCP reads neither of a received one.
 */
SEC("sk_skb/stream_verdict")
int spin_stream_guard(struct __sk_buff *skb)
{
	uint64_t cookie = bpf_get_socket_cookie(skb);
	struct spin_stream_known *known = bpf_map_lookup_elem(&spin_stream_known, &cookie);
	const struct sk_buff *kernels = bpf_cast_to_kern_ctx(skb);
	const struct tcp_skb_cb *cb = bpf_rdonly_cast((void *)kernels->cb, bpf_core_type_id_kernel(struct tcp_skb_cb));
	const struct tcp_sock *sk = bpf_rdonly_cast(kernels->sk, bpf_core_type_id_kernel(struct tcp_sock));
	const uint32_t seq = cb->seq, bytes = skb->len;
	uint32_t next = sk->copied_seq;

	/* read before the choice below: the verifier rejects one load from two kinds of pointers */
	__asm__ volatile("" : "+r"(next));
	if (!known)
		return SK_PASS;
	if (known->has_next)
		next = known->next;
	known->next = seq + bytes;
	known->has_next = 1;
	if ((int32_t)(next - seq) > 0 && next - seq < bytes && spin_skip(skb, next - seq))
		return SK_DROP; /* no memory */
	/* a context that has ended leaves its slot to another one before its connections are forgotten */
	if (spin_is_attached(&known->owner)) {
		skb->priority = known->begun ? 0 : SPIN_STREAM_BEGINS;
		known->begun = 1;
		return spin_stream_run_timed(skb, known->owner.slot);
	}
	return SK_PASS;
}
