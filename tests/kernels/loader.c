/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loads every program of fat objects (compiled handlers, .spin files) in each variant (load class, spreading over CPUs, attached or not:
 * the table below) and prints whether the kernel accepted it. tests/kernels/run compares the output with what it expects of each kernel.
 * Runs as init of a guest (a virtual machine), where it powers off at the end, or as an ordinary root process. Nothing outlives it: it
 * attaches only to lo, in its own network namespace.
 *
 * Prints one record per line, with fields separated by tabs:
 *	kernel   RELEASE
 *	object   OBJECT datagrams|messages PUTS     the packets that its handlers may send for one packet (SPIN_PUTS)
 *	cell     OBJECT VARIANT loads|refused ERRNO MESSAGE     the result of one object in one variant
 *	program  OBJECT VARIANT PROGRAM STEPS       each loaded program; the verifier's steps
 *	log      OBJECT VARIANT LINE                the last lines of a refusal, in order
 *	warning  OBJECT VARIANT LINE                the kernel's own warnings while it loaded
 *	end      OBJECT                            all variants were tried
 *	done     OBJECTS
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel/caps.h"
#include "kernel/probe.h"
#include "user/libspin/internal.h"
#include "user/libspin/guard.h"
#include "user/libspin/streams/streams.h"
#include <spin/libspin_ring.h>

#define LOG_LINES         25
#define LOG_LINE_BYTES    240
#define DISPATCHER        "dispatcher"
#define DISPATCHER_OBJECT "empty"

/* How an object is loaded. */
static const struct variant {
	const char *name;
	enum spin_class class;
	enum spin_hpus hpus;
	int on_interface; /* 0: runs on given packets */
} variants[] = {
	{ "trusted", SPIN_CLASS_TRUSTED, SPIN_HPUS_CPU, 1 },         { "given", SPIN_CLASS_TRUSTED, SPIN_HPUS_CPU, 0 },
	{ "spread", SPIN_CLASS_TRUSTED, SPIN_HPUS_SPREAD, 1 },       { "isolated", SPIN_CLASS_ISOLATED, SPIN_HPUS_CPU, 1 },
	{ "isolated-given", SPIN_CLASS_ISOLATED, SPIN_HPUS_CPU, 0 },
};

static struct {
	char line[LOG_LINES][LOG_LINE_BYTES];
	unsigned lines; /* since the load began; the last LOG_LINES of them are kept */
	FILE *whole;    /* NULL: only the last lines are kept */
} tail;

static int kernel_messages = -1;    /* /dev/kmsg */
static const char *wanted_variants; /* "trusted,isolated"; NULL: all */
static struct spin_nic *interface;

/* Keeps one line. A tab in it would start another field. */
static void keep_line(const char *line, size_t length)
{
	char *to = tail.line[tail.lines++ % LOG_LINES];

	if (tail.whole)
		fprintf(tail.whole, "%.*s\n", (int)length, line);
	snprintf(to, LOG_LINE_BYTES, "%.*s", (int)length, line);
	for (; *to; to++)
		if (*to == '\t')
			*to = ' ';
}

static void keep_lines(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length)
			keep_line(text, length);
		text += length + (text[length] == '\n');
	}
}

static void on_libspin_log(void *arg, const char *line)
{
	(void)arg;
	keep_lines(line);
}

/* The verifier's whole log of libspin's own programs arrives here. */
static int on_libbpf_print(enum libbpf_print_level level, const char *format, va_list args)
{
	char *text = NULL;

	if (level == LIBBPF_DEBUG || vasprintf(&text, format, args) < 0)
		return 0;
	keep_lines(text);
	free(text);
	return 0;
}

static void print_log(const char *object, const char *variant)
{
	unsigned first = tail.lines > LOG_LINES ? tail.lines - LOG_LINES : 0;

	for (unsigned i = first; i < tail.lines; i++)
		printf("log\t%s\t%s\t%s\n", object, variant, tail.line[i % LOG_LINES]);
}

/*
 * Prints the kernel's warnings. A read returns one record: "4,123,456789,-;text" and lines of details. object NULL: skips to the end
 * without printing.
 */
static void print_warnings(const char *object, const char *variant)
{
	char record[2048];
	ssize_t bytes;

	while ((bytes = read(kernel_messages, record, sizeof(record) - 1)) > 0 || (bytes < 0 && errno == EPIPE)) {
		char *text;

		if (bytes < 0)
			continue;
		record[bytes] = '\0';
		text = strchr(record, ';');
		if (!object || !text || (strncmp(text, ";WARNING: ", 10) && !strstr(text, "REG INVARIANTS")))
			continue;
		printf("warning\t%s\t%s\t%.*s\n", object, variant, (int)strcspn(text + 1, "\n"), text + 1);
	}
}

static uint32_t newest_program(void)
{
	uint32_t id = 0, last = 0;

	while (!bpf_prog_get_next_id(id, &id))
		last = id;
	return last;
}

/* Prints the programs that were loaded after `before`. */
static void print_programs(const char *object, const char *variant, uint32_t before)
{
	uint32_t id = before;

	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = { 0 };
		uint32_t bytes = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &bytes) && info.type == BPF_PROG_TYPE_XDP)
			printf("program\t%s\t%s\t%s\t%u\n", object, variant, info.name, info.verified_insns);
		if (fd >= 0)
			close(fd);
	}
}

static void print_cell(const char *object, const char *variant, int err, const struct spin_ctx *ctx, uint32_t before)
{
	char message[SPIN_ERROR_BYTES] = "";

	if (err)
		snprintf(message, sizeof(message), "%s", spin_strerror_last());
	else if (ctx && spin_ctx__longest_packet(ctx) <= ETH_DATA_LEN)
		snprintf(message, sizeof(message), "packets of at most %u bytes", spin_ctx__longest_packet(ctx));
	for (char *c = message; *c; c++)
		if (*c == '\t' || *c == '\n')
			*c = ' ';
	printf("cell\t%s\t%s\t%s\t%d\t%s\n", object, variant, err ? "refused" : "loads", -err, message);
	if (err)
		print_log(object, variant);
	else
		print_programs(object, variant, before);
	print_warnings(object, variant);
	fflush(stdout);
}

static void print_end(const char *object)
{
	printf("end\t%s\n", object);
	fflush(stdout);
}

static int is_wanted(const char *variant)
{
	const char *at = wanted_variants;
	size_t length = strlen(variant);

	for (; at; at = strchr(at, ','), at += at != NULL)
		if (!strncmp(at, variant, length) && (!at[length] || at[length] == ','))
			return 1;
	return !wanted_variants;
}

/* Loads the object on lo, or for given packets, and removes it again. */
static void try_variant(const char *name, const struct spin_object *object, const struct spin_rule *rule, const struct variant *variant)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = variant->class, .hpus = variant->hpus };
	uint32_t before = newest_program();
	struct spin_ctx *ctx = NULL;
	int err;

	tail.lines = 0;
	if (tail.whole)
		fprintf(tail.whole, "=== %s %s\n", name, variant->name);
	err = spin_ctx__create_opts(variant->on_interface ? interface : NULL, object, rule, &opts, &ctx);
	if (!err && variant->on_interface)
		err = spin_ctx__attach(ctx);
	print_cell(name, variant->name, err, ctx, before);
	spin_ctx__destroy(ctx);
}

/* One handler takes ICMP, and some take TCP segments. */
static const char *rule_for(const char *name, const struct spin_object *object)
{
	if (spin_object__meta(object)->registration.delivery == SPIN_DELIVER_SEGMENTS)
		return "tcp dport 9000";
	return strcmp(name, "ping") ? "udp dport 9000" : "icmp";
}

static int try_object(const char *path, const char *name)
{
	static const char *const kinds[] = { "datagrams", "messages", "segments" };
	const struct spin_registration *reg;
	struct spin_object *object;
	struct spin_rule rule;
	int messages;

	if (spin_object__open(path, &object) || spin_rule__parse(rule_for(name, object), &rule)) {
		fprintf(stderr, "%s: %s\n", path, spin_strerror_last());
		return -1;
	}
	reg = &spin_object__meta(object)->registration;
	messages = reg->delivery == SPIN_DELIVER_ME;
	printf("object\t%s\t%s\t%u\n", name, kinds[reg->delivery], reg->puts);
	for (unsigned i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		if (is_wanted(variants[i].name) && (!messages || variants[i].class == SPIN_CLASS_TRUSTED))
			try_variant(name, object, &rule, &variants[i]);
	spin_object__close(object);
	print_end(name);
	return 0;
}

/* Adds a guard in front of the context (bpf/guard.bpf.c), as spind does: with a socket and a map of addresses. */
static int add_guard(struct spin_ctx *ctx)
{
	const struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(9001), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;
	struct spin_guards guards;

	if (fd < 0 || bind(fd, (const struct sockaddr *)&own, sizeof(own)))
		return -errno;
	err = spin_guards__open(&guards, 80, 1000);
	if (!err) {
		err = spin_guard__install(ctx, fd, &guards);
		spin_guards__close(&guards);
	}
	close(fd);
	return err;
}

/* Creates another context with a ring (bpf/ring.bpf.c) and its socket. */
static int add_ring(struct spin_nic *nic, const struct spin_object *object)
{
	const struct spin_ring_opts opts = { .bytes = sizeof(opts), .frames = 64 };
	struct spin_ctx *ctx = NULL;
	struct spin_ring *ring;
	struct spin_rule rule;
	int err = spin_rule__parse("udp dport 9002", &rule);

	if (!err)
		err = spin_ctx__create(nic, object, &rule, &ctx);
	if (!err)
		err = spin_ctx__attach(ctx);
	if (!err)
		err = spin_ring__create(ctx, &opts, &ring);
	spin_ctx__destroy(ctx);
	return err;
}

/*
 * Linux 7.2 allocates socket storage in a way that needs the instruction cmpxchg16b, which the guests' CPU does not have
 * (kernel/guest/boot).
 */
static int has_socket_storage(void)
{
	FILE *cpus = fopen("/proc/cpuinfo", "re");
	char line[4096];
	int has = 0;

	while (cpus && fgets(line, sizeof(line), cpus))
		has |= strstr(line, " cx16 ") != NULL;
	if (cpus)
		fclose(cpus);
	return has;
}

/*
 * Assigns a listening socket to the context, which loads and attaches the programs that all contexts of streams share (bpf/streams.bpf.c).
 */
static int add_listener(struct spin_ctx *ctx)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), err;
	struct spin_guards guards;

	if (fd < 0 || listen(fd, 1))
		return -errno;
	err = spin_guards__open(&guards, 80, 1000);
	if (!err) {
		err = spin_guard__install(ctx, fd, &guards);
		if (!err)
			err = spin_streams__install(ctx, fd, 1, &guards);
		if (!err)
			err = spin_ctx__attach(ctx);
		else if (err == -ENOMEM && !has_socket_storage())
			err = 0; /* the programs are loaded, and only the socket cannot be marked */
		spin_guards__close(&guards);
	}
	close(fd);
	return err;
}

/* Loads the handlers on streams of TCP sockets (bpf/stream.h), which need may_goto. */
static int add_streams(const struct spin_object *object, enum spin_class class)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;
	int err;

	if (!kernel_probe__may_goto())
		return 0;
	err = spin_rule__parse("udp dport 9003", &rule);
	if (!err)
		err = spin_streams__create(object, &rule, &opts, NULL, &ctx);
	if (!err && class == SPIN_CLASS_TRUSTED)
		err = add_listener(ctx);
	spin_ctx__destroy(ctx);
	return err;
}

/*
 * Tries the dispatcher of a process with CAP_PERFMON, or that of one without. Each time on a newly opened interface, as the dispatcher
 * stays loaded while the interface is open.
 */
static void try_dispatcher(const struct spin_object *object, const char *variant, enum spin_class class)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };
	struct spin_ctx *ctx = NULL;
	struct spin_nic *nic = NULL;
	struct spin_rule rule;
	uint32_t before = 0;
	uint64_t saved = 0;
	int err, lost;

	tail.lines = 0;
	if (tail.whole)
		fprintf(tail.whole, "=== %s %s\n", DISPATCHER, variant);
	err = spin_rule__parse("udp dport 9001", &rule);
	if (!err)
		err = spin_nic__open("lo", &nic);
	if (!err)
		err = spin_ctx__create_opts(nic, object, &rule, &opts, &ctx);
	if (!err && class == SPIN_CLASS_TRUSTED)
		err = add_guard(ctx);
	if (!err) {
		lost = class == SPIN_CLASS_ISOLATED ? kernel_caps__drop_for_isolated(&saved) : 0;
		before = newest_program();
		err = lost ? lost : spin_ctx__attach(ctx);
		if (saved)
			lost = kernel_caps__restore(saved);
		if (!err)
			err = lost;
	}
	/* migrates to the same object, to load the gate that holds packets during a migration (bpf/gate.bpf.c) */
	if (!err && class == SPIN_CLASS_TRUSTED)
		err = spin_ctx__migrate(ctx, object, NULL);
	if (!err && class == SPIN_CLASS_TRUSTED)
		err = add_ring(nic, object);
	if (!err)
		err = add_streams(object, class);
	print_cell(DISPATCHER, variant, err, NULL, before);
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
}

static void try_dispatchers(const char *path)
{
	struct spin_object *object;

	if (spin_object__open(path, &object)) {
		fprintf(stderr, "%s: %s\n", path, spin_strerror_last());
		return;
	}
	printf("object\t%s\tdispatcher\t0\n", DISPATCHER);
	try_dispatcher(object, "trusted", SPIN_CLASS_TRUSTED);
	try_dispatcher(object, "isolated", SPIN_CLASS_ISOLATED);
	spin_object__close(object);
	print_end(DISPATCHER);
}

/* lo gets Ethernet's MTU: it decides for which packets loops over a packet are verified. */
static int bring_up_lo(void)
{
	struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP }, mtu = { .ifr_name = "lo", .ifr_mtu = ETH_DATA_LEN };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int err = fd < 0 || ioctl(fd, SIOCSIFMTU, &mtu) || ioctl(fd, SIOCSIFFLAGS, &up) ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

/* build/handlers/empty.spin -> empty */
static void object_name(const char *path, char *name, size_t bytes)
{
	const char *slash = strrchr(path, '/');

	snprintf(name, bytes, "%s", slash ? slash + 1 : path);
	if (strlen(name) > 5 && !strcmp(name + strlen(name) - 5, ".spin"))
		name[strlen(name) - 5] = '\0';
}

static int try_all(char **paths, int count)
{
	int failed = 0;
	struct utsname kernel;
	char name[64];

	spin_quiet_libbpf();
	libbpf_set_print(on_libbpf_print);
	spin_set_log(on_libspin_log, NULL);
	if (uname(&kernel) || unshare(CLONE_NEWNET) || bring_up_lo() || spin_nic__open("lo", &interface)) {
		fprintf(stderr, "loader: no network namespace of its own: %s\n", strerror(errno));
		return 1;
	}
	kernel_messages = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	print_warnings(NULL, NULL);
	printf("kernel\t%s\n", kernel.release);
	for (int i = 0; i < count; i++) {
		object_name(paths[i], name, sizeof(name));
		if (!strcmp(name, DISPATCHER_OBJECT))
			try_dispatchers(paths[i]);
		failed |= try_object(paths[i], name) != 0;
	}
	spin_nic__close(interface);
	printf("done\t%d\n", count);
	fflush(stdout);
	return failed;
}

/* --- as init of a guest --- */

static void mount_all(void)
{
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	mount("bpf", "/sys/fs/bpf", "bpf", 0, NULL);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists /objects, sorted by name. */
static char **list_objects(int *count)
{
	DIR *dir = opendir("/objects");
	char **paths = NULL;
	struct dirent *entry;
	char **more;

	*count = 0;
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		more = realloc(paths, (size_t)(*count + 1) * sizeof(*paths));
		if (!more)
			break;
		paths = more;
		if (asprintf(&paths[*count], "/objects/%s", entry->d_name) < 0)
			break;
		(*count)++;
	}
	if (dir)
		closedir(dir);
	if (paths)
		qsort(paths, (size_t)*count, sizeof(*paths), compare);
	return paths;
}

/* Records go to the second serial port, and the whole log to the third; the first is the kernel's. */
static int run_as_init(void)
{
	char **paths;
	int count;

	mount_all();
	if (!freopen("/dev/ttyS1", "w", stdout))
		fprintf(stderr, "loader: /dev/ttyS1: %s\n", strerror(errno));
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	wanted_variants = getenv("spin_variants");
	if (getenv("spin_log"))
		tail.whole = fopen("/dev/ttyS2", "w");
	paths = list_objects(&count);
	try_all(paths, count);
	if (tail.whole)
		fclose(tail.whole);
	fclose(stdout);
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}

int main(int argc, char **argv)
{
	if (getpid() == 1)
		return run_as_init();
	if (argc < 2 || geteuid()) {
		fprintf(stderr, "usage, as root: loader FILE.spin... (spin_variants=trusted,isolated: these only)\n");
		return 2;
	}
	wanted_variants = getenv("spin_variants");
	return try_all(argv + 1, argc - 1);
}
