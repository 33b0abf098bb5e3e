/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl exec: runs an unmodified program and attaches handlers to its sockets through spind, the daemon with the privileges for it. The
 * program is stopped when it binds a socket or listens (trap.h), and continues when the handlers are attached. They are detached when their
 * socket or this process ends. main.c runs it through exec_command.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/libspin/broker.h"
#include "user/spinctl/exec/trap.h"
#include "user/spinctl/sockets/find.h"
#include "user/spinctl/spinctl.h"
#include "user/tool/fill.h"
#include "user/tool/parse_enum.h"

#define SOCKETS_MAX 64 /* sockets of the program with handlers at a time; one more ends the command with an error */

static struct exec_options {
	const char *handler, *protocol, *name, *class, *broker;
	unsigned port;
	int connected, counters;
	struct fill_options fill;
} options;

#define FIELD(name) offsetof(struct exec_options, name)

static const struct option_row rows[] = {
	{ "handler", 0, OPTION_STRING, "FILE.spin", FIELD(handler), "the handlers", .required = 1 },
	{ "protocol", 0, OPTION_STRING, "udp|tcp|both", FIELD(protocol),
	  "sockets of UDP, listening sockets of TCP, or both, with one state (default: udp; tcp for handlers of TCP segments)" },
	{ "port", 0, OPTION_UINT, "N", FIELD(port), "only sockets on this port (default: all that the program binds)" },
	{ "connected", 0, OPTION_FLAG, NULL, FIELD(connected), "sockets that have a port only because they are connected, too" },
	{ "name", 0, OPTION_STRING, "NAME", FIELD(name), "of the contexts (default: the handler's)" },
	{ "class", 0, OPTION_STRING, "isolated|trusted", FIELD(class), "how the handlers are loaded (default: isolated)" },
	FILL_OPTIONS(struct exec_options, fill),
	{ "counters", 0, OPTION_FLAG, NULL, FIELD(counters), "when the program has ended, print what became of the packets" },
	BROKER_OPTION(struct exec_options, broker),
	{ 0 },
};

struct session {
	struct spin_object *obj;
	struct spin_ctx *ctx[SOCKETS_MAX];
	unsigned count;
	uint32_t shared;                     /* id of the context whose state all others share; 0: each has its own */
	uint64_t packets[SPIN_REASON_COUNT]; /* of contexts that have ended */
	int failed;
};

static int set_field(void *arg, const char *assignment)
{
	return spin_ctx__set(arg, assignment);
}

static int insert_entry(void *arg, const char *table, const char *fields)
{
	return spin_ctx__table_insert(arg, table, fields);
}

static int is_protocol_wanted(const char *protocol)
{
	return !strcmp(options.protocol, protocol) || !strcmp(options.protocol, "both");
}

static int is_wanted(int fd, enum trap_call call)
{
	if (!is_protocol_wanted(call == TRAP_LISTEN ? "tcp" : "udp") || (call == TRAP_CONNECT && !options.connected))
		return 0;
	return !options.port || trap__port(fd) == options.port;
}

/* Returns 1 if the context is alive. If its memory was moved when its handlers were swapped, maps the new memory. */
static int is_alive(struct spin_ctx *ctx)
{
	const int alive = spin_ctx__alive(ctx);

	return alive >= 0 || (alive == -ESTALE && !spin_socket__renew(ctx));
}

/* Drops the contexts whose sockets are closed. */
static void collect_ended(struct session *s, int all)
{
	for (unsigned i = s->count; i-- > 0;) {
		uint64_t packets[SPIN_REASON_COUNT];

		if (is_alive(s->ctx[i]) && !all)
			continue;
		spin_ctx__counters(s->ctx[i], packets);
		/* counters are part of the state: contexts that share it are counted once, at the last one */
		for (unsigned r = 0; r < SPIN_REASON_COUNT && (!s->shared || s->count == 1); r++)
			s->packets[r] += packets[r];
		if (s->count == 1)
			s->shared = 0;
		spin_ctx__destroy(s->ctx[i]);
		s->ctx[i] = s->ctx[--s->count];
	}
}

static int fill(struct session *s, struct spin_ctx *ctx)
{
	const struct fill_target target = { ctx, set_field, insert_entry };

	if (s->shared) /* the state was filled for the first context, and handlers may have changed it */
		return 0;
	return fill__apply(&options.fill, &target) ? (s->failed = FAILED) : 0;
}

static int attach(void *arg, int fd, enum trap_call call)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts) };
	struct session *s = arg;
	struct spin_ctx *ctx;
	int err;

	if (!is_wanted(fd, call))
		return 0;
	collect_ended(s, 0);
	if (s->count == SOCKETS_MAX)
		return s->failed = report_error("the program has %u sockets with handlers, the most there can be: name one with --port",
						s->count);
	opts.broker = options.broker;
	opts.name = options.name;
	opts.trusted = options.class && parse_enum__class(options.class) == SPIN_CLASS_TRUSTED;
	opts.detached = 1;
	opts.share = s->shared;
	err = spin_socket__attach(fd, s->obj, &opts, &ctx);
	if (!err) {
		err = fill(s, ctx);
		if (!err)
			err = spin_ctx__attach(ctx);
		if (!err) {
			if (!strcmp(options.protocol, "both") && !s->shared)
				s->shared = spin_socket__id(ctx);
			s->ctx[s->count++] = ctx;
			return 0;
		}
		spin_ctx__destroy(ctx);
	}
	if (err == -EEXIST && s->count) /* another socket of an SO_REUSEPORT group: the first one's context has its packets */
		return 0;
	return s->failed ? FAILED : (s->failed = report_error("%s", spin_strerror_last()));
}

/* --- the program --- */

/* Runs in the child: installs the filter, passes its descriptor to the parent, and executes the program. */
static void exec_program(const char **operands, int to_parent)
{
	int fd = trap__install();

	if (fd < 0) {
		report_error("this kernel does not tell of a program's bind() (seccomp's user notification): %s", strerror(-fd));
		_exit(FAILED);
	}
	if (broker__send(to_parent, "", 1, &fd, 1, 0))
		_exit(FAILED);
	close(fd);
	close(to_parent);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* if this process ends, the program's bind() would fail */
	execvp(operands[0], (char **)operands);
	report_error("cannot run %s: %s", operands[0], strerror(errno));
	_exit(127);
}

static int start_program(const char **operands, pid_t *pid, int *notify_fd)
{
	int pair[2], fds[BROKER_FDS];
	unsigned count = 0;
	char byte;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return report_error("no socket: %s", strerror(errno));
	*pid = fork();
	if (*pid < 0)
		return report_error("cannot start a process: %s", strerror(errno));
	if (!*pid)
		exec_program(operands, pair[1]);
	close(pair[1]);
	broker__receive(pair[0], &byte, 1, fds, &count, 0);
	close(pair[0]);
	*notify_fd = count ? fds[0] : -1;
	return DONE;
}

static volatile pid_t program;

static void forward_signal(int signal)
{
	if (program > 0)
		kill(program, signal);
}

/* Handles notifications until the program ends. Returns its exit status. */
static int handle_notifications(struct session *s, pid_t pid, int notify_fd)
{
	int status;

	for (;;) {
		struct pollfd wait = { .fd = notify_fd, .events = POLLIN };

		poll(&wait, 1, notify_fd < 0 ? 10 : 100);
		if (wait.revents & POLLIN && trap__handle(notify_fd, attach, s) == -EPERM && !s->failed)
			s->failed = report_error("the program does not let its sockets be looked at, so it cannot have handlers");
		if (s->failed)
			kill(pid, SIGTERM);
		if (waitpid(pid, &status, WNOHANG) == pid)
			break;
		collect_ended(s, 0);
	}
	program = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int exec(const char **operands, unsigned count)
{
	struct session session = { 0 };
	int notify_fd = -1, status;
	pid_t pid = 0;

	(void)count;
	if (spin_object__open(options.handler, &session.obj))
		return report_error("%s", spin_strerror_last());
	if (!options.protocol)
		options.protocol = spin_object__meta(session.obj)->registration.delivery == SPIN_DELIVER_SEGMENTS ? "tcp" : "udp";
	/* the terminal also sends them to the program */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, forward_signal);
	signal(SIGHUP, forward_signal);
	fflush(stdout);
	status = start_program(operands, &pid, &notify_fd);
	if (status)
		return status;
	program = pid;
	status = handle_notifications(&session, pid, notify_fd);
	collect_ended(&session, 1);
	if (options.counters)
		counters__text(session.packets, 0);
	spin_object__close(session.obj);
	options__free_list(&options.fill.sets);
	options__free_list(&options.fill.inserts);
	options__free_list(&options.fill.files);
	return session.failed ? FAILED : status;
}

static const struct command_row row = {
	.name = "spinctl exec",
	.operands = "PROGRAM [ARGUMENT...]",
	.min_operands = 1,
	.max_operands = 4096,
	.summary = "Runs a program with handlers on its sockets, by spind; needs no privileges",
	.options = rows,
	.notes =
		"Write -- before the program, so that its options are its own. The exit status is the program's, 128 and the signal's number "
		"if one ended it, and 127 if it could not be started.",
	.about =
		"The program and what it starts are stopped for some milliseconds at each bind() of a socket of UDP, and listen() of TCP. When they "
		"go on, the handlers are attached: they see every datagram of that socket, or the bytes (handlers of TCP segments: the segments) of each connection that it accepts. What they drop the program never reads, what they rewrite it "
		"reads rewritten. The program is not changed, and need not be linked in any way.\n\n"
		"If handlers cannot be attached the program is ended: with handlers that are missing it would be another one. If this command is "
		"killed, the program gets SIGTERM: its later calls of bind(), connect() and listen() would fail. Programs of users other than root cannot get more rights, as by sudo(8), while they run so.",
	.examples =
		(const struct example_row[]){
			{ "spinctl exec --handler filtering.spin --counters -- my-server 1 --threads 4",
			  "A server whose datagrams are counted by their source." },
			{ "spinctl exec --handler filtering.spin --protocol both -- my-server 1 --threads 4",
			  "The same with its TCP connections, and one state for both." },
			{ 0 },
		},
};

const struct subcommand exec_command = { "exec", &row, exec, &options };
