/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a device that takes programs says of those in BPF objects: judge [-m MTU] DEVICE OBJECT... Runs as root in a guest
 * (judge.sh) where the device is the NFP driver's (nfp_shim.c); nothing of an object is left when the next one's turn comes.
 *
 * Output, one line for each XDP program, fields separated by tabs:
 *	OBJECT PROGRAM accept INSTRUCTIONS      the device's own, of 8 bytes
 *	OBJECT PROGRAM reject STAGE MESSAGE     the first stage that refused, and its last words
 * Stages, in their order: open (libbpf), kernel-verifier (the host's, without the device; or with it, and not by the driver),
 * map, bind (type and flags of the program), driver-verifier, jit, attach (hardware mode, at the device's MTU).
 * What the kernel warns of meanwhile goes to stderr. Ends with 1 if the device or an object could not be tried at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#define MESSAGE_BYTES       400
#define LOG_BYTES           (256 * 1024)
#define LOG_ERRORS_ONLY     4 /* BPF_LOG_STATS: messages and statistics, no trace of the states */
#define DRIVER_PREFIX       "[nfp] "
#define DRIVER_WARNING      "[nfp] warning: "
#define BYTES_A_INSTRUCTION 8

struct refusal {
	const char *stage;
	char message[MESSAGE_BYTES];
};

static int device; /* interface index */
static int kernel_messages = -1;
static char verifier_log[LOG_BYTES];
static char library_says[MESSAGE_BYTES]; /* libbpf's last warning, without its prefix */

static int keep_warning(enum libbpf_print_level level, const char *format, va_list arguments)
{
	char line[MESSAGE_BYTES];
	const char *kernel;

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(line, sizeof(line), format, arguments);
	line[strcspn(line, "\n")] = 0;
	kernel = strstr(line, "Kernel error message: ");
	snprintf(library_says, sizeof(library_says), "%s", kernel ? kernel + strlen("Kernel error message: ") : line);
	return 0;
}

/* The kernel's messages since the last call, joined. Warnings of its own go to stderr. */
static void take_kernel_messages(char *to, size_t bytes)
{
	char record[2048];
	size_t used = 0;
	ssize_t length;

	if (bytes)
		*to = 0;
	while ((length = read(kernel_messages, record, sizeof(record) - 1)) > 0 || (length < 0 && errno == EPIPE)) {
		char *text;

		if (length < 0)
			continue; /* some were overwritten */
		record[length] = 0;
		text = strchr(record, ';');
		if (!text)
			continue;
		text++;
		text[strcspn(text, "\n")] = 0;
		if (strstr(text, "WARNING:") || strstr(text, "BUG:") || strstr(text, "Oops"))
			fprintf(stderr, "kernel: %s\n", text);
		if (used < bytes)
			used += (size_t)snprintf(to + used, bytes - used, "%s%s", used ? "; " : "", text);
	}
}

static bool is_statistics(const char *line)
{
	static const char *const starts[] = { "processed ", "verification time ", "stack depth ", "max_states", "-- " };

	for (unsigned i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(line, starts[i], strlen(starts[i])))
			return true;
	return !*line;
}

/* The last line that says why, into `to`; with `prefix` only lines that begin so. False: there is none. */
static bool last_words(const char *prefix, char *to, size_t bytes)
{
	bool found = false;

	for (const char *line = verifier_log; *line;) {
		size_t length = strcspn(line, "\n");
		char one[MESSAGE_BYTES];

		snprintf(one, sizeof(one), "%.*s", (int)(length < sizeof(one) ? length : sizeof(one) - 1), line);
		if (!is_statistics(one) && !strncmp(one, prefix, strlen(prefix)) && strncmp(one, DRIVER_WARNING, strlen(DRIVER_WARNING))) {
			snprintf(to, bytes, "%s", one);
			found = true;
		}
		line += length + (line[length] == '\n');
	}
	return found;
}

static int refuse(struct refusal *refusal, const char *stage, const char *format, ...)
{
	va_list arguments;

	refusal->stage = stage;
	va_start(arguments, format);
	vsnprintf(refusal->message, sizeof(refusal->message), format, arguments);
	va_end(arguments);
	return -1;
}

static const char *error_name(int err)
{
	const char *name = strerrorname_np(err < 0 ? -err : err);

	if (err == -524)
		return "ENOTSUPP"; /* the kernel's own, which the C library has no name for */
	return name ? name : "unknown error";
}

/* The object with program `name` only to be loaded, for `ifindex` (0: for the host). Perf event arrays stay on the host. */
static struct bpf_object *open_one(const char *path, const char *name, int ifindex, struct bpf_program **program)
{
	struct bpf_object *object = bpf_object__open_file(path, NULL);
	struct bpf_program *each;
	struct bpf_map *map;

	if (!object)
		return NULL;
	*program = NULL;
	bpf_object__for_each_program(each, object) {
		bool wanted = !strcmp(bpf_program__name(each), name);

		bpf_program__set_autoload(each, wanted);
		if (!wanted)
			continue;
		*program = each;
		bpf_program__set_ifindex(each, ifindex);
		bpf_program__set_log_buf(each, verifier_log, sizeof(verifier_log));
		bpf_program__set_log_level(each, LOG_ERRORS_ONLY);
	}
	bpf_object__for_each_map(map, object)
		if (ifindex && bpf_map__type(map) != BPF_MAP_TYPE_PERF_EVENT_ARRAY)
			bpf_map__set_ifindex(map, ifindex);
	*verifier_log = 0;
	*library_says = 0;
	return object;
}

static int try_host(const char *path, const char *name, struct refusal *refusal)
{
	struct bpf_program *program;
	struct bpf_object *object = open_one(path, name, 0, &program);
	char words[MESSAGE_BYTES];
	int err;

	if (!object)
		return refuse(refusal, "open", "%s", library_says);
	err = bpf_object__load(object);
	if (err && last_words("", words, sizeof(words)))
		refuse(refusal, "kernel-verifier", "%s", words);
	else if (err)
		refuse(refusal, "kernel-verifier", "%s (%s)", library_says, error_name(err));
	bpf_object__close(object);
	return err ? -1 : 0;
}

/* Each map alone, as the load of the program would not say which one was refused. */
static int try_maps(const char *path, struct refusal *refusal)
{
	struct bpf_object *object = bpf_object__open_file(path, NULL);
	struct bpf_map *map;
	int result = 0;

	if (!object)
		return refuse(refusal, "open", "%s", library_says);
	bpf_object__for_each_map(map, object) {
		LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = bpf_map__map_flags(map), .numa_node = bpf_map__numa_node(map),
			    .map_ifindex = (__u32)device);
		char words[MESSAGE_BYTES];
		int fd;

		if (bpf_map__type(map) == BPF_MAP_TYPE_PERF_EVENT_ARRAY)
			continue;
		take_kernel_messages(NULL, 0);
		/* a name of the kernel's rules: .rodata's has a dot less there */
		fd = bpf_map_create(bpf_map__type(map), NULL, bpf_map__key_size(map), bpf_map__value_size(map), bpf_map__max_entries(map),
				    &options);
		if (fd >= 0) {
			close(fd);
			continue;
		}
		fd = -errno;
		take_kernel_messages(words, sizeof(words));
		result = refuse(refusal, "map", "%s: %s (%s)", bpf_map__name(map), *words ? words : "no message", error_name(fd));
		break;
	}
	bpf_object__close(object);
	return result;
}

/* Which of the stages refused the load that just failed with `err`. */
static void explain_load(int err, struct refusal *refusal)
{
	char words[MESSAGE_BYTES], kernel[MESSAGE_BYTES];

	take_kernel_messages(kernel, sizeof(kernel));
	if (last_words(DRIVER_PREFIX, words, sizeof(words)))
		refuse(refusal, "driver-verifier", "%s", words + strlen(DRIVER_PREFIX));
	else if (last_words("", words, sizeof(words)) && strncmp(words, DRIVER_PREFIX, strlen(DRIVER_PREFIX)))
		refuse(refusal, "kernel-verifier", "%s", words);
	else if (strstr(verifier_log, "processed "))
		refuse(refusal, "jit", "%s (%s)", *kernel ? kernel : "no message", error_name(err));
	else
		refuse(refusal, "bind", "%s (%s)", *kernel ? kernel : "no message", error_name(err));
}

static int try_device(const char *path, const char *name, unsigned *instructions, struct refusal *refusal)
{
	struct bpf_program *program;
	struct bpf_object *object = open_one(path, name, device, &program);
	struct bpf_prog_info info = { 0 };
	__u32 bytes = sizeof(info);
	int err;

	if (!object)
		return refuse(refusal, "open", "%s", library_says);
	take_kernel_messages(NULL, 0);
	err = bpf_object__load(object);
	if (err) {
		explain_load(err, refusal);
		goto out;
	}
	err = bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes);
	if (err) {
		refuse(refusal, "attach", "the program cannot be queried (%s)", error_name(err));
		goto out;
	}
	*instructions = info.jited_prog_len / BYTES_A_INSTRUCTION;
	*library_says = 0;
	err = bpf_xdp_attach(device, bpf_program__fd(program), XDP_FLAGS_HW_MODE, NULL);
	if (err) {
		refuse(refusal, "attach", "%s (%s)", *library_says ? library_says : "no message", error_name(err));
		goto out;
	}
	err = bpf_xdp_detach(device, XDP_FLAGS_HW_MODE, NULL);
	if (err)
		refuse(refusal, "attach", "the program cannot be detached (%s)", error_name(err));
out:
	bpf_object__close(object);
	return err ? -1 : 0;
}

static void print_refusal(const char *object, const char *program, const struct refusal *refusal)
{
	printf("%s\t%s\treject\t%s\t", object, program, refusal->stage);
	for (const char *c = refusal->message; *c; c++)
		putchar((unsigned char)*c < ' ' ? ' ' : *c);
	putchar('\n');
}

static void judge_program(const char *path, const char *object, const char *name)
{
	struct refusal refusal;
	unsigned instructions = 0;

	if (try_host(path, name, &refusal) || try_maps(path, &refusal) || try_device(path, name, &instructions, &refusal))
		print_refusal(object, name, &refusal);
	else
		printf("%s\t%s\taccept\t%u\n", object, name, instructions);
	fflush(stdout);
}

/* 0, or -1: there is nothing to judge in it, which is a line, too. */
static int judge_object(const char *path)
{
	char copy[4096], *object, *dot;
	struct bpf_program *program;
	struct refusal refusal;
	struct bpf_object *opened;
	unsigned programs = 0;

	snprintf(copy, sizeof(copy), "%s", path);
	object = basename(copy);
	dot = strrchr(object, '.');
	if (dot && dot != object)
		*dot = 0;
	*library_says = 0;
	opened = bpf_object__open_file(path, NULL);
	if (!opened) {
		refuse(&refusal, "open", "%s", *library_says ? library_says : strerror(errno));
		print_refusal(object, "-", &refusal);
		return -1;
	}
	bpf_object__for_each_program(program, opened) {
		if (bpf_program__type(program) != BPF_PROG_TYPE_XDP)
			continue;
		judge_program(path, object, bpf_program__name(program));
		programs++;
	}
	bpf_object__close(opened);
	if (programs)
		return 0;
	refuse(&refusal, "open", "the object has no XDP program");
	print_refusal(object, "-", &refusal);
	return -1;
}

static int set_mtu(const char *name, int mtu)
{
	struct ifreq request = { .ifr_mtu = mtu };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), err;

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	err = fd < 0 ? -1 : ioctl(fd, SIOCSIFMTU, &request);
	if (err)
		fprintf(stderr, "judge: %s: MTU %d: %s\n", name, mtu, strerror(errno));
	close(fd);
	return err;
}

int main(int argc, char **argv)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	int option, mtu = 0, result = 0;

	while ((option = getopt(argc, argv, "m:")) != -1)
		if (option == 'm')
			mtu = atoi(optarg);
		else
			return 2;
	if (argc - optind < 2) {
		fprintf(stderr, "usage: judge [-m MTU] DEVICE OBJECT...\n");
		return 2;
	}
	device = (int)if_nametoindex(argv[optind]);
	if (!device) {
		fprintf(stderr, "judge: no device %s: its module was not loaded, the console says why\n", argv[optind]);
		return 1;
	}
	if (mtu && set_mtu(argv[optind], mtu))
		return 1;
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	libbpf_set_print(keep_warning);
	kernel_messages = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kernel_messages < 0) {
		fprintf(stderr, "judge: /dev/kmsg: %s\n", strerror(errno));
		return 1;
	}
	lseek(kernel_messages, 0, SEEK_END);
	for (int i = optind + 1; i < argc; i++)
		if (judge_object(argv[i]))
			result = 1;
	take_kernel_messages(NULL, 0);
	return result;
}
