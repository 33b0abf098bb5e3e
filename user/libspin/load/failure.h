/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_LOAD_FAILURE_H
#define USER_LIBSPIN_LOAD_FAILURE_H

/* The reason of a failed bpf_object__load() in words. */
#include "user/libspin/internal.h"

#define VERIFIER_LOG_BYTES (16u << 20)

/*
 * What the object lacked besides a newer kernel: descriptors, memory, permission. 0, or
 * -EMFILE, -ENFILE, -ENOMEM or -EPERM with the message in `reason`. log: the verifier's.
 */
int load_failure__shortage(int err, struct bpf_object *bpf, const char *log, char *reason, size_t reason_bytes);

/*
 * Loads one of the library's own programs, which was opened with `log` as
 * kernel_log_buf. 0, or a negative errno with the message set: a shortage, an old
 * kernel, or, if the verifier complains, a fault of sPIN's own.
 */
int load_failure__load_own(struct bpf_object *bpf, const char *log, enum spin_class class, const char *what);

/* The same after another has called bpf_object__load(), which gave err. */
int load_failure__explain_own(int err, struct bpf_object *bpf, const char *log, enum spin_class class, const char *what);

/*
 * What the verifier refused in that class, -EINVAL with the reason, may be the kernel's fault: then adds so to `reason`, and returns
 * -ENOSYS. Returns `known` otherwise.
 */
int load_failure__of_class(int known, enum spin_class class, const char *log, char *reason, size_t reason_bytes);

/* Hands each line of the verifier's log to spin_set_log()'s callback. */
void load_failure__log_lines(const char *log);

#endif
