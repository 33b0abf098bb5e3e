/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_RUN_H
#define USER_COST_RUN_H

/*
 * The steps of a measurement of spinctl cost: packets from a source run through modelled NICs, and a collector records what happens to
 * them. Shared by the files that measure (measure.c, source.c, program.c, collect.c, sweep.c and others).
 */
#include <spin/wire.h>

#include "user/cost/report.h"
#include "user/tool/fill.h"

/* --- packet sources --- */

/* A packet of a source. */
struct cost_packet {
	const uint8_t *frame;
	unsigned bytes;
	unsigned counted_bytes; /* bytes counted for rates: from the IP header on, or all bytes of a raw packet */
	uint32_t at_ms;         /* of a trace: milliseconds since its first frame */
	uint64_t message;       /* only for programs that spincc did not make */
	int end_of_message;
};

struct cost_source;
/* Where packets come from. */
struct cost_source_options {
	const char *trace; /* NULL: packets are generated */
	struct cost_generated made;
	const struct spin_rule *rule;
	int takes_messages, takes_segments;
	int is_raw; /* packets are payload only */
};
/* Returns NULL after a message. */
struct cost_source *cost_source__open(const struct cost_source_options *options);
void cost_source__close(struct cost_source *s);
/* Returns 1 and the next packet, 0 after the last one, or FAILED_SOURCE after a message. */
#define FAILED_SOURCE -1
int cost_source__next(struct cost_source *s, struct cost_packet *out);
/* Restarts from the beginning and cancels a repeat. Returns DONE, or FAILED after a message. */
int cost_source__rewind(struct cost_source *s);
/*
 * Restarts from the beginning with packets of `bytes` from the IP header on; 0: unchanged. Generated packets get as much
 * payload as fits, a multiple of 4. The payload of a trace's packets is truncated or repeated.
 */
int cost_source__resize(struct cost_source *s, unsigned bytes);
/* From now on the source repeats until it has returned `packets` packets. Generated messages that repeat are new messages. */
void cost_source__repeat(struct cost_source *s, uint64_t packets);
/* The number of frames read, and of frames skipped because the capture has only part of them. */
void cost_source__counts(const struct cost_source *s, uint64_t *frames, uint64_t *cut_short);

/* A capture file that can be read repeatedly. open returns NULL after a message. */
struct cost_trace;
struct cost_trace *cost_trace__open(const char *path);
void cost_trace__close(struct cost_trace *t);
int cost_trace__rewind(struct cost_trace *t);
int cost_trace__next(struct cost_trace *t, struct cost_packet *out);
void cost_trace__counts(const struct cost_trace *t, uint64_t *frames, uint64_t *cut_short);

/*
 * Generates packets that match the rule: with an SLMP header if the handler takes messages. If it takes segments, a message is a TCP
 * connection, packet 0 its SYN without payload, packets 1 to made->packets have payload, and the last one has a FIN.
 */
struct cost_generator {
	const struct spin_rule *rule;
	int takes_messages, takes_segments, is_raw;
	uint8_t frame[sizeof(struct spin_eth) + 2 * sizeof(struct spin_vlan) + SPIN_IP_BYTES_MAX];
	unsigned bytes;
	uint32_t random;
};
void cost_generator__make(struct cost_generator *g, const struct cost_generated *made, uint32_t message, unsigned packet);
/* Returns the number of bytes from the IP header to the payload. */
unsigned cost_generator__header_bytes(const struct cost_generator *g);

/* Returns 1 for a rule for ICMP or ICMPv6. The ICMP message is the payload; its first COST_ICMP_BYTES_MIN bytes are the ICMP header. */
int cost_is_icmp(const struct spin_rule *rule);
#define COST_ICMP_BYTES_MIN ((unsigned)sizeof(struct spin_icmp))
/* Stores the checksum of the ICMP message at `icmp`, `bytes` long, in the IP packet at `ip`. */
void cost_set_icmp_checksum(const uint8_t *ip, uint8_t *icmp, unsigned bytes);

/* Stores the checksum of the TCP segment at `tcp`, `bytes` long, in the IP packet at `ip`. */
void cost_set_tcp_checksum(const uint8_t *ip, uint8_t *tcp, unsigned bytes);

/* Resizes a datagram or an ICMP message to `bytes` from the IP header on. Returns the frame's length, or 0 if that is not possible. */
unsigned cost_resize(uint8_t *to, const uint8_t *frame, unsigned frame_bytes, unsigned bytes);
/* Returns the length of the link header before the IP header, which the NIC removes. */
unsigned cost_link_bytes(const uint8_t *frame, unsigned bytes);

/* --- NICs --- */

/* The program to measure, and how its NIC and memory are set up. */
struct cost_program {
	const struct pspin_target *target;
	const struct spin_object *object; /* NULL: `image` is used */
	struct pspin_image image;
	const struct spin_rule *rule;
	const struct fill_options *fill;
	const struct option_list *memory; /* of an image: ADDR=FILE */
	const void *elf;
	size_t elf_bytes;
	uint32_t watchdog; /* cycles of a task; 0: the target's value */
	const char *path;
	const char *source;           /* the source file it was just compiled from; NULL: the user named an object */
	const struct spin_meta *meta; /* replaces the object's; NULL: the object's */
};
/* Fills handler memory of an image from the files. Returns DONE, or FAILED after a message. */
int cost_memory__fill(const struct cost_program *program, struct pspin *nic);
/* Creates a NIC with state and tables filled in. Returns DONE, or FAILED after a message. */
int cost_program__open(const struct cost_program *program, struct pspin **out);
/* Same, but opens the program as one more context of `nic`. Closing `nic` also closes *out. */
int cost_program__join(const struct cost_program *program, struct pspin *nic, struct pspin **out);
/* Fills in the report's description of program and target. */
void cost_program__describe(const struct cost_program *program, struct cost_report *r);

/* --- collectors --- */

struct cost_collector;
struct cost_collector *cost_collector__new(const struct cost_program *program); /* NULL: no memory */
void cost_collector__free(struct cost_collector *c);
void cost_collector__observe(struct cost_collector *c, struct pspin *nic);
/* Passes all records to a trace writer as well. */
struct cost_trace_writer;
void cost_collector__set_writer(struct cost_collector *c, struct cost_trace_writer *writer);
/* Returns DONE, or FAILED after a message: no memory, or a fault (see cost_fault()). */
int cost_collector__status(const struct cost_collector *c);
uint64_t cost_collector__done(const struct cost_collector *c); /* packets */
void cost_collector__finalize(struct cost_collector *c, const struct pspin *nic, struct cost_view *out);
void cost_collector__occupancy(const struct cost_collector *c, struct cost_occupancy *out);
/* Returns the time from the first packet offered to the last packet complete. */
uint64_t cost_collector__flow_ps(const struct cost_collector *c);
/* Returns the time at which the last packet was complete. */
uint64_t cost_collector__last_ps(const struct cost_collector *c);
/* keep_tasks: from now on the collector records when tasks occupy HPUs. hpu_ps: returns their HPU time until `until_ps`. */
void cost_collector__keep_tasks(struct cost_collector *c);
uint64_t cost_collector__hpu_ps(const struct cost_collector *c, uint64_t until_ps);
/*
 * Computes the rates of packets and bytes without start and end of the run. Returns 0 if there are too few packets; then the
 * rates are over all of them.
 */
int cost_collector__rate(const struct cost_collector *c, double *packets_per_us, double *bytes_per_us);

/*
 * Reports a task that trapped, did not end or issued an invalid command: its figures would be meaningless. Returns DONE, or FAILED
 * after a message with packet and source line.
 */
int cost_fault(const struct cost_program *program, const struct pspin_task_record *record);
/* Splits the packet's time into its stages and adds it to `stages`; sorts the tasks. */
void cost_stages__split(const struct pspin_packet_record *packet, struct pspin_task_record *tasks, unsigned count,
			uint64_t stages[COST_STAGES]);
void cost_occupancy__add(struct cost_occupancy *o, uint64_t from_ps, uint64_t to_ps);

/* Formats the source line of an instruction of the program: "filtering.c:12 in payload". "" if unknown. */
void cost_place(const struct cost_program *program, uint32_t pc, char *out, size_t out_bytes);

/* Samples, from which cost_samples__spread() computes the distribution. */
struct cost_samples {
	uint64_t *values;
	size_t count, room;
};
int cost_samples__add(struct cost_samples *s, uint64_t value);         /* returns DONE, or FAILED after a message */
struct cost_distribution cost_samples__spread(struct cost_samples *s); /* sorts the samples */

/* --- passes: runs of packets --- */

#define COST_LOADED_PACKETS 2048 /* enough for a rate that excludes start and end */
#define COST_COLD_PACKETS   16

/* Each returns DONE, or FAILED after a message. */
int cost_pass__alone(const struct cost_program *program, struct cost_source *source, struct rv32_profile *profile, struct cost_view *out);
int cost_pass__cold(const struct cost_program *program, struct cost_source *source, struct cost_view *out);
/* occupancy and writer may be NULL. gbps is in packet bytes; 0: as fast as the NIC takes them. */
int cost_pass__loaded(const struct cost_program *program, struct cost_source *source, double gbps, struct cost_trace_writer *writer,
		      struct cost_view *view, struct cost_throughput *throughput, struct cost_occupancy *occupancy);
/*
 * Runs several programs as contexts of one NIC. Packets of the sources alternate, as fast as the NIC takes them or at the total rate
 * gbps. Each collector records the packets of its program.
 */
struct cost_together {
	const struct cost_program *programs[COST_CONTEXTS_MAX];
	unsigned weights[COST_CONTEXTS_MAX];
	struct cost_collector *collectors[COST_CONTEXTS_MAX];
	struct cost_view *views[COST_CONTEXTS_MAX];
	unsigned count;
	struct cost_source *sources[COST_CONTEXTS_MAX];
	unsigned source_count;
	double gbps;
};
int cost_pass__together(const struct cost_together *t);
/* Profiles one packet alone, after all packets before it. */
int cost_pass__worst(const struct cost_program *program, struct cost_source *source, uint64_t packet, struct rv32_profile *profile);

/* --- results --- */

/* Computes the bottleneck, the HPUs needed and which rates are met from the views. */
void cost_rates(const struct cost_report *r, struct cost_point *point);
void cost_fits(struct cost_report *r);

int cost_profile__open(const struct cost_program *program, struct rv32_profile *profile); /* returns DONE, or FAILED after a message */
void cost_profile__clear(struct rv32_profile *profile);
void cost_profile__close(struct rv32_profile *profile);
/* Attributes the profile to parts and source lines by the program's DWARF. Returns DONE, or FAILED after a message. */
int cost_profile__sort(const struct cost_program *program, const struct rv32_profile *profile, unsigned top, struct cost_lines *out);
void cost_lines__free(struct cost_lines *lines);
/* Finds the loops of the profile. Returns DONE, or FAILED after a message. */
int cost_xpulp__find(const struct cost_program *program, const struct rv32_profile *profile, struct cost_xpulp *out);

/* Local copies of state and tables in the model's memory. flush writes them back. */
struct model_memory;
struct model_memory *model_memory__new(struct pspin *nic, const struct spin_object *object);
int model_memory__flush(struct model_memory *m); /* returns DONE, or FAILED after a message */
void model_memory__free(struct model_memory *m);
struct fill_target model_memory__target(struct model_memory *m);

/* Returns the compiler and its options from the image's DWARF, or "unknown". */
void cost_compiler(const void *image, size_t bytes, char *out, size_t out_bytes);

/* A trace for Chrome and Perfetto. open returns NULL after a message; close returns DONE, or FAILED after a message. */
struct cost_trace_writer *cost_trace_writer__open(const char *path, const struct cost_report *r, unsigned clusters, unsigned hpus);
void cost_trace_writer__task(struct cost_trace_writer *w, const struct pspin_task_record *task);
void cost_trace_writer__packet(struct cost_trace_writer *w, const struct pspin_packet_record *packet);
void cost_trace_writer__replayed(struct cost_trace_writer *w, const struct pspin_packet_record *packet);
void cost_trace_writer__command(struct cost_trace_writer *w, uint64_t at_ps, unsigned cluster, unsigned hpu, unsigned id, const char *kind,
				int begins);
int cost_trace_writer__close(struct cost_trace_writer *w, int publish);

/* Writes the page. Returns DONE, or FAILED after a message. */
int cost_html__write(const struct cost_report *r, const char *path);

#endif
