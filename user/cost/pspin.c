/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl cost of an object that `spincc --api pspin` made, a handler written for PsPIN's own runtime: compiles or reads it, checks it, and
 * passes it to the model. Called by measure.c and contexts.c. Refuses options that it cannot support: such an object has no types by which
 * to set memory by name, and no registration (where state lies, how much of a packet is copied) that --advise could vary.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/tool/compile.h"
#include "user/cost/pspin.h"
#include "user/libspin/internal.h"
#include "user/libspin/object/pspin_object.h"
#include "user/libspin/object/trailer.h"
#include "user/tool/read_file.h"
#include "user/tool/temp_directory.h"
#include "user/tool/error.h"

#define PROGRAM_BYTES_MAX (64 << 20) /* with debug information; at most 5 MiB of it is code and data */

/* Rejects options that only native handlers support. */
static int check_options(const struct cost_options *o, const char *path)
{
	if (o->fill.sets.count || o->fill.inserts.count || o->fill.files.count)
		return report_error("%s is compiled with --api pspin, it has no state that could be set by name: fill its memory with "
				    "--memory 0x1c300000=FILE",
				    path);
	if (o->advise)
		return report_error("%s is compiled with --api pspin: --advise tries registrations of <spin/spin.h>, which it has not; its "
				    "compiler's options are those of spincc --hpu-flag",
				    path);
	if (o->datagrams)
		return report_error("%s is compiled with --api pspin, it takes messages: make them with --messages, for datagrams with "
				    "--packets 1",
				    path);
	return DONE;
}

/* Reads the whole file if its trailer is valid. Returns NULL if it is not valid or cannot be read. */
static void *read_checked(const char *path, size_t *bytes)
{
	struct stat st;
	void *data;
	long elf_bytes;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_size > PROGRAM_BYTES_MAX || access(path, R_OK))
		return NULL;
	data = read_file(path, bytes);
	elf_bytes = data ? spin_trailer__check(data, *bytes) : 0;
	if (elf_bytes > 0) {
		*bytes = (size_t)elf_bytes;
		return data;
	}
	free(data);
	return NULL;
}

int cost_pspin__find(const struct cost_options *o, const char *path, struct cost_program *program, void **file)
{
	struct pspin_api api;
	size_t bytes = 0;
	int framing = o->framing ? pspin_framing__find(o->framing) : PSPIN_FRAMING_PSPIN;
	int err;

	*file = read_checked(path, &bytes);
	if (!*file)
		return DONE; /* the next function that opens it reports the error */
	err = pspin_object__read(path, *file, bytes, &api);
	if (program->source)
		path = program->source;
	if (!err && !check_options(o, path)) {
		program->path = path;
		program->elf = *file;
		program->elf_bytes = bytes;
		program->memory = &o->image.memory;
		program->image = (struct pspin_image){ .elf = *file,
						       .elf_bytes = bytes,
						       .entries_at = api.entries_at,
						       .framing = (enum pspin_framing)framing,
						       .bytes_in_l1 = SPIN_WHOLE_PACKET,
						       .scratchpad_bytes = PSPIN_API_SCRATCHPAD_BYTES,
						       .host_bytes = SPIN_HOST_BYTES_MAX };
		return DONE;
	}
	free(*file);
	*file = NULL;
	if (err == -ENOENT)
		return DONE;
	return err ? report_error("%s", spin_strerror_last()) : FAILED;
}

int cost_pspin__compile(const char *path, const struct option_list *words, struct cost_pspin_source *out)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *dot = strrchr(base, '.');
	struct option_list all = { calloc(words->count + 2, sizeof(*all.items)), 0 };
	int status;

	out->in_use = temp_directory__make(out->directory, sizeof(out->directory));
	if (out->in_use < 0)
		out->directory[0] = '\0';
	if (!all.items || !out->directory[0]) {
		free(all.items);
		return FAILED;
	}
	all.items[all.count++] = "--api";
	all.items[all.count++] = "pspin";
	for (unsigned i = 0; i < words->count; i++)
		all.items[all.count++] = words->items[i];
	if (snprintf(out->object, sizeof(out->object), "%s/%.*s.spin", out->directory, dot ? (int)(dot - base) : 16, base) >=
	    (int)sizeof(out->object))
		status = report_error("%s: the name is too long", path);
	else
		status = compile__run(path, "fat", out->object, 0, &all);
	free(all.items);
	return status;
}

void cost_pspin__remove(const struct cost_pspin_source *source)
{
	if (source->directory[0])
		temp_directory__remove(source->directory, source->in_use);
}
