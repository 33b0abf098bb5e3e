/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/spinctl/compile.h"
#include "user/spinctl/cost_advise.h"
#include "user/spinctl/cost_dwarf.h"
#include "user/spinctl/temp_folder.h"

/* Where the state is declared: in the handler's file, by one of its macros. "": unknown. */
static void source_by_dwarf(const struct cost_program *program, char out[PATH_MAX])
{
	struct cost_dwarf d;
	Dwarf_Off at = 0, next;
	size_t header;

	out[0] = '\0';
	cost_dwarf__open(&d, program->elf, program->elf_bytes);
	while (d.dwarf && !out[0] && !dwarf_nextcu(d.dwarf, at, &next, &header, NULL, NULL, NULL)) {
		Dwarf_Die unit, die;

		if (dwarf_offdie(d.dwarf, at + header, &unit) && !dwarf_child(&unit, &die))
			do {
				const char *name = dwarf_diename(&die), *file = dwarf_decl_file(&die);

				if (name && file && !strcmp(name, "spin_state"))
					snprintf(out, PATH_MAX, "%s", file);
			} while (!out[0] && !dwarf_siblingof(&die, &die));
		at = next;
	}
	cost_dwarf__close(&d);
}

int advise_source(const struct cost_program *program, char out[PATH_MAX])
{
	const char *dot = strrchr(program->path, '.');

	if (program->source) {
		snprintf(out, PATH_MAX, "%s", program->source);
		return DONE;
	}
	snprintf(out, PATH_MAX, "%.*s.c", (int)(dot ? dot - program->path : 0), program->path);
	if (dot && !access(out, R_OK))
		return DONE;
	source_by_dwarf(program, out);
	if (out[0] && !access(out, R_OK))
		return DONE;
	return complain("--advise compiles the handler anew, and there is no source of %s beside it or where it was compiled; "
			"give the source, NAME.c, in place of it",
			program->path);
}

static int add_word(struct option_list *list, const char *word)
{
	const char **items = realloc(list->items, (list->count + 1) * sizeof(*items));

	if (!items)
		return complain("no memory");
	list->items = items;
	list->items[list->count++] = word;
	return DONE;
}

static int compile(const char *source, const struct advice_variant *v, const struct option_list *compile, const char *output)
{
	struct option_list words = { 0 };
	char registered[96], flag[64];
	int status = DONE;

	snprintf(registered, sizeof(registered), "-DSPIN_REGISTER_TOO_=,.state_placement=%u,.bytes_in_l1=%u", v->state_placement,
		 v->bytes_in_l1);
	snprintf(flag, sizeof(flag), "--hpu-flag=%s", v->flags);
	for (unsigned i = 0; i < compile->count && !status; i++)
		status = add_word(&words, compile->items[i]);
	status = status || add_word(&words, registered) || (v->flags[0] && add_word(&words, flag));
	if (!status)
		status = compile__run(source, "rv32", output, 0, &words);
	options__free_list(&words);
	return status;
}

int advise_build(const char *source, const struct advice_variant *v, const struct option_list *words, void **elf, size_t *bytes)
{
	char folder[PATH_MAX - 16], output[PATH_MAX];
	int in_use = temp_folder__make(folder, sizeof(folder)), status;

	if (in_use < 0)
		return FAILED;
	snprintf(output, sizeof(output), "%s/handler.elf", folder);
	status = compile(source, v, words, output);
	if (!status) {
		*elf = cost_read_file(output, bytes);
		status = *elf ? DONE : FAILED;
	}
	temp_folder__remove(folder, in_use);
	return status;
}
