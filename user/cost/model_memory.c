/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sets and fills a handler's state and tables in the modelled NIC's memory by name (--set, --insert): each variable is copied from the
 * model, changed with the help of its type (BTF), and written back at the end. Called by program.c, which creates the modelled NIC.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "user/cost/run.h"
#include "user/libspin/internal.h"
#include "user/libspin/object/layout.h"
#include "user/tool/fill.h"
#include "user/tool/error.h"

#define VARIABLES_MAX 64

/* A copy of a variable. It is changed here and written back at the end. */
struct copy {
	struct layout_variable var;
	uint32_t addr;
	char *mem;
};

struct model_memory {
	struct pspin *nic;
	const struct btf *btf;
	struct copy copies[VARIABLES_MAX];
	unsigned count;
};

struct model_memory *model_memory__new(struct pspin *nic, const struct spin_object *object)
{
	struct model_memory *m = calloc(1, sizeof(*m));

	if (m) {
		m->nic = nic;
		m->btf = bpf_object__btf(object->types);
	}
	return m;
}

/* Finds the copy of a variable; creates it at the first use. */
static int find(struct model_memory *m, const char *name, struct copy **out)
{
	struct copy *c = &m->copies[m->count];
	uint32_t bytes;
	int err;

	for (unsigned i = 0; i < m->count; i++)
		if (!strcmp(m->copies[i].var.name, name)) {
			*out = &m->copies[i];
			return 0;
		}
	if (m->count == VARIABLES_MAX)
		return spin_fail(-E2BIG, "more than %d tables", VARIABLES_MAX);
	err = layout__find(m->btf, name, &c->var);
	if (err)
		return err;
	c->var.copies = 1; /* the model has one value, not copies per cluster */
	if (pspin__symbol(m->nic, name, &c->addr, &bytes) || bytes != c->var.bytes)
		return spin_fail(-ENOENT, "'%s' is not in the rv32 image, or has another size there", name);
	c->mem = malloc(bytes);
	if (!c->mem)
		return spin_fail(-ENOMEM, "no memory for '%s'", name);
	err = pspin__read(m->nic, c->addr, c->mem, bytes);
	if (err) {
		free(c->mem);
		return spin_fail(err, "'%s' lies outside the model's memory", name);
	}
	m->count++;
	*out = c;
	return 0;
}

static int set(void *arg, const char *assignment)
{
	struct model_memory *m = arg;
	const char *path;
	char name[64];
	struct copy *c;
	int err = layout__split(assignment, name, sizeof(name), &path);

	if (!err)
		err = find(m, name, &c);
	return err ? err : layout__set(m->btf, &c->var, c->mem, path);
}

static int insert(void *arg, const char *table, const char *fields)
{
	struct model_memory *m = arg;
	struct copy *c;
	int err = find(m, table, &c);

	return err ? err : layout__insert(m->btf, &c->var, c->mem, fields);
}

struct fill_target model_memory__target(struct model_memory *m)
{
	return (struct fill_target){ .arg = m, .set = set, .insert = insert };
}

int model_memory__flush(struct model_memory *m)
{
	for (unsigned i = 0; i < m->count; i++)
		if (pspin__write(m->nic, m->copies[i].addr, m->copies[i].mem, m->copies[i].var.bytes))
			return report_error("'%s' lies outside the model's memory", m->copies[i].var.name);
	return DONE;
}

void model_memory__free(struct model_memory *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->count; i++)
		free(m->copies[i].mem);
	free(m);
}
