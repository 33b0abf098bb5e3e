/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loads and attaches the programs that all contexts of TCP streams of a process have in common (bpf/streams.bpf.c), once. Called by
 * sockets.c. When this process ends, connections continue without handlers and lose no byte (attach_verdict()).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <linux/mount.h>

#include <bpf/bpf.h>

#include "bpf/abi/guard.h"
#include "user/libspin/guard.h"
#include "user/libspin/internal.h"
#include "user/libspin/load/failure.h"
#include "user/libspin/streams/private.h"

#define ADMIT "spin_stream_admit"

extern const char streams_image[], streams_image_end[];

struct streams_shared streams_shared = { .lock = PTHREAD_MUTEX_INITIALIZER, .verdict_link = -1 };

/* Returns a descriptor of the root control group, as a detached mount. */
static int open_root_cgroup(void)
{
	int fs = (int)syscall(SYS_fsopen, "cgroup2", FSOPEN_CLOEXEC), mount = -1, err;

	if (fs < 0)
		return spin_fail(-errno, "the control groups of this host cannot be opened: %s", strerror(errno));
	if (!syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mount = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	err = -errno;
	close(fs);
	return mount >= 0 ? mount : spin_fail(err, "the control groups of this host cannot be mounted: %s", strerror(-err));
}

/* Before loading: sets the limits, and shares the CPU time with the guards of the network namespace. */
static int prepare(const struct spin_guards *guards)
{
	struct bpf_map *cpus = bpf_object__find_map_by_name(streams_shared.bpf, "spin_guard_cpus");
	struct bpf_map *constants = section__map(streams_shared.bpf, ".rodata");
	struct spin_guard_share *limits;
	struct spin_memory mem = { 0 };

	mem.addr = constants ? (char *)bpf_map__initial_value(constants, &mem.bytes) : NULL;
	limits = section__variable(streams_shared.bpf, ".rodata", &mem, "spin_stream_limits", sizeof(*limits));
	if (!cpus || !limits)
		return -EINVAL;
	guard__limits(guards, limits);
	streams_shared.has_event_limit = limits->event_bytes != 0;
	streams_shared.percent = limits->percent;
	bpf_program__set_autoload(bpf_object__find_program_by_name(streams_shared.bpf, ADMIT), limits->percent || limits->event_bytes);
	return bpf_map__reuse_fd(cpus, guards->cpus_fd);
}

static int load_shared(const struct spin_guards *guards)
{
	char *log = calloc(1, VERIFIER_LOG_BYTES);
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "spin_streams", .kernel_log_buf = log,
		    .kernel_log_size = VERIFIER_LOG_BYTES);
	int err;

	if (!log)
		return spin_fail(-ENOMEM, "no memory for the programs of TCP connections");
	streams_shared.bpf = bpf_object__open_mem(streams_image, (size_t)(streams_image_end - streams_image), &opts);
	err = streams_shared.bpf ? prepare(guards) : -EINVAL;
	err = err ? spin_fail(err, "the programs of TCP connections cannot be read")
		  : load_failure__load_own(streams_shared.bpf, log, SPIN_CLASS_TRUSTED, "the programs of TCP connections");
	free(log);
	return err;
}

static int shared_fd(const char *map)
{
	return bpf_object__find_map_fd_by_name(streams_shared.bpf, map);
}

/* Attaches a program to the root of the control groups until the link is destroyed. */
static int attach_to(int group, const char *name, struct bpf_link **link)
{
	*link = bpf_program__attach_cgroup(bpf_object__find_program_by_name(streams_shared.bpf, name), group);
	if (*link)
		return 0;
	return spin_fail(-errno, "%s, of TCP connections, cannot be attached to the root of the control groups: %s", name,
			 errno == EPERM ? "another program has it for itself (`bpftool cgroup tree`)" : strerror(errno));
}

static int attach_to_root_cgroup(void)
{
	int group = open_root_cgroup(), err;

	if (group < 0)
		return group;
	err = attach_to(group, "spin_stream_begins", &streams_shared.begins);
	if (!err && bpf_program__autoload(bpf_object__find_program_by_name(streams_shared.bpf, ADMIT)))
		err = attach_to(group, ADMIT, &streams_shared.admit);
	close(group);
	return err;
}

/*
 * When this process ends, connections must keep the verdict program, which then passes everything, and lose no byte. For that, the program
 * holds the map that keeps the sockets. The link detaches the program from the other map before that map is freed; otherwise the program's
 * sockets would be left without a reader from TCP. Linux 6.9 has no such links: there connections hang when this process is killed.
 */
static int attach_verdict(int verdict_fd)
{
	if (bpf_prog_bind_map(verdict_fd, streams_shared.kept_fd, NULL))
		return spin_fail(-errno, "the program of TCP streams cannot hold its map: %s", strerror(errno));
	streams_shared.verdict_link = bpf_link_create(verdict_fd, streams_shared.socks_fd, BPF_SK_SKB_STREAM_VERDICT, NULL);
	if (streams_shared.verdict_link < 0 && bpf_prog_attach(verdict_fd, streams_shared.socks_fd, BPF_SK_SKB_STREAM_VERDICT, 0))
		return spin_fail(-errno, "the program of TCP streams cannot be attached: %s", strerror(errno));
	return 0;
}

/* After loading, once per process: attaches the programs and starts the thread that reads their news. */
static int open_shared(void)
{
	const int verdict_fd = bpf_program__fd(bpf_object__find_program_by_name(streams_shared.bpf, "spin_stream_guard"));
	int err;

	streams_shared.owner_fd = shared_fd("spin_stream_owner");
	streams_shared.limited_fd = shared_fd("spin_stream_limited");
	streams_shared.socks_fd = shared_fd("spin_stream_socks");
	streams_shared.kept_fd = shared_fd("spin_stream_kept");
	streams_shared.known_fd = shared_fd("spin_stream_known");
	streams_shared.programs_fd = shared_fd("spin_stream_programs");
	streams_shared.attached_fd = shared_fd("spin_stream_attached");
	streams_shared.counts_fd = shared_fd("spin_stream_counts");
	streams_shared.states_fd = shared_fd("spin_stream_seen");
	streams_shared.used_fd = shared_fd("spin_stream_used");
	streams_shared.events_fd = shared_fd("spin_stream_events");
	streams_shared.lost_fd = shared_fd("spin_stream_lost");
	streams_shared.windows_fd = shared_fd("spin_stream_windows");
	err = attach_verdict(verdict_fd);
	if (!err)
		err = attach_to_root_cgroup();
	return err ? err : streams_complete__start(shared_fd("spin_stream_news"));
}

int streams_shared__init(const struct spin_guards *guards)
{
	int err;

	if (streams_shared.news)
		return 0;
	err = load_shared(guards);
	if (!err)
		err = open_shared();
	if (err) {
		if (streams_shared.verdict_link >= 0)
			close(streams_shared.verdict_link);
		bpf_link__destroy(streams_shared.begins);
		bpf_link__destroy(streams_shared.admit);
		bpf_object__close(streams_shared.bpf);
		streams_shared.verdict_link = -1;
		streams_shared.begins = streams_shared.admit = NULL;
		streams_shared.bpf = NULL;
	}
	return err;
}
