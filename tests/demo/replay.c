/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs captured frames through the XDP program of a handler many times (PROG_TEST_RUN), and measures the time per packet (replay.h). Called
 * by demo_filtering.c and demo_kvstore.c.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/common/measure/measure.h"
#include "tests/common/proc.h"
#include "tests/demo/replay.h"
#include "tests/demo/replay_frames.h"

#define BURSTS     21
#define BURST_RUNS 20000

struct replay {
	struct bpf_object *object;
	struct replay_frames *frames;
	int target_fd, replay_fd, empty_fd;
};

static int program_fd(const struct replay *replay, const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(replay->object, name);

	return program ? bpf_program__fd(program) : -1;
}

struct replay *replay_open(const char *object)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	struct bpf_map *map, *bss = NULL;
	struct bpf_program *program;

	if (!replay)
		die("no memory");
	replay->object = bpf_object__open_file(object, NULL);
	if (!replay->object)
		die("cannot read %s", object);
	/* must be equal for all programs of a program array, so use the handlers' flag */
	bpf_object__for_each_program(program, replay->object)
		bpf_program__set_flags(program, BPF_F_XDP_HAS_FRAGS);
	if (bpf_object__load(replay->object))
		die("cannot load %s", object);
	bpf_object__for_each_map(map, replay->object)
		if (strstr(bpf_map__name(map), ".bss"))
			bss = map;
	if (!bss || bpf_map__value_size(bss) != sizeof(struct replay_frames))
		die("%s is not this demo's", object);
	replay->frames = mmap(NULL, sizeof(struct replay_frames), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(bss), 0);
	if (replay->frames == MAP_FAILED)
		die("cannot map the frames to replay");
	replay->target_fd = bpf_object__find_map_fd_by_name(replay->object, "replay_target");
	replay->replay_fd = program_fd(replay, "replay");
	replay->empty_fd = program_fd(replay, "nothing");
	return replay;
}

void replay_close(struct replay *replay)
{
	munmap(replay->frames, sizeof(struct replay_frames));
	bpf_object__close(replay->object);
	free(replay);
}

static double thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double burst(struct replay *replay, int target, const struct frame *frame)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame->data, .data_size_in = frame->bytes, .repeat = BURST_RUNS);
	uint32_t zero = 0;
	double begin;

	if (bpf_map_update_elem(replay->target_fd, &zero, &target, BPF_ANY))
		die("cannot tail-call the program to be timed");
	replay->frames->next = 0;
	begin = thread_ns();
	if (bpf_prog_test_run_opts(replay->replay_fd, &opts) || opts.retval == 0)
		die("PROG_TEST_RUN of captured frames failed");
	return (thread_ns() - begin) / BURST_RUNS;
}

double replay_ns(struct replay *replay, struct spin_ctx *ctx, const struct frame *const *frame, size_t frames)
{
	double with[BURSTS], without[BURSTS];

	if (frames > REPLAY_FRAMES_MAX)
		frames = REPLAY_FRAMES_MAX;
	for (size_t i = 0; i < frames; i++)
		memcpy(&replay->frames->head[i], frame[i]->data, REPLAY_BYTES);
	replay->frames->count = (uint32_t)frames;
	for (int i = 0; i < BURSTS; i++) {
		without[i] = burst(replay, replay->empty_fd, frame[0]);
		with[i] = burst(replay, spin_ctx__program_fd(ctx), frame[0]);
	}
	return measure_median(with, BURSTS) - measure_median(without, BURSTS);
}
