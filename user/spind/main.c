/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spind: attaches handlers to the sockets of unprivileged programs. main() reads options and settings, opens the listening socket, and
 * calls front__serve().
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "user/libspin/broker.h"
#include "user/lib/descriptors.h"
#include "user/lib/options.h"
#include "user/spind/front.h"
#include "user/spind/holders.h"
#include "user/spind/journal.h"

#define ACTIVATED_FD 3 /* systemd's socket activation, sd_listen_fds(3) */

static struct options {
	const char *settings, *path;
} options;

static const struct option_row rows[] = {
	{ "settings", 0, OPTION_STRING, "FILE", offsetof(struct options, settings),
	  "the configuration (default: /etc/spin/spind.conf, if it is there)" },
	{ "socket", 0, OPTION_STRING, "PATH", offsetof(struct options, path),
	  "where to listen (default: what SPIN_SPIND says, or /run/spin/spind.sock)" },
	{ 0 },
};

static const char about[] =
	"Puts handlers on the sockets of programs that have no privileges, of UDP and TCP: processing sockets. A program passes the descriptor of a "
	"socket, and an object of spincc(1); holding the socket is the authority. The handlers then see the datagrams that the kernel "
	"would give to that socket, and no others, and send to nobody but the sender of each. They see them before the firewall and NAT do. Of "
	"a socket of TCP they see the bytes of its connections, in order, after TCP, or, if they are handlers of TCP segments, the segments of its "
	"connections as they arrive. Programs use spin_socket__attach() of "
	"libspin(3), or are started by `spinctl exec`.\n\n"
	"spind prints a line when it listens, and goes on in the foreground. It is started as root, by hand or by systemd(1), with or "
	"without socket activation. It may end and be started again at any time: the contexts are in processes of their own, one for "
	"each network namespace, which end with their last context. SIGTERM ends spind alone; `spinctl stop --all` ends the contexts.\n\n"
	"Every interface that is up and has an address gets the dispatcher while there are contexts. What users may have is in the "
	"configuration, a word and its value on each line. A change of it holds for namespaces without contexts when spind is started again:";

static const char notes[] = "Configuration:\n"
			    "  contexts N        contexts of a user (16)\n"
			    "  all-contexts N    contexts of all users together (256)\n"
			    "  connections N     connections of a user that have sent no request yet (64)\n"
			    "  memory N          MiB in the maps of a context (16)\n"
			    "  instructions N    instructions of an object (100000)\n"
			    "  hpu-time N        percent of each CPU's time for handlers; 0: no limit (80)\n"
			    "  events N          events a second that a context's handlers may leave;\n"
			    "                    0: no limit (0)\n"
			    "  namespaces yes|no sockets of other network namespaces, too (yes)\n"
			    "  trusted-group G   whose members may load the trusted class (none)\n"
			    "  context NAME FILE IF RULE\n"
			    "                    a context of an interface and a rule, added when spind\n"
			    "                    starts, and again each 5 s until that succeeds (none)\n"
			    "  interfaces IF...  interfaces to use, * stands for anything (all)";

static const struct command_row command = {
	.name = "spind",
	.operands = "",
	.summary = "Puts sPIN handlers on sockets of programs without privileges",
	.options = rows,
	.notes = notes,
	.about = about,
	.examples =
		(const struct example_row[]){
			{ "spind --settings /etc/spin/spind.conf", "Serve every user of the machine." },
			{ 0 },
		},
};

/* Only one spind may serve a path. The kernel releases the lock when the process ends. */
static int lock_path(const char *path)
{
	char name[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 8];
	int fd;

	snprintf(name, sizeof(name), "%s.lock", path);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		journal__say(JOURNAL_ERROR, "cannot write %s: %s%s", name, strerror(errno), geteuid() ? "; start spind as root" : "");
		return -1;
	}
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		journal__say(JOURNAL_ERROR, "another spind serves %s: stop that one first", path);
		return -1;
	}
	return 0;
}

static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path, path, strlen(path));
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || chmod(path, 0666) || listen(fd, 512)) {
		journal__say(JOURNAL_ERROR, "cannot listen at %s: %s", path, strerror(errno));
		return -1;
	}
	return fd;
}

/* Returns the listening socket that systemd passed, or a new one. */
static int open_socket(const char *path)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");

	if (!pid || !fds || atoi(pid) != getpid() || atoi(fds) < 1)
		return listen_at(path);
	fcntl(ACTIVATED_FD, F_SETFD, FD_CLOEXEC);
	return ACTIVATED_FD;
}

static int serve(void)
{
	const char *path = broker__path(options.path);
	struct settings settings;
	char directory[128];
	int fd;

	if (strlen(path) >= sizeof(((struct sockaddr_un *)NULL)->sun_path)) {
		journal__say(JOURNAL_ERROR, "%s is too long for a socket's path", path);
		return 2;
	}
	if (geteuid()) {
		journal__say(JOURNAL_ERROR, "needs root, for it loads programs into the kernel and attaches them to interfaces");
		return 1;
	}
	if (settings__read(&settings, options.settings))
		return 1;
	snprintf(directory, sizeof(directory), "%.*s", (int)(strrchr(path, '/') ? strrchr(path, '/') - path : 0), path);
	if (directory[0] && mkdir(directory, 0755) && errno != EEXIST) {
		journal__say(JOURNAL_ERROR, "cannot make %s: %s", directory, strerror(errno));
		return 1;
	}
	snprintf(directory, sizeof(directory), "%s.d", path);
	if (lock_path(path) || holders__open(directory, &settings))
		return 1;
	fd = open_socket(path);
	if (fd < 0)
		return 1;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN); /* holders that end leave no zombies */
	descriptors_raise_limit();
	journal__say(JOURNAL_INFO, "listens at %s", path);
	return front__serve(fd, path, &settings);
}

int main(int argc, char **argv)
{
	const char *operands[argc + 1];
	unsigned count;
	int status;

	status = options__begin(&command, argc, argv, &options, operands, &count);
	if (status >= 0)
		return status;
	journal__open();
	return serve();
}
