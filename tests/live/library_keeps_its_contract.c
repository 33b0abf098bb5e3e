/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks failures and limits that libspin.h documents, errno by errno, on an interface of its own: invalid options (EINVAL), an interface
 * that is held (EBUSY), a mode that the driver lacks (EOPNOTSUPP), at most 4096 events per call. A lack of descriptors must not be taken
 * for an old kernel. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "user/conformance/template/template.h"
#include "kernel/probe.h"
#include <spin/libspin.h>

static struct spin_object *object;
static struct spin_rule rule;
static struct template failing; /* its payload handler returns FAIL */

/* Runs a case in a child process. */
static void run_in_child(void (*run)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		run();
		fflush(stdout);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || (status && (!WIFEXITED(status) || WEXITSTATUS(status) != 77)))
		exit(1); /* the child has printed the reason */
}

/* Must run before anything else in its process has probed the kernel: libbpf also caches the results. */
static void fd_exhaustion_is_not_an_old_kernel(void)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = SPIN_CLASS_ISOLATED };
	int free_fd = dup(0);
	struct rlimit limit, few;
	struct spin_ctx *ctx;
	int err;

	close(free_fd);
	getrlimit(RLIMIT_NOFILE, &limit);
	few = (struct rlimit){ (rlim_t)free_fd, limit.rlim_max };
	if (setrlimit(RLIMIT_NOFILE, &few))
		fail("setrlimit");
	err = spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx);
	setrlimit(RLIMIT_NOFILE, &limit);
	if (err == -ENOSYS && kernel_probe__may_goto())
		fail("a want of descriptors is taken for an old kernel");
	expect(0, spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx), "isolated, when there are descriptors again");
	spin_ctx__destroy(ctx);
}

static void options_are_checked(void)
{
	struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = (enum spin_class)7 };
	struct spin_nic *nic;
	struct spin_ctx *ctx;

	expect(-EINVAL, spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx), "an unknown class");
	opts = (struct spin_ctx_opts){ .bytes = 3 };
	expect(-EINVAL, spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx), "a struct without a size");
	opts = (struct spin_ctx_opts){ .bytes = sizeof(opts), .name = "sixteen_letters_" };
	expect(-EINVAL, spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx), "a long name");
	opts = (struct spin_ctx_opts){ .bytes = sizeof(opts.bytes), .name = "ignored", .class = (enum spin_class)7 };
	expect(0, spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx), "fields behind the struct's size");
	if (strcmp(spin_ctx__name(ctx), "returns"))
		fail("a field behind the struct's size was read");
	spin_ctx__destroy(ctx);
	expect(0, spin_nic__open_offline(&nic), "an offline interface");
	expect(-EINVAL, spin_nic__set_mode(nic, (enum spin_mode)9), "an unknown mode");
	expect(-EINVAL, spin_nic__set_share(nic, &(struct spin_share){ .priority = 50 }), "sharing without an interface");
	spin_nic__close(nic);
}

static void packets_of_an_interface_come_through_it(void)
{
	struct spin_run_result result;
	uint8_t out[ENGINE_FRAME_MAX];
	struct spin_nic *nic;
	struct spin_ctx *ctx;

	expect(0, spin_nic__open_offline(&nic), "an offline interface");
	expect(-EINVAL, spin_nic__run(nic, failing.frame, failing.bytes, 1, out, sizeof(out), &result), "an interface without a context");
	expect(0, spin_ctx__create(nic, object, &rule, &ctx), "a context");
	expect(-EINVAL, spin_ctx__run(ctx, failing.frame, failing.bytes, 1, out, sizeof(out), &result),
	       "a context of an interface by itself");
	expect(-1, spin_ctx__program_fd(ctx), "the program of a context of an interface");
	expect(0, spin_ctx__attach(ctx), "attaching");
	expect(-EALREADY, spin_ctx__attach(ctx), "attaching again");
	expect(-EBUSY, spin_nic__set_mode(nic, SPIN_MODE_GENERIC), "another mode while in use");
	expect(0, spin_nic__run(nic, failing.frame, failing.bytes, 1, out, sizeof(out), &result), "a packet");
	expect(SPIN_VERDICT_DROP, result.verdict, "the verdict of a handler that fails");
	spin_nic__close(nic); /* the context keeps a reference */
	expect(1, spin_ctx__alive(ctx), "a context whose interface's handle is closed");
	spin_ctx__destroy(ctx);
}

static unsigned events;

/* Generates another event for each event that it gets. */
static void on_event(void *ctx, const struct spin_event *event)
{
	struct spin_run_result result;
	uint8_t out[ENGINE_FRAME_MAX];

	if (event->type != SPIN_EVENT_FAIL)
		fail("another event than FAIL");
	events++;
	if (spin_ctx__run(ctx, failing.frame, failing.bytes, 1, out, sizeof(out), &result))
		fail("a packet");
}

static void events_come_in_bounded_numbers(void)
{
	struct spin_run_result result;
	uint8_t out[ENGINE_FRAME_MAX];
	struct spin_ctx *ctx;

	expect(0, spin_ctx__create(NULL, object, &rule, &ctx), "a context");
	expect(0, spin_ctx__run(ctx, failing.frame, failing.bytes, 1, out, sizeof(out), &result), "a packet");
	expect(4096, spin_ctx__events(ctx, on_event, ctx), "events that never end");
	expect(4096, (int)events, "events told");
	spin_ctx__destroy(ctx);
}

static void drop_sys_admin(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		fail("capget");
	data[0].effective &= ~(1u << CAP_SYS_ADMIN);
	data[0].permitted &= ~(1u << CAP_SYS_ADMIN);
	if (syscall(SYS_capset, &header, data))
		fail("capset");
}

static struct spin_ctx *second_ctx;

static void attach_without_sys_admin_is_refused(void)
{
	drop_sys_admin();
	expect(-EBUSY, spin_ctx__attach(second_ctx), "attaching without CAP_SYS_ADMIN");
	expect_error_text("only root sees");
}

static void a_held_interface_is_refused(void)
{
	struct spin_ctx *first, *second;
	struct spin_nic *one, *other;
	expect(0, spin_nic__open("v0", &one), "v0");
	expect(0, spin_nic__open("v0", &other), "v0 again");
	expect(0, spin_ctx__create(one, object, &rule, &first), "a context");
	expect(0, spin_ctx__create(other, object, &rule, &second), "another");
	expect(0, spin_ctx__attach(first), "attaching");
	expect(-EBUSY, spin_ctx__attach(second), "attaching by another handle");
	expect_error_text("of this process");
	second_ctx = second;
	run_in_child(attach_without_sys_admin_is_refused);
	spin_ctx__destroy(first);
	expect(0, spin_ctx__attach(second), "attaching when it is free");
	spin_ctx__destroy(second);
	spin_nic__close(one);
	spin_nic__close(other);
}

static void a_mode_that_the_driver_refuses(void)
{
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	const char *reason;

	expect(0, spin_nic__open("q0", &nic), "q0");
	expect(0, spin_ctx__create(nic, object, &rule, &ctx), "a context");
	expect(-EINVAL, spin_nic__set_share(nic, &(struct spin_share){ .chain = 1u << 5 }), "a chain of unknown verdicts");
	expect(0, spin_nic__set_share(nic, &(struct spin_share){ .priority = 50 }), "sharing");
	expect(-EINVAL, spin_ctx__attach(ctx), "a context that was made before the interface was shared");
	expect_error_text("not shared");
	expect(0, spin_nic__set_share(nic, NULL), "sharing no more");
	expect(0, spin_nic__set_mode(nic, SPIN_MODE_NATIVE), "native");
	expect(-EOPNOTSUPP, spin_ctx__attach(ctx), "native on a veth with too few queues");
	expect_error_text("receive queues");
	expect(SPIN_MODE_AUTO, (int)spin_nic__mode(nic, &reason), "the mode after a refusal");
	if (reason)
		fail("a reason is left after a refusal");
	expect(0, spin_nic__set_mode(nic, SPIN_MODE_AUTO), "auto");
	expect(0, spin_ctx__attach(ctx), "generic instead");
	expect(-EBUSY, spin_nic__set_share(nic, &(struct spin_share){ .priority = 50 }), "sharing what is in use");
	expect(SPIN_MODE_GENERIC, (int)spin_nic__mode(nic, &reason), "the mode in use");
	if (!reason || !strstr(reason, "receive queues"))
		fail("it is not said why generic");
	spin_ctx__detach(ctx);
	expect(SPIN_MODE_AUTO, (int)spin_nic__mode(nic, &reason), "the mode when detached");
	if (reason)
		fail("a reason is left when detached");
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
}

int main(void)
{
	char path[512];

	netns_new();
	if (built_object("returns", path, sizeof(path)) || spin_object__open(path, &object) || spin_rule__parse("udp", &rule))
		fail("returns");
	netns_shell("ip link add v0 type veth peer name v1 && ip link set v0 up && ip link set v1 up && "
		    "ip link add q0 numrxqueues 1 numtxqueues 1 type veth peer name q1 numrxqueues 1 numtxqueues 3 && "
		    "ip link set q0 up && ip link set q1 up");
	template_start(&failing);
	if (template_line(&failing, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 ||
	    template_line(&failing, "ip4 10.0.0.1 > 10.0.0.2") != 1 || template_line(&failing, "udp 4000 > 9000") != 1 ||
	    template_line(&failing, "hex 0402000000") != 1 || template_finish(&failing))
		fail("a packet");
	run_in_child(fd_exhaustion_is_not_an_old_kernel);
	options_are_checked();
	packets_of_an_interface_come_through_it();
	events_come_in_bounded_numbers();
	a_held_interface_is_refused();
	a_mode_that_the_driver_refuses();
	return 0;
}
