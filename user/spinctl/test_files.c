/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/spinctl/test.h"

static int add_file(struct test_files *files, const char *path)
{
	char **grown = realloc(files->path, (files->count + 1) * sizeof(*grown));

	if (grown)
		files->path = grown;
	if (!grown || !(grown[files->count] = strdup(path)))
		return complain("no memory");
	files->count++;
	return DONE;
}

static int is_vector(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return entry->d_name[0] != '.' && length > 4 && !strcmp(entry->d_name + length - 4, ".vec");
}

static int add_folder(struct test_files *files, const char *folder)
{
	struct dirent **list;
	int count = scandir(folder, &list, is_vector, alphasort), status = DONE;

	for (int i = 0; i < count; i++) {
		char path[PATH_MAX];

		if (!status && snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name) < (int)sizeof(path))
			status = add_file(files, path);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	return status;
}

int test_files__add(struct test_files *files, const char *path)
{
	size_t length = strlen(path);
	unsigned before = files->count;
	char folder[PATH_MAX];
	struct stat st;
	int status;

	if (stat(path, &st))
		return complain("cannot open %s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return add_file(files, path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	snprintf(folder, sizeof(folder), "%.*s", (int)length, path);
	status = add_folder(files, folder);
	return status || files->count > before ? status : complain("%s has no *.vec", path);
}

/* "a/b/" to "a/", "a/" to "", "" to "../" */
static void folder_above(const char *folder, char *above, size_t bytes)
{
	size_t length = strlen(folder), at;

	while (length && folder[length - 1] == '/')
		length--;
	at = length;
	while (at && folder[at - 1] != '/')
		at--;
	if (at == length || (length - at <= 2 && !strncmp(folder + at, "..", length - at)))
		snprintf(above, bytes, "%s../", folder);
	else
		snprintf(above, bytes, "%.*s", (int)at, folder);
}

int test_files__find(struct test_files *files, const struct handler *h)
{
	char above[PATH_MAX + 4], path[PATH_MAX + sizeof(h->stem) + 32];
	int status = DONE;

	snprintf(path, sizeof(path), "%s%s.vec", h->folder, h->stem);
	if (!access(path, F_OK))
		status = add_file(files, path);
	snprintf(path, sizeof(path), "%stests/vectors/%s", h->folder, h->stem);
	if (!status)
		status = add_folder(files, path);
	folder_above(h->folder, above, sizeof(above));
	snprintf(path, sizeof(path), "%stests/vectors/%s", above, h->stem);
	if (!status)
		status = add_folder(files, path);
	if (status || files->count)
		return status;
	return complain("%s has no vectors: write %s%s.vec (`spinctl new` shows how one looks), or name some", h->stem, h->folder, h->stem);
}

void test_files__free(struct test_files *files)
{
	for (unsigned i = 0; i < files->count; i++)
		free(files->path[i]);
	free(files->path);
}
