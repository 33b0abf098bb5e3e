/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_SETTINGS_H
#define USER_SPIND_SETTINGS_H

/* The configuration file of spind: lines of a word and its value. spind.conf in this directory has all of them, with the defaults. */
#include <stdint.h>

#include <sys/types.h>

#define SETTINGS_PATH           "/etc/spin/spind.conf"
#define SETTINGS_INTERFACES_MAX 32

#define SETTINGS_CONTEXTS_MAX 64

/* A context that spind adds when it starts: `context NAME FILE IF RULE`. */
struct settings_context {
	char name[16], file[256], interface[16], rule[256];
	int added;    /* 1: it was, by this spind or one before */
	int reported; /* that it was not */
};

struct settings {
	unsigned contexts;     /* of a user */
	unsigned all_contexts; /* of all users together */
	unsigned connections;  /* of a user, that have sent no request yet */
	unsigned memory_mib;   /* of the maps of a context */
	unsigned instructions; /* of the programs of an object */
	unsigned hpu_percent;  /* of each CPU's time, for all handlers together; 0: no limit */
	unsigned events;       /* a second, of a context; 0: no limit */
	int namespaces;        /* 1: sockets of other network namespaces than spind's, too */
	gid_t trusted_group;   /* its members may load the trusted class; (gid_t)-1: root alone */
	unsigned named;        /* contexts to add */
	struct settings_context context[SETTINGS_CONTEXTS_MAX];
	unsigned interfaces; /* patterns; 0: every interface */
	char interface[SETTINGS_INTERFACES_MAX][32];
};

/* Defaults, then the file. path NULL: SETTINGS_PATH, if it is there. 0, or -1 after a line on stderr that names file and line. */
int settings__read(struct settings *settings, const char *path);

/* 1 if contexts may be put on the interface. */
int settings__allow(const struct settings *settings, const char *interface);

#endif
