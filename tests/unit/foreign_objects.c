/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that third-party objects are refused when they are opened, with the name of the offending part, and the source line of an offending
 * instruction. Each is complete, has a correct checksum, and libbpf would load it. The cases of foreign_objects.bpf.c are tested in the
 * object itself and in its programs with bounded loops, those of foreign_card.bpf.c as its program for a card. Afterwards nothing of them
 * may be loaded or pinned. Run by tests/run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include <spin/libspin.h>
#include "user/libspin/object/trailer.h"
#include "user/libspin/share.h"

static const struct foreign {
	const char *macro, *named; /* named: expected in the message */
	const char *source;        /* expected in the source line that the message names; NULL: it names none */
} cases[] = {
	{ "PINNED", "a map hostile_pin that is to be pinned at /sys/fs/bpf/hostile_pin" },
	{ "PINNED_AS_OURS", "a map spin_events that is to be pinned" },
	{ "OWN_MAP", "a map hostile_map" },
	{ "GIBIBYTE", "the map spin_neighs of 67108864 entries" },
	{ "GIBIBYTE_VALUE", "the map spin_host of 1 entries of 4 and 1073741824 bytes" },
	{ "GIBIBYTE_DATA", ".bss of 5368" },
	{ "SEVERAL_BSS", "two sections \".bss\"" },
	{ "SEVERAL_RODATA", "(all of them together: at most 67108864)" },
	{ "TWENTY_RODATA", "more than 16 data sections" },
	{ "MANY_SECTIONS", "sections (at most 256)" },
	{ "TWO_BTF_EXT", "two sections \".BTF.ext\"" },
	{ "LOAD_ACQUIRE", "an access to memory (code 0xdb, number 0x100) in spin_xdp", "0, 1, 0, 0\"" },
	{ "STORE_RELEASE", "an access to memory (code 0xdb, number 0x110) in spin_xdp", "0x10, 1, 0, 0\"" },
	{ "UNKNOWN_ATOMIC", "an access to memory (code 0xdb, number 0x7)", "7, 0, 0, 0" },
	{ "UNKNOWN_LOAD", "an access to memory (code 0x59", "0x59" },
	{ "OTHER_TYPE", "the map spin_events of type 1, and not 27" },
	{ "OTHER_KEY", "the map spin_tx_descs of 1 entries of 8" },
	{ "OTHER_FLAGS", "the map spin_tx_rings with other flags" },
	{ "OTHER_NODE", "the map spin_tx_rings with other flags" },
	{ "OTHER_INNER", "inside of spin_egress" },
	{ "SOCKETS_OF_RINGS", "a map spin_ring_sockets" },
	{ "SOCKETS_AS_OURS", "the map spin_neighs of type 17, and not 1" },
	{ "SOCKETS_INSIDE", "inside of spin_egress" },
	{ "FILLED_MAP", "relocations of section \".maps\"" },
	{ "TC", "a section \"tc\"" },
	{ "ESCAPES", "a section \"?[2Jtc?\"" },
	{ "SOCKET", "a section \"socket\"" },
	{ "CGROUP", "a section \"?cgroup/skb\"" },
	{ "KPROBE", "a section \"kprobe/do_exit\"" },
	{ "OWN_PROGRAM", "a program hostile" },
	{ "STREAM_PARSER", "a section \"?sk_skb/stream_parser\"" },
	{ "OUR_NAME_AT_STREAM", "the program spin_copied of section \"sk_skb/stream_verdict\", and not of \"xdp\"" },
	{ "STREAM_AT_XDP", "the program spin_stream of section \"xdp\", and not of \"sk_skb/stream_verdict\"" },
	{ "STREAM_REDIRECT", "a call of bpf_sk_redirect_map() in spin_stream", "bpf_sk_redirect_map(" },
	{ "STREAM_SHORTER", "a call of bpf_skb_change_tail() in spin_stream", "bpf_skb_change_tail(" },
	{ "OUR_NAME_AT_TC", "a section \"?tc\"" },
	{ "OUR_NAME_AT_CPUMAP", "a section \"?xdp/cpumap\"" },
	{ "OUR_NAME_IN_FRAGS", "a section \"?xdp.frags\"" },
	{ "OUR_NAME_AUTOLOADED", "the program spin_copied in the section \"xdp\"" },
	{ "STRUCT_OPS", "a section \".struct_ops\"" },
	{ "OWN_DATA", "a section \".data.hostile\"" },
	{ "PROBE_READ", "a call of bpf_probe_read_kernel() in spin_xdp", "bpf_probe_read_kernel(&total" },
	{ "NOINLINE_PROBE", "a call of bpf_probe_read_kernel() in hidden", "bpf_probe_read_kernel(to" },
	{ "UNUSED_PROBE", "a call of bpf_probe_read_kernel() in hidden", "bpf_probe_read_kernel((void *)0" },
	{ "SOCKET_LOOKUP", "a call of bpf_skc_lookup_tcp() in spin_xdp", "bpf_skc_lookup_tcp(ctx" },
	{ "SOCKET_RELEASE", "a call of bpf_sk_release() in spin_xdp", "bpf_sk_release((void *)8" },
	{ "SEGMENTS_TCP_SOCK", "a call of bpf_tcp_sock() in spin_xdp", "bpf_tcp_sock(" },
	{ "SEGMENTS_SK_LOOKUP", "a call of bpf_sk_lookup_tcp() in spin_xdp", "bpf_sk_lookup_tcp(" },
	{ "SEGMENTS_IN_STREAM", "a call of bpf_skc_lookup_tcp() in spin_stream", "bpf_skc_lookup_tcp(skb" },
	{ "MAP_UPDATE", "a call of bpf_map_update_elem() in spin_xdp", "bpf_map_update_elem(" },
	{ "NESTED_LOOPS", "the address of a function, as callbacks have it, in ", "bpf_loop(" },
	{ "BARE_LOOP", "a call of bpf_loop() in spin_xdp", "bpf_loop(" },
	{ "CALLBACK", "the address of a function, as callbacks have it, in spin_xdp", "total" },
	{ "UNKNOWN_HELPER", "a call of helper 100000", "100000" },
	{ "EXTERN_KFUNC", "a reference to bpf_rdonly_cast", "bpf_rdonly_cast(" },
	{ "WEAK_KFUNC", "a reference to bpf_rcu_read_lock", "bpf_rcu_read_lock" },
	{ "RAW_KFUNC", "a call of a kernel function (kfunc) in spin_xdp", "0x85" },
	{ "RAW_MAP", "a file descriptor", "0x18, 0x11" },
	{ "RAW_CALLX", "a call or jump through a register", "0x8d" },
	{ "RAW_GOTOX", "a call or jump through a register", "0x0d" },
	{ "RAW_LD_ABS", "an access to packets of sockets", "0x20" },
	{ "RAW_ARENA_CAST", "a cast of address spaces", "0xbf" },
	{ "EXTERN_KSYM", "a reference to jiffies", "total" },
	{ "EXTERN_KCONFIG", "a reference to LINUX_KERNEL_VERSION", "LINUX_KERNEL_VERSION" },
	{ "CORE", "CO-RE relocations" },
	{ "CROOKED", "a function that does not begin or end with an instruction" },
	{ "HALF_A_LOAD", "a function that does not begin or end with an instruction" },
};

static const struct foreign card_cases[] = {
	{ "CARD", NULL },
	{ "CARD_ENTRIES", "the map spin_counters of another size" },
	{ "CARD_FLAGS", "a map spin_counters with attributes that a card does not have" },
	{ "CARD_PINNED", "a map spin_counters with attributes that a card does not have" },
	{ "CARD_TABLE", "a map hostile_map, which is not a table of the object" },
	{ "CARD_ROWS=rows,BPF_MAP_TYPE_ARRAY,16,2", NULL },
	{ "CARD_ROWS=rows,BPF_MAP_TYPE_HASH,16,2", NULL },
	{ "CARD_ROWS=rows,BPF_MAP_TYPE_PERCPU_ARRAY,16,2", "the map rows of type 6" },
	{ "CARD_ROWS=rows,BPF_MAP_TYPE_ARRAY,32,2", "the map rows of 32 entries of 8 bytes, and not 16 of 8" },
	{ "CARD_ROWS=rows,BPF_MAP_TYPE_ARRAY,16,4", "the map rows of 16 entries of 16 bytes, and not 16 of 8" },
	{ "CARD_ROWS=pairs,BPF_MAP_TYPE_HASH,16,2", "the hash pairs, whose entries have no key" },
	{ "CARD_ROWS=total,BPF_MAP_TYPE_ARRAY,1,1", "a map total, which is not a table of the object" },
	{ "CARD_ROWS=wide,BPF_MAP_TYPE_ARRAY,2,15", "the table wide with entries of 60 bytes (at most 56)" },
	{ "CARD_ROWS=fixed,BPF_MAP_TYPE_ARRAY,16,2", "a map fixed, which is not a table of the object" },
	{ "CARD_NOTHING", "0 programs, and not one" },
	{ "CARD_STATE", "the map spin_state of another size or type" },
	{ "CARD_VARIABLE", "a section \".bss\"" },
	{ "CARD_HELPER", "a call of bpf_ktime_get_ns() in spin_nfp", "bpf_ktime_get_ns()" },
	{ "CARD_PROGRAMS", "a program hostile" },
};

static char directory[] = "/tmp/spin-foreign-XXXXXX";
static char ordinary[64], foreign[64], whole[64];

static int run(const char *command)
{
	int status = system(command);

	if (status)
		printf("failed: %s\n", command);
	return status;
}

static int compile_file(const char *file, const char *macro, const char *to)
{
	char command[1024];

	snprintf(command, sizeof(command),
		 "${CLANG:-clang} -target bpf -mcpu=v3 -O2 -g -w -ffreestanding '-D%s' -Ihandlers/include -idirafter "
		 "/usr/include/$(gcc -print-multiarch) -c tests/unit/%s -o %s && llvm-strip -g %s",
		 macro, file, to, to);
	return run(command);
}

static int compile(const char *macro, const char *to)
{
	return compile_file("foreign_objects.bpf.c", macro, to);
}

/* Appends the trailer that makes an ELF file a fat object. */
static int trailer(const char *path)
{
	uint8_t trailer[SPIN_TRAILER_BYTES];
	FILE *f = fopen(path, "r+b");
	uint8_t *data = NULL;
	long bytes = 0;
	int ok = 0;

	if (f && !fseek(f, 0, SEEK_END) && (bytes = ftell(f)) > 0) {
		rewind(f);
		data = malloc((size_t)bytes);
		ok = data && fread(data, 1, (size_t)bytes, f) == (size_t)bytes;
	}
	if (ok) {
		spin_trailer__make(data, (size_t)bytes, trailer);
		ok = !fseek(f, 0, SEEK_END) && fwrite(trailer, 1, sizeof(trailer), f) == sizeof(trailer);
	}
	if (f)
		ok &= !fclose(f);
	free(data);
	return ok ? 0 : -1;
}

/* Returns 1 if the message names a line of the test's sources that has `source`, or, if that is NULL, no line. */
static int names_line(const char *message, const char *source)
{
	const char *file = strstr(message, "tests/unit/foreign_");
	char name[64], text[256] = "";
	unsigned line;
	FILE *f;

	if (!file || !source)
		return !file && !source;
	if (sscanf(file, "%63[^:]:%u", name, &line) != 2)
		return 0;
	f = fopen(name, "r");
	for (unsigned i = 0; f && i < line; i++)
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
	if (f)
		fclose(f);
	return strstr(text, source) != NULL;
}

/* Returns 1 if the object was accepted, or refused for another reason or without the line. */
static int check(const char *path, const char *macro, const char *where, const char *named, const char *source)
{
	struct spin_object *object;
	const char *message;

	if (!spin_object__open(path, &object)) {
		spin_object__close(object);
		if (!named)
			return 0;
		printf("%s%s: it was opened\n", macro, where);
		return 1;
	}
	message = spin_strerror_last();
	if (named && strstr(message, named) && strstr(message, "compile its source yourself") && names_line(message, source) &&
	    (!*where || strstr(message, "(in its programs with bounded loops)") || strstr(message, "(in its program for a card)")))
		return 0;
	printf("%s%s: refused by: %s\n", macro, where, message);
	return 1;
}

static int try_case(const struct foreign *f)
{
	char command[1024];
	int failed;

	if (compile(f->macro, foreign))
		return 1;
	snprintf(command, sizeof(command), "llvm-objcopy --add-section .spin.bounded=%s %s %s", foreign, ordinary, whole);
	if (run(command) || trailer(whole) || trailer(foreign))
		return 1;
	failed = check(foreign, f->macro, "", f->named, f->source);
	return failed | check(whole, f->macro, " as .spin.bounded", f->named, f->source);
}

/* `edit` is a command that changes the compiled file ($f). One source has each name once, so it makes a second one, of a map or a section. */
static int try_edited(const char *macro, const char *edit, const char *named, const char *source)
{
	char command[1024];

	if (compile(macro, foreign))
		return 1;
	snprintf(command, sizeof(command), "f=%s; export LC_ALL=C; %s", foreign, edit);
	return run(command) || trailer(foreign) ? 1 : check(foreign, macro, "", named, source);
}

/* The programs with bounded loops are for kernels without may_goto, so they must not contain it. */
static int try_may_goto(void)
{
	static const struct foreign f = { "RAW_MAY_GOTO", NULL };
	char command[1024];

	if (compile(f.macro, foreign))
		return 1;
	snprintf(command, sizeof(command), "llvm-objcopy --add-section .spin.bounded=%s %s %s", foreign, ordinary, whole);
	if (run(command) || trailer(whole) || trailer(foreign))
		return 1;
	return check(foreign, f.macro, "", NULL, NULL) | check(whole, f.macro, " as .spin.bounded", "a may_goto in spin_xdp", "0xe5");
}

/* Programs of an object whose handlers take TCP segments may look up sockets; those with bounded loops as well, but of no other object. */
static int try_segments(void)
{
	const char *const bases[] = { foreign, ordinary };
	char command[1024];
	int failed = 0;

	for (int i = 0; i < 2; i++) {
		if (compile("SEGMENTS", foreign))
			return 1;
		snprintf(command, sizeof(command), "llvm-objcopy --add-section .spin.bounded=%s %s %s", foreign, bases[i], whole);
		if (run(command) || trailer(whole) || trailer(foreign))
			return 1;
		failed |= check(foreign, "SEGMENTS", "", NULL, NULL);
		failed |= check(whole, "SEGMENTS", " as .spin.bounded", i ? "a call of bpf_skc_lookup_tcp() in spin_xdp" : NULL,
				i ? "bpf_skc_lookup_tcp(ctx" : NULL);
	}
	return failed;
}

/* spind's quotas must count the programs that an older kernel would load, too. */
static int try_needs(void)
{
	struct share_needs alone, both;
	struct spin_object *object;
	char command[1024];
	int failed;

	if (compile("LARGE", foreign))
		return 1;
	snprintf(command, sizeof(command), "llvm-objcopy --add-section .spin.bounded=%s %s %s", foreign, ordinary, whole);
	if (run(command) || trailer(whole) || trailer(foreign) || spin_object__open(foreign, &object))
		return 1;
	failed = share__needs(object, 0, &alone);
	spin_object__close(object);
	if (failed || spin_object__open(whole, &object))
		return 1;
	failed = share__needs(object, 0, &both);
	spin_object__close(object);
	if (!failed && alone.instructions >= 5000 && alone.map_bytes >= 1 << 20 && both.instructions == alone.instructions &&
	    both.map_bytes == alone.map_bytes)
		return 0;
	printf("LARGE as .spin.bounded: counted as %u instructions and %llu bytes, not as %u and %llu\n", both.instructions,
	       (unsigned long long)both.map_bytes, alone.instructions, (unsigned long long)alone.map_bytes);
	return 1;
}

static int try_card(const struct foreign *f)
{
	char command[1024];

	if (compile_file("foreign_card.bpf.c", f->macro, foreign))
		return 1;
	snprintf(command, sizeof(command), "llvm-objcopy --add-section .spin.nfp=%s %s %s", foreign, ordinary, whole);
	if (run(command) || trailer(whole))
		return 1;
	return check(whole, f->macro, " as .spin.nfp", f->named, f->source);
}

/* Looks for maps of the cases in the kernel. Only root can do this. */
static int left_over(void)
{
	int left = 0;

	for (uint32_t id = 0; !bpf_map_get_next_id(id, &id);) {
		struct bpf_map_info info = { 0 };
		uint32_t bytes = sizeof(info);
		int fd = bpf_map_get_fd_by_id(id);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &bytes) && !strncmp(info.name, "hostile", 7)) {
			printf("the map %s is in the kernel\n", info.name);
			left = 1;
		}
		if (fd >= 0)
			close(fd);
	}
	if (!access("/sys/fs/bpf/hostile_pin", F_OK) || !access("/sys/fs/bpf/spin_events", F_OK)) {
		puts("a map is pinned");
		left = 1;
	}
	return left;
}

int main(void)
{
	int failed = 0;

	if (!mkdtemp(directory))
		return 1;
	snprintf(ordinary, sizeof(ordinary), "%s/ordinary.o", directory);
	snprintf(foreign, sizeof(foreign), "%s/foreign.o", directory);
	snprintf(whole, sizeof(whole), "%s/whole.o", directory);
	/* the ordinary object must open, so the cases below are refused for their own part only */
	failed = compile("ORDINARY", ordinary);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		failed |= try_case(&cases[i]);
	failed |= try_may_goto();
	failed |= try_segments();
	failed |= try_needs();
	failed |= try_edited("TWO_PROGRAMS", "sed -i s/spin_copiee/spin_copied/g $f", "two programs spin_copied", NULL);
	failed |= try_edited("TWO_MAPS", "sed -i s/spin_unitt/spin_units/g $f", "two maps spin_units", NULL);
	failed |= try_edited("TWO_BTF", "llvm-objcopy --add-section .BTX=Makefile $f && sed -i 's/\\.BTX/.BTF/' $f",
			     "two sections \".BTF\"", NULL);
	/* without line information; with a name of the source file that would write to a terminal */
	failed |= try_edited("PROBE_READ", "llvm-objcopy --remove-section .rel.BTF.ext --remove-section .BTF.ext $f",
			     "a call of bpf_probe_read_kernel() in spin_xdp, which", NULL);
	failed |= try_edited("PROBE_READ", "sed -i 's,tests/unit/foreign,tests/unit/\33[2J\233[m,' $f",
			     "tests/unit/?[2J?[m_objects.bpf.c:", NULL);
	for (size_t i = 0; i < sizeof(card_cases) / sizeof(card_cases[0]); i++)
		failed |= try_card(&card_cases[i]);
	if (trailer(ordinary))
		failed = 1;
	failed |= check(ordinary, "ORDINARY", "", NULL, NULL) | left_over();
	unlink(ordinary);
	unlink(foreign);
	unlink(whole);
	rmdir(directory);
	return failed != 0;
}
