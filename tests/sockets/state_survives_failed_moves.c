/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests spin_ctx__migrate(), which replaces handlers by others with another layout of state, when the kernel refuses an update of a map:
 * each update in turn, alone or with all that follow, for handlers with and without a socket's guard. Packets are run after each attempt:
 * all must be handled once, by the old handlers or the new ones, even if the program that holds packets back during a migration (the gate)
 * cannot be removed. The next migration without failures must remove it. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>

#include <bpf/bpf.h>

#include "tests/common/expect.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/traffic/migration_handler.h"
#include "user/conformance/template/template.h"
#include "user/libspin/guard.h"
#include "user/libspin/internal.h"

#define PORT  "7000"
#define BATCH 5

static const struct moving_source sources[] = {
	{ "", "uint64_t packets; uint32_t first;", ".first = 0", "spin_add32((uint32_t *)&state->packets, 1);" },
	{ "", "uint32_t second; uint64_t packets;", ".second = 0", "spin_add32((uint32_t *)&state->packets, 1);" },
};

static unsigned passed, refused; /* the next `passed` updates succeed, and the `refused` updates after them fail */
static unsigned injected;

int __real_bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags); /* libbpf's */
int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags);

int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	if (passed) {
		passed--;
	} else if (refused) {
		refused--;
		injected++;
		errno = ENOMEM;
		return -ENOMEM;
	}
	return __real_bpf_map_update_elem(fd, key, value, flags);
}

struct fixture {
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	struct spin_object *object[2];
	struct template packet;
	unsigned moved, failed, stayed;
	uint64_t sent;
};

static void run_packets(struct fixture *s)
{
	struct spin_run_result result;
	uint8_t out[2048];

	expect(0, spin_nic__run(s->nic, s->packet.frame, s->packet.bytes, BATCH, out, sizeof(out), &result), "packets");
	expect(SPIN_VERDICT_PASS, result.verdict, "the verdict");
	s->sent += BATCH;
	expect((long long)s->sent, (long long)migration_handler__field(s->ctx, "spin_state.packets"), "packets that were handled");
}

static void move(struct fixture *s, unsigned at, unsigned updates)
{
	int err;

	passed = at;
	refused = updates;
	err = spin_ctx__migrate(s->ctx, s->object[(s->moved + 1) % 2], NULL);
	passed = refused = 0;
	s->moved += !err;
	s->failed += err != 0;
	s->stayed += s->ctx->gate != NULL;
	run_packets(s);
}

/* Repeats until a migration ends before the update that would fail. */
static void each_update(struct fixture *s, unsigned updates)
{
	unsigned at = 0;

	do {
		injected = 0;
		move(s, at++, updates);
	} while (injected);
	expect(0, s->ctx->gate != NULL, "gates after a migration that was not disturbed");
	printf("%u updates, %s: %u migrations, %u failed, %u left their gate\n", at - 1, updates > 1 ? "and all that follow" : "each alone",
	       s->moved, s->failed, s->stayed);
}

static void test_failures(struct fixture *s, int socket_fd, const struct spin_guards *guards)
{
	struct spin_rule rule;

	expect(0, spin_rule__parse("udp dst 127.0.0.1 dport " PORT, &rule), "a rule");
	expect(0, spin_nic__open_offline(&s->nic), "an interface");
	expect(0, spin_ctx__create(s->nic, s->object[0], &rule, &s->ctx), "a context");
	if (guards)
		expect(0, spin_guard__install(s->ctx, socket_fd, guards), "a guard");
	expect(0, spin_ctx__attach(s->ctx), "attaching it");
	s->moved = s->failed = s->stayed = 0;
	s->sent = 0;
	each_update(s, 1);
	each_update(s, 1000);
	if (!s->failed || !s->stayed)
		fail("nothing was disturbed: this tests nothing");
	spin_ctx__destroy(s->ctx);
	spin_nic__close(s->nic);
}

int main(void)
{
	struct spin_guards guards;
	struct udp_hosts hosts;
	struct fixture s = { 0 };
	int fd;

	skip_unless_root();
	udp_hosts__hosts(&hosts);
	fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	udp_hosts__bind(fd, "127.0.0.1", 7000);
	template_start(&s.packet);
	if (template_line(&s.packet, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 ||
	    template_line(&s.packet, "ip4 10.0.0.1 > 127.0.0.1") != 1 || template_line(&s.packet, "udp 4000 > " PORT) != 1 ||
	    template_line(&s.packet, "fill 32 0") != 1 || template_finish(&s.packet))
		fail("a packet");
	for (unsigned i = 0; i < 2; i++)
		s.object[i] = migration_handler__compile(&sources[i]);
	test_failures(&s, -1, NULL);
	expect(0, spin_guards__open(&guards, 0, 0), "guards");
	test_failures(&s, fd, &guards);
	spin_guards__close(&guards);
	for (unsigned i = 0; i < 2; i++)
		spin_object__close(s.object[i]);
	return 0;
}
