/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Intercepts bind(), connect() and listen() of another program by seccomp's user notification (trap.h). Called by exec.c. This process
 * makes the call on a duplicate of the socket, so that handlers are attached before the call returns in the program. If the program
 * has other rights than this process, it makes the call itself, and fn is called as soon as the socket has a port.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "user/spinctl/exec/trap.h"

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "which AUDIT_ARCH_ is this machine's?"
#endif

int trap__install(void)
{
	/* notifies the parent of bind, connect and listen of the native system call table, and allows everything else */
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bind, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_connect, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_listen, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };
	int fd;

	/* root does not need no_new_privs, and without it the program can start others with more rights */
	if (geteuid() && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	return fd < 0 ? -errno : fd;
}

/* A thread in /proc: its process, effective user and capabilities. */
struct task {
	pid_t pid;
	unsigned uid;
	unsigned long long capabilities;
};

static int read_task(pid_t tid, struct task *out)
{
	char path[32] = "/proc/self/status", line[128];
	FILE *file;

	if (tid)
		snprintf(path, sizeof(path), "/proc/%d/status", tid);
	file = fopen(path, "re");
	if (!file)
		return -ENOENT;
	*out = (struct task){ .uid = ~0u };
	while (fgets(line, sizeof(line), file)) {
		sscanf(line, "Tgid: %d", &out->pid);
		sscanf(line, "Uid: %*u %u", &out->uid);
		sscanf(line, "CapEff: %llx", &out->capabilities);
	}
	fclose(file);
	return out->pid ? 0 : -ENOENT;
}

/* Returns 1 if the task has the same rights as this process, so that this process can make the call. */
static int has_same_rights(const struct task *task)
{
	struct task own;

	return !read_task(0, &own) && own.uid == task->uid && own.capabilities == task->capabilities;
}

/* Returns a duplicate of another process's descriptor, or -errno. */
static int get_socket(pid_t pid, int fd)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0), got, err;

	if (pidfd < 0)
		return -errno;
	got = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	err = -errno;
	close(pidfd);
	return got < 0 ? err : got;
}

static int is_inet_socket(int fd, int wanted)
{
	int domain = 0, protocol = 0;
	socklen_t bytes = sizeof(int);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &bytes) || getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &bytes))
		return 0;
	return (domain == AF_INET || domain == AF_INET6) && protocol == wanted;
}

unsigned trap__port(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in ip4;
		struct sockaddr_in6 ip6;
	} own = { 0 };
	socklen_t bytes = sizeof(own);

	if (getsockname(fd, &own.any, &bytes))
		return 0;
	return ntohs(own.any.sa_family == AF_INET6 ? own.ip6.sin6_port : own.ip4.sin_port);
}

static ssize_t read_memory(pid_t pid, uint64_t at, void *to, size_t bytes)
{
	char path[32];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = pread(fd, to, bytes, (off_t)at);
	close(fd);
	return got;
}

/* Makes the program's call in this process. Returns 0 or its -errno, or 1 if this process cannot make it. */
static int emulate_call(const struct seccomp_notif *notif, pid_t pid, int fd)
{
	struct sockaddr_storage address;
	const size_t bytes = notif->data.args[2];

	if (notif->data.nr == SYS_listen)
		return listen(fd, (int)notif->data.args[1]) ? -errno : 0;
	if (bytes > sizeof(address) || read_memory(pid, notif->data.args[1], &address, bytes) != (ssize_t)bytes)
		return 1;
	if ((notif->data.nr == SYS_bind ? bind : connect)(fd, (struct sockaddr *)&address, (socklen_t)bytes))
		return -errno;
	return 0;
}

/* Ends the notification: the call returns error, or (continues) the kernel makes it. */
static int send_response(int notify_fd, uint64_t id, int error, int continues)
{
	struct seccomp_notif_resp response = { .id = id, .error = error, .flags = continues ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0 };

	return ioctl(notify_fd, SECCOMP_IOCTL_NOTIF_SEND, &response) ? -errno : 0;
}

/* Returns 1 if the socket has a port or, for TRAP_LISTEN, listens. fn is called when this becomes true. */
static int is_ready(int fd, enum trap_call call)
{
	int listens = 0;
	socklen_t bytes = sizeof(listens);

	if (call != TRAP_LISTEN)
		return trap__port(fd) != 0;
	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &bytes) && listens;
}

/* Waits up to 0.2 s for the program's own call to do that. The call may fail: then the socket never is ready. */
static int wait_until_ready(int fd, enum trap_call call)
{
	for (int i = 0; i < 2000 && !is_ready(fd, call); i++)
		usleep(100);
	return is_ready(fd, call);
}

static int handle_socket(int notify_fd, const struct seccomp_notif *notif, const struct task *task, int fd, enum trap_call call,
			 int (*fn)(void *arg, int socket_fd, enum trap_call call), void *arg)
{
	const int was_ready = is_ready(fd, call);
	int result = has_same_rights(task) ? emulate_call(notif, task->pid, fd) : 1;

	if (result > 0) {
		int err = send_response(notify_fd, notif->id, 0, 1);

		return err || was_ready || !wait_until_ready(fd, call) ? err : fn(arg, fd, call) ? -EPERM : 0;
	}
	if (!result && !was_ready && is_ready(fd, call) && fn(arg, fd, call))
		result = -EPERM;
	return send_response(notify_fd, notif->id, result, 0);
}

int trap__handle(int notify_fd, int (*fn)(void *arg, int socket_fd, enum trap_call call), void *arg)
{
	enum trap_call call;
	struct seccomp_notif notif = { 0 };
	struct task task;
	int fd, err;

	if (ioctl(notify_fd, SECCOMP_IOCTL_NOTIF_RECV, &notif))
		return -errno;
	fd = read_task((pid_t)notif.pid, &task) ? -ENOENT : get_socket(task.pid, (int)notif.data.args[0]);
	/* the thread id may have been reused in the meantime */
	if (ioctl(notify_fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &notif.id)) {
		if (fd >= 0)
			close(fd);
		return -ENOENT;
	}
	if (fd < 0 && fd != -EBADF) { /* a program whose sockets are not accessible must not run without handlers */
		send_response(notify_fd, notif.id, -EPERM, 0);
		return -EPERM;
	}
	call = notif.data.nr == SYS_listen ? TRAP_LISTEN : notif.data.nr == SYS_connect ? TRAP_CONNECT : TRAP_BIND;
	if (fd < 0 || !is_inet_socket(fd, call == TRAP_LISTEN ? IPPROTO_TCP : IPPROTO_UDP))
		err = send_response(notify_fd, notif.id, 0, 1);
	else
		err = handle_socket(notify_fd, &notif, &task, fd, call, fn, arg);
	if (fd >= 0)
		close(fd);
	return err;
}
