/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Calibration rows of the commands that handlers issue (send a packet, DMA to and from the host) and of the cluster's DMA engine, idle and
 * under load: values measured on PsPIN's RTL, each with the function that measures it in the model. Run by accuracy.c, which compares the
 * two. See hwmodel/README.md, "Commands" and "Cluster DMA".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/measure/measure.h"

#include "tests/accuracy/accuracy.h"

#define API_COMMANDS 8

/* The cycles from FUNCTION_from to the return, on one HPU of an idle machine. */
static void body(struct machine *machine, const struct row *row, struct values *out)
{
	/* copies from the packet may be larger than 64 bytes */
	machine->stored = 1;
	values__add(out, timed_body(machine, row->text[0]) + (double)row->arg[0]);
}

/* Returns the time from the first issue to the last feedback, over all HPUs. */
static double first_issue_to_last_feedback(const struct machine *machine, const char *const *functions, unsigned kinds)
{
	uint64_t last = 0;
	double first = 0;

	for (unsigned i = 0; i < machine->count; i++) {
		const struct ended *ended = &machine->ended[i];
		double issue = (double)ended->task.first + cycles_before(machine, functions[ended->packet % kinds]);

		if (!i || issue < first)
			first = issue;
		if (ended->task.feedback > last)
			last = ended->task.feedback;
	}
	return (double)last - first;
}

/* The cycles per command of arg[0] HPUs in arg[1] clusters. */
static void api(struct machine *machine, const struct row *row, struct values *out)
{
	unsigned hpus = (unsigned)row->arg[0];

	run_by_message(machine, row->text[0], hpus, (unsigned)row->arg[1], 64);
	values__add(out, first_issue_to_last_feedback(machine, row->text, 1) / hpus / API_COMMANDS);
}

static double tight_time(struct machine *machine, const char *name, unsigned times, unsigned hpus, unsigned clusters)
{
	char function[80];
	const char *of = function;

	snprintf(function, sizeof(function), "%s_%u", name, times);
	run_by_message(machine, function, hpus, clusters, 64);
	if (machine->issues != times * hpus)
		machine__fail("%u commands of %u HPUs", machine->issues, hpus);
	return first_issue_to_last_feedback(machine, &of, 1);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Stores the sorted start cycles of the loads that issue commands back to back on each HPU. */
static void loads_begin(const struct machine *machine, double *begin)
{
	double next[32] = { 0 };

	for (unsigned i = 0; i < machine->issues; i++) {
		const struct issue *issue = &machine->issued[i];

		begin[i] = next[issue->hpu] ? next[issue->hpu] : (double)issue->cycle;
		next[issue->hpu] = (double)issue->cycle + 1;
	}
	qsort(begin, machine->issues, sizeof(*begin), by_value);
}

/*
 * The measurements give "total cycles from first issue to last feedback divided by commands", and "steady values". With eight or more
 * HPUs the total over 192 or more commands is practically steady, and equals the measurement to the last digit. With fewer HPUs the value
 * is taken between two issuing loads: from the time when each HPU has issued 8 commands, which fill its slots, to the last load. So rows
 * of one HPU are multiples of 1/15, of two 1/31, of four 1/63. Rows of sends exclude the end: they are the time for 16 more commands of
 * each HPU.
 */
static void tight(struct machine *machine, const struct row *row, struct values *out)
{
	const unsigned hpus = (unsigned)row->arg[0], clusters = (unsigned)row->arg[1], first = 8 * hpus, last = 24 * hpus - 1;
	double all = tight_time(machine, row->text[0], 24, hpus, clusters), begin[24 * 32];

	if (strstr(row->text[0], "send")) {
		values__add(out, (all - tight_time(machine, row->text[0], 8, hpus, clusters)) / 16 / hpus);
	} else if (hpus >= 8) {
		values__add(out, all / 24 / hpus);
	} else {
		loads_begin(machine, begin);
		values__add(out, (begin[last] - begin[first]) / (last - first));
	}
}

/* HPUs of two clusters send; HPUs of the other two write to the host. */
static void both_interfaces(struct machine *machine, const struct row *row, struct values *out)
{
	const char *const functions[4] = { row->text[0], row->text[0], row->text[1], row->text[1] };
	const struct soc_context *contexts[4];
	struct packet packets[32];

	machine__warm(machine, row->text[0]);
	machine__warm(machine, row->text[1]);
	for (unsigned i = 0; i < 4; i++)
		contexts[i] = machine__context(machine, NULL, functions[i], NULL, WHOLE);
	for (unsigned i = 0; i < 32; i++)
		packets[i] = (struct packet){ i % 4, contexts[i % 4], 64, i >= 28 };
	machine__group(machine, packets, 32);
	values__add(out, first_issue_to_last_feedback(machine, functions, 4));
}

/* Least, median or longest time from start to doorbell over all HPUs. The median is a task's value, as measured: the upper of two. */
enum { LEAST, MEDIAN, MOST };
static void stretch(struct machine *machine, const struct row *row, struct values *out)
{
	unsigned hpus = (unsigned)row->arg[0];
	double times[32];

	run_by_message(machine, row->text[0], hpus, (unsigned)row->arg[1], 64);
	for (unsigned i = 0; i < hpus; i++) {
		const struct ended *ended = machine__task(machine, i, SOC_PAYLOAD);

		times[i] = (double)(ended->task.doorbell - ended->task.started);
	}
	qsort(times, hpus, sizeof(times[0]), by_value);
	values__add(out, times[row->arg[2] == LEAST ? 0 : row->arg[2] == MEDIAN ? hpus / 2 : hpus - 1]);
}

/*
 * Transfers on all HPUs. The value is the longest body, which is how we interpret the rows. HPUs start 2 cycles apart. Counted from the
 * first start, the measurements exceed the beats of 1, 2, 4 and 8 HPUs by 25, 23, 21 and 13 cycles, although all HPUs wait for the same
 * event. Counted from the start of the last HPU, which ends last, they exceed them by 25, 25, 27 and 27: the same except for one poll.
 */
static void transfers(struct machine *machine, const struct row *row, struct values *out)
{
	double longest = 0;

	machine->stored = 1;
	run_by_message(machine, row->text[0], (unsigned)row->arg[0], 1, 64);
	for (unsigned i = 0; i < machine->count; i++) {
		double body = (double)(machine->ended[i].task.returned - machine->ended[i].task.first);

		if (body > longest)
			longest = body;
	}
	values__add(out, longest);
}

#define IDLE(name, measured, function, extra, grain)                                              \
	{                                                                                         \
		"soc commands", name, measured, "cycles", 0, body, { function }, { extra }, grain \
	}
#define LOAD(name, measured, measure, function, ...)                                        \
	{                                                                                   \
		"load commands", name, measured, "cycles", ROW_LOAD, measure, { function }, \
		{                                                                           \
			__VA_ARGS__                                                         \
		}                                                                           \
	}
/* rows of 1, 2, 4, 8, 16 and 32 HPUs */
/* clang-format off */
#define API(what, one, two, four, eight, sixteen, all)                                             \
	LOAD("api_" what "_1", one, api, "api_" what, 1, 1),                                       \
	LOAD("api_" what "_2", two, api, "api_" what, 2, 1),                                       \
	LOAD("api_" what "_4", four, api, "api_" what, 4, 1),                                      \
	LOAD("api_" what "_8", eight, api, "api_" what, 8, 1),                                     \
	LOAD("api_" what "_16", sixteen, api, "api_" what, 16, 2),                                 \
	LOAD("api_" what "_32", all, api, "api_" what, 32, 4)
/* clang-format on */
/* rows of 1, 2, 8 and 16 HPUs, and of one HPU in each of four clusters */
/* clang-format off */
#define TIGHT(what, one, two, eight, sixteen, spread)                                              \
	LOAD("tight_" what "_1", one, tight, "tight_" what, 1, 1),                                 \
	LOAD("tight_" what "_2", two, tight, "tight_" what, 2, 1),                                 \
	LOAD("tight_" what "_8", eight, tight, "tight_" what, 8, 1),                               \
	LOAD("tight_" what "_16", sixteen, tight, "tight_" what, 16, 2),                           \
	LOAD("tight_" what "_4_clusters", spread, tight, "tight_" what, 4, 4)
/* clang-format on */
#define TIGHT_ALL(what, all) LOAD("tight_" what "_32", all, tight, "tight_" what, 32, 4)
#define TASK(what, measured, hpus, clusters, which) \
	LOAD("task_" what "_" #hpus "_" #which, measured, stretch, "api_" what, hpus, clusters, which)
/* least, median and longest of 8, 16 and 32 HPUs */
/* clang-format off */
#define STRETCH(what, l8, m8, h8, l16, m16, h16, l32, m32, h32)                                    \
	TASK(what, l8, 8, 1, LEAST), TASK(what, m8, 8, 1, MEDIAN), TASK(what, h8, 8, 1, MOST),     \
	TASK(what, l16, 16, 2, LEAST), TASK(what, m16, 16, 2, MEDIAN), TASK(what, h16, 16, 2, MOST), \
	TASK(what, l32, 32, 4, LEAST), TASK(what, m32, 32, 4, MEDIAN), TASK(what, h32, 32, 4, MOST)
/* clang-format on */
#define MEDIANS(what, m8, m16, m32) TASK(what, m8, 8, 1, MEDIAN), TASK(what, m16, 16, 2, MEDIAN), TASK(what, m32, 32, 4, MEDIAN)
/* clang-format off */
#define TRANSFERS(what, one, two, four, eight)                                                     \
	LOAD(#what "_1", one, transfers, #what, 1), LOAD(#what "_2", two, transfers, #what, 2),    \
	LOAD(#what "_4", four, transfers, #what, 4), LOAD(#what "_8", eight, transfers, #what, 8)
#define COPIES(what, b4, b64, b256, b512, b1024, b2048)                                            \
	IDLE("copy_" what "_4", b4, "copy_" what "_4", 0, 0),                                      \
	IDLE("copy_" what "_64", b64, "copy_" what "_64", 0, 0),                                   \
	IDLE("copy_" what "_256", b256, "copy_" what "_256", 0, 0),                                \
	IDLE("copy_" what "_512", b512, "copy_" what "_512", 0, 0),                                \
	IDLE("copy_" what "_1024", b1024, "copy_" what "_1024", 0, 0),                             \
	IDLE("copy_" what "_2048", b2048, "copy_" what "_2048", 0, 0)

const struct row command_rows[] = {
	IDLE("send_l1_64_done", "6", "wait_send_l1_64", -1, 0),
	IDLE("send_l1_256_done", "9", "wait_send_l1_256", -1, 0),
	IDLE("send_l1_1024_done", "21", "wait_send_l1_1024", -1, 0),
	/* 7 + n, as measured later (2026-11-22) for 64 and 460 bytes; the first measurement had 8 + n */
	IDLE("send_l2_64_done", "8", "wait_send_l2_64", -1, 0),
	IDLE("send_l2_256_done", "11", "wait_send_l2_256", -1, 0),
	IDLE("send_l2_1024_done", "23", "wait_send_l2_1024", -1, 0),
	IDLE("to_host_l1_64_done", "19", "wait_to_host_l1_64", -1, 0),
	IDLE("to_host_l1_256_done", "22", "wait_to_host_l1_256", -1, 0),
	IDLE("to_host_l1_1024_done", "34", "wait_to_host_l1_1024", -1, 0),
	IDLE("to_host_l2_64_done", "21", "wait_to_host_l2_64", -1, 0),
	IDLE("to_host_l2_256_done", "24", "wait_to_host_l2_256", -1, 0),
	IDLE("to_host_l2_1024_done", "36", "wait_to_host_l2_1024", -1, 0),
	IDLE("from_host_64_done", "20", "wait_from_host_64", -1, 0),
	IDLE("from_host_256_done", "23", "wait_from_host_256", -1, 0),
	IDLE("from_host_1024_done", "35", "wait_from_host_1024", -1, 0),
	IDLE("host_write_8_done", "6", "wait_host_write_8", -1, 0),
	IDLE("sends_8", "60", "eight_sends", 0, 0),
	IDLE("host_writes_8", "60", "eight_host_writes", 0, 0),
	/*
	 * The last values of the first three rows do not fall on the polls of the shorter copies. Our explanation: 2048 does not fit an
	 * immediate, so loading it in the timed code takes one more instruction. Then 54 falls on a poll only if the loop spans two
	 * cache lines.
	 */
	COPIES("l2_packet_l1", "21", "21", "26", "31", "36", "54"),
	COPIES("l2_handler_l1", "26", "26", "26", "31", "41", "57"),
	COPIES("own_l1", "23", "23", "28", "33", "48", "84"),
	COPIES("remote_l1", "21", "21", "26", "26", "36", "51"),
	COPIES("l1_l2_handler", "21", "21", "26", "31", "36", "56"),

	API("send_l1_64", "10.8", "5.5", "2.9", "1.56", "2.00", "2.02"),
	API("send_l1_512", "11.6", "8.5", "8.25", "8.12", "8.96", "9.00"),
	API("send_l1_1024", "17.0", "16.5", "16.2", "16.1", "17.0", "17.0"),
	LOAD("api_send_l2_64_1", "11.1", api, "api_send_l2_64", 1, 1),
	LOAD("api_send_l2_64_2", "5.6", api, "api_send_l2_64", 2, 1),
	LOAD("api_send_l2_64_4", "2.9", api, "api_send_l2_64", 4, 1),
	LOAD("api_send_l2_64_8", "1.61", api, "api_send_l2_64", 8, 1),
	LOAD("api_send_l2_64_16", "1.12", api, "api_send_l2_64", 16, 2),
	API("to_host_l1_64", "12.4", "6.3", "3.3", "2.73", "2.58", "2.50"),
	API("to_host_l1_512", "13.3", "9.3", "8.7", "8.33", "9.06", "9.05"),
	API("to_host_l1_1024", "18.6", "17.3", "16.7", "16.3", "17.1", "17.1"),
	API("to_host_l2_64", "12.6", "6.4", "3.4", "3.05", "2.88", "2.79"),
	API("to_host_l2_512", "13.5", "9.4", "8.7", "8.36", "8.18", "8.09"),
	API("to_host_l2_1024", "18.9", "17.4", "16.7", "16.4", "16.2", "16.1"),
	API("from_host_64", "12.5", "6.4", "3.3", "2.89", "2.73", "2.64"),
	API("from_host_512", "13.4", "9.4", "8.7", "8.3", "9.1", "9.06"),
	API("from_host_1024", "18.8", "17.4", "16.7", "16.3", "17.1", "17.1"),
	API("host_write_8", "10.9", "5.6", "2.9", "1.58", "1.11", "1.05"),
	LOAD("api_send_l1_512_4_clusters", "9.2", api, "api_send_l1_512", 4, 4),
	LOAD("api_to_host_l1_512_4_clusters", "9.6", api, "api_to_host_l1_512", 4, 4),
	{"load commands", "sends_and_to_host_512", "2096", "cycles", ROW_LOAD, both_interfaces,
	 {"api_send_l1_512", "api_to_host_l1_512"}},

	TIGHT("send_l1_64", "1.8", "1.06", "1.00", "1.99", "2.0"),
	TIGHT("send_l1_128", "2.0", "2.0", "2.0", "2.99", "3.0"),
	TIGHT("send_l1_256", "4.0", "4.0", "4.0", "4.99", "5.0"),
	TIGHT_ALL("send_l1_64", "2.00"),
	/* for one HPU: 2.13 and 4.00 (2026-11-22); 2.3 and 5.0 of the first measurement were not reproduced */
	TIGHT("send_l2_64", "2.13", "1.2", "1.0", "1.0", "1.0"),
	TIGHT("send_l2_128", "2.6", "2.0", "2.0", "2.0", "2.0"),
	TIGHT("send_l2_256", "4.00", "4.0", "4.0", "4.0", "4.0"),
	TIGHT_ALL("send_l2_64", "1.00"),
	TIGHT("to_host_l1_64", "5.20", "2.6", "2.5", "2.47", "2.5"),
	TIGHT("to_host_l1_128", "5.20", "2.7", "2.67", "3.0", "3.05"),
	TIGHT("to_host_l1_256", "5.6", "4.1", "4.1", "5.0", "5.1"),
	TIGHT_ALL("to_host_l1_64", "2.45"),
	TIGHT("to_host_l2_64", "5.73", "2.8", "2.8", "2.75", "2.8"),
	TIGHT("to_host_l2_128", "5.73", "3.0", "2.95", "2.9", "2.9"),
	TIGHT("to_host_l2_256", "6.1", "4.1", "4.1", "4.1", "4.1"),
	TIGHT_ALL("to_host_l2_64", "2.73"),
	TIGHT("from_host_64", "5.20", "2.7", "2.67", "2.62", "2.6"),
	TIGHT("from_host_256", "5.9", "4.1", "4.1", "5.0", "5.1"),
	TIGHT_ALL("from_host_64", "2.60"),
	TIGHT("host_write_8", "2.0", "1.06", "1.05", "1.02", "1.0"),
	TIGHT_ALL("host_write_8", "1.01"),

	TASK("send_l1_64", "103", 1, 1, MEDIAN),
	TASK("to_host_l1_64", "107", 1, 1, MEDIAN),
	STRETCH("send_l1_64", "103", "103", "103", "103", "133", "148", "157", "237", "299"),
	STRETCH("send_l1_512", "193", "263", "281", "315", "536", "667", "531", "1040", "1244"),
	STRETCH("send_l1_1024", "351", "521", "577", "483", "1000", "1251", "789", "1968", "2364"),
	STRETCH("to_host_l1_64", "107", "109", "109", "140", "177", "205", "218", "312", "353"),
	STRETCH("to_host_l1_512", "208", "290", "308", "300", "553", "684", "480", "1057", "1261"),
	STRETCH("to_host_l1_1024", "368", "538", "580", "532", "1017", "1268", "872", "1985", "2381"),
	MEDIANS("to_host_l2_64", "125", "195", "346"),
	MEDIANS("to_host_l2_512", "292", "504", "950"),
	MEDIANS("to_host_l2_1024", "540", "968", "1878"),

	TRANSFERS(transfers_l2_packet_l1, "89", "151", "277", "525"),
	TRANSFERS(transfers_l1_l2_handler, "96", "158", "278", "529"),
	{0}};

/* clang-format on */