/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Steps of the tests of offload on netdevsim, the kernel's simulated device: load a program, create a map, attach (steps.h). Called by
 * cases.c. A descriptor belongs to the running case; `drop_all` closes those that the case still holds.
 */
#include "steps.h"

#include <dirent.h>
#include <errno.h>
#include <linux/if_link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "insns.h"
#include "words.h"

#define FDS 32

int device;
const char *debugfs, *this_case;

static int kept_fds[FDS], kept_count;
static unsigned programs_before, maps_before;

/* --- reports ------------------------------------------------------------------------------- */

void found(const char *step, const char *format, ...)
{
	va_list arguments;

	printf("%s\t%s\tok", this_case, step);
	if (format) {
		putchar('\t');
		va_start(arguments, format);
		vprintf(format, arguments);
		va_end(arguments);
	}
	putchar('\n');
}

/* Prints a step's result: a descriptor or 0, which is returned, or -errno. */
int step(const char *name, int result)
{
	char words[WORDS_BYTES], kernel[WORDS_BYTES];

	if (result >= 0) {
		found(name, NULL);
		return result;
	}
	words_of_kernel(kernel, sizeof(kernel));
	if (!words_of_log("", words, sizeof(words)))
		snprintf(words, sizeof(words), "%s", *words_of_libbpf() ? words_of_libbpf() : *kernel ? kernel : "-");
	printf("%s\t%s\t%s\t%s\n", this_case, name, words_of_error(result), words);
	return result;
}

static int keep_fd(int fd)
{
	if (fd >= 0 && kept_count < FDS)
		kept_fds[kept_count++] = fd;
	return fd;
}

void release(int fd)
{
	for (int i = 0; i < kept_count; i++)
		if (kept_fds[i] == fd) {
			close(fd);
			kept_fds[i] = kept_fds[--kept_count];
			return;
		}
}

/* --- what is tried ----------------------------------------------------------------------------- */

int load(const struct bpf_insn *insns, size_t bytes, enum bpf_prog_type type, int ifindex, unsigned flags)
{
	LIBBPF_OPTS(bpf_prog_load_opts, options, .prog_ifindex = (__u32)ifindex, .prog_flags = flags, .log_buf = words_log,
		    .log_size = sizeof(words_log), .log_level = WORDS_LOG_LEVEL);
	int fd;

	words_forget();
	fd = bpf_prog_load(type, "case", "GPL", insns, bytes / sizeof(*insns), &options);
	return fd < 0 ? -errno : keep_fd(fd);
}

int load_pass(int ifindex)
{
	const struct bpf_insn insns[] = { MOV64_IMM(BPF_REG_0, XDP_PASS), EXIT };

	return load(insns, sizeof(insns), BPF_PROG_TYPE_XDP, ifindex, 0);
}

int load_lookup(int ifindex, int map)
{
	const struct bpf_insn insns[] = {
		MOV64_IMM(BPF_REG_1, 7),
		STORE32(BPF_REG_10, BPF_REG_1, -4),
		MOV64_REG(BPF_REG_2, BPF_REG_10),
		ADD64_IMM(BPF_REG_2, -4),
		MAP_LOW(BPF_REG_1, map),
		MAP_HIGH,
		CALL(BPF_FUNC_map_lookup_elem),
		MOV64_IMM(BPF_REG_0, XDP_PASS),
		EXIT,
	};

	return load(insns, sizeof(insns), BPF_PROG_TYPE_XDP, ifindex, 0);
}

int make_map(enum bpf_map_type type, int ifindex, unsigned entries, unsigned flags)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_ifindex = (__u32)ifindex, .map_flags = flags);
	int fd;

	words_forget();
	fd = bpf_map_create(type, "case", 4, 8, entries, &options);
	return fd < 0 ? -errno : keep_fd(fd);
}

int attach(int ifindex, int program, unsigned flags)
{
	words_forget();
	return bpf_xdp_attach(ifindex, program, flags, NULL);
}

int detach(int ifindex, unsigned flags)
{
	words_forget();
	return bpf_xdp_detach(ifindex, flags, NULL);
}

int attach_link(int program)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .flags = XDP_FLAGS_HW_MODE);
	int fd;

	words_forget();
	fd = bpf_link_create(program, device, BPF_XDP, &options);
	return fd < 0 ? -errno : keep_fd(fd);
}

struct bpf_prog_info info_of(int program)
{
	struct bpf_prog_info info = { 0 };
	__u32 bytes = sizeof(info);

	if (bpf_obj_get_info_by_fd(program, &info, &bytes))
		memset(&info, 0, sizeof(info));
	return info;
}

static int read_toggle(const char *name, char *value, size_t bytes)
{
	char path[512];
	FILE *file;
	int err = 0;

	snprintf(path, sizeof(path), "%s/%s", debugfs, name);
	file = fopen(path, "r");
	if (!file)
		return -errno;
	if (!fgets(value, (int)bytes, file))
		err = -EIO;
	fclose(file);
	value[strcspn(value, "\n")] = 0;
	return err;
}

void set_gate(const char *name, const char *value)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", debugfs, name);
	file = fopen(path, "w");
	if (!file || fputs(value, file) < 0 || fclose(file)) {
		fprintf(stderr, "cases: %s: %s\n", path, strerror(errno));
		exit(1);
	}
}

/* Prints the interface's XDP mode, and whether its program is `program`. */
void query(const char *name, int ifindex, int program)
{
	static const char *const modes[] = { "none", "driver", "generic", "hardware", "several" };
	LIBBPF_OPTS(bpf_xdp_query_opts, state);
	char bound[64] = "-";
	int err;

	words_forget();
	err = bpf_xdp_query(ifindex, 0, &state);
	if (err) {
		step(name, err);
		return;
	}
	if (ifindex == device)
		read_toggle("ports/0/bpf_offloaded_id", bound, sizeof(bound));
	found(name, "mode %s, program %s, device has %s", modes[state.attach_mode < 5 ? state.attach_mode : 0],
	      !state.hw_prog_id                                         ? "none"
	      : program >= 0 && state.hw_prog_id == info_of(program).id ? "right"
									: "another",
	      !strcmp(bound, "0")                                            ? "none"
	      : program >= 0 && (unsigned)atoi(bound) == info_of(program).id ? "the same"
									     : "another");
}

/* --- what is left -------------------------------------------------------------------------------- */

static unsigned count_ids(int (*next)(__u32, __u32 *))
{
	unsigned count = 0;
	__u32 id = 0;

	while (!next(id, &id))
		count++;
	return count;
}

static unsigned count_bound(void)
{
	char path[512];
	struct dirent *entry;
	unsigned count = 0;
	DIR *directory;

	snprintf(path, sizeof(path), "%s/bpf_bound_progs", debugfs);
	directory = opendir(path);
	while (directory && (entry = readdir(directory)))
		count += entry->d_name[0] != '.';
	if (directory)
		closedir(directory);
	return count;
}

/* Programs are freed after a grace period, so this waits for them. */
void report_left(void)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, state);
	char id[64] = "";
	unsigned extra_programs, extra_maps, links_left, bound;

	for (int tries = 0;; tries++) {
		extra_programs = count_ids(bpf_prog_get_next_id) - programs_before;
		extra_maps = count_ids(bpf_map_get_next_id) - maps_before;
		links_left = count_ids(bpf_link_get_next_id);
		bound = count_bound();
		bpf_xdp_query(device, 0, &state);
		read_toggle("ports/0/bpf_offloaded_id", id, sizeof(id));
		if (tries == 100 || (!extra_programs && !extra_maps && !links_left && !bound && !state.attach_mode && !strcmp(id, "0")))
			break;
		usleep(20000);
	}
	printf("%s\tleft\t", this_case);
	if (!extra_programs && !extra_maps && !links_left && !bound && !state.attach_mode && !strcmp(id, "0"))
		printf("nothing\n");
	else
		printf("%u programs, %u maps, %u links, %u bound, attached in mode %u, device has %s\n", extra_programs, extra_maps,
		       links_left, bound, state.attach_mode, id);
	fflush(stdout);
}

void count_before(void)
{
	programs_before = count_ids(bpf_prog_get_next_id);
	maps_before = count_ids(bpf_map_get_next_id);
}

void drop_all(void)
{
	while (kept_count)
		close(kept_fds[--kept_count]);
}
