/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_LOAD_FAILURE_H
#define USER_LIBSPIN_LOAD_FAILURE_H

/* Explains to the user why bpf_object__load() failed. Called by load/context.c (handlers) and by the loaders of libspin's own programs. */
#include "user/libspin/internal.h"

#define VERIFIER_LOG_BYTES (16u << 20)

/*
 * Checks whether descriptors, memory or permission were lacking. Returns 0, or
 * -EMFILE, -ENFILE, -ENOMEM or -EPERM with the message in `reason`. log: the verifier's.
 */
int load_failure__shortage(int err, struct bpf_object *bpf, const char *log, char *reason, size_t reason_bytes);

/*
 * Loads one of the library's own programs, which was opened with `log` as
 * kernel_log_buf. Returns 0, or a negative errno with the message set: a shortage, an old
 * kernel, or, if the verifier refuses it, a fault of sPIN.
 */
int load_failure__load_own(struct bpf_object *bpf, const char *log, enum spin_class class, const char *what);

/* The same after a failed bpf_object__load(), which returned err. */
int load_failure__explain_own(int err, struct bpf_object *bpf, const char *log, enum spin_class class, const char *what);

/*
 * A refusal (`known` is -EINVAL) in that class may be the kernel's fault: in that case adds this to `reason` and returns
 * -ENOSYS. Otherwise returns `known`.
 */
int load_failure__of_class(int known, enum spin_class class, const char *log, char *reason, size_t reason_bytes);

/* Passes each line of the verifier's log to the spin_set_log() callback. */
void load_failure__log_lines(const char *log);

#endif
