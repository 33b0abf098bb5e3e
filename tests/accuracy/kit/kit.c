/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* rtl-kit DIRECTORY HANDLER...: make rtl-kit. */
#include <stdlib.h>
#include <string.h>

#include <common/built.h>
#include <libspin/internal.h>

#include "kit.h"

static int write_image(const char *directory, const struct spin_object *object)
{
	size_t bytes;
	const void *image = spin_object__image(object, &bytes);
	FILE *file = image ? kit_create(directory, "image.elf") : NULL;

	if (!file)
		return -1;
	fwrite(image, 1, bytes, file);
	return kit_close(file, directory, "image.elf");
}

/* Each series on a NIC of its own: times and caches begin anew. */
static int write_series(const char *directory, const struct spin_object *object, const struct workload *w,
			const struct pspin_target *target, unsigned *count)
{
	for (const unsigned *bytes = kit_sizes; *bytes; bytes++) {
		for (const struct kit_series *series = kit_series; series->name; series++) {
			struct pspin *nic = kit_nic(object, w, target);
			char below[1024];
			int rc;

			snprintf(below, sizeof(below), "%s/%u-%s", directory, *bytes, series->name);
			rc = nic ? kit_predict(below, nic, w, series, *bytes, target) : -1;
			if (nic)
				pspin__close(nic);
			if (rc)
				return -1;
			*count += kit_series__packets(series);
		}
	}
	return 0;
}

static int write_handler(const char *directory, const char *handler, const struct pspin_target *target)
{
	struct spin_object *object = NULL;
	struct pspin *nic = NULL;
	unsigned packets = 0;
	struct workload w;
	char path[512];
	int rc = -1;

	if (built_object(handler, path, sizeof(path)) || spin_object__open(path, &object)) {
		fprintf(stderr, "rtl-kit: no handler %s\n", handler);
		return -1;
	}
	w = kit_workload(handler, object);
	nic = kit_nic(object, &w, target);
	if (nic)
		rc = write_image(directory, object) || kit_memories(directory, nic, target) || kit_slm(directory, nic);
	if (nic)
		pspin__close(nic);
	if (!rc)
		rc = write_series(directory, object, &w, target, &packets);
	if (!rc)
		printf("%-16s %5u packets: %s\n", handler, packets, directory);
	spin_object__close(object);
	return rc;
}

int main(int argc, char **argv)
{
	const struct pspin_target *target = pspin_target__find("pspin-rtl");
	int failed = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: rtl-kit DIRECTORY HANDLER...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		char directory[900];

		snprintf(directory, sizeof(directory), "%s/%s", argv[1], argv[i]);
		failed |= write_handler(directory, argv[i], target) != 0;
	}
	return failed;
}
