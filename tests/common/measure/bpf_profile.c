/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Profile of BPF programs by source line (bpf_profile.h), by sampling. Called by the benchmarks tests/bench/mpq.c and xdp.c, with
 * --profile. The sampled address is that of the next instruction, so the byte before it decides: the time of a locked operation is counted
 * at its own line, not at the line after it.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "tests/common/measure/bpf_profile.h"

#define PERIOD_NS     50000u
#define RING_PAGES    512u /* a power of two */
#define FUNCTIONS_MAX 256u

struct line {
	char file[32], text[80];
	unsigned number;
	uint64_t samples;
};

/* The lines that have samples, and the number of samples outside of all programs. */
struct lines {
	struct line *line;
	unsigned count, capacity;
	uint64_t elsewhere;
};

/* A loaded program: where its functions are, and the line of each address. */
struct program {
	struct btf *btf;
	uint32_t functions, lines;
	uint64_t function[FUNCTIONS_MAX];
	uint32_t function_bytes[FUNCTIONS_MAX];
	struct bpf_line_info *line;
	uint64_t *line_at;
};

int bpf_profile__open(struct bpf_profile *p)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = 1,
		.exclude_user = 1,
	};
	const size_t bytes = (RING_PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE);

	*p = (struct bpf_profile){ .fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) };
	if (p->fd < 0)
		return -errno;
	p->ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
	if (p->ring == MAP_FAILED) {
		const int err = -errno;

		close(p->fd);
		return err;
	}
	return 0;
}

void bpf_profile__start(struct bpf_profile *p)
{
	ioctl(p->fd, PERF_EVENT_IOC_ENABLE, 0);
}

static int add_sample(struct bpf_profile *p, uint64_t ip)
{
	if (p->count == p->capacity) {
		const unsigned capacity = p->capacity ? 2 * p->capacity : 4096;
		uint64_t *ips = realloc(p->ips, capacity * sizeof(*ips));

		if (!ips)
			return -ENOMEM;
		p->ips = ips;
		p->capacity = capacity;
	}
	p->ips[p->count++] = ip;
	return 0;
}

int bpf_profile__stop(struct bpf_profile *p)
{
	struct perf_event_mmap_page *page = p->ring;
	const uint64_t bytes = RING_PAGES * (uint64_t)sysconf(_SC_PAGESIZE);
	const uint8_t *data = (const uint8_t *)p->ring + sysconf(_SC_PAGESIZE);
	uint64_t tail = page->data_tail, head;
	int err = 0;

	ioctl(p->fd, PERF_EVENT_IOC_DISABLE, 0);
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	while (tail < head && !err) {
		/* records are multiples of 8 bytes, so neither field is cut by the end of the ring */
		const struct perf_event_header *header = (const void *)(data + tail % bytes);

		if (header->type == PERF_RECORD_SAMPLE)
			err = add_sample(p, *(const uint64_t *)(data + (tail + sizeof(*header)) % bytes));
		tail += header->size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return err;
}

static void free_program(struct program *p)
{
	btf__free(p->btf);
	free(p->line);
	free(p->line_at);
}

/* Reads what is needed of a program. Returns 0 or -errno; -ENOENT for one without line information. */
static int read_program(int fd, struct program *p)
{
	struct bpf_prog_info info = { 0 };
	uint32_t bytes = sizeof(info), functions, lines;
	int err = bpf_obj_get_info_by_fd(fd, &info, &bytes) ? -errno : 0;

	memset(p, 0, sizeof(*p));
	functions = info.nr_jited_ksyms < FUNCTIONS_MAX ? info.nr_jited_ksyms : FUNCTIONS_MAX;
	lines = info.nr_jited_line_info;
	if (err || !info.btf_id || !lines || lines != info.nr_line_info)
		return err ? err : -ENOENT;
	p->line = calloc(lines, sizeof(*p->line));
	p->line_at = calloc(lines, sizeof(*p->line_at));
	p->btf = btf__load_from_kernel_by_id(info.btf_id);
	if (!p->line || !p->line_at || !p->btf)
		return -ENOMEM;
	info = (struct bpf_prog_info){
		.nr_jited_ksyms = functions,
		.jited_ksyms = (uintptr_t)p->function,
		.nr_jited_func_lens = functions,
		.jited_func_lens = (uintptr_t)p->function_bytes,
		.nr_line_info = lines,
		.line_info = (uintptr_t)p->line,
		.line_info_rec_size = sizeof(*p->line),
		.nr_jited_line_info = lines,
		.jited_line_info = (uintptr_t)p->line_at,
		.jited_line_info_rec_size = sizeof(*p->line_at),
	};
	if (bpf_obj_get_info_by_fd(fd, &info, &bytes))
		return -errno;
	p->functions = functions;
	p->lines = lines;
	return 0;
}

/* Returns the line of an address of the program, NULL if it has none. */
static const struct bpf_line_info *find_line(const struct program *p, uint64_t ip)
{
	const struct bpf_line_info *found = NULL;
	uint64_t start = 0, best = 0;

	for (uint32_t i = 0; i < p->functions && !start; i++)
		if (ip >= p->function[i] && ip < p->function[i] + p->function_bytes[i])
			start = p->function[i];
	for (uint32_t i = 0; start && i < p->lines; i++) {
		if (p->line_at[i] < start || p->line_at[i] > ip || p->line_at[i] < best)
			continue;
		best = p->line_at[i];
		found = &p->line[i];
	}
	return found;
}

static int count_line(struct lines *lines, const struct btf *btf, const struct bpf_line_info *info)
{
	const char *path = btf__name_by_offset(btf, info->file_name_off), *text = btf__name_by_offset(btf, info->line_off);
	const char *slash = path ? strrchr(path, '/') : NULL;
	struct line new = { .number = BPF_LINE_INFO_LINE_NUM(info->line_col), .samples = 1 }, *at;

	text = text ? text + strspn(text, " \t") : "";
	snprintf(new.file, sizeof(new.file), "%.31s", slash ? slash + 1 : path ? path : "");
	snprintf(new.text, sizeof(new.text), "%.79s", text);
	for (unsigned i = 0; i < lines->count; i++) {
		at = &lines->line[i];
		if (at->number == new.number && !strcmp(at->file, new.file)) {
			at->samples++;
			return 0;
		}
	}
	if (lines->count == lines->capacity) {
		lines->capacity = lines->capacity ? 2 * lines->capacity : 256;
		at = realloc(lines->line, lines->capacity * sizeof(*at));
		if (!at)
			return -ENOMEM;
		lines->line = at;
	}
	lines->line[lines->count++] = new;
	return 0;
}

/* Counts the samples that are in this program, and removes them from the profile. */
static int count_program(struct bpf_profile *p, const struct program *program, struct lines *lines)
{
	unsigned left = 0;
	int err = 0;

	for (unsigned i = 0; i < p->count; i++) {
		const struct bpf_line_info *info = err ? NULL : find_line(program, p->ips[i] - 1);

		if (info)
			err = count_line(lines, program->btf, info);
		else
			p->ips[left++] = p->ips[i];
	}
	p->count = left;
	return err;
}

static int count_all(struct bpf_profile *p, struct lines *lines)
{
	uint32_t id = 0;
	int err = 0;

	while (!err && !bpf_prog_get_next_id(id, &id)) {
		struct program program = { 0 };
		const int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue; /* it has just been unloaded */
		err = read_program(fd, &program);
		if (!err)
			err = count_program(p, &program, lines);
		if (err == -ENOENT)
			err = 0;
		free_program(&program);
		close(fd);
	}
	lines->elsewhere = p->count;
	p->count = 0;
	return err;
}

static int compare_samples(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->samples < y->samples ? 1 : x->samples > y->samples ? -1 : 0;
}

/* Adds up the lines of each file: the result has one line per file. */
static void sum_files(struct lines *lines)
{
	unsigned files = 0, f;

	for (unsigned i = 0; i < lines->count; i++) {
		for (f = 0; f < files && strcmp(lines->line[f].file, lines->line[i].file); f++)
			;
		if (f == files)
			lines->line[files++] = lines->line[i];
		else
			lines->line[f].samples += lines->line[i].samples;
	}
	lines->count = files;
}

int bpf_profile__print(struct bpf_profile *p, double packet_ns, unsigned lines_max)
{
	struct lines lines = { 0 };
	uint64_t inside = 0;
	double ns;
	int err = count_all(p, &lines);

	for (unsigned i = 0; i < lines.count; i++)
		inside += lines.line[i].samples;
	ns = inside ? packet_ns / (double)inside : 0;
	printf("%8.1f ns a packet; %llu samples in the programs, %llu in the kernel's own functions\n", packet_ns,
	       (unsigned long long)inside, (unsigned long long)lines.elsewhere);
	if (lines.count)
		qsort(lines.line, lines.count, sizeof(*lines.line), compare_samples);
	for (unsigned i = 0; i < lines.count && i < lines_max; i++) {
		const struct line *l = &lines.line[i];

		printf("%8.2f ns  %s:%u  %s\n", ns * (double)l->samples, l->file, l->number, l->text);
	}
	sum_files(&lines);
	if (lines.count)
		qsort(lines.line, lines.count, sizeof(*lines.line), compare_samples);
	for (unsigned i = 0; i < lines.count; i++)
		printf("%8.2f ns  in %s\n", ns * (double)lines.line[i].samples, lines.line[i].file);
	free(lines.line);
	return err;
}

void bpf_profile__close(struct bpf_profile *p)
{
	munmap(p->ring, (RING_PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE));
	close(p->fd);
	free(p->ips);
}
