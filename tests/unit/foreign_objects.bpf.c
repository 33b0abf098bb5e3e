/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Objects that spincc would not generate. foreign_objects.c compiles this with one of the macros below at a time and appends the trailer
 * (length and checksum): libspin must refuse to open it, and name the offending part, but for the few that foreign_objects.c expects to be
 * accepted. Without a macro it is an ordinary object and passes the checks.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <spin/meta.h>

#define MAP(name, map_type, entries, key_bytes, value_bytes) \
	struct {                                             \
		__uint(type, map_type);                      \
		__uint(max_entries, entries);                \
		__uint(key_size, key_bytes);                 \
		__uint(value_size, value_bytes);             \
	} name SEC(".maps")

char hostile_license[] SEC("license") = "GPL";

const struct spin_meta meta SEC(SPIN_META_SECTION) = {
	.magic = SPIN_META_MAGIC,
	.api_version = SPIN_API_VERSION,
	.bytes = sizeof(struct spin_meta),
	.name = "foreign",
#if defined(SEGMENTS) || defined(SEGMENTS_SK_LOOKUP) || defined(SEGMENTS_TCP_SOCK) || defined(SEGMENTS_IN_STREAM)
	.registration.delivery = SPIN_DELIVER_SEGMENTS,
#endif
};

unsigned total;

struct row {
	unsigned limit, hits;
} rows[16];
unsigned pairs[16][2];
struct {
	unsigned words[15];
} wide[2];
const struct row fixed[16] = { { 1 } };

#ifdef PINNED
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} hostile_pin SEC(".maps");
#endif
#ifdef PINNED_AS_OURS
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} spin_events SEC(".maps");
#endif
#ifdef OWN_MAP
MAP(hostile_map, BPF_MAP_TYPE_ARRAY, 1, 4, 4);
#endif
#ifdef GIBIBYTE
MAP(spin_neighs, BPF_MAP_TYPE_HASH, 1 << 26, 24, 20);
#endif
#ifdef GIBIBYTE_VALUE
MAP(spin_host, BPF_MAP_TYPE_ARRAY, 1, 4, 1 << 30);
#endif
#ifdef LARGE
char hoard[1 << 20];
#endif
#ifdef GIBIBYTE_DATA
char hoard[1 << 29];
#endif
#ifdef SEVERAL_BSS
char hoard[40 << 20];
__asm__(".section .bss,\"aw\",@nobits,unique,1\n.zero 40 << 20\n.section .bss,\"aw\",@nobits,unique,2\n.zero 40 << 20\n");
#endif
#ifdef SEVERAL_RODATA
char hoard[60 << 20];
__asm__(".section .rodata.2,\"a\",@progbits\n.zero 5 << 20\n");
#endif
#ifdef TWENTY_RODATA
__asm__(".macro one\n.section .rodata.\\@,\"a\",@progbits\n.byte 1\n.endm\n.rept 20\none\n.endr\n");
#endif
#ifdef MANY_SECTIONS
__asm__(".macro one\n.section .spin.\\@,\"\",@progbits\n.byte 1\n.endm\n.rept 300\none\n.endr\n");
#endif
#ifdef TWO_BTF_EXT
__asm__(".section .BTF.ext,\"\",@progbits,unique,1\n.long 0\n");
#endif
#ifdef TWO_MAPS
MAP(spin_units, BPF_MAP_TYPE_ARRAY, 1, 4, 4);
MAP(spin_unitt, BPF_MAP_TYPE_ARRAY, 1, 4, 4);
#endif
#ifdef OTHER_TYPE
MAP(spin_events, BPF_MAP_TYPE_HASH, 1, 4, 4);
#endif
#ifdef OTHER_KEY
MAP(spin_tx_descs, BPF_MAP_TYPE_PERCPU_ARRAY, 1, 8, 8);
#endif
#ifdef OTHER_FLAGS
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 8);
	__uint(map_flags, BPF_F_RDONLY);
} spin_tx_rings SEC(".maps");
#endif
#ifdef OTHER_NODE
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 8);
	__uint(numa_node, 1);
} spin_tx_rings SEC(".maps");
#endif
#ifdef OTHER_INNER
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_ARRAY);
			__uint(max_entries, 1);
			__uint(key_size, 4);
			__uint(value_size, 8);
		});
} spin_egress SEC(".maps");
#endif
#ifdef SOCKETS_OF_RINGS
MAP(spin_ring_sockets, BPF_MAP_TYPE_XSKMAP, 64, 4, 4);
#endif
#ifdef SOCKETS_AS_OURS
MAP(spin_neighs, BPF_MAP_TYPE_XSKMAP, 1, 4, 4);
#endif
#ifdef SOCKETS_INSIDE
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_XSKMAP);
			__uint(max_entries, 1);
			__uint(key_size, 4);
			__uint(value_size, 8);
		});
} spin_egress SEC(".maps");
#endif
#ifdef FILLED_MAP
int spin_xdp(struct xdp_md *ctx);
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__array(values, int(struct xdp_md *));
} spin_long SEC(".maps") = { .values = { [0] = (void *)&spin_xdp } };
#endif

#ifdef TC
SEC("tc") int hostile(struct __sk_buff *skb)
{
	return 0;
}
#endif
#ifdef ESCAPES
SEC("\033[2Jtc\n") int hostile(struct __sk_buff *skb)
{
	return 0;
}
#endif
#ifdef SOCKET
SEC("socket") int hostile(struct __sk_buff *skb)
{
	return 0;
}
#endif
#ifdef CGROUP
SEC("?cgroup/skb") int hostile(struct __sk_buff *skb)
{
	return 1;
}
#endif
#ifdef KPROBE
SEC("kprobe/do_exit") int hostile(void *ctx)
{
	return 0;
}
#endif
#ifdef OWN_PROGRAM
SEC("xdp") int hostile(struct xdp_md *ctx)
{
	return XDP_PASS;
}
#endif
#ifdef STREAM_PARSER
SEC("?sk_skb/stream_parser") int spin_stream(struct __sk_buff *skb)
{
	return 0;
}
#endif
#ifdef OUR_NAME_AT_STREAM
SEC("?sk_skb/stream_verdict") int spin_copied(struct __sk_buff *skb)
{
	return 0;
}
#endif
#ifdef STREAM_AT_XDP
SEC("?xdp") int spin_stream(struct xdp_md *ctx)
{
	return 0;
}
#endif
#ifdef STREAM_REDIRECT
SEC("?sk_skb/stream_verdict") int spin_stream(struct __sk_buff *skb)
{
	return bpf_sk_redirect_map(skb, (void *)8, 0, 0);
}
#endif
#ifdef SEGMENTS_IN_STREAM
SEC("?sk_skb/stream_verdict") int spin_stream(struct __sk_buff *skb)
{
	struct bpf_sock_tuple tuple = { 0 };
	struct bpf_sock *sk = bpf_skc_lookup_tcp(skb, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0);

	if (sk)
		bpf_sk_release(sk);
	return 0;
}
#endif
#ifdef STREAM_SHORTER
SEC("?sk_skb/stream_verdict") int spin_stream(struct __sk_buff *skb)
{
	return bpf_skb_change_tail(skb, 1, 0) != 0;
}
#endif
#ifdef OUR_NAME_AT_TC
SEC("?tc") int spin_copied(struct __sk_buff *skb)
{
	return 0;
}
#endif
#ifdef OUR_NAME_AT_CPUMAP
SEC("?xdp/cpumap") int spin_copied(struct xdp_md *ctx)
{
	return XDP_PASS;
}
#endif
#ifdef OUR_NAME_IN_FRAGS
SEC("?xdp.frags") int spin_copied(struct xdp_md *ctx)
{
	return XDP_PASS;
}
#endif
#ifdef OUR_NAME_AUTOLOADED
SEC("xdp") int spin_copied(struct xdp_md *ctx)
{
	return XDP_PASS;
}
#endif
#ifdef STRUCT_OPS
struct hostile_ops {
	int (*call)(void);
} hostile_ops SEC(".struct_ops");
#endif
#ifdef OWN_DATA
int hostile_data SEC(".data.hostile") = 1;
#endif

#ifdef EXTERN_KFUNC
extern void *bpf_rdonly_cast(const void *obj, unsigned btf_id) __ksym;
#endif
#ifdef WEAK_KFUNC
extern void bpf_rcu_read_lock(void) __attribute__((weak)) __ksym;
#endif
#ifdef EXTERN_KSYM
extern const int jiffies __ksym;
#endif
#ifdef EXTERN_KCONFIG
extern unsigned LINUX_KERNEL_VERSION __kconfig;
#endif
#ifdef CORE
struct task_struct {
	int pid;
} __attribute__((preserve_access_index));
#endif
#if defined(NESTED_LOOPS) || defined(CALLBACK)
static int inner(unsigned i, void *unused)
{
	__sync_fetch_and_add(&total, 1);
	return 0;
}
#endif
#ifdef NESTED_LOOPS
static int outer(unsigned i, void *unused)
{
	bpf_loop(1 << 23, inner, 0, 0);
	return 0;
}
#endif
#ifdef NOINLINE_PROBE
static __attribute__((noinline)) int hidden(void *to)
{
	return bpf_probe_read_kernel(to, 4, (void *)8);
}
#endif
#ifdef UNUSED_PROBE
__attribute__((noinline)) int hidden(void *to)
{
	return (int)bpf_probe_read_kernel((void *)0, 0, to);
}
#endif
#ifdef CROOKED
__asm__(".globl crooked\n.type crooked,@function\n.set crooked, spin_xdp + 4\n.size crooked, 8\n");
#endif

#ifdef HALF_A_LOAD
__asm__(".text\n.globl half\n.type half,@function\nhalf: .byte 0x18, 0, 0, 0, 0, 0, 0, 0\n.size half, 8\n"
	".byte 0, 0, 0, 0, 0, 0, 0, 0\n.byte 0x95, 0, 0, 0, 0, 0, 0, 0\n");
#endif

SEC("xdp")
int spin_xdp(struct xdp_md *ctx)
{
#ifdef PROBE_READ
	bpf_probe_read_kernel(&total, sizeof(total), (void *)8);
#endif
#ifdef NOINLINE_PROBE
	unsigned word = 0;

	total = (unsigned)hidden(&word);
#endif
#if defined(SEGMENTS) || defined(SOCKET_LOOKUP)
	struct bpf_sock_tuple tuple = { 0 };
	struct bpf_sock *sk = bpf_skc_lookup_tcp(ctx, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0);

	if (sk) {
		total = sk->state;
		bpf_sk_release(sk);
	}
#endif
#ifdef SOCKET_RELEASE
	bpf_sk_release((void *)8);
#endif
#ifdef SEGMENTS_TCP_SOCK
	total = bpf_tcp_sock((void *)8) != 0;
#endif
#ifdef SEGMENTS_SK_LOOKUP
	total = bpf_sk_lookup_tcp(ctx, (void *)8, 12, BPF_F_CURRENT_NETNS, 0) != 0;
#endif
#ifdef MAP_UPDATE
	bpf_map_update_elem((void *)8, &(int){ 0 }, &(int){ 0 }, 0);
#endif
#ifdef NESTED_LOOPS
	bpf_loop(1 << 23, outer, 0, 0);
#endif
#ifdef BARE_LOOP
	bpf_loop(1 << 23, (void *)(unsigned long)total, 0, 0);
#endif
#ifdef CALLBACK
	total = (unsigned)(unsigned long)inner;
#endif
#ifdef UNKNOWN_HELPER
	((void (*)(void))100000)();
#endif
#ifdef EXTERN_KFUNC
	total = *(unsigned *)bpf_rdonly_cast((void *)(unsigned long)total, 1);
#endif
#ifdef WEAK_KFUNC
	if (bpf_rcu_read_lock)
		bpf_rcu_read_lock();
#endif
#ifdef RAW_KFUNC
	__asm__ volatile(".byte 0x85, 0x20, 0, 0, 1, 0, 0, 0" ::: "r0", "r1", "r2", "r3", "r4", "r5");
#endif
#ifdef RAW_MAP
	__asm__ volatile(".byte 0x18, 0x11, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0" ::: "r1");
#endif
#ifdef RAW_CALLX
	__asm__ volatile(".byte 0x8d, 0x01, 0, 0, 0, 0, 0, 0" ::: "r0", "r1", "r2", "r3", "r4", "r5");
#endif
#ifdef RAW_GOTOX
	__asm__ volatile(".byte 0x0d, 0x01, 0, 0, 0, 0, 0, 0" ::: "r1");
#endif
#ifdef RAW_LD_ABS
	__asm__ volatile(".byte 0x20, 0, 0, 0, 0, 0, 0, 0" ::: "r0");
#endif
#ifdef LOAD_ACQUIRE
	__asm__ volatile(".byte 0xdb, 0x21, 0, 0, 0, 1, 0, 0" ::: "r1", "memory");
#endif
#ifdef STORE_RELEASE
	__asm__ volatile(".byte 0xdb, 0x21, 0, 0, 0x10, 1, 0, 0" ::: "r1", "memory");
#endif
#ifdef UNKNOWN_ATOMIC
	__asm__ volatile(".byte 0xdb, 0x21, 0, 0, 7, 0, 0, 0" ::: "r1", "memory");
#endif
#ifdef UNKNOWN_LOAD
	__asm__ volatile(".byte 0x59, 0x21, 0, 0, 0, 0, 0, 0" ::: "r1", "memory");
#endif
#ifdef RAW_ARENA_CAST
	__asm__ volatile(".byte 0xbf, 0x11, 1, 0, 1, 0, 0, 0" ::: "r1");
#endif
#ifdef LARGE
	__asm__ volatile(".rept 5000\nr0 = 0\n.endr" ::: "r0");
#endif
#ifdef RAW_MAY_GOTO
	__asm__ volatile(".byte 0xe5, 0, 0, 0, 0, 0, 0, 0");
#endif
#ifdef EXTERN_KSYM
	total = (unsigned)(unsigned long)&jiffies;
#endif
#ifdef EXTERN_KCONFIG
	total = LINUX_KERNEL_VERSION;
#endif
#ifdef CORE
	total = __builtin_preserve_field_info(((struct task_struct *)0)->pid, 0);
#endif
	total++;
	return XDP_PASS;
}

#ifdef TWO_PROGRAMS
SEC("?xdp")
int spin_copied(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("?xdp")
int spin_copiee(struct xdp_md *ctx)
{
	return XDP_DROP;
}
#endif
