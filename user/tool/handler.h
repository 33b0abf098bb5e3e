/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_HANDLER_H
#define USER_TOOL_HANDLER_H

/*
 * Opens the handler file that a command names, for spinctl test, replay and cost. A C source is compiled by spincc into a temporary
 * directory under $TMPDIR, which handler__close() removes. An object made by spincc is used as it is.
 */
#include <limits.h>

#include "user/lib/options.h"
#include "user/conformance/engine.h"

/* An open handler file. */
struct handler {
	struct engine_handler files; /* points to the names below */
	char name[16];               /* as registered */
	char stem[256];              /* of the file: "filtering" */
	char directory[PATH_MAX];    /* where the file is, ends in a slash; "" for the working directory */
	char object[PATH_MAX], host[PATH_MAX];
	char temps[PATH_MAX]; /* "": none made */
	int temps_in_use;     /* the descriptor with the lock on it (temp_directory.h) */
	const char *no_host;  /* why there is no host build; NULL: there is one, or none was requested */
	int foreign;          /* 1: an object that this command did not compile: it may be untrusted */
};

/* How to open a handler file. */
struct handler_open_opts {
	int host;                          /* 1: also the host build */
	int trust;                         /* 1: the host build also of a foreign object */
	int verify;                        /* 1: spincc tries the kernel's verifier, if permitted */
	int card;                          /* 1: compile a source also for a card */
	const struct option_list *compile; /* -I, -D for spincc; NULL: none */
};

/* Returns DONE, or FAILED after a message. The caller must call handler__close() in either case. */
int handler__open(struct handler *h, const char *path, const struct handler_open_opts *wants);
/* Same for an object in memory, which was read from the file `path`. It has no host build. */
int handler__open_bytes(struct handler *h, const char *path, const void *object, size_t bytes);
/* The reason why an untrusted object, also one in a recording, runs on the model only. */
extern const char handler_not_trusted[];
void handler__close(struct handler *h);

#endif
