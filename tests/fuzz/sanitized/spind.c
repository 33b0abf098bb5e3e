/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What spind needs in addition to be tested with sanitizers, because its holders are children that a thread has forked and that end by
 * _exit(). Linked into spind in builds with AddressSanitizer (Makefile, SANITIZE=), for tests/fuzz/fuzz_spind.c.
 */
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *mmap64(void *at, size_t bytes, int protection, int flags, int fd, off64_t offset);

/* LeakSanitizer looks for leaks at exit() alone. */
void _exit(int status)
{
	if (!status && __lsan_do_recoverable_leak_check())
		status = 1;
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}

/*
 * The stacks of the front's other threads stay poisoned in a child, which never runs these threads. glibc unmaps them, and what libbpf maps
 * at the same address looked like a variable that is out of scope (gcc 12, Debian 12).
 */
void *mmap64(void *at, size_t bytes, int protection, int flags, int fd, off64_t offset)
{
	void *memory = (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);

	if (memory != MAP_FAILED)
		__asan_unpoison_memory_region(memory, (bytes + 4095) & ~(size_t)4095);
	return memory;
}
