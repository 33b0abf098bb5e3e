/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the C library functions of hwmodel/image/pspin/stdio.c. printf() prints nowhere, but must return the length and consume its
 * arguments in order, even those that it does not print. Handler memory gets the number of checks passed: 53. Run by
 * tests/model/pspin_files_compute.c.
 */
#include <handler.h>
#include <packets.h>
#include <stdlib.h>
#include <string.h>

static volatile uint32_t passed;
static const char *volatile nothing;

#define PRINTS(length, ...)                                       \
	do {                                                      \
		ASSERT(printf(__VA_ARGS__) == (length)) passed++; \
	} while (0)
#define IS(condition)                       \
	do {                                \
		ASSERT(condition) passed++; \
	} while (0)

static void prints(const char *text)
{
	PRINTS(0, "%s", "");
	PRINTS(6, "plain\n");
	PRINTS(7, "%d %i", -12, 345);
	PRINTS(11, "%d", -2147483647 - 1);
	PRINTS(10, "%u", 4294967295u);
	PRINTS(20, "%llu", 18446744073709551615ull);
	PRINTS(20, "%lld", -9223372036854775807ll - 1);
	PRINTS(8, "%08x", 0xabcdu);
	PRINTS(10, "%#010x", 0xabcdu);
	PRINTS(6, "%#X", 0xABCDu);
	PRINTS(1, "%#x", 0u);
	PRINTS(3, "%#o", 8u);
	PRINTS(16, "%16llx", 0x1234567890ull);
	PRINTS(6, "%-5d|", 42);
	PRINTS(5, "%05d", -42);
	PRINTS(3, "%+d", 42);
	PRINTS(3, "% d", 42);
	PRINTS(2, "%hhd", 300); /* 44 */
	PRINTS(5, "%hu", 65535u);
	PRINTS(1, "%hu", 65536u);
	PRINTS(6, "%ld %lu", -1l, 123ul);
	PRINTS(3, "%zu", sizeof(char[100]));
	PRINTS(3, "%jd", (intmax_t)100);
	PRINTS(2, "%td", (ptrdiff_t)-1);
	PRINTS(1, "%c", 'x');
	PRINTS(5, "%5c", 'x');
	PRINTS(3, "%%%c%%", 'x');
	PRINTS(10, "%p", (void *)0x1c300000);
	PRINTS(4, "%s", text);
	PRINTS(8, "%8s", text);
	PRINTS(9, "%-8s|", text);
	PRINTS(2, "%.2s", text);
	PRINTS(5, "%5.2s", text);
	PRINTS(6, "%*d", 6, 42);
	PRINTS(6, "%*d", -6, 42);
	PRINTS(3, "%.*s", 3, text);
	PRINTS(5, "%.5d", 42);
	PRINTS(8, "%8.5d", 42);
	PRINTS(0, "%.0d", 0);
	PRINTS(6, "%s", nothing); /* (null) */
	/* consumed, but not printed */
	printf("%f %s", 1.5, text);
	printf("%10.3e %s", 1.5, text);
	passed++;
	IS(putchar('x') == 'x' && putchar(0x1ff) == 0xff);
	IS(puts("text") >= 0);
	SPIN_PRINTF("%d\n", 1);
	DEBUG_PRINT("%d\n", 2);
}

static void strings(uint8_t *at)
{
	for (uint32_t bytes = 0; bytes < 12; bytes += 1 + bytes / 4) /* the watchdog gives a task 1,000,000 cycles */
		for (uint32_t from = 0; from < 6; from++)
			for (uint32_t to = 0; to < 6; to++) {
				int wrong = 0;

				for (uint32_t i = 0; i < 64; i++)
					at[i] = (uint8_t)i;
				memmove(at + 16 + to, at + 16 + from, bytes);
				for (uint32_t i = 0; i < 64; i++)
					wrong |= at[i] != (i - 16 - to < bytes ? i - to + from : i);
				ASSERT(!wrong)
			}
	passed++;
	for (uint32_t bytes = 0; bytes < 12; bytes++)
		for (uint32_t off = 0; off < 4; off++) {
			int wrong = 0;

			for (uint32_t i = 0; i < 64; i++)
				at[i] = (uint8_t)i;
			ASSERT(memcpy(at + 32 + off, at + 3 - off, bytes) == at + 32 + off)
			ASSERT(!memcmp(at + 32 + off, at + 3 - off, bytes))
			ASSERT(memset(at + 3 - off, 0x1a5, bytes) == at + 3 - off)
			for (uint32_t i = 0; i < 64; i++)
				wrong |= at[i] != (i - 32 - off < bytes ? i - 32 - off + 3 - off : i - 3 + off < bytes ? 0xa5 : i);
			ASSERT(!wrong)
		}
	passed++;
	at[0] = 0x80;
	at[4] = 0x7f;
	IS(memcmp(at, at + 4, 1) > 0 && memcmp(at + 4, at, 1) < 0 && !memcmp(at, at + 4, 0));
	IS(!strcmp("", "") && strcmp("a", "b") < 0 && strcmp("b", "a") > 0 && strcmp("ab", "a") > 0 && strcmp("\x80", "a") > 0);
	IS(!strlen("") && strlen("abc") == 3 && !strncmp("abc", "abd", 2) && strncmp("abc", "abd", 3) < 0 && !strncmp("a", "b", 0));
	IS(abs(-7) == 7 && abs(7) == 7 && !abs(0));
	IS(!strcmp(strcpy((char *)at, "copied"), "copied") && strncpy((char *)at, "ab", 4) == (char *)at && !at[2] && !at[3] &&
	   at[4] == 'e');
}

static void macros(void)
{
	IS(MIN(3, 4) == 3 && MAX(3, 4) == 4 && MIN(-1, 1) == -1 && DIV_CEIL(9, 4) == 3 && DIV_CEIL(8, 4) == 2);
	IS(FAST_DIV(1024, 3) == 128 && FAST_MOD(1027, 8) == 3 && AND(6, 3) == 2 && ALIGN_UP(5, 4) == 8 && ALIGN_UP(8, 4) == 8);
	IS(DMA_MAX_XFER_SIZE == 32768 && MEM_ALIGNMENT == 4 && DMA_NULL == 0 && CORE_COUNT == 32 && NUM_CLUSTER_HPUS == 8);
	LABEL(a_label_of_strings);
	TRACING_DUMMY_INSTR();
	rt_time_wait_cycles(0);
	rt_time_wait_cycles(4);
	rt_time_wait_cycles(5);
	rt_time_wait_cycles(100);
	asm_mem_fence();
}

__handler__ void strings_ph(handler_args_t *args)
{
	passed = 0;
	prints("text");
	strings((uint8_t *)args->task->scratchpad[args->cluster_id] + 64 * args->hpu_id);
	macros();
	*(volatile uint32_t *)args->task->handler_mem = passed;
}

void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **handler_mem)
{
	*hh = NULL;
	*ph = strings_ph;
	*th = NULL;
	*handler_mem = NULL;
}
