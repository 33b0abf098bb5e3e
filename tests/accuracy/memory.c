/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Calibration rows of accesses that compete for memory: L1, L2, another cluster's L1, packet copies against cores, locks. Values measured
 * on PsPIN's RTL, each with the function that measures it in the model. Run by accuracy.c, which compares the two. See hwmodel/README.md,
 * "L1" to "Remote L1".
 */
#include "tests/accuracy/accuracy.h"

/* Returns the mean cycles per access over the tasks of handler `function`: packets `from` to `to` - 1 in steps of `step`. */
static double mean(const struct machine *machine, const char *function, unsigned from, unsigned step, unsigned to, double accesses)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned i = from; i < to; i += step, n++)
		sum += body_from(machine, machine__task(machine, i, SOC_PAYLOAD), function);
	return sum / n / accesses;
}

/* Row arguments: HPUs, clusters, accesses of each HPU, and 1 if all packets are at the same address. */
static void at_once(struct machine *machine, const struct row *row, struct values *out)
{
	unsigned hpus = (unsigned)row->arg[0];

	machine->one_place = (int)row->arg[3];
	run_at_once(machine, row->text[0], hpus, (unsigned)row->arg[1], 64);
	values__add(out, mean(machine, row->text[0], 0, 1, hpus, (double)row->arg[2]));
}

#define SPAN_BEFORE 12 /* cycles of the bodies before their loops, which the measurements of these rows include */

/* Cycles from the first access of any HPU to the last return, divided by the iterations of all HPUs. */
static void span(struct machine *machine, const struct row *row, struct values *out)
{
	unsigned hpus = (unsigned)row->arg[0];
	double from = 0, to = 0;

	run_at_once(machine, row->text[0], hpus, 1, 64);
	for (unsigned i = 0; i < machine->count; i++) {
		const struct soc_task *task = &machine->ended[i].task;
		double begin = (double)task->first + cycles_before(machine, row->text[0]);

		from = !i || begin < from ? begin : from;
		to = (double)task->returned > to ? (double)task->returned : to;
	}
	values__add(out, (to - from + SPAN_BEFORE) / hpus / (double)row->arg[1]);
}

/* Cycles per access of one HPU. */
static void alone(struct machine *machine, const struct row *row, struct values *out)
{
	values__add(out, timed_body(machine, row->text[0]) / (double)row->arg[0]);
}

/* In the rows of packet copies, the measured time includes the instruction that sets the loop counter. */
#define COUNTER_CYCLES 1
#define WHOLE_LOOP     1 /* instead of a number of accesses */

static void loop_alone(struct machine *machine, const struct row *row, struct values *out)
{
	values__add(out, timed_body(machine, row->text[0]) + COUNTER_CYCLES);
}

/* 16 HPUs of clusters 0 and 1, and 16 of the others, whose packets arrive later: the mean of each half. */
static void mean_of_halves(struct machine *machine, const struct row *row, struct values *out)
{
	const struct soc_context *contexts[4];
	struct packet packets[32];

	machine__warm(machine, row->text[0]);
	machine__warm(machine, row->text[1]);
	for (unsigned i = 0; i < 4; i++)
		contexts[i] = machine__context(machine, NULL, row->text[i / 2], NULL, WHOLE);
	for (unsigned i = 0; i < 32; i++) {
		unsigned cluster = i / 16 * 2 + i % 2;

		packets[i] = (struct packet){ cluster, contexts[cluster], 64, i % 16 >= 14 };
	}
	machine__group(machine, packets, 32);
	values__add(out, mean(machine, row->text[0], 0, 1, 16, 16));
	values__add(out, mean(machine, row->text[1], 16, 1, 32, 16));
}

/* 24 HPUs of clusters 1 to 3. */
static void three_clusters(struct machine *machine, const struct row *row, struct values *out)
{
	const struct soc_context *context;
	struct packet packets[24];

	machine__warm(machine, row->text[0]);
	context = machine__context(machine, NULL, row->text[0], NULL, WHOLE);
	for (unsigned i = 0; i < 24; i++)
		packets[i] = (struct packet){ 1 + i % 3, context, 64, i >= 21 };
	machine__group(machine, packets, 24);
	values__add(out, mean(machine, row->text[0], 0, 1, 24, 16));
}

/* arg[0] HPUs of cluster 1 access cluster 0's L1, without other accesses. */
static void remote(struct machine *machine, const struct row *row, struct values *out)
{
	const struct soc_context *context;
	struct packet packets[8];
	unsigned count = (unsigned)row->arg[0];

	machine__warm(machine, row->text[0]);
	context = machine__context(machine, NULL, row->text[0], NULL, WHOLE);
	machine__group(machine, packets, add_packets(packets, 0, 1, context, 64, count));
	values__add(out, mean(machine, row->text[0], 0, 1, count, 16));
}

/*
 * Cluster 0's HPUs run the second handler, and arg[0] HPUs of cluster 1 run the first, which makes 16 accesses to cluster 0's L1. The
 * value is the cycles per access of cluster 1, or of cluster 0 if arg[1] is not 0: arg[1] is then its number of accesses.
 */
static void against_owners(struct machine *machine, const struct row *row, struct values *out)
{
	const struct soc_context *owner, *guest;
	unsigned guests = (unsigned)row->arg[0], n;
	struct packet packets[16];

	machine__warm(machine, row->text[0]);
	machine__warm(machine, row->text[1]);
	owner = machine__context(machine, NULL, row->text[1], NULL, WHOLE);
	guest = machine__context(machine, NULL, row->text[0], NULL, WHOLE);
	n = add_packets(packets, 0, 0, owner, 64, 8);
	n = add_packets(packets, n, 1, guest, 64, guests);
	machine__group(machine, packets, n);
	if (row->arg[1])
		values__add(out,
			    mean(machine, row->text[1], 0, 1, 8, (double)row->arg[1]) + (row->arg[1] == WHOLE_LOOP ? COUNTER_CYCLES : 0));
	else
		values__add(out, mean(machine, row->text[0], 8, 1, n, 16));
}

/*
 * arg[0] HPUs of cluster arg[2] run the handler while arg[1] packets of 1024 bytes are copied to cluster 0. The value is the mean body
 * divided by arg[3] accesses.
 */
static void against_copies(struct machine *machine, const struct row *row, struct values *out)
{
	unsigned hpus = (unsigned)row->arg[0], copies = (unsigned)row->arg[1], n;
	const struct soc_context *looping, *empty;
	struct packet packets[128];

	machine__warm(machine, row->text[0]);
	machine__warm(machine, "empty");
	looping = machine__context(machine, NULL, row->text[0], NULL, WHOLE);
	empty = machine__context(machine, NULL, "empty", NULL, WHOLE);
	n = add_packets(packets, 0, (uint32_t)row->arg[2], looping, 64, hpus);
	n = add_packets(packets, n, 8, empty, 1024, copies);
	machine__group(machine, packets, n);
	values__add(out, mean(machine, row->text[0], 0, 1, hpus, (double)row->arg[3]) + (row->arg[3] == WHOLE_LOOP ? COUNTER_CYCLES : 0));
}

/* The longest body of the HPUs, which start 2 cycles apart. With this interpretation all rows of 1, 2 and 4 HPUs are exact. */
static void critical_sections(struct machine *machine, const struct row *row, struct values *out)
{
	double longest = 0;

	run_at_once(machine, row->text[0], (unsigned)row->arg[0], 1, 64);
	for (unsigned i = 0; i < machine->count; i++) {
		double cycles = body_from(machine, &machine->ended[i], row->text[0]);

		if (cycles > longest)
			longest = cycles;
	}
	values__add(out, longest);
}

#define ROW(group, name, measured, flags, measure, function, ...)              \
	{                                                                      \
		group, name, measured, "cycles", flags, measure, { function }, \
		{                                                              \
			__VA_ARGS__                                            \
		}                                                              \
	}
/* clang-format off */
#define CONTENTION(name, measured, function, hpus, clusters, ...)                                  \
	ROW("soc contention", name, measured, (hpus) > 1 ? ROW_LOAD : 0, at_once, function, hpus, clusters,         \
	    __VA_ARGS__)
/* clang-format on */
/* rows of 1, 4, 8, 16 and 32 HPUs */
/* clang-format off */
#define L2(what, one, four, eight, sixteen, all)                                                   \
	ROW("load l2", what "_1", one, ROW_LOAD, at_once, what, 1, 1, 16),                         \
	ROW("load l2", what "_4", four, ROW_LOAD, at_once, what, 4, 1, 16),                        \
	ROW("load l2", what "_8", eight, ROW_LOAD, at_once, what, 8, 1, 16),                       \
	ROW("load l2", what "_16", sixteen, ROW_LOAD, at_once, what, 16, 2, 16),                   \
	ROW("load l2", what "_32", all, ROW_LOAD, at_once, what, 32, 4, 16)
#define SPREAD(what, eight, sixteen)                                                               \
	ROW("load l2", what "_4x2", eight, ROW_LOAD, at_once, what, 8, 4, 16),                     \
	ROW("load l2", what "_4x4", sixteen, ROW_LOAD, at_once, what, 16, 4, 16)
/* clang-format on */
#define MIXED(name, measured, one, other)                                               \
	{                                                                               \
		"load l2", "mixed_" name, measured, "cycles", ROW_LOAD, mean_of_halves, \
		{                                                                       \
			one, other                                                      \
		}                                                                       \
	}
#define OWNERS(name, measured, flags, guest, owner, guests, per)                                               \
	{                                                                                                      \
		"load remote", name, measured, "cycles", ROW_LOAD | (flags), against_owners, { guest, owner }, \
		{                                                                                              \
			guests, per                                                                            \
		}                                                                                              \
	}
/* 8 HPUs of a cluster, 16 iterations each: cycles divided by the iterations of all HPUs */
#define MIX(what, measured)                    ROW("load l2", what, measured, ROW_LOAD, span, what, 8, 16)
#define REMOTE(name, measured, function, hpus) ROW("load remote", name, measured, ROW_LOAD, remote, function, hpus)
/* alone, and with concurrent packet copies: rows of one HPU and of seven */
/* clang-format off */
#define COPIES(what, alone_, with)                                                                 \
	ROW("load copies", what "_alone", alone_, 0, loop_alone, what),                                \
	ROW("load copies", what "_1", with, ROW_LOAD, against_copies, what, 1, 60, 0, WHOLE_LOOP),          \
	ROW("load copies", what "_7", with, ROW_LOAD, against_copies, what, 7, 60, 0, WHOLE_LOOP)
#define LOCKS(what, one, two, four, eight)                                                         \
	ROW("load locks", what "_1", one, 0, critical_sections, what, 1),                          \
	ROW("load locks", what "_2", two, ROW_LOAD, critical_sections, what, 2),                   \
	ROW("load locks", what "_4", four, ROW_LOAD, critical_sections, what, 4),                  \
	ROW("load locks", what "_8", eight, ROW_LOAD, critical_sections, what, 8)

const struct row memory_rows[] = {
	ROW("soc memory", "lw_addi_add_bne_l1", "5.97", 0, alone, "words_l1", 64),
	ROW("soc memory", "lw_addi_add_bne_l2_packet", "24.9", 0, alone, "words_l2_packet", 16),
	CONTENTION("l1_word_load_1", "1.24", "l1_word_load", 1, 1, 384),
	CONTENTION("l1_word_load_2", "2.0", "l1_word_load", 2, 1, 384),
	CONTENTION("l1_word_load_4", "4.0", "l1_word_load", 4, 1, 384),
	CONTENTION("l1_word_load_8", "7.96", "l1_word_load", 8, 1, 384),
	CONTENTION("l1_word_amo_1", "2.18", "l1_word_amo", 1, 1, 384),
	CONTENTION("l1_word_amo_2", "4.0", "l1_word_amo", 2, 1, 384),
	CONTENTION("l1_word_amo_4", "7.98", "l1_word_amo", 4, 1, 384),
	CONTENTION("l1_word_amo_8", "15.96", "l1_word_amo", 8, 1, 384),
	CONTENTION("l1_banks_load_8", "1.24", "l1_banks_load", 8, 1, 384),
	CONTENTION("l1_banks_amo_8", "2.18", "l1_banks_amo", 8, 1, 384),
	CONTENTION("l2_handler_word_load_1", "21.4", "l2_handler_load_32", 1, 1, 32),
	CONTENTION("l2_handler_word_load_8", "22.0", "l2_handler_load_32", 8, 1, 32),
	CONTENTION("l2_handler_word_load_32", "63.1", "l2_handler_load_32", 32, 4, 32),
	CONTENTION("l2_packet_word_load_32", "31.6", "l2_packet_load_32", 32, 4, 32, 1),
	CONTENTION("driver_registers_8", "1.24", "driver_registers", 8, 1, 384),

	L2("l2_handler_load_same", "21.4", "21.4", "22.5", "31.8", "62.4"),
	L2("l2_handler_load_8", "21.4", "21.4", "22.5", "31.8", "62.4"),
	L2("l2_handler_load_256", "21.4", "21.4", "22.5", "31.8", "62.4"),
	L2("l2_packet_load", "20.4", "20.4", "20.4", "20.4", "31.4"),
	ROW("load l2", "l2_packet_load_same_word_32", "31.4", ROW_LOAD, at_once, "l2_packet_load", 32, 4, 16, 1),
	L2("l2_handler_store_same", "21.4", "21.5", "24.4", "47.2", "93.1"),
	L2("l2_handler_store_256", "21.4", "21.5", "24.4", "47.2", "93.1"),
	L2("l2_packet_store", "21.4", "21.5", "24.4", "47.2", "93.1"),
	L2("l2_handler_amo_same", "27.4", "40.4", "78.9", "156", "310"),
	L2("l2_handler_amo_8", "27.4", "40.4", "78.9", "156", "310"),
	L2("l2_packet_amo", "22.4", "22.6", "24.5", "47.3", "93.2"),
	SPREAD("l2_handler_load_same", "22.9", "31.8"),
	SPREAD("l2_packet_load", "20.4", "20.4"),
	SPREAD("l2_handler_store_same", "24.6", "47.2"),
	SPREAD("l2_handler_amo_same", "79", "156"),
	SPREAD("l2_packet_amo", "24.7", "47.3"),
	/* alternating accesses to both memories: measured with one real cluster, on the kit's images (2026-11-22) */
	MIX("mix_amo_h", "10.26"),
	MIX("mix_amo_h_store_p", "10.80"),
	MIX("mix_amo_p_amo_h", "10.83"),
	MIX("mix_2_load_h_store_p_amo_h", "13.48"),
	MIX("mix_amo_h_store_h", "12.89"),
	MIX("mix_amo_h_load_h", "10.55"),
	MIX("mix_amo_h_load_p", "10.41"),
	MIX("mix_store_p_load_h", "6.12"),
	MIX("mix_store_h_store_p", "6.39"),
	MIX("mix_4_store_p", "12.38"),
	/* "16 HPUs of clusters 0-1 with 16 of clusters 2-3": packets arrive in this order, so the first ones are faster */
	MIXED("load_handler_load_packet", "31.9 31.9", "l2_handler_load_same", "l2_packet_load"),
	MIXED("load_handler_store_handler", "46.3 47.6", "l2_handler_load_same", "l2_handler_store_same"),
	MIXED("load_packet_store_packet", "45.9 47.2", "l2_packet_load", "l2_packet_store"),
	MIXED("store_handler_store_packet", "92 94", "l2_handler_store_same", "l2_packet_store"),
	MIXED("load_packet_amo_handler", "149 156", "l2_packet_load", "l2_handler_amo_same"),
	/*
	 * Loads from L2 are not slowed by packet copies. Measured (2026-11-25) with seven HPUs of the cluster to which the packets are
	 * copied: 128 loads of each HPU take 2629 to 2631 cycles, and 2629 without copies. An earlier measurement with HPUs of another
	 * cluster gave 29 to 35 cycles per load; it is not used, since its notes call it untrusted.
	 */
	ROW("load l2", "l2_packet_load_in_a_stream", "20.5", ROW_LOAD, against_copies, "l2_packet_load_40", 8, 110, 1, 40),
	ROW("load l2", "l2_handler_load_against_copies", "22.5", ROW_LOAD, against_copies, "l2_handler_load_same", 8, 60,
	    1, 16),
	ROW("load l2", "l2_handler_store_against_copies", "24.4", ROW_LOAD, against_copies, "l2_handler_store_same", 8, 60,
	    1, 16),
	ROW("load l2", "l2_packet_store_against_copies", "24.4", ROW_LOAD, against_copies, "l2_packet_store", 8, 60, 1,
	    16),

	REMOTE("remote_load_1", "22.4", "remote_load_own", 1),
	REMOTE("remote_load_2", "22.4", "remote_load_own", 2),
	REMOTE("remote_load_4", "22.4", "remote_load_own", 4),
	REMOTE("remote_load_8", "22.4", "remote_load_own", 8),
	REMOTE("remote_load_same_8", "22.4", "remote_load_same", 8),
	REMOTE("remote_store_8", "23.4", "remote_store_own", 8),
	REMOTE("remote_store_same_8", "23.4", "remote_store_same", 8),
	REMOTE("remote_amo_8", "24.5", "remote_amo_own", 8),
	REMOTE("remote_amo_same_8", "24.5", "remote_amo_same", 8),
	ROW("load remote", "remote_load_24", "24.2", ROW_LOAD, three_clusters, "remote_load_own"),
	ROW("load remote", "remote_store_24", "29.8", ROW_LOAD, three_clusters, "remote_store_own"),
	ROW("load remote", "remote_amo_24", "47.2", ROW_LOAD, three_clusters, "remote_amo_own"),
	OWNERS("remote_load_8_owners_elsewhere", "22.4", 0, "remote_load_own", "l1_banks_load_960", 8, 0),
	OWNERS("owners_elsewhere", "1199", 0, "remote_load_own", "l1_banks_load_960", 8, WHOLE_LOOP),
	OWNERS("remote_load_8_of_hammered_word", "71", 0, "remote_load_same", "l1_word_load_800", 8, 0),
	OWNERS("remote_load_1_of_hammered_word", "26.0", 0, "remote_load_same", "l1_word_load_800", 1, 0),
	OWNERS("owners_of_hammered_word_1", "8.04", ROW_DOUBT, "remote_load_same", "l1_word_load", 1, 384),

	/*
	 * "walking all banks, 16 per iteration": we assume that each iteration accesses all banks; 16 consecutive words would be
	 * slowed down like the fixed bank
	 */
	COPIES("walk_load", "1199", "1358"),
	COPIES("walk_store", "1199", "1358"),
	COPIES("fixed_bank_load", "1199", "1399"),
	COPIES("fixed_bank_amo", "1259", "1476"),
	COPIES("walk_sum", "1399", "1496"),

	LOCKS("lock_try", "49", "95", "162", "529"),
	LOCKS("lock_back_off", "59", "129", "293", "489"),
	{0}};

/* clang-format on */