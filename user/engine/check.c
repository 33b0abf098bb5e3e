/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Runs a vector on an engine and tells the first difference. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libspin/libspin.h"

#include "vector.h"

static void hex_line(FILE *to, const char *label, const uint8_t *at, size_t bytes, size_t from)
{
	fprintf(to, "    %-8s %04zx:", label, from);
	for (size_t i = from; i < from + 16 && i < bytes; i++)
		fprintf(to, " %02x", at[i]);
	fputc('\n', to);
}

static const char *field_of(const uint8_t *frame, size_t offset)
{
	size_t ip = 12;
	unsigned type = frame[ip] * 256u + frame[ip + 1];

	for (; (type == 0x8100 || type == 0x88a8) && ip < 20; type = frame[ip] * 256u + frame[ip + 1])
		ip += 4;
	ip += 2;
	if (offset < ip)
		return "Ethernet or VLAN header";
	if (type != 0x0800 && type != 0x86dd)
		return "behind the Ethernet header";
	offset -= ip;
	ip = type == 0x0800 ? (frame[ip] & 15u) * 4 : 40;
	if (offset < ip)
		return type == 0x86dd ? "IPv6 header" : offset == 2 || offset == 3 ? "IPv4 length" :
		       offset == 10 || offset == 11 ? "IPv4 checksum" : "IPv4 header";
	offset -= ip;
	return offset < 2 ? "UDP source port" : offset < 4 ? "UDP destination port" :
	       offset < 6 ? "UDP length" : offset < 8 ? "UDP checksum" : "payload";
}

static int frames_differ(const uint8_t *want, uint32_t want_bytes, const struct engine_out *got, FILE *report)
{
	uint32_t at = 0;

	while (at < want_bytes && at < got->frame_bytes && want[at] == got->frame[at])
		at++;
	if (at == want_bytes && at == got->frame_bytes)
		return 0;
	if (!report)
		return 1;
	if (want_bytes != got->frame_bytes)
		fprintf(report, "    frame of %u bytes comes out, expected %u\n", got->frame_bytes, want_bytes);
	if (at < want_bytes && at < got->frame_bytes) {
		fprintf(report, "    frame differs at byte %u (%s)\n", at, field_of(want, at));
		hex_line(report, "expected", want, want_bytes, at & ~15u);
		hex_line(report, "got", got->frame, got->frame_bytes, at & ~15u);
	}
	return 1;
}

static int memory_differs(const struct types *t, const struct image *want, const struct image *got, FILE *report)
{
	unsigned symbol;
	size_t offset;
	char path[256];

	if (!image_differ(t, want, got, &symbol, &offset))
		return 0;
	if (!report)
		return 1;
	types_path(t, symbol, offset, path, sizeof(path));
	fprintf(report, "    memory differs at %s (byte %zu of %s)\n", path, offset, t->var[symbol].name);
	hex_line(report, "expected", want->bytes[symbol], t->var[symbol].bytes, offset & ~(size_t)15);
	hex_line(report, "got", got->bytes[symbol], t->var[symbol].bytes, offset & ~(size_t)15);
	return 1;
}

static int edit(const struct types *t, struct image *image, const struct vector_edits *edits)
{
	for (unsigned i = 0; i < edits->count; i++) {
		const struct vector_edit *e = &edits->edit[i];
		const struct layout_variable *var;
		const char *path = e->text;
		char name[64];
		int err;

		if (!e->table && layout__split(e->text, name, sizeof(name), &path))
			return engine_fail(-EINVAL, "%s", spin_strerror_last());
		var = types_find(t, e->table ? e->table : name);
		if (!var)
			return engine_fail(-ENOENT, "no state or table '%s'", e->table ? e->table : name);
		err = e->table ? layout__insert(t->btf, var, image->bytes[var - t->var], e->text) :
				 layout__set(t->btf, var, image->bytes[var - t->var], path);
		if (err)
			return engine_fail(err, "%s", spin_strerror_last());
	}
	return 0;
}

static int verdict_differs(const struct vector_step *step, const struct engine_out *got, int flipped, FILE *report)
{
	enum spin_verdict want = flipped ? (step->verdict + 1) % 3 : step->verdict;

	if (want == got->verdict && step->reason == got->reason && step->event == got->event &&
	    (!step->event || step->event_handler == got->event_handler))
		return 0;
	if (report)
		fprintf(report, "    %s %s, event %u of handler %u; expected %s %s, event %u of handler %u\n",
			spin_verdict_name(got->verdict), spin_reason_name(got->reason), got->event,
			got->event_handler, spin_verdict_name(want), spin_reason_name(step->reason),
			step->event, step->event_handler);
	return 1;
}

int vector_can_flip(const struct vector *v, enum vector_flip flip)
{
	return flip != FLIP_FRAME || v->step[v->count - 1].out_bytes;
}

static int check_step(const struct vector_step *step, const struct types *t, struct engine *e,
		      struct image *want, struct image *got, enum vector_flip flip, FILE *report)
{
	uint64_t count = e->ops->count(e, step->reason);
	uint8_t expected[ENGINE_FRAME_MAX];
	struct engine_out out;
	int err = edit(t, want, &step->before);

	if (!err && step->before.count)
		err = image_write(t, want, e);
	if (!err)
		err = e->ops->packet(e, step->in, step->in_bytes, &out);
	if (!err)
		err = edit(t, want, &step->after);
	if (!err)
		err = image_read(t, got, e);
	if (err)
		return err;
	if (step->out_bytes)
		memcpy(expected, step->out, step->out_bytes);
	/* a different place each time: by the frame's length */
	if (flip == FLIP_FRAME)
		expected[step->in_bytes * 7 % step->out_bytes] ^= 0x10;
	if (flip == FLIP_STATE)
		want->bytes[step->in_bytes % t->count][0] ^= 0x10;
	if (verdict_differs(step, &out, flip == FLIP_VERDICT, report))
		return 1;
	if (e->ops->count(e, step->reason) != count + 1) {
		if (report)
			fprintf(report, "    the counter of the reason did not go up by one\n");
		return 1;
	}
	if (step->verdict != SPIN_VERDICT_DROP && frames_differ(expected, step->out_bytes, &out, report))
		return 1;
	return memory_differs(t, want, got, report);
}

int vector_check(const struct vector *v, const struct types *t, struct engine *e,
		 const struct image *initial, enum vector_flip flip, FILE *report)
{
	struct image want = { 0 }, got = { 0 };
	int rc = image_alloc(t, &want);

	if (!rc)
		rc = image_alloc(t, &got);
	if (!rc) {
		image_copy(t, &want, initial);
		rc = image_write(t, initial, e);
	}
	for (unsigned i = 0; i < v->count && !rc; i++) {
		rc = check_step(&v->step[i], t, e, &want, &got, i + 1 == v->count ? flip : FLIP_NONE, report);
		if (rc == 1 && report)
			fprintf(report, "    (packet %u, line %u of %s, engine %s)\n", i + 1, v->step[i].line,
				v->path, e->ops->name);
	}
	image_free(&want);
	image_free(&got);
	return rc;
}
