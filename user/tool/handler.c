/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens the handler file that a command names: an object made by spincc, or a C source, which is compiled into a temporary directory first.
 * Called by spinctl test, replay and cost. An object that this command did not compile is not executed on the host unless the user trusts
 * it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/tool/compile.h"
#include "user/tool/handler.h"
#include "user/tool/error.h"
#include "user/tool/notify.h"
#include "user/tool/temp_directory.h"

const char handler_not_trusted[] = "programs that were not compiled by this command run on the model of the HPU alone: give the "
				   "source, or, if you trust whoever made them, --trust";

static int split_path(struct handler *h, const char *path, const char **suffix)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	*suffix = strrchr(base, '.');
	if (!*suffix || (strcmp(*suffix, ".c") && strcmp(*suffix, ".spin")))
		return report_error("%s: give a handler's source (NAME.c) or what spincc made of it (NAME.spin)", path);
	if ((size_t)(*suffix - base) >= sizeof(h->stem) || strlen(path) >= sizeof(h->object))
		return report_error("%s: the name is too long", path);
	snprintf(h->stem, sizeof(h->stem), "%.*s", (int)(*suffix - base), base);
	snprintf(h->directory, sizeof(h->directory), "%.*s", (int)(base - path), path);
	return DONE;
}

static int make_temp_directory(struct handler *h)
{
	if (h->temps[0])
		return DONE;
	h->temps_in_use = temp_directory__make(h->temps, sizeof(h->temps));
	return h->temps_in_use < 0 ? FAILED : DONE;
}

static int compile_for(struct handler *h, const char *source, const char *target, const struct handler_open_opts *wants, char to[PATH_MAX])
{
	int status = make_temp_directory(h);

	if (status)
		return status;
	if (snprintf(to, PATH_MAX, "%s/handler.%s", h->temps, target) >= PATH_MAX)
		return report_error("%s: the path is too long", h->temps);
	return compile__run(source, target, to, wants->verify, wants->compile);
}

/* Compiles the host build of an object from the source in its directory. */
static int find_host_build(struct handler *h, const char *object, const struct handler_open_opts *wants)
{
	char source[PATH_MAX + sizeof(h->stem) + 4];
	struct stat of_source, of_object;
	int status;

	snprintf(source, sizeof(source), "%s%s.c", h->directory, h->stem);
	if (stat(source, &of_source) || stat(object, &of_object)) {
		h->no_host = "it is made of the source, and there is none beside the object";
		return DONE;
	}
	if (of_source.st_mtime > of_object.st_mtime)
		report_error("%s is newer than %s: the host engine runs the newer one; compile it again with spincc", source, object);
	status = compile_for(h, source, "host", wants, h->host);
	if (!status)
		h->files.host = h->host;
	else if (!signals__signal())
		h->no_host = "the source beside the object does not compile";
	return signals__signal() ? FAILED : DONE;
}

static int read_name(struct handler *h)
{
	struct spin_object *object;

	if (spin_object__open(h->object, &object))
		return report_error("%s", spin_strerror_last());
	snprintf(h->name, sizeof(h->name), "%s", spin_object__meta(object)->name);
	spin_object__close(object);
	return DONE;
}

int handler__open(struct handler *h, const char *path, const struct handler_open_opts *wants)
{
	const char *suffix;
	int status;

	*h = (struct handler){ .files = { .name = h->name, .object = h->object } };
	status = split_path(h, path, &suffix);
	if (status)
		return status;
	if (access(path, R_OK))
		return report_error("cannot open %s: %s", path, strerror(errno));
	if (strcmp(suffix, ".c")) {
		snprintf(h->object, sizeof(h->object), "%s", path);
		h->foreign = 1;
		status = read_name(h);
		if (status || !wants->host)
			return status;
		if (wants->trust)
			return find_host_build(h, path, wants);
		h->no_host = handler_not_trusted; /* the source in its directory is not trusted either */
		return DONE;
	}
	status = compile_for(h, path, wants->card ? "nfp" : "fat", wants, h->object);
	if (!status && wants->host) {
		status = compile_for(h, path, "host", wants, h->host);
		h->files.host = h->host;
	}
	return status ? status : read_name(h);
}

int handler__open_bytes(struct handler *h, const char *path, const void *object, size_t bytes)
{
	int status, failed;
	FILE *to;

	*h = (struct handler){ .files = { .name = h->name, .object = h->object },
			       .foreign = 1,
			       .no_host = "it is made of the source; name that with --handler" };
	status = make_temp_directory(h);
	if (status)
		return status;
	if (snprintf(h->object, sizeof(h->object), "%s/handler.spin", h->temps) >= (int)sizeof(h->object))
		return report_error("%s: the path is too long", h->temps);
	to = fopen(h->object, "we");
	failed = !to || fwrite(object, 1, bytes, to) != bytes;
	if (to)
		failed |= fclose(to) != 0;
	if (failed)
		return report_error("cannot unpack the object of %s into %s: %s", path, h->temps, strerror(errno));
	return read_name(h);
}

void handler__close(struct handler *h)
{
	if (!h->temps[0])
		return;
	temp_directory__remove(h->temps, h->temps_in_use);
	h->temps[0] = '\0';
}
