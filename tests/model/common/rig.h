/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_RIG_H
#define TESTS_MODEL_RIG_H

/*
 * Builds a test's program for HPUs (the NIC's RISC-V cores) and runs it on the model's clusters without the NIC around them. Used by most
 * tests in tests/model. A test without the compiler is skipped; other failures end it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hwmodel/nic/nic.h"

#define RIG_GCC "riscv64-unknown-elf-gcc"
/* clang-format off */
#define RIG_FLAGS                                                                                  \
	"@hwmodel/image/cflags -Wl,--gc-sections -Wl,--build-id=none "                             \
	"-Wl,--no-warn-rwx-segments -I. -Ihandlers/include -T hwmodel/image/pspin.ld "             \
	"hwmodel/image/boot.S"
/* clang-format on */

struct rig_file {
	void *data;
	size_t bytes;
};

/*
 * Builds `sources` with the image's flags and reads the result. Skips or fails the test if that is not possible. Handlers (entry.c) are
 * linked with hwmodel/image/exclusive.S.
 */
static inline struct rig_file rig__build(const char *name, const char *sources)
{
	const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
	char path[512], line[2048];
	struct rig_file file = { 0 };
	struct stat st;
	FILE *f;

	if (system(RIG_GCC " --version >/dev/null 2>&1")) {
		printf("skip: no " RIG_GCC " (package gcc-riscv64-unknown-elf)\n");
		exit(77);
	}
	snprintf(path, sizeof(path), "%s/tests/model/%s.elf", build, name);
	snprintf(line, sizeof(line), "mkdir -p %s/tests/model && %s %s %s %s -lgcc -o %s", build, RIG_GCC, RIG_FLAGS,
		 strstr(sources, "image/entry.c") ? "-DHPU_HAS_EXCLUSIVE" : "", sources, path);
	f = system(line) ? NULL : fopen(path, "rb");
	if (!f || fstat(fileno(f), &st) || !(file.data = malloc((size_t)st.st_size)) ||
	    fread(file.data, 1, (size_t)st.st_size, f) != (size_t)st.st_size) {
		printf("FAIL cannot build %s\n", path);
		exit(1);
	}
	fclose(f);
	file.bytes = (size_t)st.st_size;
	return file;
}

struct rig {
	struct soc soc;
	struct pspin_target target;
	struct hw_elf *elf;
	struct hpu *hpu;
	struct hpu_descriptor descriptor;
};

static inline int rig__on_command(void *arg, struct soc_task *task, const struct hpu_command *command)
{
	(void)arg;
	(void)task;
	(void)command;
	return 0;
}

/* No-op NIC hooks for tests that offer HERs and check which tasks ended. */
static inline void rig__on_start(void *arg, struct soc_task *task)
{
	(void)arg;
	(void)task;
}

static inline void rig__on_freed(void *arg, uint32_t message_id, uint64_t cycle)
{
	(void)arg;
	(void)message_id;
	(void)cycle;
}

static inline void rig__on_room(void *arg, uint64_t cycle)
{
	(void)arg;
	(void)cycle;
}

#define RIG_L1_BYTE 0xa5 /* fills L1 before boot, so that a program which relies on zeroed memory fails */

/* Creates a machine with the program. Exits on failure. */
static inline void rig__load(struct rig *rig, struct rig_file file, const struct pspin_target *target)
{
	static const struct soc_nic nic = { .on_command = rig__on_command };
	char err[128] = "";
	int failed;

	memset(rig, 0, sizeof(*rig));
	rig->target = *target;
	failed = hw_elf__open(&rig->elf, file.data, file.bytes, err, sizeof(err)) || soc__open(&rig->soc, &rig->target, &nic, NULL);
	for (unsigned i = 0; !failed && i < rig->soc.memory.clusters; i++)
		memset(rig->soc.memory.l1[i], RIG_L1_BYTE, rig->soc.memory.l1_bytes);
	if (failed || storage__load(&rig->soc.memory, rig->elf)) {
		printf("FAIL the machine does not take the program: %s\n", err);
		exit(1);
	}
}

/* Boots the machine and selects an HPU. Exits on failure. */
static inline void rig__boot(struct rig *rig, unsigned cluster, unsigned index)
{
	if (soc__boot(&rig->soc)) {
		printf("FAIL the machine does not boot\n");
		exit(1);
	}
	rig->hpu = &rig->soc.hpus[cluster * rig->target.hpus + index];
	rig->descriptor.packet_l1 = L1_GLOBAL + cluster * L1_STRIDE + L1_PACKETS;
	rig->descriptor.packet_l2 = L2_PACKET;
	rig->descriptor.packet_bytes = 4096;
	for (unsigned i = 0; i < 4; i++)
		rig->descriptor.scratchpad[i] = L1_GLOBAL + i * L1_STRIDE + rig->soc.memory.l1_scratchpads;
	rig->descriptor.host_mem_high = (uint32_t)(HOST_BASE >> 32);
	rig->descriptor.host_mem_low = (uint32_t)HOST_BASE;
}

static inline void rig__open(struct rig *rig, struct rig_file file, const struct pspin_target *target, unsigned cluster, unsigned index)
{
	rig__load(rig, file, target);
	rig__boot(rig, cluster, index);
}

/* Clears memory that a program expects to be zero. `addr` is an L1 address that all clusters use; L2 is zero already. */
static inline void rig__clear(struct rig *rig, uint32_t addr, uint32_t bytes)
{
	uint8_t *at;

	if (storage__find(&rig->soc.memory, addr, bytes, 0, &at, NULL) == MEMORY_L1)
		memset(at, 0, bytes);
}

static inline void rig__close(struct rig *rig)
{
	soc__close(&rig->soc);
	hw_elf__close(rig->elf);
}

/* Returns the address of a function in the image. */
static inline uint32_t rig__function(const struct rig *rig, const char *name)
{
	uint32_t addr;

	if (hw_elf__symbol(rig->elf, name, &addr, NULL)) {
		printf("FAIL no function %s in the image\n", name);
		exit(1);
	}
	return addr;
}

/* Runs a function as a task. */
static inline void rig__run(struct rig *rig, const char *function, struct hpu_task_result *out)
{
	soc__run_one(&rig->soc, rig->hpu, rig__function(rig, function), &rig->descriptor, out);
}

/* Returns the body's cycles: one iteration of the runtime loop takes body + 9. */
static inline uint64_t rig__body(struct rig *rig, const char *function)
{
	struct hpu_task_result result;

	rig__run(rig, function, &result);
	return result.stats.cycle - rig->target.runtime_cycles;
}

#endif
