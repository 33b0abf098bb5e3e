/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Plans how the value of a variable is copied from one struct layout to another when handlers are replaced (layout_plan.h): compares the
 * types of both objects. Called by swap/migrate.c. Both may be untrusted: members must not overlap and must lie inside their struct, and
 * the number of types visited is limited.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/error.h"
#include "user/libspin/object/layout_plan.h"
#include "user/libspin/object/layout_type.h"

#define PATH_BYTES   256
#define DEPTH_MAX    16
#define STEPS_MAX    65536u
#define VISITS_MAX   (1u << 22) /* members and types visited */
#define COMPARES_MAX 256u       /* comparisons of whole types, of LAYOUT_TYPES_MAX each */

struct plan {
	const struct btf *from, *to;
	struct layout_move *move;
	struct layout_lost *lost;
	char path[PATH_BYTES];
	unsigned visits, compares;
};

/* Two corresponding types, and their offsets in the enclosing object. */
struct type_pair {
	uint32_t from, to;
	size_t from_at, to_at;
};

void layout_lost__add(struct layout_lost *lost, const char *name)
{
	const size_t length = strlen(lost->names);

	if (length + strlen(name) + sizeof(", ") <= sizeof(lost->names))
		snprintf(lost->names + length, sizeof(lost->names) - length, "%s%s", length ? ", " : "", name);
	else
		lost->more++;
}

void layout_move__free(struct layout_move *move)
{
	if (!move)
		return;
	for (unsigned i = 0; i < move->count; i++)
		free(move->step[i].path);
	free(move->step);
	free(move->seen);
	free(move);
}

static int damaged(void)
{
	return spin_fail(-EINVAL, "the object's type information is damaged; compile it again with spincc");
}

static int incompatible(const struct plan *p, const char *reason)
{
	return spin_fail(-EINVAL, "%s cannot be moved to the new handlers: %s; keep its type, or give it another name", p->path, reason);
}

/* Counts members and types visited. */
static int count_visit(struct plan *p)
{
	return ++p->visits < VISITS_MAX ? 0 : spin_fail(-E2BIG, "%s: these types are larger than any that handlers have", p->path);
}

static int add(struct plan *p, const struct step *step)
{
	struct layout_move *move = p->move;

	if (move->count == STEPS_MAX)
		return spin_fail(-E2BIG, "%s: the state has more than %u fields that are to be moved", p->path, STEPS_MAX);
	if (move->count == move->room) {
		const unsigned room = move->room ? 2 * move->room : 16;
		struct step *grown = realloc(move->step, room * sizeof(*grown));

		if (!grown)
			return spin_fail(-ENOMEM, "no memory to move state");
		move->step = grown;
		move->room = room;
	}
	move->step[move->count++] = *step;
	return 0;
}

static int add_bytes(struct plan *p, const struct type_pair *b, size_t bytes)
{
	return add(p, &(struct step){ .kind = STEP_BYTES, .from_at = b->from_at, .to_at = b->to_at, .bytes = bytes, .to_bytes = bytes });
}

/* struct spin_counter resolves to its integer, so that a field can become a counter or the other way round. */
static int resolve_counter(const struct btf *btf, uint32_t id, struct layout_type *out)
{
	struct layout_type inner;
	const char *name;
	int err = layout_type__resolve(btf, id, out);

	if (err || !layout_type__is_wrapper(out))
		return err;
	name = btf__name_by_offset(btf, out->t->name_off);
	if (!name || strcmp(name, "spin_counter"))
		return 0;
	err = layout_type__resolve(btf, btf_members(out->t)->type, &inner);
	if (!err && inner.bytes != out->bytes)
		return damaged();
	*out = inner;
	return err;
}

/* A number may become wider if it is unsigned and in host byte order. All else must be the same. */
static int plan_scalar(struct plan *p, const struct type_pair *b, const struct layout_type *x, const struct layout_type *y)
{
	if (x->network_order != y->network_order)
		return incompatible(p, "one is in network byte order, the other is not");
	if (x->is_signed != y->is_signed)
		return incompatible(p, "one is signed, the other is not");
	if (x->bytes == y->bytes)
		return add_bytes(p, b, x->bytes);
	if (x->bytes > y->bytes)
		return incompatible(p, "it is narrower there");
	if (x->is_signed || x->network_order)
		return incompatible(p, "only unsigned integers in host byte order become wider");
	return add(p,
		   &(struct step){ .kind = STEP_WIDER, .from_at = b->from_at, .to_at = b->to_at, .bytes = x->bytes, .to_bytes = y->bytes });
}

static int plan_type(struct plan *p, const struct type_pair *b, unsigned depth);

/* Returns the name of the key of such entries, as SPIN_KEY marks it; NULL: none. */
static const char *key_of(const struct btf *btf, const struct layout_type *entry)
{
	if (!btf_is_struct(entry->t) || !btf_vlen(entry->t))
		return NULL;
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *tag = btf__type_by_id(btf, id);
		const char *name = tag && btf_is_decl_tag(tag) ? btf__name_by_offset(btf, tag->name_off) : NULL;

		if (name && !strcmp(name, "spin_key") && btf_decl_tag(tag)->component_idx == 0 &&
		    btf__type_by_id(btf, tag->type) == entry->t)
			return btf__name_by_offset(btf, btf_members(entry->t)->name_off);
	}
	return NULL;
}

static int is_power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

/* Keys must have the same name and type in both, so that entries either keep their slots or can be looked up again. */
static int check_keys(struct plan *p, const struct layout_type *x, const struct layout_type *y, int *is_table)
{
	const char *here = key_of(p->from, x), *there = key_of(p->to, y);
	struct layout_type key, new_key;

	*is_table = here != NULL;
	if (!here && !there)
		return 0;
	if (!here || !there || strcmp(here, there))
		return incompatible(p, "its entries have another key there");
	if (layout_type__resolve(p->from, btf_members(x->t)->type, &key) || layout_type__resolve(p->to, btf_members(y->t)->type, &new_key))
		return -EINVAL;
	if (x->bytes < 4 || y->bytes < 4 || btf_member_bit_offset(x->t, 0) || btf_member_bit_offset(y->t, 0) ||
	    !layout_type__is_scalar(&key) || key.bytes != 4 || !layout_type__is_scalar(&new_key) || new_key.bytes != 4 ||
	    key.network_order != new_key.network_order)
		return incompatible(p, "its entries have a key of another type there");
	return 0;
}

static int save_path(struct plan *p, unsigned at)
{
	p->move->step[at].path = strdup(p->path);
	return p->move->step[at].path ? 0 : spin_fail(-ENOMEM, "no memory to move state");
}

/* Plans a step for the array and sub-steps for one entry. If an entry is copied whole, so is the array. */
static int plan_array(struct plan *p, const struct type_pair *b, const struct layout_type *x, const struct layout_type *y, unsigned depth)
{
	const struct btf_array *here = btf_array(x->t), *there = btf_array(y->t);
	const struct type_pair entry = { here->type, there->type, 0, 0 };
	const unsigned at = p->move->count;
	const size_t length = strlen(p->path);
	struct layout_type from, to;
	struct step step = { .kind = STEP_ENTRIES, .from_at = b->from_at, .to_at = b->to_at, .to_count = there->nelems };
	int is_table, err;

	if (layout_type__resolve(p->from, here->type, &from) || layout_type__resolve(p->to, there->type, &to))
		return -EINVAL;
	if ((uint64_t)from.bytes * here->nelems != x->bytes || (uint64_t)to.bytes * there->nelems != y->bytes)
		return damaged();
	if (!x->bytes)
		return 0;
	if (!y->bytes)
		return incompatible(p, "it has no entries there");
	err = check_keys(p, &from, &to, &is_table);
	if (err)
		return err;
	step.bytes = from.bytes;
	step.to_bytes = to.bytes;
	step.count = here->nelems < there->nelems ? here->nelems : there->nelems;
	step.beyond = here->nelems - step.count;
	if (is_table && here->nelems != there->nelems) {
		if (!is_power_of_two(here->nelems) || !is_power_of_two(there->nelems))
			return damaged();
		step.kind = STEP_TABLE;
		step.count = here->nelems;
		step.beyond = 0;
	}
	err = add(p, &step);
	if (!err && (step.kind == STEP_TABLE || step.beyond))
		err = save_path(p, at);
	snprintf(p->path + length, sizeof(p->path) - length, "[]");
	if (!err)
		err = plan_type(p, &entry, depth + 1);
	p->path[length] = '\0';
	if (err)
		return err;
	p->move->step[at].steps = p->move->count - at - 1;
	/* entries that are copied whole become one STEP_BYTES */
	if (step.kind == STEP_ENTRIES && !step.beyond && p->move->count == at + 2 && p->move->step[at + 1].kind == STEP_BYTES &&
	    p->move->step[at + 1].bytes == step.bytes && step.bytes == step.to_bytes) {
		p->move->count = at;
		return add_bytes(p, b, (size_t)step.count * step.bytes);
	}
	return 0;
}

/* Returns 1 for bit fields or an unnamed union: such structs are moved only if unchanged. */
static int has_bitfield_or_union(const struct btf *btf, const struct btf_type *t)
{
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = btf_members(t) + i;
		const char *name = btf__name_by_offset(btf, m->name_off);
		struct layout_type inner;

		if (btf_member_bitfield_size(t, i) || btf_member_bit_offset(t, i) % 8)
			return 1;
		if (!name || (!*name && (layout_type__resolve(btf, m->type, &inner) || !btf_is_struct(inner.t))))
			return 1;
	}
	return 0;
}

/*
 * Finds a member by name, also inside unnamed structs, and its type and offset. -ENOENT: there is none, without a reason; other errors have
 * one.
 */
static int find_member(struct plan *p, const struct layout_type *in, const char *name, uint32_t *type, size_t *at, unsigned depth)
{
	if (depth > DEPTH_MAX)
		return damaged();
	for (unsigned i = 0; i < btf_vlen(in->t); i++) {
		const struct btf_member *m = btf_members(in->t) + i;
		const char *have = btf__name_by_offset(p->to, m->name_off);
		struct layout_type inner;
		int err = count_visit(p);

		if (!err)
			err = layout_type__resolve(p->to, m->type, &inner);
		if (err)
			return err;
		if (*have && strcmp(have, name))
			continue;
		if (btf_member_bitfield_size(in->t, i) || btf_member_bit_offset(in->t, i) % 8)
			return incompatible(p, "it is a bit field there");
		*type = m->type;
		if (!*have)
			err = btf_is_struct(inner.t) ? find_member(p, &inner, name, type, at, depth + 1)
						     : incompatible(p, "an unnamed member before it there is not a struct");
		if (err == -ENOENT)
			continue;
		if (!err)
			*at += btf_member_bit_offset(in->t, i) / 8;
		return err;
	}
	return -ENOENT;
}

static int plan_members(struct plan *p, const struct type_pair *b, const struct layout_type *x, const struct layout_type *y,
			unsigned depth);

/* A member that the new type lacks is no error: its name is added to the list of what is lost. */
static int plan_member(struct plan *p, const struct type_pair *b, const struct layout_type *member, const char *name,
		       const struct layout_type *y, unsigned depth)
{
	struct type_pair found = { .from = b->from, .from_at = b->from_at };
	const size_t length = strlen(p->path);
	struct layout_type there;
	size_t at = 0;
	int err;

	if (!*name) /* its members belong to the enclosing struct */
		return plan_members(p, b, member, y, depth + 1);
	snprintf(p->path + length, sizeof(p->path) - length, ".%s", name);
	err = find_member(p, y, name, &found.to, &at, 0);
	if (err == -ENOENT) {
		layout_lost__add(p->lost, p->path);
		err = 0;
	} else if (!err) {
		err = layout_type__resolve(p->to, found.to, &there);
		if (!err && (at > y->bytes || there.bytes > y->bytes - at))
			err = damaged();
		found.to_at = b->to_at + at;
		if (!err)
			err = plan_type(p, &found, depth + 1);
	}
	p->path[length] = '\0';
	return err;
}

/* b: the offsets of the two structs; y stays the named struct while x descends into unnamed ones. */
static int plan_members(struct plan *p, const struct type_pair *b, const struct layout_type *x, const struct layout_type *y, unsigned depth)
{
	size_t end = 0;

	if (depth > DEPTH_MAX)
		return damaged();
	if (has_bitfield_or_union(p->from, x->t) || has_bitfield_or_union(p->to, y->t))
		return incompatible(p, "it has bit fields or an unnamed union, and other fields there");
	for (unsigned i = 0; i < btf_vlen(x->t); i++) {
		const struct btf_member *m = btf_members(x->t) + i;
		const size_t at = btf_member_bit_offset(x->t, i) / 8;
		struct type_pair member = { .from = m->type, .from_at = b->from_at + at, .to_at = b->to_at };
		struct layout_type type;
		int err = count_visit(p);

		if (!err)
			err = layout_type__resolve(p->from, m->type, &type);
		if (!err && (at < end || at > x->bytes || type.bytes > x->bytes - at))
			err = damaged();
		if (!err)
			err = plan_member(p, &member, &type, btf__name_by_offset(p->from, m->name_off), y, depth);
		if (err)
			return err;
		end = at + type.bytes;
	}
	return 0;
}

/* Plans how a value of one type becomes a value of the other. Equal types are copied whole. */
static int plan_type(struct plan *p, const struct type_pair *b, unsigned depth)
{
	struct layout_type x = { 0 }, y = { 0 };
	int err = count_visit(p);

	if (!err)
		err = resolve_counter(p->from, b->from, &x);
	if (!err)
		err = resolve_counter(p->to, b->to, &y);
	if (!err && depth > DEPTH_MAX)
		err = damaged();
	if (err || !x.bytes)
		return err;
	if (layout_type__is_scalar(&x) && layout_type__is_scalar(&y))
		return plan_scalar(p, b, &x, &y);
	if (x.bytes == y.bytes && p->compares < COMPARES_MAX && ++p->compares && layout__same_type(p->from, b->from, p->to, b->to))
		return add_bytes(p, b, x.bytes);
	if (btf_is_array(x.t) && btf_is_array(y.t))
		return plan_array(p, b, &x, &y, depth);
	if (btf_is_struct(x.t) && btf_is_struct(y.t))
		return plan_members(p, b, &x, &y, depth);
	return incompatible(p, btf_is_union(x.t) ? "a union is moved only as it is" : "it is something else there");
}

int layout_move__plan(const struct btf *from, const struct layout_variable *x, const struct btf *to, const struct layout_variable *y,
		      struct layout_lost *lost, struct layout_move **out)
{
	struct plan p = { .from = from, .to = to, .lost = lost };
	const struct type_pair b = { x->type, y->type, 0, 0 };
	const size_t all = x->bytes * x->copies;
	struct layout_type here, there;
	int err;

	*out = NULL;
	snprintf(p.path, sizeof(p.path), "%s", x->name);
	if (x->copies != y->copies)
		return incompatible(&p, "one is memory of clusters (SPIN_PER_CLUSTER), the other is not");
	if (layout_type__resolve(from, x->type, &here) || layout_type__resolve(to, y->type, &there))
		return -EINVAL;
	if (here.bytes > x->bytes || there.bytes > y->bytes)
		return damaged();
	p.move = calloc(1, sizeof(*p.move));
	if (p.move)
		p.move->seen = calloc(1, all ? all : 1);
	if (!p.move || !p.move->seen) {
		layout_move__free(p.move);
		return spin_fail(-ENOMEM, "no memory to move the state");
	}
	p.move->is_first = 1;
	err = add(&p, &(struct step){
			      .kind = STEP_ENTRIES, .bytes = x->bytes, .to_bytes = y->bytes, .count = x->copies, .to_count = y->copies });
	if (!err)
		err = plan_type(&p, &b, 0);
	if (err) {
		layout_move__free(p.move);
		return err;
	}
	p.move->step[0].steps = p.move->count - 1;
	*out = p.move;
	return 0;
}
