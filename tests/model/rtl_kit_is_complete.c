/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests `make rtl-kit`, which writes the files that PsPIN's RTL needs to run packets of a handler, and the cycles that the model predicts.
 * Every packet must have its HER (the request to run its handlers), its bytes, its line of the trace and its tasks, at the cycles that the
 * NIC reports to an observer. Memories must be as in the NIC. Messages of a burst must have different ids. A second kit must be identical.
 * Run by tests/run.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/accuracy/kit/kit.h"
#include "tests/common/built.h"
#include "user/libspin/internal.h"

static unsigned failures;

static void fail(const char *handler, const char *what)
{
	printf("FAIL %s: %s\n", handler, what);
	failures++;
}

static char *read_file(const char *directory, const char *name, size_t *bytes)
{
	static const size_t capacity = 1 << 24;
	char path[1024], *data = calloc(1, capacity);
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "re");
	*bytes = file && data ? fread(data, 1, capacity - 1, file) : 0;
	if (file)
		fclose(file);
	return data;
}

static unsigned lines(const char *text)
{
	unsigned n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/* Compares the records of another NIC's observer with the kit's lines. */
struct comparison {
	const char *handler, *next; /* position in tasks.csv */
	uint64_t cycle_ps;
	unsigned tasks, packets;
	size_t bytes;
	struct pspin_her_record last;
};

static void on_task(void *arg, const struct pspin_task_record *r)
{
	struct comparison *h = arg;
	unsigned long long packet, started, first, returned, doorbell, feedback, body;
	const char *end = strchr(h->next, '\n');

	h->tasks++;
	if (!end || sscanf(h->next, "%llu,%*[^,],%*u,%*u,%*u,%*d,%*[^,],%*[^,],%*[^,],%llu,%llu,%llu,%llu,%llu,%llu", &packet, &started,
			   &first, &returned, &doorbell, &feedback, &body) != 7) {
		fail(h->handler, "a task has no line");
		return;
	}
	h->next = end + 1;
	if (packet != r->packet || started != r->started_ps / h->cycle_ps || first != r->first_ps / h->cycle_ps ||
	    returned != r->returned_ps / h->cycle_ps || doorbell != r->doorbell_ps / h->cycle_ps ||
	    feedback != r->feedback_ps / h->cycle_ps || body != r->task->body_cycles)
		fail(h->handler, "a task's prediction is not what the NIC tells");
}

static void on_packet(void *arg, const struct pspin_packet_record *r)
{
	struct comparison *h = arg;

	h->packets += r->disposition == PSPIN_DISPOSITION_HANDLED;
}

static void on_her(void *arg, const struct pspin_her_record *r)
{
	struct comparison *h = arg;

	h->bytes += r->bytes;
	h->last = *r;
}

/* No two messages of a burst may have the same id, because the earlier one may not have ended on the RTL. */
static void check_ids(const char *handler, const char *hers, const struct kit_series *series)
{
	unsigned packet, message, ends, is_first = 1;
	unsigned char begun[256] = { 0 };

	for (const char *at = strchr(hers, '\n'); at && sscanf(at + 1, "%u,%*u,%u,%u", &packet, &message, &ends) == 3;
	     at = strchr(at + 1, '\n')) {
		if (message >= 256)
			fail(handler, "a message has an id that PsPIN has not");
		else if (is_first && packet >= series->apart && begun[message]++)
			fail(handler, "two messages of a burst have the same id");
		is_first = ends;
	}
}

static void check_predictions(const char *directory, const struct spin_object *object, const struct workload *w,
			      const struct kit_series *series, unsigned packet_bytes, const struct pspin_target *target)
{
	size_t bytes, content;
	char *tasks = read_file(directory, "tasks.csv", &bytes), *hers, *trace, *packets;
	struct comparison comparison = { w->handler, strchr(tasks, '\n') + 1, pspin_target__cycle_ps(target) };
	const struct pspin_observer observer = { .arg = &comparison, .task = on_task, .packet = on_packet, .her = on_her };
	struct pspin *nic = kit_nic(object, w, target, KIT_IDS_IN_TURN);
	unsigned count = kit_series__packets(series, w);

	pspin__observe(nic, &observer);
	if (kit_run(nic, w, series, packet_bytes, &comparison.last))
		fail(w->handler, "the NIC does not run the packets");
	pspin__close(nic);
	if (*comparison.next || !comparison.tasks)
		fail(w->handler, "there are lines of tasks that the NIC does not tell");
	hers = read_file(directory, "hers.csv", &bytes);
	trace = read_file(directory, "packets.trace", &bytes);
	packets = read_file(directory, "packets.csv", &bytes);
	free(read_file(directory, "packets.bin", &content));
	if (comparison.packets != count || lines(packets) != count + 1)
		fail(w->handler, "not every packet is handled and has its line");
	if (lines(hers) != count + 1 || lines(trace) != count)
		fail(w->handler, "not every packet has its HER");
	check_ids(w->handler, hers, series);
	if (content != comparison.bytes || !content)
		fail(w->handler, "packets.bin has not every packet");
	free(tasks);
	free(hers);
	free(trace);
	free(packets);
}

/* Each file of the map must exist and have the data of its address. */
static void check_memories(const char *directory, const char *handler, const struct pspin *nic)
{
	size_t bytes, n;
	char *map = read_file(directory, "map.csv", &bytes), *at = strchr(map, '\n'), name[64];
	unsigned long long address;
	unsigned count = 0;

	while (at && sscanf(at + 1, "%63[^,],%llx,%zu", name, &address, &n) == 3) {
		char *file = read_file(directory, name, &bytes), *memory = calloc(1, n);

		count++;
		if (bytes != n || (!strstr(name, "host") && (pspin__read(nic, (uint32_t)address, memory, n) || memcmp(file, memory, n))))
			fail(handler, "a memory is not as it stands in the NIC");
		free(file);
		free(memory);
		at = strchr(at + 1, '\n');
	}
	if (!count || !strstr(map, "program.bin"))
		fail(handler, "there is no program in the map");
	free(map);
}

/* Reads one of the model's files into memory: a word every `step` bytes. */
static unsigned read_words(const char *directory, const char *name, uint8_t *memory, size_t bytes, size_t step)
{
	size_t length;
	char *text = read_file(directory, name, &length);
	unsigned count = 0, row;
	unsigned long long word;

	for (const char *at = text; sscanf(at, "@%8X %16llX", &row, &word) == 2; at = strchr(at, '\n') + 1, count++) {
		if (row * step + sizeof(word) <= bytes)
			memcpy(memory + row * step, &word, sizeof(word));
	}
	free(text);
	return count;
}

/* The RTL must load what the model has: the program, and all of L2. State in L1 must be at the address that boot copies it from. */
static void check_slm(const char *directory, const char *handler, const struct pspin *nic)
{
	static const size_t l2_bytes = 4u << 20, program_bytes = 32u << 10;
	uint8_t *loaded = calloc(1, l2_bytes), *expected = calloc(1, l2_bytes);
	uint32_t program, bytes, state, state_bytes;

	pspin__program(nic, &program, &bytes);
	if (!read_words(directory, "slm/prog_mem_stim.slm", loaded, program_bytes, 8) || pspin__read(nic, program, expected, bytes) ||
	    memcmp(loaded, expected, bytes))
		fail(handler, "the RTL's program is another");
	memset(loaded, 0, l2_bytes);
	for (unsigned cut = 0; cut < 32; cut++) {
		char name[32];

		snprintf(name, sizeof(name), "slm/l2_hnd_0_%u.slm", cut);
		if (!read_words(directory, name, loaded + cut * 8, l2_bytes - cut * 8, 256))
			fail(handler, "the RTL's L2 misses a cut");
	}
	if (pspin__read(nic, 0x1c000000, expected, l2_bytes))
		fail(handler, "L2 cannot be read");
	if (!pspin__symbol(nic, "spin_state", &state, &state_bytes) && state < 0x1c000000) {
		if (pspin__read(nic, state, expected + 0x300000, state_bytes))
			fail(handler, "the state in L1 cannot be read");
	}
	if (memcmp(loaded, expected, l2_bytes))
		fail(handler, "the RTL's L2 is another");
	free(loaded);
	free(expected);
}

static void check(const char *handler, const char *parent, unsigned packet_bytes)
{
	static const char *const files[] = { "hers.csv", "packets.trace", "packets.bin", "scratch.bin", "tasks.csv", "packets.csv" };
	const struct pspin_target *target = pspin_target__find("pspin-rtl");
	struct spin_object *object = NULL;
	char path[512], directory[600], again[600];
	struct workload w;
	struct pspin *nic;

	if (built_object(handler, path, sizeof(path)) || spin_object__open(path, &object)) {
		fail(handler, "is not built");
		return;
	}
	w = kit_workload(handler, object);
	snprintf(directory, sizeof(directory), "%s/%s", parent, handler);
	snprintf(again, sizeof(again), "%s/%s-again", parent, handler);
	nic = kit_nic(object, &w, target, KIT_IDS_IN_TURN);
	if (kit_memories(directory, nic, target))
		fail(handler, "cannot write memories");
	check_memories(directory, handler, nic);
	if (kit_slm(directory, nic))
		fail(handler, "cannot write what the RTL loads");
	check_slm(directory, handler, nic);
	if (kit_predict(directory, nic, &w, &kit_series[1], packet_bytes, target))
		fail(handler, "cannot predict");
	pspin__close(nic);
	check_predictions(directory, object, &w, &kit_series[1], packet_bytes, target);

	nic = kit_nic(object, &w, target, KIT_IDS_IN_TURN);
	kit_predict(again, nic, &w, &kit_series[1], packet_bytes, target);
	pspin__close(nic);
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		size_t bytes, other;
		char *one = read_file(directory, files[i], &bytes), *two = read_file(again, files[i], &other);

		if (bytes != other || memcmp(one, two, bytes))
			fail(handler, "a second kit differs");
		free(one);
		free(two);
	}
	spin_object__close(object);
}

/* Tests the files that the command writes without options, and that it takes every handler of the tree, as make rtl-check does. */
static void check_command(const char *parent)
{
	const struct workload empty = { .handler = "empty" };
	char command[1024], *hers;
	size_t bytes;

	snprintf(command, sizeof(command), "%s/tests/accuracy/rtl-kit --free-ids --clusters 1 %s/all %s/handlers/*.spin >/dev/null",
		 built_dir(), parent, built_dir());
	if (system(command))
		fail("some handler of the tree", "rtl-kit does not write it");
	snprintf(command, sizeof(command), "%s/tests/accuracy/rtl-kit %s/command empty >/dev/null", built_dir(), parent);
	if (system(command))
		fail("empty", "rtl-kit does not write it");
	snprintf(command, sizeof(command), "%s/command/empty/64-saturated", parent);
	hers = read_file(command, "hers.csv", &bytes);
	if (lines(hers) != kit_series__packets(&kit_series[1], &empty) + 1)
		fail("empty", "rtl-kit has not every HER");
	check_ids("empty", hers, &kit_series[1]);
	free(hers);
}

int main(void)
{
	char parent[] = "/tmp/rtl-kit-XXXXXX", command[64];

	if (!mkdtemp(parent))
		return 1;
	check("filtering", parent, 64);
	check("reduce", parent, 1024);
	check("pingpong", parent, 256);
	check("syn_limit", parent, 64);
	check_command(parent);
	snprintf(command, sizeof(command), "rm -rf %s", parent);
	return system(command) || failures;
}
