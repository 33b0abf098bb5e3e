/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_RUN_H
#define USER_COST_RUN_H

/* How a report comes about: packets from a source go through NICs, and a collector hears of them. */
#include <spin/wire.h>

#include "user/cost/report.h"
#include "user/tool/fill.h"

/* --- where packets come from --- */

struct cost_packet {
	const uint8_t *frame;
	unsigned bytes;
	unsigned counted_bytes; /* of them for rates: from the IP header on, or all of a raw one */
	uint32_t at_ms;         /* of a trace: since its first frame */
	uint64_t message;       /* of programs that spincc did not make */
	int end_of_message;
};

struct cost_source;
struct cost_source_options {
	const char *trace; /* NULL: made */
	struct cost_made made;
	const struct spin_rule *rule;
	int takes_messages;
	int is_raw; /* packets are payload alone */
};
/* NULL after a message. */
struct cost_source *cost_source__open(const struct cost_source_options *options);
void cost_source__close(struct cost_source *s);
/* 1 and the next packet; 0 after the last one; FAILED_SOURCE after a message. */
#define FAILED_SOURCE -1
int cost_source__next(struct cost_source *s, struct cost_packet *out);
/* From the beginning. DONE or FAILED after a message. */
int cost_source__rewind(struct cost_source *s);
/*
 * From the beginning, packets of `bytes` from the IP header on: made ones with as much payload as that has room for
 * (a multiple of 4), a trace's with their payload cut or repeated; 0: as they are.
 */
int cost_source__resize(struct cost_source *s, unsigned bytes);
/* From now on it goes on after its last packet until so many are out: made messages are new ones. */
void cost_source__repeat(struct cost_source *s, uint64_t packets);
/* Frames read, and left out because the capture has only a part of them. */
void cost_source__counts(const struct cost_source *s, uint64_t *frames, uint64_t *cut_short);

/* A capture file, read over and over. NULL after a message. */
struct cost_trace;
struct cost_trace *cost_trace__open(const char *path);
void cost_trace__close(struct cost_trace *t);
int cost_trace__rewind(struct cost_trace *t);
int cost_trace__next(struct cost_trace *t, struct cost_packet *out);
void cost_trace__counts(const struct cost_trace *t, uint64_t *frames, uint64_t *cut_short);

/* Packets made by the rule: SLMP if they are of messages. */
struct cost_generator {
	const struct spin_rule *rule;
	int takes_messages, is_raw;
	uint8_t frame[sizeof(struct spin_eth) + SPIN_IP_BYTES_MAX];
	unsigned bytes;
	uint32_t random;
};
void cost_generator__make(struct cost_generator *m, const struct cost_made *made, uint32_t message, unsigned packet);
/* Bytes from the IP header on before the payload. */
unsigned cost_generator__header_bytes(const struct cost_generator *m);

/* 1: of ICMP or ICMPv6, whose message is the payload: COST_ICMP_LEAST bytes of it are its header. */
int cost_is_icmp(const struct spin_rule *rule);
#define COST_ICMP_LEAST ((unsigned)sizeof(struct spin_icmp))
/* The right checksum, of a message of so many bytes in the IP packet at `ip`. */
void cost_set_icmp_checksum(const uint8_t *ip, uint8_t *icmp, unsigned bytes);

/* A datagram, or an ICMP message, of `bytes` from the IP header on in place of another; 0: it is none that could be. */
unsigned cost_resize(uint8_t *to, const uint8_t *frame, unsigned frame_bytes, unsigned bytes);
/* The link header before the IP header: what the NIC takes off. */
unsigned cost_link_bytes(const uint8_t *frame, unsigned bytes);

/* --- the NIC that they go through --- */

struct cost_program {
	const struct pspin_target *target;
	const struct spin_object *object; /* or NULL: */
	struct pspin_image image;
	const struct spin_rule *rule;
	const struct fill_options *fill;
	const struct option_list *memory; /* of an image: ADDR=FILE */
	const void *elf;
	size_t elf_bytes;
	uint32_t watchdog; /* cycles of a task; 0: as the target says */
	const char *path;
	const char *source;           /* that it was compiled of just now; NULL: it is an object */
	const struct spin_meta *meta; /* in place of the object's; NULL: that */
};
/* The whole file in memory; NULL after a message. */
void *cost_read_file(const char *path, size_t *bytes);
/* Of an image: handler memory as the files say. DONE, or FAILED after a message. */
int cost_memory__fill(const struct cost_program *program, struct pspin *nic);
/* A new NIC with state and tables filled. DONE, or FAILED after a message. */
int cost_program__open(const struct cost_program *program, struct pspin **out);
/* The same as one more context of a NIC, which closes it. */
int cost_program__join(const struct cost_program *program, struct pspin *nic, struct pspin **out);
/* Fills in what a report says of program and target. */
void cost_program__describe(const struct cost_program *program, struct cost_report *r);

/* --- what is heard of them --- */

struct cost_collector;
struct cost_collector *cost_collector__new(const struct cost_program *program); /* NULL: no memory */
void cost_collector__free(struct cost_collector *c);
void cost_collector__observe(struct cost_collector *c, struct pspin *nic);
/* Others that hear the same, before it. */
struct cost_trace_writer;
void cost_collector__tee(struct cost_collector *c, struct cost_trace_writer *writer);
/* DONE, or FAILED after a message: no memory, or a task that trapped. */
int cost_collector__status(const struct cost_collector *c);
uint64_t cost_collector__done(const struct cost_collector *c); /* packets */
void cost_collector__finalize(struct cost_collector *c, const struct pspin *nic, struct cost_view *out);
void cost_collector__occupancy(const struct cost_collector *c, struct cost_occupancy *out);
/* From the first packet being offered to the last one being done with. */
uint64_t cost_collector__flow_ps(const struct cost_collector *c);
/* When that was. */
uint64_t cost_collector__last_ps(const struct cost_collector *c);
/* From now on it keeps when HPUs were its tasks'; how long, up to then. */
void cost_collector__keep_tasks(struct cost_collector *c);
uint64_t cost_collector__hpu_ps(const struct cost_collector *c, uint64_t until_ps);
/* Packets per second and bits per second in the midst of what was heard; 0: too few, then of all. */
int cost_collector__rate(const struct cost_collector *c, double *packets_per_us, double *bytes_per_us);

/*
 * What no handler does of its own accord: the figures would be of something else. DONE, or FAILED after a message with
 * packet and source line.
 */
int cost_fault(const struct cost_program *program, const struct pspin_task_record *record);
/* The packet's time into its stages, which are added to; sorts the tasks. */
void cost_stages__cut(const struct pspin_packet_record *packet, struct pspin_task_record *tasks, unsigned count,
		      uint64_t stages[COST_STAGES]);
void cost_occupancy__add(struct cost_occupancy *o, uint64_t from_ps, uint64_t to_ps);

/* The source line of an instruction in the program, "filtering.c:12 in payload"; "" if nothing is known. */
void cost_place(const struct cost_program *program, uint32_t pc, char *out, size_t out_bytes);

/* Order statistics. */
struct cost_series {
	uint64_t *values;
	size_t count, room;
};
int cost_series__add(struct cost_series *s, uint64_t value);   /* DONE or FAILED after a message */
struct cost_spread cost_series__spread(struct cost_series *s); /* sorts it */

/* --- ways of going through it --- */

#define COST_LOADED_PACKETS 2048 /* enough for a rate in the midst of them */
#define COST_COLD_PACKETS   16

/* Each: DONE, or FAILED after a message. */
int cost_pass__alone(const struct cost_program *program, struct cost_source *source, struct rv32_profile *profile, struct cost_view *out);
int cost_pass__cold(const struct cost_program *program, struct cost_source *source, struct cost_view *out);
/* occupancy, writer: may be NULL. gbps: of packet bytes; 0: as fast as the NIC takes. */
int cost_pass__loaded(const struct cost_program *program, struct cost_source *source, double gbps, struct cost_trace_writer *writer,
		      struct cost_view *view, struct cost_throughput *throughput, struct cost_occupancy *occupancy);
/*
 * Several programs as contexts of one NIC: packets of the sources in turn, as fast as the NIC takes them or at that rate in all. Each
 * collector hears of its program's.
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
/* Profiles one packet alone, after those before it. */
int cost_pass__worst(const struct cost_program *program, struct cost_source *source, uint64_t packet, struct rv32_profile *profile);

/* --- results --- */

/* Throughput's bounds, HPUs and verdicts, from the views. */
void cost_rates(const struct cost_report *r, struct cost_point *point);
void cost_fits(struct cost_report *r);

int cost_profile__open(const struct cost_program *program, struct rv32_profile *profile); /* DONE or FAILED after a message */
void cost_profile__clear(struct rv32_profile *profile);
void cost_profile__close(struct rv32_profile *profile);
/* Sorts the profile into parts and lines by the program's DWARF. DONE or FAILED after a message. */
int cost_profile__sort(const struct cost_program *program, const struct rv32_profile *profile, unsigned top, struct cost_lines *out);
void cost_lines__free(struct cost_lines *lines);
/* The profile's loops. DONE or FAILED after a message. */
int cost_xpulp__find(const struct cost_program *program, const struct rv32_profile *profile, struct cost_xpulp *out);

/* State and tables in the model's memory; written back by flush. */
struct model_memory;
struct model_memory *model_memory__new(struct pspin *nic, const struct spin_object *object);
int model_memory__flush(struct model_memory *m); /* DONE or FAILED after a message */
void model_memory__free(struct model_memory *m);
struct fill_target model_memory__target(struct model_memory *m);

/* The compiler and its options, from the image's DWARF; "unknown". */
void cost_compiler(const void *image, size_t bytes, char *out, size_t out_bytes);

/* The trace for Chrome and Perfetto. NULL after a message; close: DONE or FAILED after a message. */
struct cost_trace_writer *cost_trace_writer__open(const char *path, const struct cost_report *r, unsigned clusters, unsigned hpus);
void cost_trace_writer__task(struct cost_trace_writer *w, const struct pspin_task_record *task);
void cost_trace_writer__packet(struct cost_trace_writer *w, const struct pspin_packet_record *packet);
void cost_trace_writer__replayed(struct cost_trace_writer *w, const struct pspin_packet_record *packet);
void cost_trace_writer__command(struct cost_trace_writer *w, uint64_t at_ps, unsigned cluster, unsigned hpu, unsigned id, const char *kind,
				int begins);
int cost_trace_writer__close(struct cost_trace_writer *w, int publish);

/* The page. DONE or FAILED after a message. */
int cost_html__write(const struct cost_report *r, const char *path);

#endif
