/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_SETTINGS_H
#define USER_SPIND_SETTINGS_H

/* spind's configuration file: each line is a word and its value. spind.conf in this directory lists all of them with their defaults. */
#include <stdint.h>

#include <sys/types.h>

#define SETTINGS_PATH           "/etc/spin/spind.conf"
#define SETTINGS_INTERFACES_MAX 32

#define SETTINGS_CONTEXTS_MAX 64

/* A context that spind adds when it starts: `context NAME FILE IF RULE`. */
struct settings_context {
	char name[16], file[256], interface[16], rule[256];
	int added;    /* 1: by this spind or an earlier one */
	int reported; /* a failure to add it was printed */
};

/* The settings, by the file's words. */
struct settings {
	unsigned contexts;     /* per user */
	unsigned all_contexts; /* of all users together */
	unsigned connections;  /* per user: connections without a request yet */
	unsigned memory_mib;   /* MiB in the maps of a context */
	unsigned instructions; /* in the programs of an object */
	unsigned hpu_percent;  /* of each CPU's time, for all handlers together; 0: no limit */
	unsigned events;       /* per second and context; 0: no limit */
	int namespaces;        /* 1: accept sockets of other network namespaces as well */
	gid_t trusted_group;   /* its members may load the trusted class; (gid_t)-1: only root */
	unsigned named;        /* number of contexts to add */
	struct settings_context context[SETTINGS_CONTEXTS_MAX];
	unsigned interfaces; /* number of patterns; 0: every interface */
	char interface[SETTINGS_INTERFACES_MAX][32];
};

/*
 * Sets the defaults, then reads the file. path NULL: SETTINGS_PATH, if it exists. Returns 0, or -1 after a line on stderr that names file
 * and line.
 */
int settings__read(struct settings *settings, const char *path);

/* Returns 1 if contexts may be attached to the interface. */
int settings__allow(const struct settings *settings, const char *interface);

#endif
