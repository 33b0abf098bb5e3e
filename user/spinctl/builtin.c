/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds objects of handlers that are shipped with sPIN by name. Called by recv and doctor. SPIN_HOME is searched first, then the
 * directories above the executable: the build tree or the installation prefix.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/spinctl/builtin.h"
#include "user/spinctl/spinctl.h"

static int is_readable(char path[PATH_MAX], const char *directory, const char *below, const char *name)
{
	return snprintf(path, PATH_MAX, "%s/%s%s.spin", directory, below, name) < PATH_MAX && !access(path, R_OK);
}

int builtin__lookup(const char *name, char path[PATH_MAX])
{
	const char *home = getenv("SPIN_HOME");
	char self[PATH_MAX], *slash;
	ssize_t n;

	if (home && *home && is_readable(path, home, "handlers/", name))
		return 1;
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	for (self[n > 0 ? n : 0] = '\0'; (slash = strrchr(self, '/'));) {
		*slash = '\0';
		if (is_readable(path, self, "handlers/", name) || is_readable(path, self, "share/spin/handlers/", name))
			return 1;
	}
	return 0;
}

int builtin__find(const char *name, char path[PATH_MAX])
{
	return builtin__lookup(name, path) ? DONE
					   : report_error("cannot find %s.spin, which comes with spinctl: build it with spincc, "
							  "and give it with --handler",
							  name);
}
