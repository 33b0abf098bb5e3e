/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that handler files of PsPIN's runtime (tests/pspin), compiled by spincc --api pspin, compute the intended results on the model:
 * memory, host writes, answers and the feedback of each packet, on several targets and with packets at the full rate of the NIC. Run by
 * tests/run.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hwmodel/traffic.h>
#include "user/libspin/object/pspin_object.h"
#include "user/libspin/object/trailer.h"

#include "tests/model/common/packet.h"

#define HANDLER_MEM 0x1c300000u
#define L1(cluster) (0x10000000u + (cluster)*0x400000u)

static int failures;
static const char *current_case; /* current handler file and target */
static unsigned clusters;
static uint32_t scratchpads; /* their offset in an L1 of the target */

static void check(int ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void check(int ok, const char *format, ...)
{
	va_list args;

	if (ok)
		return;
	failures++;
	printf("FAIL %s: ", current_case);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

static void die(const char *what)
{
	printf("FAIL %s: %s\n", current_case, what);
	exit(1);
}

/* --- objects --- */

struct object {
	uint8_t *data;
	size_t bytes;
	struct pspin_api api;
};

static struct object compile(const char *name)
{
	const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
	char path[] = "/tmp/spin-pspin-XXXXXX", line[1024]; /* a unique name: runs in different PID namespaces may have the same pid */
	struct object object = { 0 };
	struct stat st;
	long elf_bytes;
	FILE *f;

	if (close(mkstemp(path)))
		die("no file for it can be made in /tmp");
	snprintf(line, sizeof(line), "%s/bin/spincc --api pspin -o %s -DCHECK_ASSERTS tests/pspin/%s.c", build, path, name);
	f = system(line) ? NULL : fopen(path, "rb");
	if (!f || fstat(fileno(f), &st) || !(object.data = malloc((size_t)st.st_size)) ||
	    fread(object.data, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
		die("it does not compile");
	fclose(f);
	unlink(path);
	elf_bytes = spin_trailer__check(object.data, (size_t)st.st_size);
	if (elf_bytes <= 0)
		die("the object has no trailer");
	object.bytes = (size_t)elf_bytes;
	if (pspin_object__read(name, object.data, object.bytes, &object.api))
		die("the object does not say that it is of --api pspin");
	return object;
}

/* --- records of the NIC --- */

#define PACKETS_MAX 512

struct seen {
	unsigned tasks[PSPIN_TASK_KINDS], errors, packets, answers;
	unsigned clusters; /* one bit each */
	uint64_t her_ps[PACKETS_MAX], feedback_ps[PACKETS_MAX];
	uint32_t answer_word[PACKETS_MAX], answer_src[PACKETS_MAX], answer_bytes[PACKETS_MAX];
	struct pspin_packet_record record[PACKETS_MAX];
};
static struct seen seen;

static void on_task(void *arg, const struct pspin_task_record *r)
{
	(void)arg;
	seen.tasks[r->task->kind]++;
	seen.errors += r->task->error != 0;
	seen.clusters |= 1u << r->cluster;
	check(!r->task->error, "packet %u, kind %d: error %u at 0x%x, 0x%x", (unsigned)r->packet, r->task->kind, r->task->error,
	      r->task->error_pc, r->task->error_tval);
}

static void on_packet(void *arg, const struct pspin_packet_record *r)
{
	(void)arg;
	if (r->packet >= PACKETS_MAX)
		return;
	seen.packets++;
	seen.record[r->packet] = *r;
	if (r->verdict != SPIN_VERDICT_TX || r->frame_bytes < 32)
		return;
	seen.answers++;
	seen.answer_bytes[r->packet] = (uint32_t)r->frame_bytes;
	memcpy(&seen.answer_src[r->packet], r->frame + 12, 4);
	memcpy(&seen.answer_word[r->packet], r->frame + 28, 4);
}

static struct pspin *open_on(const struct object *object, const char *target)
{
	const struct pspin_observer observer = { .task = on_task, .packet = on_packet };
	const struct pspin_image image = { .elf = object->data,
					   .elf_bytes = object->bytes,
					   .entries_at = object->api.entries_at,
					   .framing = PSPIN_FRAMING_PSPIN,
					   .bytes_in_l1 = SPIN_WHOLE_PACKET,
					   .scratchpad_bytes = PSPIN_API_SCRATCHPAD_BYTES,
					   .host_bytes = SPIN_HOST_BYTES_MAX };
	struct pspin *nic;
	char err[512];

	memset(&seen, 0, sizeof(seen));
	if (pspin__open_image(&nic, pspin_target__find(target), &image, err, sizeof(err))) {
		printf("%s\n", err);
		die("the model does not run it");
	}
	pspin__observe(nic, &observer);
	return nic;
}

static void offer(struct pspin *nic, uint32_t message, int ends, uint16_t src_port, const void *payload, uint32_t bytes)
{
	uint8_t frame[2048];
	struct pspin_offer o = { .frame = frame, .message = message, .end_of_message = ends };

	o.frame_bytes = packet__make(frame, 0x0100000a, payload, bytes);
	frame[34] = (uint8_t)(src_port >> 8);
	frame[35] = (uint8_t)src_port;
	check(!pspin__offer(nic, &o), "a packet is not taken");
}

/* Runs until all is done: each packet must have had its feedback, and the right number of tasks of each kind must have run. */
static void run(struct pspin *nic, unsigned headers, unsigned payloads, unsigned completions)
{
	check(!pspin__run(nic, UINT64_MAX), "it does not come to an end: %s", pspin__stuck(nic));
	check(seen.packets == payloads, "%u packets were told of, not %u", seen.packets, payloads);
	check(seen.tasks[PSPIN_HEADER] == headers && seen.tasks[PSPIN_PAYLOAD] == payloads && seen.tasks[PSPIN_COMPLETION] == completions,
	      "%u header, %u payload, %u completion handlers ran", seen.tasks[PSPIN_HEADER], seen.tasks[PSPIN_PAYLOAD],
	      seen.tasks[PSPIN_COMPLETION]);
	for (unsigned i = 0; i < seen.packets; i++)
		check(seen.record[i].disposition == PSPIN_DISPOSITION_HANDLED && seen.record[i].her_ps &&
			      seen.record[i].feedback_ps > seen.record[i].her_ps,
		      "packet %u: fate %d, HER at %llu, feedback at %llu", i, seen.record[i].disposition,
		      (unsigned long long)seen.record[i].her_ps, (unsigned long long)seen.record[i].feedback_ps);
}

static void read_memory(struct pspin *nic, uint32_t at, void *to, size_t bytes)
{
	check(!pspin__read(nic, at, to, bytes), "no memory at 0x%x", at);
}

/* --- the files --- */

static void flow_counter(struct pspin *nic)
{
	enum { FLOWS = 12, PACKETS = 8 };
	uint32_t list[1 + 64], bits = 0, bytes[FLOWS] = { 0 };
	static const uint8_t payload[1400];

	for (unsigned packet = 0; packet < PACKETS; packet++)
		for (unsigned flow = 0; flow < FLOWS; flow++) {
			uint32_t length = 40 + 16 * packet + 4 * flow;

			offer(nic, flow, packet == PACKETS - 1, (uint16_t)(5120 + flow), payload, length);
			bytes[flow] += length;
		}
	run(nic, FLOWS, FLOWS * PACKETS, FLOWS);
	for (unsigned flow = 0; flow < FLOWS; flow++) {
		uint32_t written[2];

		check(!pspin__host_read(nic, 8 * flow, written, sizeof(written)), "no host memory");
		check(written[0] == PACKETS && written[1] == bytes[flow], "flow %u: %u packets and %u bytes, not %u and %u", flow,
		      written[0], written[1], PACKETS, bytes[flow]);
	}
	read_memory(nic, HANDLER_MEM, list, sizeof(list));
	for (unsigned i = 0; i < FLOWS; i++)
		bits |= 1u << (list[1 + i] & 31);
	check(list[0] == FLOWS && bits == (1u << FLOWS) - 1, "the list has %u flows, of them 0x%x", list[0], bits);
}

static void deposit(struct pspin *nic)
{
	enum { PACKETS = 60 };
	const uint32_t key = 0xa5c3f00f;
	uint32_t block[256], written[256], counted = 0;

	check(!pspin__host_write(nic, 0x80000, &key, sizeof(key)), "no host memory");
	for (unsigned i = 0; i < PACKETS; i++) {
		for (unsigned word = 0; word < 256; word++)
			block[word] = i << 16 | word;
		block[0] = i * 1024;
		offer(nic, i / 20, i % 20 == 19, 4000, block, 64 + 12 * i);
	}
	run(nic, 0, PACKETS, 0);
	for (unsigned i = 0; i < PACKETS; i++) {
		unsigned words = (64 + 12 * i) / 4, wrong = 0;

		check(!pspin__host_read(nic, i * 1024, written, 1024), "no host memory");
		for (unsigned word = 1; word < 256; word++)
			wrong += written[word] != (word < words ? (i << 16 | word) ^ key : 0);
		check(written[0] == i * 1024 && !wrong, "packet %u: %u words of the host's are wrong", i, wrong);
	}
	for (unsigned cluster = 0; cluster < clusters; cluster++) {
		uint32_t count;

		read_memory(nic, L1(cluster) + 0x2400, &count, sizeof(count));
		counted += count - 7;
	}
	check(counted == PACKETS, "%u packets are counted in L1", counted);
}

static void answer(struct pspin *nic)
{
	enum { PACKETS = 256 };
	uint32_t counter[2];
	static uint8_t given[PACKETS];
	uint32_t payload[64] = { 0 };

	memset(given, 0, sizeof(given));
	for (unsigned i = 0; i < PACKETS; i++) {
		payload[1] = i;
		offer(nic, i / 8, i % 8 == 7, (uint16_t)(1000 + i), payload, 8 + i % 200);
	}
	run(nic, 0, PACKETS, 0);
	check(seen.answers == PACKETS, "%u answers", seen.answers);
	for (unsigned i = 0; i < PACKETS; i++) {
		uint32_t number = seen.answer_word[i];

		check(number < PACKETS && !given[number]++, "number %u was given to packet %u, and before", number, i);
		check(seen.answer_bytes[i] == 28 + 8 + i % 200, "the answer to packet %u has %u bytes", i, seen.answer_bytes[i]);
		check(seen.answer_src[i] == 0x0200000a, "the answer to packet %u is from 0x%08x", i, seen.answer_src[i]);
	}
	read_memory(nic, HANDLER_MEM, counter, sizeof(counter));
	check(!counter[0] && counter[1] == PACKETS, "lock %u, count %u in handler memory", counter[0], counter[1]);
	check(seen.clusters == (1u << clusters) - 1, "not all clusters work: 0x%x", seen.clusters);
}

static void stack(struct pspin *nic)
{
	enum { MESSAGES = 8, PACKETS = 30 };
	uint32_t written[4], pushed = 0, memory[5], left = 0, block[128];

	for (unsigned i = 0; i < MESSAGES * PACKETS; i++) {
		uint32_t word[8] = { i % 3 == 2 ? 0 : i + 1 };

		pushed += word[0];
		offer(nic, i % MESSAGES, i / MESSAGES == PACKETS - 1, 4000, word, sizeof(word));
	}
	run(nic, MESSAGES, MESSAGES * PACKETS, MESSAGES);
	for (unsigned i = 0; i < MESSAGES; i++) {
		check(!pspin__host_read(nic, 16 * i, written, sizeof(written)), "no host memory");
		check(!written[1] && written[3] == 1 && written[2] == i % clusters, "message %u: lost %u, said %u, home %u", i, written[1],
		      written[3], written[2]);
	}
	read_memory(nic, L1(0) + scratchpads, memory, sizeof(memory));
	read_memory(nic, L1(0) + scratchpads + sizeof(memory), block, sizeof(block));
	for (unsigned i = 0; i < memory[2] && i < 128; i++)
		left += block[i];
	check(!memory[0] && !memory[1] && memory[3] && memory[3] <= pushed && memory[3] == memory[4] + left,
	      "lock %u, readers %u, pushed %u, taken %u, left %u", memory[0], memory[1], memory[3], memory[4], left);
	check(seen.clusters == (1u << clusters) - 1, "not all clusters work: 0x%x", seen.clusters);
}

/* Offers the packets of some messages at once. The handlers assert what they expect. */
static void offer_many(struct pspin *nic, unsigned messages, unsigned packets, uint32_t bytes)
{
	static uint8_t payload[1400];

	for (uint32_t i = 0; i < messages * packets; i++) {
		memcpy(payload, &i, sizeof(i));
		for (uint32_t at = sizeof(i); at < bytes; at++)
			payload[at] = (uint8_t)(i + at);
		offer(nic, i % messages, i / messages == packets - 1, 4000, payload, bytes);
	}
}

static void words(struct pspin *nic)
{
	enum { PACKETS = 128, ALONE = 8 };
	uint32_t shared[4];

	offer_many(nic, 16, PACKETS / 16, 32);
	run(nic, 0, PACKETS, 0);
	for (unsigned i = 1; i <= ALONE; i++) {
		offer_many(nic, 1, 1, 64);
		run(nic, 0, PACKETS + i, 0);
	}
	read_memory(nic, HANDLER_MEM, shared, sizeof(shared));
	check(!shared[0] && shared[1] == PACKETS && shared[2] == ALONE && shared[3] == PACKETS, "lock %u, counts %u, %u and %u", shared[0],
	      shared[1], shared[2], shared[3]);
	check(seen.clusters == (1u << clusters) - 1, "not all clusters work: 0x%x", seen.clusters);
}

static void copies(struct pspin *nic)
{
	enum { PACKETS = 64 };
	uint32_t count;

	offer_many(nic, 8, PACKETS / 8, 900);
	run(nic, 0, PACKETS, 0);
	read_memory(nic, HANDLER_MEM + 32 * 2048, &count, sizeof(count));
	check(count == PACKETS, "%u packets", count);
}

static void commands(struct pspin *nic)
{
	enum { PACKETS = 48, BLOCK = 0x100000 };
	uint32_t block[16], written[64];

	for (unsigned i = 0; i < 16; i++)
		block[i] = 0x01010101 * i + 5;
	check(!pspin__host_write(nic, BLOCK, block, sizeof(block)), "no host memory");
	offer_many(nic, 6, PACKETS / 6, 100);
	run(nic, 0, PACKETS, 0);
	for (uint32_t i = 0; i < PACKETS; i++) {
		unsigned wrong = 0;

		check(!pspin__host_read(nic, 256 * i, written, sizeof(written)), "no host memory");
		wrong += written[0] != i;
		for (unsigned at = 4; at < 32; at++)
			wrong += ((uint8_t *)written)[at] != (uint8_t)(i + at);
		for (unsigned at = 32; at < 64; at++)
			wrong += ((uint8_t *)written)[at] != 0;
		for (uint32_t n = 0; n < 8; n++)
			wrong += written[16 + 2 * n] != i + n || written[17 + 2 * n] != n;
		wrong += written[32] != 0x55667788 || written[33] != 0x11223344 || written[34] || written[47];
		for (unsigned n = 0; n < 16; n++)
			wrong += written[48 + n] != ~block[n];
		check(!wrong, "packet %u: %u words of the host's are wrong", i, wrong);
		check(seen.answer_bytes[i] == 128 && seen.answer_word[i] == i, "the answer to packet %u has %u bytes and the word 0x%x", i,
		      seen.answer_bytes[i], seen.answer_word[i]);
	}
	check(seen.answers == PACKETS, "%u answers", seen.answers);
}

static void variables(struct pspin *nic)
{
	enum { MESSAGES = 4, PACKETS = 64 };
	uint32_t calls[8], host[2], counted = 0, at;

	offer_many(nic, MESSAGES, PACKETS / MESSAGES, 64);
	run(nic, 0, PACKETS, MESSAGES);
	read_memory(nic, HANDLER_MEM, calls, sizeof(calls));
	check(calls[0] == 100 && calls[1] == 1 + PACKETS && calls[2] == PACKETS && calls[3] == 3 && calls[7] == 7,
	      "started %u, counted %u and %u, then %u and %u", calls[0], calls[1], calls[2], calls[3], calls[7]);
	check(!pspin__host_read(nic, 0, host, sizeof(host)) && host[0] == PACKETS && !host[1], "the host has %u", host[0]);
	for (unsigned cluster = 0; cluster < clusters; cluster++) {
		uint32_t own[4];

		check(!pspin__symbol(nic, "of_cluster", &at, NULL) && at >> 20 == 0x1b0, "of_cluster is at 0x%x", at);
		read_memory(nic, L1(cluster) + (at & 0xfffff), own, sizeof(own));
		check(own[0] == (cluster ? 11 : 12) && own[2] == 33 && own[3] == 44, "cluster %u has %u, %u and %u", cluster, own[0],
		      own[2], own[3]);
		counted += own[1] - 22;
	}
	check(counted == PACKETS, "%u packets are counted in L1", counted);
}

static void strings(struct pspin *nic)
{
	uint32_t passed;

	offer_many(nic, 1, 1, 64);
	run(nic, 0, 1, 0);
	read_memory(nic, HANDLER_MEM, &passed, sizeof(passed));
	check(passed == 53, "%u checks", passed);
}

static void tasks(struct pspin *nic)
{
	enum { MESSAGES = 10, PACKETS = 6, BYTES = 200 };

	offer_many(nic, MESSAGES, PACKETS, BYTES);
	run(nic, MESSAGES, MESSAGES * PACKETS, MESSAGES);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		uint32_t written[4];

		read_memory(nic, L1(i % clusters) + scratchpads + i * sizeof(written), written, sizeof(written));
		check(written[0] == 1 && written[1] == PACKETS && written[2] == 1 && written[3] == PACKETS * (28 + BYTES),
		      "message %u: %u, %u and %u handlers, %u bytes", i, written[0], written[1], written[2], written[3]);
	}
}

static const struct {
	const char *name;
	void (*test)(struct pspin *nic);
} files[] = {
	{ "flow_counter", flow_counter },
	{ "deposit", deposit },
	{ "answer", answer },
	{ "stack", stack },
	{ "words", words },
	{ "copies", copies },
	{ "commands", commands },
	{ "variables", variables },
	{ "strings", strings },
	{ "tasks", tasks },
};

int main(void)
{
	static const char *const targets[] = { "pspin-rtl", "pspin", "spin-integrated" };
	char name[64];

	if (system("riscv64-unknown-elf-gcc --version >/dev/null 2>&1")) {
		printf("skip: no riscv64-unknown-elf-gcc (package gcc-riscv64-unknown-elf)\n");
		return 77;
	}
	current_case = name;
	for (unsigned f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
		struct object object;

		snprintf(name, sizeof(name), "%s", files[f].name);
		object = compile(files[f].name);
		for (unsigned t = 0; t < sizeof(targets) / sizeof(targets[0]); t++) {
			uint64_t value = 0;
			struct pspin *nic;

			pspin_target__get(pspin_target__find(targets[t]), "clusters", &value);
			clusters = (unsigned)value;
			pspin_target__get(pspin_target__find(targets[t]), "l1_packet_kib", &value);
			scratchpads = 0x4400u + (uint32_t)value * 1024;
			snprintf(name, sizeof(name), "%s on %s", files[f].name, targets[t]);
			nic = open_on(&object, targets[t]);
			files[f].test(nic);
			pspin__close(nic);
		}
		free(object.data);
	}
	return failures != 0;
}
