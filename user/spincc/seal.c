/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/seal.h"
#include "user/spincc/spincc.h"

/* Readers of ELF ignore what follows: the object stays a plain one for bpftool and iproute2. */
int seal__append(const char *path)
{
	uint8_t seal[SPIN_SEAL_BYTES], *data = NULL;
	FILE *f = fopen(path, "r+b");
	long bytes = -1;
	int ok = 0;

	if (f && !fseek(f, 0, SEEK_END) && (bytes = ftell(f)) > 0) {
		rewind(f);
		data = malloc((size_t)bytes);
		if (data && fread(data, 1, (size_t)bytes, f) == (size_t)bytes && !fseek(f, 0, SEEK_END)) {
			spin_seal__make(data, (size_t)bytes, seal);
			ok = fwrite(seal, 1, sizeof(seal), f) == sizeof(seal);
		}
	}
	free(data);
	if (f && fclose(f))
		ok = 0;
	if (!ok)
		fprintf(stderr, "spincc: cannot seal the object: %s\n", strerror(errno));
	return ok ? 0 : -1;
}
