/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests what the kernel accepts when an XDP program is offloaded to a device, case by case, on netdevsim, the kernel's simulated device:
 * cases DEVICE DEBUGFS OTHER VETH. Runs as root in a guest (cases.sh): DEVICE is netdevsim's, DEBUGFS its directory, OTHER the interface of
 * another netdevsim, VETH one without offload. A case may end in the middle: its descriptors are closed, and the next one starts clean.
 *
 * Prints one line for each step, with fields separated by tabs, which tests/offload/cases.expected must have:
 *	CASE STEP ok [WHAT WAS FOUND]
 *	CASE STEP ERRNO MESSAGE          MESSAGE: the verifier's, netlink's or the kernel log's last words, or -
 *	CASE left nothing | WHAT IS LEFT
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "insns.h"
#include "steps.h"
#include "words.h"

static int other, veth;

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
	step("link and netlink", attach(device, program, XDP_FLAGS_HW_MODE));
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

/* A child attaches and is killed: an attachment by netlink stays, one by link does not. */
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
	/* a work queue releases what the link held */
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

/* Closes the gate while a program is attached: can the program still be replaced or detached? */
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
	step("unbound, on lo", attach((int)if_nametoindex("lo"), unbound, XDP_FLAGS_HW_MODE));
	step("load for lo", load_pass((int)if_nametoindex("lo")));
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

/* The last case: the other device is removed while its program is attached. */
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

int main(int argc, char **argv)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

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
	count_before();
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		this_case = cases[i].name;
		cases[i].run();
		drop_all();
		report_left();
	}
	words_forget();
	return 0;
}
