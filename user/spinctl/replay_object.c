/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Whether a handler is the recorded one: by what is loaded, as debug information has paths of the compiler's run. */
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "user/spinctl/replay.h"

/* The next section that is loaded; NULL: that was the last. */
static Elf_Scn *next_loaded(Elf *elf, Elf_Scn *section, GElf_Shdr *header)
{
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, header) && header->sh_flags & SHF_ALLOC)
			return section;
	return NULL;
}

static int same_section(Elf_Scn *a, Elf_Scn *b, const GElf_Shdr *of_a, const GElf_Shdr *of_b)
{
	const Elf_Data *in_a, *in_b;

	if (of_a->sh_type != of_b->sh_type || of_a->sh_size != of_b->sh_size)
		return 0;
	if (of_a->sh_type == SHT_NOBITS || !of_a->sh_size)
		return 1;
	in_a = elf_rawdata(a, NULL);
	in_b = elf_rawdata(b, NULL);
	return in_a && in_b && in_a->d_size == in_b->d_size && !memcmp(in_a->d_buf, in_b->d_buf, in_a->d_size);
}

static int same_loaded(Elf *a, Elf *b)
{
	Elf_Scn *in_a = NULL, *in_b = NULL;
	GElf_Shdr of_a, of_b;

	do {
		in_a = next_loaded(a, in_a, &of_a);
		in_b = next_loaded(b, in_b, &of_b);
		if (!in_a || !in_b)
			return !in_a && !in_b;
	} while (same_section(in_a, in_b, &of_a, &of_b));
	return 0;
}

int replay__is_recorded(const struct recording *recording, const char *object)
{
	int fd = open(object, O_RDONLY | O_CLOEXEC), same;
	Elf *a, *b;

	elf_version(EV_CURRENT);
	a = elf_memory((char *)recording->object, recording->object_bytes);
	b = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	same = a && b && same_loaded(a, b);
	elf_end(b);
	elf_end(a);
	if (fd >= 0)
		close(fd);
	return same;
}
