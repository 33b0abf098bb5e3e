/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What an object of `spincc --api pspin` says of itself; called for every object before anything else of it is read. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "internal.h"
#include "pspin_object.h"

/* Handler memory, where start-up leaves the handlers (hwmodel/image/pspin/link.ld). */
#define L2_HANDLER       0x1c000000u
#define L2_HANDLER_BYTES 0x400000u

static int is_rv32(const uint8_t *data, size_t bytes)
{
	Elf32_Ehdr header;

	if (bytes < sizeof(header))
		return 0;
	memcpy(&header, data, sizeof(header));
	return !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_ident[EI_CLASS] == ELFCLASS32 &&
	       header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == EM_RISCV;
}

static int damaged(const char *path, const char *what)
{
	return spin_fail(-EINVAL, "%s is damaged: %s; compile it again with spincc --api pspin", path, what);
}

int pspin_object__read(const char *path, const uint8_t *data, size_t bytes, struct pspin_api *out)
{
	size_t offset, length;

	if (!is_rv32(data, bytes))
		return -ENOENT;
	if (spin_elf__section(data, bytes, PSPIN_API_SECTION, &offset, &length) || !length)
		return -ENOENT;
	if (offset > bytes || length > bytes - offset)
		return damaged(path, "its description reaches beyond the end of the file");
	if (length < sizeof(*out))
		return damaged(path, "its description is too short");
	memcpy(out, data + offset, sizeof(*out));
	if (memcmp(out->magic, PSPIN_API_MAGIC, sizeof(out->magic)))
		return damaged(path, "its description has the wrong mark");
	if (out->version != PSPIN_API_VERSION)
		return spin_fail(-EINVAL, "%s was made by another version of spincc --api pspin (%u, this is %u): compile it again", path,
				 out->version, PSPIN_API_VERSION);
	if (out->bytes < sizeof(*out))
		return damaged(path, "its description is not sound");
	if (out->entries_at % 4 || out->entries_at - L2_HANDLER > L2_HANDLER_BYTES - sizeof(out->entries))
		return damaged(path, "it has its handlers' addresses where no handler memory is");
	return 0;
}
