/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Asserts variables of every kind that C and PsPIN's link script support: HPUs (cores of the NIC) share those in L2, clusters those in L1.
 * Also constants, function tables, switches, strings and 64-bit numbers. init_handlers() must run once, on the first HPU, before all
 * handlers, and its stores must be visible. Run by tests/model/pspin_files_compute.c, which reads the counters: each of 64 packets must be
 * counted once.
 */
#include <handler.h>
#include <packets.h>
#include <pspin_rt.h>
#include <string.h>

#define L1       __attribute__((section(".data_tiny_l1")))
#define L1_ALIAS __attribute__((section(".data_alias_l1")))
#define L2       __attribute__((section(".l2_handler_data")))

L2 volatile uint32_t calls[8] = { 0, 1, 2, 3, 4, 5, 6, 7 }; /* in handler memory: the test reads it */
L2 static volatile uint32_t zeros[300];
L1 volatile uint32_t of_cluster[4] = { 11, 22, 33, 44 };
L1_ALIAS static volatile uint8_t bytes_of_cluster[3] = { 1, 2, 3 };
static volatile uint32_t started, counted, first_hart = 7, status;
static uint32_t set = 0x01020304;
static const char *const names[] = { "zero", "one", "two", "three" };
static const uint8_t squares[] = { 0, 1, 4, 9, 16, 25 };
static uint64_t wide = 0xfedcba9876543210;
static uint32_t *volatile pointer = &set;

struct record {
	uint8_t kind;
	uint32_t n __attribute__((packed));
	uint16_t half : 12, rest : 4;
};
static struct record record = { 1, 0xdeadbeef, 0xabc, 5 };

static uint32_t add(uint32_t a, uint32_t b)
{
	return a + b;
}
static uint32_t times(uint32_t a, uint32_t b)
{
	return a * b;
}
static uint32_t over(uint32_t a, uint32_t b)
{
	return a / b;
}
static uint32_t (*const table[])(uint32_t, uint32_t) = { add, times, over };

static __attribute__((noinline)) uint32_t choose(uint32_t n)
{
	switch (n) {
	case 0:
		return 17;
	case 1:
		return squares[5];
	case 2:
		return set;
	case 3:
		return started;
	case 4:
		return record.n;
	case 5:
		return (uint32_t)strlen(names[3]);
	default:
		return n;
	}
}

static __attribute__((noinline)) uint64_t divide(uint64_t a, uint64_t b)
{
	return a / b + a % b;
}

static __attribute__((noinline)) float half(uint32_t n)
{
	return (float)n / 2;
}

static uint32_t depth(volatile uint32_t *n)
{
	uint32_t here = *n;

	if (!here)
		return 0;
	*n = here - 1;
	return depth(n) + 1;
}

__handler__ void variables_ph(handler_args_t *args)
{
	volatile uint32_t n = 9;
	uint32_t hart, stack;

	ASSERT(started == 1 && *pointer == 0x01020304 && wide == 0xfedcba9876543210);
	ASSERT(record.kind == 1 && record.n == 0xdeadbeef && record.half == 0xabc && record.rest == 5);
	ASSERT(choose(0) == 17 && choose(1) == 25 && choose(2) == set && choose(3) == 1 && choose(4) == 0xdeadbeef && choose(5) == 5);
	ASSERT(choose(77) == 77 && !strcmp(names[args->hpu_id & 1], args->hpu_id & 1 ? "one" : "zero"));
	ASSERT(table[0](3, 4) == 7 && table[1](3, 4) == 12 && table[2](13, 4) == 3);
	ASSERT(divide(wide, 1000000007) == 18364758415 + 939755815);
	ASSERT((uint32_t)(half(5) * 4) == 10 && (int32_t)half(7) == 3);
	ASSERT(depth(&n) == 9 && !n);
	read_csr(0x014, hart);
	read_register(sp, stack);
	ASSERT(hart == (args->cluster_id << 5 | args->hpu_id) && stack >> 24 == 0x1b && status && !first_hart);
	ASSERT(bytes_of_cluster[2] == 3 && of_cluster[0] >= 11 && of_cluster[3] == 44);
	for (unsigned i = 0; i < sizeof(zeros) / sizeof(zeros[0]); i++)
		ASSERT(!zeros[i]);
	ASSERT((uint32_t)calls == (uint32_t)args->task->handler_mem && calls[7] == 7);
	amo_add((volatile int32_t *)&of_cluster[1], 1);
	amo_add((volatile int32_t *)&counted, 1);
	amo_add((volatile int32_t *)&calls[1], 1);
}

__handler__ void variables_th(handler_args_t *args)
{
	calls[2] = counted;
	spin_write_to_host((uint64_t)args->task->host_mem_high << 32 | args->task->host_mem_low, counted, NULL);
}

void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **handler_mem)
{
	uint32_t csr;

	started++;
	read_csr(mhartid, csr);
	first_hart = csr;
	read_csr(PULP_CSR_MSTATUS, csr); /* machine mode is allowed to look */
	write_csr(PULP_CSR_MEPC, 0x1d000100);
	read_csr(PULP_CSR_MEPC, csr);
	status = csr == 0x1d000100;
	calls[0] += 100;
	of_cluster[0] = 12; /* only in the first cluster's L1, where this runs */
	*hh = NULL;
	*ph = variables_ph;
	*th = variables_th;
	*handler_mem = (void *)calls;
}
