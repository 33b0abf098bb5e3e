/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Appends the trailer (length and checksum) to the finished object. Called by spincc's main.c after the build; libspin refuses an object
 * whose trailer does not match. ELF readers ignore appended data, so bpftool and iproute2 still read the object.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/object/trailer.h"
#include "user/spincc/spincc.h"

int trailer__append(const char *path)
{
	uint8_t trailer[SPIN_TRAILER_BYTES], *data = NULL;
	FILE *f = fopen(path, "r+b");
	long bytes = -1;
	int ok = 0;

	if (f && !fseek(f, 0, SEEK_END) && (bytes = ftell(f)) > 0) {
		rewind(f);
		data = malloc((size_t)bytes);
		if (data && fread(data, 1, (size_t)bytes, f) == (size_t)bytes && !fseek(f, 0, SEEK_END)) {
			spin_trailer__make(data, (size_t)bytes, trailer);
			ok = fwrite(trailer, 1, sizeof(trailer), f) == sizeof(trailer);
		}
	}
	free(data);
	if (f && fclose(f))
		ok = 0;
	if (!ok)
		fprintf(stderr, "spincc: cannot write the object's trailer: %s\n", strerror(errno));
	return ok ? 0 : -1;
}
