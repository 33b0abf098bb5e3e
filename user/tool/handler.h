/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_HANDLER_H
#define USER_TOOL_HANDLER_H

/*
 * A handler that a command names by a file, source or fat object, prepared for the engines. Sources are compiled by spincc in a
 * temporary directory under $TMPDIR, which is removed at the end.
 */
#include <limits.h>

#include "user/lib/options.h"
#include "user/conformance/engine.h"

struct handler {
	struct engine_handler files; /* points to the names below */
	char name[16];               /* as registered */
	char stem[256];              /* of the file: "filtering" */
	char directory[PATH_MAX];    /* where the file is, ends in a slash; "" for the working directory */
	char object[PATH_MAX], host[PATH_MAX];
	char temps[PATH_MAX]; /* "": none made */
	int temps_in_use;     /* says so to others */
	const char *no_host;  /* why there is no host build; NULL: there is one, or it is not wanted */
	int foreign;          /* 1: an object, which somebody else may have made: not compiled by this command */
};

struct handler_wants {
	int host;                          /* the host build, too */
	int trust;                         /* also of a foreign object */
	int verify;                        /* by the kernel's verifier, if permitted */
	int card;                          /* 1: of a source the program for a card, too */
	const struct option_list *compile; /* -I, -D for spincc; NULL: none */
};

/* DONE, or FAILED after a message; handler__close() in either case. */
int handler__open(struct handler *h, const char *path, const struct handler_wants *wants);
/* An object that lies in memory, of the file called `path`; it has no host build. */
int handler__open_bytes(struct handler *h, const char *path, const void *object, size_t bytes);
/* Why a foreign object that is not trusted runs on the model only; of recordings, too. */
extern const char handler_not_trusted[];
void handler__close(struct handler *h);

#endif
