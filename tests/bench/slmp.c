/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares the handler copy_to_host at XDP, which stores messages (SLMP, a protocol over UDP), with a program in user space that receives
 * the same messages: it copies each payload to its offset and acknowledges packets that ask for it, in batches. Uses a veth with threaded
 * NAPI, alternating, one CPU that receives and one that sends (slmp.bpf.c). All packets ask for an acknowledgement, with a window of
 * packets in flight. Rates count the packets that the receiver has stored. Each receiver is measured with the window, and the user space
 * one with the NAPI placement, that gives the highest rate.
 * slmp FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/common/built.h"
#include "tests/common/measure/measure.h"
#include "tests/common/net/netlab.h"
#include "tests/common/proc.h"
#include "user/conformance/template/template.h"
#include <spin/bytes.h>
#include <spin/slmp.h>
#include <spin/libspin_message.h>

#include "tests/bench/slmp.h"

#define ROUNDS               7
#define WARM_UP_MS           60
#define MEASURE_MS           350
#define TRY_MS               100
#define DRAIN_MS             20
#define RECEIVE_BUFFER_BYTES (8 << 20)
#define BATCH                64
#define TARGET               3.0

enum variant { USERSPACE, HANDLER, VARIANTS };

/* The window of the sender, and the CPU of the receiver's NAPI. */
struct setting {
	uint32_t window;
	int napi_apart; /* 1: on the sender's CPU */
};

/* Shared with the receiver in user space. */
struct receiver {
	volatile uint32_t ready;
	volatile uint64_t packets; /* packets stored at their offset */
	uint8_t memory[SPIN_HOST_BYTES];
};

struct bench {
	struct lab lab;
	struct bpf_object *object;
	volatile struct sending *sending; /* shared with the sender */
	uint8_t frame[SLMP_FRAME];
	struct spin_ctx *ctx;
	uint8_t *host; /* memory of the context */
	struct receiver *receiver;
};

static const uint32_t windows[] = { 16, 32, 64, 128, 256, 512 };

static int program_fd(const struct bench *b, const char *name)
{
	return bpf_program__fd(bpf_object__find_program_by_name(b->object, name));
}

static void make_packet(struct bench *b)
{
	struct sending *s = (struct sending *)b->sending;
	char ip[] = "ip4 " LAB_CLIENT_ADDR " > " LAB_SERVER_ADDR, udp[64], payload[64];
	const char *lines[] = { "eth 02:00:00:00:00:02 > 02:00:00:00:00:01", ip, udp, "slmp", payload };
	struct template t;
	uint16_t checksum;

	snprintf(udp, sizeof(udp), "udp 4000 > %u", SPIN_SLMP_PORT);
	snprintf(payload, sizeof(payload), "count %u 1", SLMP_PAYLOAD);
	template_start(&t);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (template_line(&t, lines[i]) != 1)
			die("%s: %s", lines[i], engine_error());
	if (template_finish(&t) || t.bytes != SLMP_BYTES)
		die("the packet cannot be made: %s", engine_error());
	memcpy(b->frame, t.frame, SLMP_BYTES);
	memcpy(s->frame, t.frame, sizeof(s->frame));
	memcpy(&checksum, t.frame + 40, sizeof(checksum));
	s->checksum = checksum;
	s->id = (uint32_t)now_ns();
}

static void open_sender(struct bench *b)
{
	struct bpf_map *map, *bss = NULL;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/bench/slmp.bpf.o", built_dir());
	b->object = bpf_object__open_file(path, NULL);
	if (!b->object || bpf_object__load(b->object))
		die("%s cannot be loaded", path);
	bpf_object__for_each_map(map, b->object)
		if (strstr(bpf_map__name(map), ".bss"))
			bss = map;
	if (!bss || bpf_map__value_size(bss) != sizeof(*b->sending))
		die("%s is of another build", path);
	b->sending = mmap(NULL, sizeof(*b->sending), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(bss), 0);
	if (b->sending == MAP_FAILED)
		die("%s: its memory: %s", path, strerror(errno));
	make_packet(b);
	/* the link is released when the object is closed or this process exits */
	if (!bpf_program__attach_xdp(bpf_object__find_program_by_name(b->object, "check"), (int)if_nametoindex(b->lab.client.ifname)))
		die("cannot attach the sender's XDP program: %s", strerror(errno));
}

static void open_handler(struct bench *b)
{
	/* messages left unfinished by a round are evicted in the next one */
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message = { .idle_ms = 100, .lose_events = 1 } };
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	char text[64];
	void *memory;
	size_t bytes;

	snprintf(text, sizeof(text), "udp ip4 dst %s dport %u", LAB_SERVER_ADDR, SPIN_SLMP_PORT);
	object = built_open("copy_to_host");
	lab_enter(&b->lab.server);
	if (spin_nic__open(b->lab.server.ifname, &nic) || spin_rule__parse(text, &rule) ||
	    spin_ctx__create_opts(nic, object, &rule, &opts, &b->ctx) || spin_ctx__host_memory(b->ctx, &memory, &bytes))
		die("%s", spin_strerror_last());
	lab_enter(&b->lab.client);
	if (bytes < SLMP_MESSAGE)
		die("the context's host memory is too small for a message");
	b->host = memory;
	spin_nic__close(nic);
	spin_object__close(object);
}

/* Processes a packet in the user space receiver. Returns 1 if it must be acknowledged; the packet is then the acknowledgement. */
static int store_packet(struct receiver *r, uint8_t *packet, unsigned bytes)
{
	struct spin_slmp *slmp = (struct spin_slmp *)packet;
	uint32_t offset, payload;
	int wanted;

	if (bytes < sizeof(*slmp))
		return 0;
	offset = spin_ntoh32(slmp->offset);
	payload = bytes - (uint32_t)sizeof(*slmp);
	wanted = spin_ntoh16(slmp->flags) & SPIN_SLMP_SYN;
	if (payload > sizeof(r->memory) || offset > sizeof(r->memory) - payload)
		return 0;
	memcpy(r->memory + offset, packet + sizeof(*slmp), payload);
	r->packets++;
	slmp->flags = spin_hton16(SPIN_SLMP_ACK);
	return wanted != 0;
}

static int receive(void *arg)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(SPIN_SLMP_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), bytes = RECEIVE_BUFFER_BYTES;
	static uint8_t packet[BATCH][2048];
	static struct sockaddr_in from[BATCH];
	static struct mmsghdr in[BATCH], out[BATCH];
	static struct iovec into[BATCH], ack[BATCH];
	const struct bench *b = arg;

	inet_pton(AF_INET, LAB_SERVER_ADDR, &at.sin_addr);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)))
		die("receiver: %s", strerror(errno));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	b->receiver->ready = 1;
	for (;;) {
		unsigned wanted = 0;
		int n;

		for (unsigned i = 0; i < BATCH; i++) {
			into[i] = (struct iovec){ packet[i], sizeof(packet[i]) };
			in[i].msg_hdr = (struct msghdr){
				.msg_name = &from[i], .msg_namelen = sizeof(from[i]), .msg_iov = &into[i], .msg_iovlen = 1
			};
		}
		n = recvmmsg(fd, in, BATCH, MSG_WAITFORONE, NULL);
		for (int i = 0; i < n; i++) {
			if (!store_packet(b->receiver, packet[i], in[i].msg_len))
				continue;
			ack[wanted] = (struct iovec){ packet[i], sizeof(struct spin_slmp) };
			out[wanted].msg_hdr = (struct msghdr){
				.msg_name = &from[i], .msg_namelen = sizeof(from[i]), .msg_iov = &ack[wanted], .msg_iovlen = 1
			};
			wanted++;
		}
		for (unsigned sent = 0; sent < wanted;) {
			n = sendmmsg(fd, out + sent, wanted - sent, 0);
			sent += n > 0 ? (unsigned)n : 1; /* skip a packet that cannot be sent */
		}
	}
}

/* Sends until it is killed. The NAPI thread that receives the acknowledgements has a higher priority on this CPU. */
static int send_messages(void *arg)
{
	const struct bench *b = arg;
	struct xdp_md ctx = { .data_end = SLMP_FRAME, .ingress_ifindex = if_nametoindex(b->lab.client.ifname) };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = b->frame, .data_size_in = SLMP_FRAME, .ctx_in = &ctx, .ctx_size_in = sizeof(ctx),
		    .repeat = INT_MAX, .flags = BPF_F_TEST_XDP_LIVE_FRAMES);
	struct sched_param param = { 0 };
	int fd = program_fd(b, "generate");

	sched_setscheduler(0, SCHED_OTHER, &param);
	(void)setpriority(PRIO_PROCESS, 0, -20);
	for (;;)
		if (bpf_prog_test_run_opts(fd, &opts))
			die("live frames: %s; they need Linux 5.18", strerror(errno));
}

/* Starts the receiver in user space and returns its pid, or 0. */
static pid_t start_receiving(struct bench *b, enum variant variant, int napi_apart)
{
	pid_t receiver = 0, napi;

	if (variant == HANDLER) {
		lab_enter(&b->lab.server);
		if (spin_ctx__attach(b->ctx))
			die("%s", spin_strerror_last());
		lab_enter(&b->lab.client);
	} else {
		b->receiver->ready = 0;
		receiver = proc_start(b->lab.server.ns_fd, b->lab.server.cpu, receive, b);
		while (!b->receiver->ready) {
			if (!proc_alive(receiver))
				die("the receiver ended");
			usleep(1000);
		}
	}
	napi = lab_napi_thread(&b->lab.server);
	if (!napi || !lab_napi_thread(&b->lab.client))
		die("the NAPI threads are gone");
	proc_pin(napi, napi_apart ? b->lab.client.cpu : b->lab.server.cpu, 1);
	return receiver;
}

static void stop_receiving(struct bench *b, pid_t receiver)
{
	if (receiver)
		proc_stop(receiver, SIGKILL);
	else
		spin_ctx__detach(b->ctx);
}

static uint64_t received(const struct bench *b, enum variant variant)
{
	uint64_t packets[SPIN_REASON_COUNT];

	if (variant == USERSPACE)
		return b->receiver->packets;
	spin_ctx__counters(b->ctx, packets);
	return packets[SPIN_REASON_SUCCESS];
}

/* All payloads are equal, so the message must contain this payload at each packet's offset. */
static void check_memory(const struct bench *b, enum variant variant)
{
	const uint8_t *memory = variant == HANDLER ? b->host : b->receiver->memory;

	for (uint32_t i = 0; i < SLMP_PACKETS; i++)
		if (memcmp(memory + i * SLMP_PAYLOAD, b->frame + SLMP_HEADERS, SLMP_PAYLOAD))
			die("packet %u is not in its place", i);
}

/* Returns the stored packets per second. */
static double rate(struct bench *b, enum variant variant, uint32_t window, unsigned ms)
{
	uint64_t begin, end, packets;
	pid_t sender;

	b->sending->window = window;
	b->sending->ended = b->sending->sent;
	b->sending->packet = 0;
	b->sending->id++;
	sender = proc_start(b->lab.client.ns_fd, b->lab.client.cpu, send_messages, b);
	usleep(WARM_UP_MS * 1000);
	packets = received(b, variant);
	begin = now_ns();
	usleep(ms * 1000);
	packets = received(b, variant) - packets;
	end = now_ns();
	if (!proc_alive(sender))
		die("the sender ended");
	proc_stop(sender, SIGKILL);
	usleep(DRAIN_MS * 1000);
	if (b->sending->bad)
		die("%llu wrong acknowledgements", (unsigned long long)b->sending->bad);
	check_memory(b, variant);
	return (double)packets * 1e9 / (double)(end - begin);
}

static struct setting best_setting(struct bench *b, enum variant variant)
{
	static const char *const name[VARIANTS] = { "user space", "handler" };
	struct setting best = { 0 };
	double most = 0;

	for (int apart = 0; apart <= (variant == USERSPACE); apart++) {
		pid_t receiver = start_receiving(b, variant, apart);

		for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
			double got = rate(b, variant, windows[i], TRY_MS);

			printf("%-10s %4u under way, NAPI on the %s CPU: %9.0f packets/s\n", name[variant], windows[i],
			       apart ? "sender's" : "receiver's", got);
			if (got > most) {
				most = got;
				best = (struct setting){ windows[i], apart };
			}
		}
		stop_receiving(b, receiver);
	}
	return best;
}

static double run(struct bench *b, enum variant variant, const struct setting *setting)
{
	pid_t receiver = start_receiving(b, variant, setting->napi_apart);
	double result = rate(b, variant, setting->window, MEASURE_MS);

	stop_receiving(b, receiver);
	return result;
}

int main(int argc, char **argv)
{
	static struct bench b;
	static struct measure m;
	double rates[VARIANTS][ROUNDS];
	struct setting setting[VARIANTS];
	struct measure_row *row;

	if (geteuid() || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("skip: namespaces and XDP need root, and two CPUs\n");
		return 77;
	}
	proc_init();
	lab_open(&b.lab);
	if (!lab_napi_thread(&b.lab.server) || !lab_napi_thread(&b.lab.client)) {
		printf("skip: NAPI threads are not visible here and cannot be pinned\n");
		return 77;
	}
	b.receiver = proc_shared(sizeof(*b.receiver));
	open_sender(&b);
	open_handler(&b);
	for (enum variant variant = 0; variant < VARIANTS; variant++)
		setting[variant] = best_setting(&b, variant);
	for (int i = 0; i < ROUNDS; i++) {
		for (enum variant variant = 0; variant < VARIANTS; variant++)
			rates[variant][i] = run(&b, variant, &setting[variant]);
		printf("user space %9.0f, handler %9.0f packets/s\n", rates[USERSPACE][i], rates[HANDLER][i]);
	}
	printf("%llu packets given up\n", (unsigned long long)b.sending->given_up);
	spin_ctx__destroy(b.ctx);
	bpf_object__close(b.object);

	measure_begin(&m, "bench-slmp");
	row = measure_add(&m, "slmp.vs_userspace", measure_median(rates[HANDLER], ROUNDS), "packets/s");
	measure_baseline(row, measure_median(rates[USERSPACE], ROUNDS));
	measure_goal(row, MEASURE_AT_LEAST, TARGET, row->ratio);
	measure_print(&m);
	if (argc > 1 && measure_write(&m, argv[1]))
		die("%s cannot be written", argv[1]);
	return 0;
}
