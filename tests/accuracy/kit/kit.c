/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rtl-kit [--clusters N] [--free-ids] DIRECTORY HANDLER...: writes for each handler the files with which the NIC model can be checked on
 * PsPIN's RTL: program, memories, packets, and the cycles that the model predicts. Run by `make rtl-kit`. A HANDLER is a name, or the path
 * of an object that spincc made. Predictions are for N of the target's clusters. --free-ids: a message gets the lowest free id (enum
 * kit_ids). The same sources give the same files.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/built.h"
#include "user/libspin/internal.h"

#include "tests/accuracy/kit/kit.h"

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

/* Writes all series. Each runs on a new NIC, so that it starts at time 0 with cold caches. */
static int write_series(const char *directory, const struct spin_object *object, const struct workload *w,
			const struct pspin_target *target, enum kit_ids ids, unsigned *count)
{
	for (const unsigned *bytes = kit_sizes; *bytes; bytes++) {
		for (const struct kit_series *series = kit_series; series->name; series++) {
			struct pspin *nic = kit_nic(object, w, target, ids);
			char below[1024];
			int rc;

			snprintf(below, sizeof(below), "%s/%u-%s", directory, *bytes, series->name);
			rc = nic ? kit_predict(below, nic, w, series, *bytes, target) : -1;
			if (nic)
				pspin__close(nic);
			if (rc)
				return -1;
			*count += kit_series__packets(series, w);
		}
	}
	return 0;
}

/* Returns the name of a handler: "words" for mine/words.spin. */
static const char *name_of(const char *handler, char name[64])
{
	const char *slash = strrchr(handler, '/');

	handler = slash ? slash + 1 : handler;
	snprintf(name, 64, "%.*s", (int)strcspn(handler, "."), handler);
	return name;
}

/* Finds the object: the given path, or that of a handler of this tree. */
static int find_object(const char *handler, char *path, size_t bytes)
{
	size_t length = strlen(handler);

	if (length < 6 || strcmp(handler + length - 5, ".spin"))
		return built_object(handler, path, bytes);
	snprintf(path, bytes, "%s", handler);
	return 0;
}

static int write_handler(const char *directory, const char *handler, const struct pspin_target *target, enum kit_ids ids)
{
	struct spin_object *object = NULL;
	struct pspin *nic = NULL;
	unsigned packets = 0;
	struct workload w;
	char path[512], name[64];
	int rc = -1;

	if (find_object(handler, path, sizeof(path)) || spin_object__open(path, &object)) {
		fprintf(stderr, "rtl-kit: no handler %s\n", handler);
		return -1;
	}
	w = kit_workload(name_of(handler, name), object);
	if (ids == KIT_IDS_IN_TURN)
		w.burst = 0; /* the kit's: no more messages than ids */
	nic = kit_nic(object, &w, target, ids);
	if (nic)
		rc = write_image(directory, object) || kit_memories(directory, nic, target) || kit_slm(directory, nic);
	if (nic)
		pspin__close(nic);
	if (!rc)
		rc = write_series(directory, object, &w, target, ids, &packets);
	if (!rc)
		printf("%-16s %5u packets: %s\n", handler, packets, directory);
	spin_object__close(object);
	return rc;
}

/* Limits the target to fewer clusters. A message's home is its id modulo the number of all clusters, so fewer ids are usable. */
static int use_clusters(struct pspin_target *target, uint64_t clusters, char *err, size_t err_bytes)
{
	uint64_t all = 0, ids = 0;

	pspin_target__get(target, "clusters", &all);
	pspin_target__get(target, "mpqs", &ids);
	return pspin_target__set(target, "clusters", clusters, err, err_bytes) ||
	       pspin_target__set(target, "mpqs", ids / all * clusters, err, err_bytes);
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "clusters", required_argument, NULL, 'c' },
						 { "free-ids", no_argument, NULL, 'f' },
						 { 0 } };
	struct pspin_target *target = pspin_target__copy(pspin_target__find("pspin-rtl"));
	enum kit_ids ids = KIT_IDS_IN_TURN;
	int failed = 0, option;
	char err[256];

	if (!target)
		return 1;
	while ((option = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		if (option == 'f')
			ids = KIT_IDS_FREE;
		if (option == 'c' && use_clusters(target, strtoull(optarg, NULL, 10), err, sizeof(err))) {
			fprintf(stderr, "rtl-kit: --clusters: %s\n", err);
			return 2;
		}
		if (option == '?')
			optind = argc;
	}
	if (argc < optind + 2) {
		fprintf(stderr, "usage: rtl-kit [--clusters N] [--free-ids] DIRECTORY HANDLER...\n");
		return 2;
	}
	for (int i = optind + 1; i < argc; i++) {
		char directory[900], name[64];

		snprintf(directory, sizeof(directory), "%s/%s", argv[optind], name_of(argv[i], name));
		failed |= write_handler(directory, argv[i], target, ids) != 0;
	}
	pspin_target__free(target);
	return failed;
}
