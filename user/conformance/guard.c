/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs handlers that were compiled for this host so that a crash or an endless loop becomes an error of the call. Called by host.c and
 * host_message.c, which are the engine (way to execute a handler) for such builds. Only one thread may exist: recovery is by siglongjmp()
 * out of a signal handler.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

#include "user/conformance/engine.h"
#include "user/conformance/guard.h"

/* Signals of a crash, and what the report says about the cause. */
static const struct {
	int signal;
	const char *what;
} crashes[] = {
	{ SIGFPE, "a division by zero (or INT_MIN by -1): test the divisor" },
	{ SIGSEGV, "an access outside its memory: test what SPIN_GET, SPIN_AT or SPIN_FIND gave, and every index" },
	{ SIGBUS, "an access outside its memory: test what SPIN_GET, SPIN_AT or SPIN_FIND gave, and every index" },
	{ SIGILL, "reaching a point that the compiler assumes to be unreachable" },
	{ SIGABRT, "a call of abort()" },
};
#define CRASHES (sizeof(crashes) / sizeof(crashes[0]))

static sigjmp_buf recovery;
static volatile sig_atomic_t running_call; /* number of the running call; 0: none */
static volatile sig_atomic_t last_tick_call, ticks;

/* Signal handler, runs once per second of CPU time. If the same call is still running, it has used another second. */
static void on_tick(int signal)
{
	if (!running_call)
		return;
	ticks = last_tick_call == running_call ? ticks + 1 : 0;
	last_tick_call = running_call;
	if (ticks >= GUARD_CPU_S)
		siglongjmp(recovery, signal);
}

static void on_crash(int sig)
{
	if (running_call)
		siglongjmp(recovery, sig);
	signal(sig, SIG_DFL); /* not in a guarded call: the signal occurs again and ends the process */
}

/* SA_NODEFER: the signal must not stay blocked after siglongjmp(). SA_ONSTACK: the fault may be a stack overflow. */
static void install_handlers(void)
{
	static char stack[65536];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	const struct itimerval second = { { 1, 0 }, { 1, 0 } };
	struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_NODEFER | SA_ONSTACK };

	sigaltstack(&other, NULL);
	for (size_t i = 0; i < CRASHES; i++)
		sigaction(crashes[i].signal, &action, NULL);
	action.sa_handler = on_tick;
	action.sa_flags |= SA_RESTART;
	sigaction(SIGVTALRM, &action, NULL);
	setitimer(ITIMER_VIRTUAL, &second, NULL);
}

int guard__call(void (*fn)(void *arg), void *arg)
{
	static sig_atomic_t call;
	int sig;

	if (!call)
		install_handlers();
	call = call == 0x7fffffff ? 1 : call + 1;
	sig = sigsetjmp(recovery, 0);
	if (!sig) {
		running_call = call;
		fn(arg);
	}
	running_call = 0;
	if (!sig)
		return 0;
	if (sig == SIGVTALRM)
		return engine_fail(-ETIME, "the host build has not ended after %d s: give every loop a constant bound", GUARD_CPU_S);
	for (size_t i = 0; i < CRASHES; i++)
		if (crashes[i].signal == sig)
			return engine_fail(-EFAULT, "the host build crashed by %s", crashes[i].what);
	return -EFAULT;
}
