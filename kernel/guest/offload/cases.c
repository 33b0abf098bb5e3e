/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The kernel's offload path, case by case: cases DEVICE DEBUGFS OTHER VETH. Runs as root in a guest (cases.sh): DEVICE is
 * netdevsim's, DEBUGFS its directory, OTHER the interface of another netdevsim, VETH one without offload. A case may
 * end in the middle: what it holds is given back, and the next one starts from nothing.
 *
 * Output, one line a step, fields separated by tabs:
 *	CASE STEP ok [WHAT WAS FOUND]
 *	CASE STEP ERRNO MESSAGE          MESSAGE: the verifier's, netlink's or the kernel log's last words, or -
 *	CASE left nothing | WHAT IS LEFT
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "words.h"

#define FDS 32

static int device, other, veth;
static const char *debugfs, *this_case;
static int held[FDS], n_held; /* descriptors of the case that runs */

/* --- instructions, as linux/filter.h has them ------------------------------------------ */

#define MOV64_IMM(dst, value) ((struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (dst), .imm = (value) })
#define MOV64_REG(dst, src)   ((struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (dst), .src_reg = (src) })
#define ADD64_IMM(dst, value) ((struct bpf_insn){ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (dst), .imm = (value) })
#define STORE32(dst, src, at) ((struct bpf_insn){ .code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = (dst), .src_reg = (src), .off = (at) })
#define MAP_LOW(dst, fd) \
	((struct bpf_insn){ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (dst), .src_reg = BPF_PSEUDO_MAP_FD, .imm = (fd) })
#define MAP_HIGH    ((struct bpf_insn){ .code = 0 })
#define CALL(which) ((struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = (which) })
#define EXIT        ((struct bpf_insn){ .code = BPF_JMP | BPF_EXIT })

/* --- reports ------------------------------------------------------------------------------- */

static void found(const char *step, const char *format, ...)
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

/* A step's result: a descriptor or 0, which is handed on, or -errno. */
static int step(const char *name, int result)
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

static int hold(int fd)
{
	if (fd >= 0 && n_held < FDS)
		held[n_held++] = fd;
	return fd;
}

static void release(int fd)
{
	for (int i = 0; i < n_held; i++)
		if (held[i] == fd) {
			close(fd);
			held[i] = held[--n_held];
			return;
		}
}

/* --- what is tried ----------------------------------------------------------------------------- */

static int load(const struct bpf_insn *insns, size_t bytes, enum bpf_prog_type type, int ifindex, unsigned flags)
{
	LIBBPF_OPTS(bpf_prog_load_opts, options, .prog_ifindex = (__u32)ifindex, .prog_flags = flags, .log_buf = words_log,
		    .log_size = sizeof(words_log), .log_level = WORDS_LOG_LEVEL);
	int fd;

	words_forget();
	fd = bpf_prog_load(type, "case", "GPL", insns, bytes / sizeof(*insns), &options);
	return fd < 0 ? -errno : hold(fd);
}

static int load_pass(int ifindex)
{
	const struct bpf_insn insns[] = { MOV64_IMM(BPF_REG_0, XDP_PASS), EXIT };

	return load(insns, sizeof(insns), BPF_PROG_TYPE_XDP, ifindex, 0);
}

static int load_lookup(int ifindex, int map)
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

static int make_map(enum bpf_map_type type, int ifindex, unsigned entries, unsigned flags)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_ifindex = (__u32)ifindex, .map_flags = flags);
	int fd;

	words_forget();
	fd = bpf_map_create(type, "case", 4, 8, entries, &options);
	return fd < 0 ? -errno : hold(fd);
}

static int attach(int ifindex, int program, unsigned flags)
{
	words_forget();
	return bpf_xdp_attach(ifindex, program, flags, NULL);
}

static int detach(int ifindex, unsigned flags)
{
	words_forget();
	return bpf_xdp_detach(ifindex, flags, NULL);
}

static int attach_link(int program)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .flags = XDP_FLAGS_HW_MODE);
	int fd;

	words_forget();
	fd = bpf_link_create(program, device, BPF_XDP, &options);
	return fd < 0 ? -errno : hold(fd);
}

static struct bpf_prog_info info_of(int program)
{
	struct bpf_prog_info info = { 0 };
	__u32 bytes = sizeof(info);

	if (bpf_obj_get_info_by_fd(program, &info, &bytes))
		memset(&info, 0, sizeof(info));
	return info;
}

static int read_gate(const char *name, char *value, size_t bytes)
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

static void set_gate(const char *name, const char *value)
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

/* What XDP says of the interface: which mode, and whether the program there is `program`. */
static void query(const char *name, int ifindex, int program)
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
		read_gate("ports/0/bpf_offloaded_id", bound, sizeof(bound));
	found(name, "mode %s, program %s, device has %s", modes[state.attach_mode < 5 ? state.attach_mode : 0],
	      !state.hw_prog_id                                         ? "none"
	      : program >= 0 && state.hw_prog_id == info_of(program).id ? "right"
									: "another",
	      !strcmp(bound, "0")                                            ? "none"
	      : program >= 0 && (unsigned)atoi(bound) == info_of(program).id ? "the same"
									     : "another");
}

/* --- the cases ----------------------------------------------------------------------------------- */

static void bind_only(void)
{
	int program = step("load", load_pass(device));
	struct bpf_prog_info info;

	if (program < 0)
		return;
	info = info_of(program);
	found("info", "bound to %s", (int)info.ifindex == device ? "the device" : "nothing");
}

static void attach_query_detach(void)
{
	int program = step("load", load_pass(device));

	query("before", device, program);
	step("attach", attach(device, program, XDP_FLAGS_HW_MODE));
	query("query", device, program);
	step("detach", detach(device, XDP_FLAGS_HW_MODE));
	query("after", device, program);
}

static void replace(void)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, options);
	int first = step("load", load_pass(device)), second = step("load second", load_pass(device));

	step("attach", attach(device, first, XDP_FLAGS_HW_MODE));
	step("not if there is one", attach(device, second, XDP_FLAGS_HW_MODE | XDP_FLAGS_UPDATE_IF_NOEXIST));
	query("query first", device, first);
	options.old_prog_fd = second;
	words_forget();
	step("replace another", bpf_xdp_attach(device, second, XDP_FLAGS_HW_MODE, &options));
	options.old_prog_fd = first;
	words_forget();
	step("replace", bpf_xdp_attach(device, second, XDP_FLAGS_HW_MODE, &options));
	query("query second", device, second);
	step("detach", detach(device, XDP_FLAGS_HW_MODE));
}

static void links(void)
{
	int program = step("load", load_pass(device)), link = step("link", attach_link(program));

	query("query", device, program);
	step("beside it", attach(device, program, XDP_FLAGS_HW_MODE));
	if (link >= 0)
		release(link);
	query("closed", device, program);
}

static void update_link(void)
{
	int first = step("load", load_pass(device)), second = step("load second", load_pass(device));
	int link = step("link", attach_link(first));

	words_forget();
	step("update", bpf_link_update(link, second, NULL) ? -errno : 0);
	query("query", device, second);
}

static void maps(void)
{
	int map = step("hash of 2", make_map(BPF_MAP_TYPE_HASH, device, 2, 0));
	int program = step("load", load_lookup(device, map));
	__u32 keys[] = { 7, 8, 9 }, key, next, entries = 0;
	__u64 value = 70, sum = 0;

	step("attach", attach(device, program, XDP_FLAGS_HW_MODE));
	words_forget();
	step("update", bpf_map_update_elem(map, &keys[0], &value, BPF_ANY) ? -errno : 0);
	value = 80;
	step("update second", bpf_map_update_elem(map, &keys[1], &value, BPF_NOEXIST) ? -errno : 0);
	step("again", bpf_map_update_elem(map, &keys[1], &value, BPF_NOEXIST) ? -errno : 0);
	step("third of two", bpf_map_update_elem(map, &keys[2], &value, BPF_ANY) ? -errno : 0);
	for (int more = !bpf_map_get_next_key(map, NULL, &next); more; more = !bpf_map_get_next_key(map, &key, &next)) {
		key = next;
		value = 0;
		bpf_map_lookup_elem(map, &key, &value);
		entries++;
		sum += value;
	}
	found("read", "%u entries, %llu in all", entries, (unsigned long long)sum);
	step("absent", bpf_map_lookup_elem(map, &keys[2], &value) ? -errno : 0);
	step("delete", bpf_map_delete_elem(map, &keys[0]) ? -errno : 0);
	step("detach", detach(device, XDP_FLAGS_HW_MODE));
}

static void arrays(void)
{
	int map = step("array of 2", make_map(BPF_MAP_TYPE_ARRAY, device, 2, 0));
	__u32 key = 1;
	__u64 value = 5, read = 0;

	words_forget();
	step("update", bpf_map_update_elem(map, &key, &value, BPF_ANY) ? -errno : 0);
	step("lookup", bpf_map_lookup_elem(map, &key, &read) ? -errno : 0);
	found("read", "%llu", (unsigned long long)read);
	step("delete", bpf_map_delete_elem(map, &key) ? -errno : 0);
}

/* A child that attaches and is killed: by netlink the attachment stays, by a link it does not. */
static void killed(int by_link)
{
	int ready[2];
	pid_t child;
	char byte;

	fflush(stdout);
	if (pipe(ready))
		exit(1);
	child = fork();
	if (!child) {
		int program = load_pass(device);
		int err = by_link ? attach_link(program) : attach(device, program, XDP_FLAGS_HW_MODE);

		if (err >= 0 && write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	found("child", "%s", read(ready[0], &byte, 1) == 1 ? "attached" : "failed");
	close(ready[0]);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	/* what a link held is given back by a work queue */
	for (int tries = 0; by_link && tries < 50; tries++) {
		LIBBPF_OPTS(bpf_xdp_query_opts, state);

		if (bpf_xdp_query(device, 0, &state) || !state.hw_prog_id)
			break;
		usleep(20000);
	}
	query("killed", device, -1);
	if (!by_link)
		step("detach", detach(device, XDP_FLAGS_HW_MODE));
}

static void killed_netlink(void)
{
	killed(0);
}

static void killed_link(void)
{
	killed(1);
}

static void gate_bind(void)
{
	set_gate("bpf_bind_accept", "N");
	step("load", load_pass(device));
	set_gate("bpf_bind_accept", "Y");
	step("load again", load_pass(device));
}

static void gate_verifier(void)
{
	set_gate("bpf_bind_verifier_accept", "N");
	step("load", load_pass(device));
	set_gate("bpf_bind_verifier_accept", "Y");
	step("load again", load_pass(device));
}

static void gate_map(void)
{
	set_gate("ports/0/bpf_map_accept", "N");
	step("map", make_map(BPF_MAP_TYPE_HASH, device, 2, 0));
	set_gate("ports/0/bpf_map_accept", "Y");
	step("map again", make_map(BPF_MAP_TYPE_HASH, device, 2, 0));
}

static void gate_offload(void)
{
	int program = step("load", load_pass(device));

	set_gate("ports/0/bpf_xdpoffload_accept", "N");
	step("attach", attach(device, program, XDP_FLAGS_HW_MODE));
	set_gate("ports/0/bpf_xdpoffload_accept", "Y");
	step("attach again", attach(device, program, XDP_FLAGS_HW_MODE));
	step("detach", detach(device, XDP_FLAGS_HW_MODE));
}

/* The gate that closes while a program is attached: it can still be replaced or taken away, or not? */
static void gate_while_attached(void)
{
	int program = step("load", load_pass(device)), second = step("load second", load_pass(device));

	step("attach", attach(device, program, XDP_FLAGS_HW_MODE));
	set_gate("ports/0/bpf_xdpoffload_accept", "N");
	step("replace", attach(device, second, XDP_FLAGS_HW_MODE));
	query("query", device, program);
	set_gate("ports/0/bpf_xdpoffload_accept", "Y");
	step("detach", detach(device, XDP_FLAGS_HW_MODE));
}

static void gate_driver(void)
{
	int program = step("load unbound", load_pass(0));

	set_gate("ports/0/bpf_xdpdrv_accept", "N");
	step("driver mode", attach(device, program, XDP_FLAGS_DRV_MODE));
	set_gate("ports/0/bpf_xdpdrv_accept", "Y");
	step("driver mode again", attach(device, program, XDP_FLAGS_DRV_MODE));
	step("detach", detach(device, XDP_FLAGS_DRV_MODE));
}

static void wrong_mode(void)
{
	int unbound = step("load unbound", load_pass(0)), bound = step("load", load_pass(device));

	step("unbound on hardware", attach(device, unbound, XDP_FLAGS_HW_MODE));
	step("bound on driver", attach(device, bound, XDP_FLAGS_DRV_MODE));
	step("bound on generic", attach(device, bound, XDP_FLAGS_SKB_MODE));
	step("bound on any", attach(device, bound, 0));
	detach(device, 0);
}

static void wrong_device(void)
{
	int bound = step("load", load_pass(device)), unbound = step("load unbound", load_pass(0));

	step("bound to another", attach(other, bound, XDP_FLAGS_HW_MODE));
	step("bound, on veth", attach(veth, bound, XDP_FLAGS_HW_MODE));
	step("unbound, on veth", attach(veth, unbound, XDP_FLAGS_HW_MODE));
	step("load for veth", load_pass(veth));
	step("map for veth", make_map(BPF_MAP_TYPE_HASH, veth, 2, 0));
	step("load for none", load_pass(9999));
}

static void wrong_map(void)
{
	int host = step("map of the host", make_map(BPF_MAP_TYPE_HASH, 0, 2, 0));
	int another = step("map of another", make_map(BPF_MAP_TYPE_HASH, other, 2, 0));

	step("load with the host's", load_lookup(device, host));
	step("load with another's", load_lookup(device, another));
	step("unbound with another's", load_lookup(0, another));
	step("three entries", make_map(BPF_MAP_TYPE_HASH, device, 3, 0));
	step("flags", make_map(BPF_MAP_TYPE_HASH, device, 2, BPF_F_NO_PREALLOC));
	step("LRU", make_map(BPF_MAP_TYPE_LRU_HASH, device, 2, 0));
	step("ring buffer", make_map(BPF_MAP_TYPE_RINGBUF, device, 4096, 0));
}

static void wrong_program(void)
{
	const struct bpf_insn pass[] = { MOV64_IMM(BPF_REG_0, XDP_PASS), EXIT };
	const struct bpf_insn none[] = { EXIT };

	step("socket filter", load(pass, sizeof(pass), BPF_PROG_TYPE_SOCKET_FILTER, device, 0));
	step("frags", load(pass, sizeof(pass), BPF_PROG_TYPE_XDP, device, BPF_F_XDP_HAS_FRAGS));
	step("no result", load(none, sizeof(none), BPF_PROG_TYPE_XDP, device, 0));
}

static void modes_together(void)
{
	int unbound = step("load unbound", load_pass(0)), bound = step("load", load_pass(device));

	step("driver", attach(device, unbound, XDP_FLAGS_DRV_MODE));
	step("hardware", attach(device, bound, XDP_FLAGS_HW_MODE));
	query("query", device, bound);
	step("detach driver", detach(device, XDP_FLAGS_DRV_MODE));
	step("detach hardware", detach(device, XDP_FLAGS_HW_MODE));
}

static int write_bus(const char *file, const char *line)
{
	char path[128];
	int fd, err = 0;

	snprintf(path, sizeof(path), "/sys/bus/netdevsim/%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* The last case: the other device goes while its program is attached. */
static void device_goes(void)
{
	int program = step("load", load_pass(other)), map = step("map", make_map(BPF_MAP_TYPE_HASH, other, 2, 0));
	__u32 key = 1, bytes = sizeof(struct bpf_prog_info);
	struct bpf_prog_info info = { 0 };
	__u64 value = 1;

	step("attach", attach(other, program, XDP_FLAGS_HW_MODE));
	words_forget();
	step("remove", write_bus("del_device", "2"));
	step("info", bpf_obj_get_info_by_fd(program, &info, &bytes) ? -errno : 0);
	step("update", bpf_map_update_elem(map, &key, &value, BPF_ANY) ? -errno : 0);
	step("attach to the first", attach(device, program, XDP_FLAGS_HW_MODE));
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "bind", bind_only },
	{ "attach", attach_query_detach },
	{ "replace", replace },
	{ "link", links },
	{ "link update", update_link },
	{ "hash", maps },
	{ "array", arrays },
	{ "killed, by netlink", killed_netlink },
	{ "killed, by link", killed_link },
	{ "bpf_bind_accept", gate_bind },
	{ "bpf_bind_verifier_accept", gate_verifier },
	{ "bpf_map_accept", gate_map },
	{ "bpf_xdpoffload_accept", gate_offload },
	{ "closed while attached", gate_while_attached },
	{ "bpf_xdpdrv_accept", gate_driver },
	{ "modes together", modes_together },
	{ "wrong mode", wrong_mode },
	{ "wrong device", wrong_device },
	{ "wrong map", wrong_map },
	{ "wrong program", wrong_program },
	{ "device goes", device_goes },
};

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

/* Programs are freed after a grace period: it is waited for. */
static void report_left(unsigned programs, unsigned maps_before)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, state);
	char id[64] = "";
	unsigned extra_programs, extra_maps, links_left, bound;

	for (int tries = 0;; tries++) {
		extra_programs = count_ids(bpf_prog_get_next_id) - programs;
		extra_maps = count_ids(bpf_map_get_next_id) - maps_before;
		links_left = count_ids(bpf_link_get_next_id);
		bound = count_bound();
		bpf_xdp_query(device, 0, &state);
		read_gate("ports/0/bpf_offloaded_id", id, sizeof(id));
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

int main(int argc, char **argv)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	unsigned programs, maps_before;

	if (argc != 5) {
		fprintf(stderr, "usage: cases DEVICE DEBUGFS OTHER VETH\n");
		return 2;
	}
	device = (int)if_nametoindex(argv[1]);
	debugfs = argv[2];
	other = (int)if_nametoindex(argv[3]);
	veth = (int)if_nametoindex(argv[4]);
	if (!device || !other || !veth) {
		fprintf(stderr, "cases: one of %s, %s and %s is not there\n", argv[1], argv[3], argv[4]);
		return 1;
	}
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	if (words_begin())
		return 1;
	programs = count_ids(bpf_prog_get_next_id);
	maps_before = count_ids(bpf_map_get_next_id);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		this_case = cases[i].name;
		cases[i].run();
		while (n_held)
			close(held[--n_held]);
		report_left(programs, maps_before);
	}
	words_forget();
	return 0;
}
