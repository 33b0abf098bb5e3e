/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Kills senders, receivers (spinctl run) and applications (libspin, with an entry used once per message) at random points,
 * also while they start. Afterwards the receiver, or a new one if it was killed, must accept the next message within the
 * sender's timeout. At the end nothing of them may remain. Run by tests/run.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/child.h"
#include "tests/common/net/leak_check.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/random.h"
#include "tests/common/net/slow.h"
#include <spin/libspin_message.h>
#include <spin/libspin_send.h>

#define BYTES   (5u << 20)
#define IDLE_MS 500u /* after this time an entry taken by a killed sender is free again */

enum who { SENDER = 1, RECEIVER = 2, STARTING_RECEIVER = 4 };

/* What the application reports. */
struct seen {
	atomic_uint messages, id, length, intact;
};

static uint8_t data[BYTES];
static struct pair pair;
static struct seen *seen;
static uint32_t host_bytes; /* no other context has this size, so that its maps can be identified */
static char object_path[512], data_path[] = "/tmp/spin-kill-XXXXXX", log_path[] = "/tmp/spin-kill-XXXXXX";
static pid_t receiver, sender;
static uint64_t seed = 77;

static void clean_up(void)
{
	if (receiver > 0)
		kill(receiver, SIGKILL);
	if (sender > 0)
		kill(sender, SIGKILL);
	unlink(data_path);
	unlink(log_path);
}

static void die(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	fflush(stdout);
	clean_up();
	_exit(1);
}

static void on_event(void *arg, const struct spin_event *event)
{
	struct spin_ctx *ctx = arg;
	const struct spin_me_opts once = { .bytes = sizeof(once), .ignore_bits = UINT64_MAX, .options = SPIN_ME_USE_ONCE };
	size_t bytes;
	void *memory;
	unsigned me;

	if (event->type != SPIN_EVENT_MESSAGE)
		return;
	if (spin_ctx__host_memory(ctx, &memory, &bytes))
		_exit(3);
	seen->intact = !memcmp(memory, data, event->length);
	seen->length = event->length;
	seen->id = event->message_id;
	seen->messages++;
	if (spin_ctx__me_append(ctx, &once, &me))
		_exit(4);
}

static int application(int ready)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts),
					    .message = { .host_bytes = host_bytes, .idle_ms = IDLE_MS, .no_entry = 1 } };
	const struct spin_me_opts once = { .bytes = sizeof(once), .ignore_bits = UINT64_MAX, .options = SPIN_ME_USE_ONCE };
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	unsigned me;

	if (spin_object__open(object_path, &object) || spin_rule__parse("udp dport 9330", &rule) || spin_nic__open(FAR_DEV, &nic) ||
	    spin_ctx__create_opts(nic, object, &rule, &opts, &ctx) || spin_ctx__me_append(ctx, &once, &me) || spin_ctx__attach(ctx)) {
		printf("application: %s\n", spin_strerror_last());
		return 2;
	}
	if (write(ready, "ready", 5) != 5)
		return 2;
	for (;;) {
		struct pollfd fd = { .fd = spin_ctx__event_fd(ctx), .events = POLLIN };

		poll(&fd, 1, -1);
		spin_ctx__events(ctx, on_event, ctx);
	}
}

static int command(int ready)
{
	char spinctl[600], fd[16];
	int log = open(log_path, O_WRONLY | O_TRUNC | O_APPEND | O_CLOEXEC);

	snprintf(spinctl, sizeof(spinctl), "%s/bin/spinctl", built_dir());
	snprintf(fd, sizeof(fd), "%d", ready);
	dup2(log, STDOUT_FILENO);
	execl(spinctl, spinctl, "run", object_path, "--dev", FAR_DEV, "--match", "udp dport 9330", "--host-kib", "5297", "--idle", "0.5",
	      "--interval", "0", "--json", "--ready-fd", fd, NULL);
	return 2;
}

/* If `wait` is 0, returns while the receiver is still starting. */
static void start_receiver(int (*kind)(int ready), int wait)
{
	struct pollfd fd;
	char word[8];
	int ends[2];

	if (pipe(ends))
		die("pipe");
	receiver = child__start(pair.far_ns, kind, ends[1]);
	close(ends[1]);
	fd = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	if (wait && (poll(&fd, 1, 20000 * slow_factor()) <= 0 || read(ends[0], word, sizeof(word)) < 5))
		die("a fresh receiver does not start");
	close(ends[0]);
}

static int send_files(int unused)
{
	char spinctl[600];

	(void)unused;
	snprintf(spinctl, sizeof(spinctl), "%s/bin/spinctl", built_dir());
	freopen("/dev/null", "w", stdout);
	freopen("/dev/null", "w", stderr);
	execl(spinctl, spinctl, "send", data_path, data_path, data_path, "--to", FAR_ADDR, "--quiet", NULL);
	return 2;
}

static void random_sleep(unsigned most_us)
{
	usleep(random_below(&seed, most_us));
}

/* Returns 1 if spinctl has printed a line about the message. */
static int is_logged(uint32_t id, uint32_t length)
{
	char want_id[64], want_length[64], line[4096];
	FILE *log = fopen(log_path, "re");
	int found = 0;

	snprintf(want_id, sizeof(want_id), "\"message_id\": %u,", id);
	snprintf(want_length, sizeof(want_length), "\"length_bytes\": %u,", length);
	while (log && fgets(line, sizeof(line), log))
		found += strstr(line, want_id) && strstr(line, want_length) && strstr(line, "\"event\": \"message\"");
	if (log)
		fclose(log);
	if (found > 1)
		die("a message completed twice");
	return found;
}

static int is_reported(int (*kind)(int ready), const struct spin_send_report *report, uint32_t length)
{
	if (kind == command)
		return is_logged(report->message_id, length);
	return seen->id == report->message_id && seen->length == length && seen->intact;
}

static void next_message(int (*kind)(int ready))
{
	const uint32_t length = 1 + random_below(&seed, BYTES);
	struct spin_send_report report;
	struct spin_sender *s;

	if (spin_sender__open(FAR_ADDR, NULL, NULL, &s) || spin_sender__send(s, data, length, NULL, &report))
		die("the next message is not taken");
	spin_sender__close(s);
	for (unsigned i = 0; !is_reported(kind, &report, length); i++) {
		if (i == 2000)
			die("the next message has not arrived as it was sent");
		usleep(2500);
	}
}

static uint64_t clock_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Returns the duration of an undisturbed send, at most 1 s. Random times are chosen within it. */
static unsigned whole_send_us(void)
{
	uint64_t start_us = clock_us(), us;
	int status;

	sender = child__start(pair.near_ns, send_files, 0);
	if (waitpid(sender, &status, 0) != sender || status)
		die("a sender that nobody killed failed");
	sender = 0;
	us = clock_us() - start_us;
	return us < 1000000 ? us : 1000000;
}

/* Returns the number of processes that were alive when they were killed. */
static unsigned run_rounds(int (*kind)(int ready), int victims, unsigned rounds)
{
	unsigned killed = 0, send_us;

	start_receiver(kind, 1);
	send_us = whole_send_us();
	for (unsigned i = 0; i < rounds; i++) {
		sender = child__start(pair.near_ns, send_files, 0);
		if (victims & STARTING_RECEIVER) {
			child__kill(&receiver);
			start_receiver(kind, 0);
			random_sleep(300000);
		} else {
			random_sleep(send_us);
		}
		if (victims & SENDER)
			killed += child__kill(&sender);
		if (victims & (RECEIVER | STARTING_RECEIVER)) {
			killed += child__kill(&receiver);
			start_receiver(kind, 1);
		}
		child__kill(&sender); /* otherwise a new receiver would get its message without the first packet */
		next_message(kind);
	}
	child__kill(&receiver);
	return killed;
}

static void nothing_is_left(void)
{
	netns_enter(pair.far_ns);
	if (leak_check__program(FAR_DEV))
		die("a program is left on the interface");
	netns_enter(pair.near_ns);
	for (unsigned i = 0; leak_check__maps(host_bytes); i++) {
		if (i == 100)
			die("maps of killed receivers are left");
		usleep(50000);
	}
	if (waitpid(-1, NULL, WNOHANG) != -1)
		die("a process is left");
}

int main(void)
{
	static const struct {
		const char *name;
		int (*kind)(int ready);
		int victims;
		unsigned rounds;
	} cases[] = {
		{ "sender, to an application", application, SENDER, 16 },
		{ "sender, to spinctl run", command, SENDER, 16 },
		{ "application", application, RECEIVER, 10 },
		{ "receiver (spinctl run)", command, RECEIVER, 10 },
		{ "application that starts", application, STARTING_RECEIVER, 8 },
		{ "receiver that starts", command, STARTING_RECEIVER | SENDER, 8 },
	};
	int fd;

	host_bytes = (5297u << 10) + 4096 * (leak_check__own_number() >> 3);
	pair__open(&pair);
	random_fill(&seed, data, sizeof(data));
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fd = mkstemp(data_path);
	if (seen == MAP_FAILED || fd < 0 || write(fd, data, sizeof(data)) != sizeof(data) || close(fd) || close(mkstemp(log_path)) ||
	    built_object("copy_to_host", object_path, sizeof(object_path)))
		die("cannot begin");
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned killed = run_rounds(cases[i].kind, cases[i].victims, cases[i].rounds);

		printf("%s: %u rounds, %u killed while at work, the next message arrived each time\n", cases[i].name, cases[i].rounds,
		       killed);
		if (killed < cases[i].rounds / 4)
			die("most had ended before they were killed");
		fflush(stdout);
	}
	nothing_is_left();
	clean_up();
	return 0;
}
