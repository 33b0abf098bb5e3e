/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reports a device's verdict on the programs of BPF objects: judge [-m MTU] DEVICE OBJECT... Runs as root in a guest (judge.sh) where the
 * device is the NFP driver's (nfp_shim.c); everything of an object is freed before the next one.
 *
 * Prints one line for each XDP program, with fields separated by tabs:
 *	OBJECT PROGRAM accept INSTRUCTIONS      the device's instructions, of 8 bytes
 *	OBJECT PROGRAM reject STAGE MESSAGE     the stage that refused, and its last words
 * Stages, in their order: open (libbpf), map, bind (type and flags of the program), kernel-verifier (a message that is not the driver's),
 * driver-verifier, jit, attach (hardware mode, at the device's MTU). A program that the device refuses is also tried without it: if the
 * host's verifier refuses it as well, the stage is kernel-verifier. Warnings of the kernel go to stderr. Exits with 1 if the device or an
 * object could not be tried at all.
 */
#include <errno.h>
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

#include "words.h"

#define DRIVER_PREFIX       "[nfp] "
#define BYTES_A_INSTRUCTION 8
#define MAPS                256 /* per object; the card has 128 */
#define MAPS_IN_USE         "/sys/module/nfp_oracle/parameters/maps_in_use"
#define QUEUE_IS_WRITTEN    "invalid bpf_context access off=16 "

struct refusal {
	const char *stage;
	char message[WORDS_BYTES];
};

static int device; /* interface index */

static int refuse(struct refusal *refusal, const char *stage, const char *format, ...)
{
	va_list arguments;

	refusal->stage = stage;
	va_start(arguments, format);
	vsnprintf(refusal->message, sizeof(refusal->message), format, arguments);
	va_end(arguments);
	return -1;
}

/* Opens the object so that only program `name` is loaded, for `ifindex` (0: for the host). Perf event arrays stay on the host. */
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
		bpf_program__set_log_buf(each, words_log, sizeof(words_log));
		bpf_program__set_log_level(each, WORDS_LOG_LEVEL);
	}
	bpf_object__for_each_map(map, object)
		if (ifindex && bpf_map__type(map) != BPF_MAP_TYPE_PERF_EVENT_ARRAY)
			bpf_map__set_ifindex(map, ifindex);
	words_forget();
	return object;
}

/*
 * Whether the host's verifier also refuses the program when it is not for the device. It refuses every program that selects a queue, which
 * only programs for devices may.
 */
static bool is_refused_by_host(const char *path, const char *name, struct refusal *refusal)
{
	struct bpf_program *program;
	struct bpf_object *object = open_one(path, name, 0, &program);
	char words[WORDS_BYTES];
	bool refused = false;

	if (!object)
		return false;
	if (bpf_object__load(object) && words_of_log("", words, sizeof(words)) &&
	    strncmp(words, QUEUE_IS_WRITTEN, strlen(QUEUE_IS_WRITTEN))) {
		refuse(refusal, "kernel-verifier", "%s", words);
		refused = true;
	}
	bpf_object__close(object);
	return refused;
}

/* The device's maps are freed by a work queue, after their IDs, and until then their entries count against its limit. */
static void wait_until_freed(void)
{
	for (int tries = 0; tries < 5000; tries++) {
		FILE *file = fopen(MAPS_IN_USE, "r");
		unsigned count = 0;

		if (!file)
			return;
		if (fscanf(file, "%u", &count) != 1)
			count = 0;
		fclose(file);
		if (!count)
			return;
		usleep(1000);
	}
}

static int create_map(const struct bpf_map *map)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = bpf_map__map_flags(map), .numa_node = bpf_map__numa_node(map),
		    .map_ifindex = (__u32)device);
	int fd = bpf_map_create(bpf_map__type(map), NULL, bpf_map__key_size(map), bpf_map__value_size(map), bpf_map__max_entries(map),
				&options);

	return fd < 0 ? -errno : fd;
}

/* Creates all maps of an object without a program: the load of a program would not say which map was refused. */
static int try_maps(const char *path, struct refusal *refusal)
{
	struct bpf_object *object = bpf_object__open_file(path, NULL);
	int fds[MAPS], opened = 0, result = 0;
	struct bpf_map *map;

	if (!object)
		return refuse(refusal, "open", "%s", words_of_libbpf());
	bpf_object__for_each_map(map, object) {
		char words[WORDS_BYTES];
		int fd;

		if (bpf_map__type(map) == BPF_MAP_TYPE_PERF_EVENT_ARRAY)
			continue;
		words_forget();
		fd = opened < MAPS ? create_map(map) : -E2BIG;
		if (fd < 0) {
			words_of_kernel(words, sizeof(words));
			result = refuse(refusal, "map", "%s: %s (%s)", bpf_map__name(map), *words ? words : "no message",
					words_of_error(fd));
			break;
		}
		fds[opened++] = fd;
	}
	while (opened)
		close(fds[--opened]);
	bpf_object__close(object);
	wait_until_freed();
	return result;
}

/* Finds the stage that refused the load that just failed with `err`. */
static void explain_load(int err, struct refusal *refusal)
{
	char words[WORDS_BYTES], kernel[WORDS_BYTES];

	words_of_kernel(kernel, sizeof(kernel));
	if (words_of_log(DRIVER_PREFIX, words, sizeof(words)))
		refuse(refusal, "driver-verifier", "%s", words + strlen(DRIVER_PREFIX));
	else if (words_of_log("", words, sizeof(words)) && strncmp(words, DRIVER_PREFIX, strlen(DRIVER_PREFIX)))
		refuse(refusal, "kernel-verifier", "%s", words);
	else if (strstr(words_log, "processed "))
		refuse(refusal, "jit", "%s (%s)", *kernel ? kernel : "no message", words_of_error(err));
	else
		refuse(refusal, "bind", "%s (%s)", *kernel ? kernel : "no message", words_of_error(err));
}

static int try_device(const char *path, const char *name, unsigned *instructions, struct refusal *refusal)
{
	struct bpf_program *program;
	struct bpf_object *object = open_one(path, name, device, &program);
	struct bpf_prog_info info = { 0 };
	__u32 bytes = sizeof(info);
	int err;

	if (!object)
		return refuse(refusal, "open", "%s", words_of_libbpf());
	words_forget();
	err = bpf_object__load(object);
	if (err) {
		explain_load(err, refusal);
		goto out;
	}
	err = bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes);
	if (err) {
		refuse(refusal, "attach", "the program cannot be queried (%s)", words_of_error(err));
		goto out;
	}
	*instructions = info.jited_prog_len / BYTES_A_INSTRUCTION;
	words_forget();
	err = bpf_xdp_attach(device, bpf_program__fd(program), XDP_FLAGS_HW_MODE, NULL);
	if (err) {
		refuse(refusal, "attach", "%s (%s)", *words_of_libbpf() ? words_of_libbpf() : "no message", words_of_error(err));
		goto out;
	}
	err = bpf_xdp_detach(device, XDP_FLAGS_HW_MODE, NULL);
	if (err)
		refuse(refusal, "attach", "the program cannot be detached (%s)", words_of_error(err));
out:
	bpf_object__close(object);
	return err ? -1 : 0;
}

/* Prints a field of a line. An object's author may have put control characters into a name. */
static void print_field(const char *text, char after)
{
	for (const char *c = text; *c; c++)
		putchar((unsigned char)*c < ' ' ? ' ' : *c);
	putchar(after);
}

static void print_refusal(const char *object, const char *program, const struct refusal *refusal)
{
	print_field(object, '\t');
	print_field(program, '\t');
	printf("reject\t%s\t", refusal->stage);
	print_field(refusal->message, '\n');
}

static void report_program(const char *path, const char *object, const char *name)
{
	struct refusal refusal;
	unsigned instructions = 0;

	if (!try_maps(path, &refusal) && !try_device(path, name, &instructions, &refusal)) {
		print_field(object, '\t');
		print_field(name, '\t');
		printf("accept\t%u\n", instructions);
	} else {
		if (strcmp(refusal.stage, "attach"))
			is_refused_by_host(path, name, &refusal);
		print_refusal(object, name, &refusal);
	}
	fflush(stdout);
	wait_until_freed();
}

/* Returns 0, or -1 if the object has nothing to judge. That is also printed as a line. */
static int report_object(const char *path)
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
	words_forget();
	opened = bpf_object__open_file(path, NULL);
	if (!opened) {
		refuse(&refusal, "open", "%s", *words_of_libbpf() ? words_of_libbpf() : strerror(errno));
		print_refusal(object, "-", &refusal);
		return -1;
	}
	bpf_object__for_each_program(program, opened) {
		if (bpf_program__type(program) != BPF_PROG_TYPE_XDP)
			continue;
		report_program(path, object, bpf_program__name(program));
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
	if (words_begin())
		return 1;
	for (int i = optind + 1; i < argc; i++)
		if (report_object(argv[i]))
			result = 1;
	words_forget();
	return result;
}
