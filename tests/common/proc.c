/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Child processes and time limits of tests. Every child ends with the test, even if the test is killed. Used by live measurements and many
 * tests (proc.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/common/net/slow.h"
#include "tests/common/proc.h"

#define CHILDREN_MAX  32
#define ARGUMENTS_MAX 32
#define STEP_MAX_S    120 /* the longest step; a longer one is assumed to hang and is ended */

static volatile pid_t children[CHILDREN_MAX];
static pid_t owner;

unsigned proc_step_max_s(void)
{
	const char *text = getenv("SPIN_TEST_STEP_S"); /* for the test of this time limit */
	unsigned seconds = text ? (unsigned)strtoul(text, NULL, 10) : 0;

	return seconds ? seconds : STEP_MAX_S * (unsigned)slow_factor();
}

/* Also called from signal handlers. */
static void kill_children(void)
{
	if (getpid() != owner)
		return;
	for (int i = 0; i < CHILDREN_MAX; i++)
		if (children[i])
			kill(children[i], SIGKILL);
	for (int i = 0; i < CHILDREN_MAX; i++)
		if (children[i])
			waitpid(children[i], NULL, 0);
}

static void on_signal(int signal)
{
	static const char late[] = "no end in sight: given up\n";

	if (signal == SIGALRM)
		(void)!write(STDERR_FILENO, late, sizeof(late) - 1);
	kill_children();
	_exit(128 + signal);
}

void die(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	putc('\n', stderr);
	exit(1);
}

void proc_init(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };

	owner = getpid();
	memset((void *)children, 0, sizeof(children)); /* in a child these are its parent's children */
	atexit(kill_children);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	alarm(proc_step_max_s());
}

void proc_progress(void)
{
	alarm(proc_step_max_s());
}

void proc_wait_long(void)
{
	alarm(0);
}

static void add_child(pid_t pid)
{
	for (int i = 0; i < CHILDREN_MAX; i++) {
		if (!children[i]) {
			children[i] = pid;
			return;
		}
	}
	kill(pid, SIGKILL);
	die("more than %d processes", CHILDREN_MAX);
}

static pid_t fork_child(int ns_fd, int cpu, int real_time)
{
	sigset_t held, before;
	pid_t pid;

	fflush(stdout);
	fflush(stderr);
	/* a signal between fork and add_child() would miss this child */
	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGHUP);
	sigprocmask(SIG_BLOCK, &held, &before);
	pid = fork();
	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid) {
		add_child(pid);
		sigprocmask(SIG_SETMASK, &before, NULL);
		return pid;
	}
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != owner)
		_exit(1);
	if (setns(ns_fd, CLONE_NEWNET))
		die("setns: %s", strerror(errno));
	if (cpu >= 0)
		proc_pin(0, cpu, real_time);
	return 0;
}

pid_t proc_start(int ns_fd, int cpu, int (*fn)(void *arg), void *arg)
{
	pid_t pid = fork_child(ns_fd, cpu, 1);

	if (!pid)
		exit(fn(arg));
	return pid;
}

pid_t proc_exec(int ns_fd, int cpu, int out_fd, char *const argv[])
{
	pid_t pid = fork_child(ns_fd, cpu, 0);

	if (pid)
		return pid;
	if (out_fd < 0)
		out_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	dup2(out_fd, STDOUT_FILENO);
	dup2(out_fd, STDERR_FILENO);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

int proc_alive(pid_t pid)
{
	siginfo_t info = { 0 };

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && !info.si_pid;
}

int proc_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("waitpid: %s", strerror(errno));
	for (int i = 0; i < CHILDREN_MAX; i++)
		if (children[i] == pid)
			children[i] = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void proc_stop(pid_t pid, int signal)
{
	kill(pid, signal);
	(void)proc_wait(pid);
}

void proc_run(int ns_fd, const char *format, ...)
{
	char line[512], output[1024], *argv[ARGUMENTS_MAX], *save = NULL, *word;
	int out[2], n = 0, status;
	ssize_t got;
	size_t have = 0;
	va_list args;
	pid_t pid;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	for (word = strtok_r(line, " ", &save); word && n < ARGUMENTS_MAX - 1; word = strtok_r(NULL, " ", &save))
		argv[n++] = word;
	argv[n] = NULL;
	if (pipe2(out, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	pid = proc_exec(ns_fd, -1, out[1], argv);
	close(out[1]);
	while (have < sizeof(output) - 1 && (got = read(out[0], output + have, sizeof(output) - 1 - have)) > 0)
		have += (size_t)got;
	output[have] = '\0';
	close(out[0]);
	status = proc_wait(pid);
	if (status) {
		va_start(args, format);
		vsnprintf(line, sizeof(line), format, args);
		va_end(args);
		die("`%s` failed with status %d: %s", line, status, output);
	}
}

static int no_priority; /* 1: no process gets priority over kernel threads */

void proc_disable_priority(void)
{
	no_priority = 1;
}

void proc_pin(pid_t pid, int cpu, int real_time)
{
	struct sched_param param = { .sched_priority = 1 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set))
		die("cannot pin process %d to CPU %d: %s", (int)pid, cpu, strerror(errno));
	if (no_priority)
		return;
	if (!real_time || sched_setscheduler(pid, SCHED_FIFO, &param))
		(void)setpriority(PRIO_PROCESS, (id_t)pid, -20);
}

uint64_t proc_cpu_ns(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		die("no CPU time of process %d", (int)pid);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void *proc_shared(size_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	return mem;
}
