/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two namespaces with a veth pair, for demos and benchmarks. The server and its handlers run in one, the clients in the other. Failures end
 * the program; the namespaces disappear with it.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/common/net/netlab.h"
#include "tests/common/net/netns.h"
#include "tests/common/proc.h"

#define SERVER_MAC "02:00:00:00:00:01"
#define CLIENT_MAC "02:00:00:00:00:02"

static int new_namespace(void)
{
	if (unshare(CLONE_NEWNET))
		die("cannot make a network namespace: %s; run as root", strerror(errno));
	return netns_here();
}

void lab_enter(const struct lab_side *side)
{
	netns_enter(side->ns_fd);
}

/* sysfs shows the namespace in which it is mounted, so this mounts one. No other process sees the mount. */
static void thread_napi(const struct lab_side *side)
{
	char path[128];
	int fd;

	lab_enter(side);
	if (mount("sysfs", "/sys", "sysfs", 0, NULL))
		die("cannot mount sysfs: %s", strerror(errno));
	snprintf(path, sizeof(path), "/sys/class/net/%s/threaded", side->ifname);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "1", 1) != 1)
		die("%s: %s; threaded NAPI needs Linux 5.12", path, strerror(errno));
	close(fd);
	if (umount2("/sys", MNT_DETACH))
		die("cannot unmount sysfs: %s", strerror(errno));
}

static void configure(const struct lab_side *side, const char *addr, const char *peer, const char *peer_mac)
{
	int ns = side->ns_fd;
	const char *dev = side->ifname;

	proc_run(ns, "ip link set lo up");
	proc_run(ns, "ip link set %s addrgenmode none", dev);
	proc_run(ns, "ip addr add %s/24 dev %s", addr, dev);
	proc_run(ns, "ethtool -K %s gro on", dev);
	proc_run(ns, "ip link set %s up", dev);
	proc_run(ns, "ip neigh replace %s lladdr %s dev %s nud permanent", peer, peer_mac, dev);
}

void lab_open(struct lab *lab)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	static char labs;

	if (geteuid())
		die("needs root: it makes network namespaces and attaches XDP programs");
	if (cpus < 2)
		die("needs two CPUs, one per side");
	lab->server.ns_fd = new_namespace();
	lab->client.ns_fd = new_namespace();
	lab->server.cpu = 0;
	lab->client.cpu = 1;
	/* the NAPI threads are named after the interface, and are visible outside the namespace */
	snprintf(lab->server.ifname, sizeof(lab->server.ifname), "s%d%c", (int)getpid(), 'a' + labs);
	snprintf(lab->client.ifname, sizeof(lab->client.ifname), "c%d%c", (int)getpid(), 'a' + labs);
	labs++;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		die("cannot have private mounts: %s", strerror(errno));

	proc_run(lab->client.ns_fd, "ip link add %s address %s type veth peer name %s address %s netns /proc/%d/fd/%d", lab->client.ifname,
		 CLIENT_MAC, lab->server.ifname, SERVER_MAC, (int)getpid(), lab->server.ns_fd);
	configure(&lab->server, LAB_SERVER_ADDR, LAB_CLIENT_ADDR, CLIENT_MAC);
	configure(&lab->client, LAB_CLIENT_ADDR, LAB_SERVER_ADDR, SERVER_MAC);
	thread_napi(&lab->server);
	thread_napi(&lab->client);
	if (!lab_napi_thread(&lab->server) || !lab_napi_thread(&lab->client)) {
		proc_disable_priority();
		printf("note: the kernel's NAPI threads are not visible in this pid namespace: they run on any\n"
		       "  CPU, and their time is not in the CPU figures below\n\n");
	}
}

void lab_add_address(const struct lab *lab, const char *addr)
{
	proc_run(lab->client.ns_fd, "ip addr add %s/24 dev %s", addr, lab->client.ifname);
	proc_run(lab->server.ns_fd, "ip neigh replace %s lladdr %s dev %s nud permanent", addr, CLIENT_MAC, lab->server.ifname);
}

void lab_set_segmentation(const struct lab *lab, int on)
{
	const struct lab_side *sides[] = { &lab->server, &lab->client };

	for (int i = 0; i < 2; i++)
		proc_run(sides[i]->ns_fd, "ethtool -K %s tso %s tx-udp-segmentation %s", sides[i]->ifname, on ? "on" : "off",
			 on ? "on" : "off");
}

/* "napi/<ifname>-<number>" */
static int is_napi_thread(const char *pid, const char *ifname)
{
	char path[300], comm[64] = "", want[40];
	FILE *from;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	snprintf(want, sizeof(want), "napi/%s-", ifname);
	from = fopen(path, "re");
	if (!from)
		return 0;
	if (!fgets(comm, sizeof(comm), from))
		comm[0] = '\0';
	fclose(from);
	return !strncmp(comm, want, strlen(want));
}

pid_t lab_napi_thread(const struct lab_side *side)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t pid = 0;

	while (proc && (entry = readdir(proc)) && !pid)
		if (isdigit((unsigned char)entry->d_name[0]) && is_napi_thread(entry->d_name, side->ifname))
			pid = atoi(entry->d_name);
	if (proc)
		closedir(proc);
	if (pid)
		proc_pin(pid, side->cpu, 1);
	return pid;
}
