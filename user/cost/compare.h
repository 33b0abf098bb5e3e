/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_COMPARE_H
#define USER_COST_COMPARE_H

/*
 * spinctl cost --compare: estimates the performance of other hardware with the same handler and packets, one row per device. Filled by
 * compare.c and the devices' files in compare/, for measure.c. Text and JSON print the rows and compute nothing.
 */
#include "user/cost/job.h"

/* How a row's figures were obtained. */
enum compare_how {
	COMPARE_MEASURED, /* it ran on this machine */
	COMPARE_MODELLED, /* a model of the device ran it; the model was checked against figures measured by others */
	COMPARE_ESTIMATE, /* computed from published properties; not checked against any published figure that is not itself an input */
};
const char *compare_how_name(enum compare_how how); /* "measured" */

/* The published properties of the devices, from devices.def. */
enum compare_property {
#define PROPERTY(name, unit, value, source) COMPARE_##name,
#include "user/cost/compare/devices.def"
#undef PROPERTY
	COMPARE_PROPERTIES
};

/* A published figure, and ours for the same case. */
struct compare_check {
	const char *what, *source, *unit;
	double published, ours; /* NAN: no figure; `what` says why */
};
#define COMPARE_CHECKS 5

/* The estimate for one device. */
struct compare_row {
	const char *name;   /* "hxdp", as in JSON */
	const char *device; /* its name in the text */
	enum compare_how how;
	char reason[320];                   /* why it has no figures; "": it has figures */
	double work;                        /* mean per packet, in work_unit */
	const char *work_unit;              /* "cycles" */
	double ns_per_packet;               /* mean time of a packet on one otherwise idle engine */
	unsigned engines;                   /* number of packets processed at the same time */
	double million_packets_per_s, gbps; /* of the whole device; Gbit/s in packet bytes from the IP header on */
	char limit[128];                    /* what bounds the rate */
	struct compare_check check[COMPARE_CHECKS];
	unsigned checks;
};

enum compare_device { COMPARE_PSPIN, COMPARE_XDP, COMPARE_HXDP, COMPARE_NFP, COMPARE_DPA, COMPARE_DEVICES };

/* The comparison: its input and its rows. */
struct compare {
	struct cost_job *job;
	double packet_bytes; /* mean, from the IP header on */
	double property[COMPARE_PROPERTIES];
	struct compare_row row[COMPARE_DEVICES];
};

/* Fills in the rows and prints them. Returns DONE, or FAILED after a message. A device that cannot run the handler gets a reason. */
int cost_compare(struct cost_job *job);
void compare__text(const struct compare *c);
void compare__json(const struct compare *c);

/*
 * Each function fills in the row of one device. Returns DONE, also if the row has a reason instead of figures; FAILED after a message if
 * memory is exhausted or packets cannot be read.
 */
int compare_pspin(const struct compare *c, struct compare_row *row);
int compare_xdp(const struct compare *c, struct compare_row *row);
int compare_hxdp(const struct compare *c, struct compare_row *row);
int compare_nfp(const struct compare *c, struct compare_row *row);
int compare_dpa(const struct compare *c, struct compare_row *row);

/* Sets the reason why a device has no figures. Returns DONE. */
int compare__set_reason(struct compare_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a check. published and ours may be NAN. */
void compare__check(struct compare_row *row, const char *what, const char *source, const char *unit, double published, double ours);
/* Lowers the device's rate to `million_packets_per_s` if it is higher, and sets the limit's text. The first call sets the rate. */
void compare__bound(struct compare_row *row, double million_packets_per_s, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Stores the published values of all properties. */
void compare__published(double property[COMPARE_PROPERTIES]);
/* Returns "HXDP_CLOCK_MHZ", and sets its unit and source; NULL after the last property. */
const char *compare__property_name(enum compare_property property, const char **unit, const char **source);

#endif
