/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens objects, the files that spincc makes of handlers (BPF programs, the NIC's program, a description). A file must be spincc's,
 * complete, of this version and within the runtime's contract. Called by applications and spind. Objects of --api pspin (for PsPIN's own
 * runtime) are recognized before anything else of them is read.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/libspin/card/card.h"
#include "user/libspin/internal.h"
#include "user/libspin/object/trailer.h"
#include "user/libspin/object/contract.h"
#include "user/libspin/object/pspin_object.h"

#define OBJECT_BYTES_MAX (256u << 20)

/* Handler memory, in which start-up places the handlers of --api pspin (hwmodel/image/pspin/link.ld). */
#define L2_HANDLER       0x1c000000u
#define L2_HANDLER_BYTES 0x400000u

static int read_file(struct spin_object *obj)
{
	int fd = open(obj->path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st;

	if (fd < 0)
		return spin_fail(-errno, "cannot open %s: %s", obj->path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		err = spin_fail(-EINVAL, "%s is not a regular file", obj->path);
	} else if (st.st_size == 0 || st.st_size > OBJECT_BYTES_MAX) {
		err = spin_fail(-EINVAL, "%s is not a fat object: it has %lld bytes", obj->path, (long long)st.st_size);
	} else {
		obj->data = malloc((size_t)st.st_size);
		if (!obj->data)
			err = spin_fail(-ENOMEM, "no memory to read %s", obj->path);
	}
	while (!err && obj->bytes < (size_t)st.st_size) {
		ssize_t got = read(fd, obj->data + obj->bytes, (size_t)st.st_size - obj->bytes);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			err = spin_fail(got ? -errno : -EINVAL, "cannot read %s: %s", obj->path,
					got ? strerror(errno) : "it became shorter while it was read");
		else
			obj->bytes += (size_t)got;
	}
	close(fd);
	obj->file_bytes = obj->bytes;
	return err;
}

static int check_trailer(struct spin_object *obj)
{
	long bytes = spin_trailer__check(obj->data, obj->bytes);

	if (bytes > 0) {
		obj->bytes = (size_t)bytes;
		return 0;
	}
	if (bytes < 0)
		return spin_fail(-EINVAL, "%s is damaged: its checksum is wrong; compile it again with spincc", obj->path);
	if (obj->bytes >= 4 && !memcmp(obj->data, ELFMAG, SELFMAG))
		return spin_fail(-EINVAL,
				 "%s is not a fat object, or it is truncated: the trailer at its end is "
				 "missing; make one with `spincc handler.c -o handler.spin`",
				 obj->path);
	return spin_fail(-EINVAL,
			 "%s is not a fat object: it is not an ELF file; make one with "
			 "`spincc handler.c -o handler.spin`",
			 obj->path);
}

static int is_rv32(const uint8_t *data, size_t bytes)
{
	Elf32_Ehdr header;

	if (!data || bytes < sizeof(header))
		return 0;
	memcpy(&header, data, sizeof(header));
	return !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_ident[EI_CLASS] == ELFCLASS32 &&
	       header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == EM_RISCV;
}

static int pspin_damaged(const char *path, const char *what)
{
	return spin_fail(-EINVAL, "%s is damaged: %s; compile it again with spincc --api pspin", path, what);
}

int pspin_object__read(const char *path, const uint8_t *data, size_t bytes, struct pspin_api *out)
{
	size_t offset, length;

	if (!is_rv32(data, bytes))
		return -ENOENT;
	if (spin_elf__section(data, bytes, PSPIN_API_SECTION, &offset, &length) || !length)
		return -ENOENT;
	if (offset > bytes || length > bytes - offset)
		return pspin_damaged(path, "its description reaches beyond the end of the file");
	if (length < sizeof(*out))
		return pspin_damaged(path, "its description is too short");
	memcpy(out, data + offset, sizeof(*out));
	if (memcmp(out->magic, PSPIN_API_MAGIC, sizeof(out->magic)))
		return pspin_damaged(path, "its description has the wrong mark");
	if (out->version != PSPIN_API_VERSION)
		return spin_fail(-EINVAL, "%s was made by another version of spincc --api pspin (%u, this is %u): compile it again", path,
				 out->version, PSPIN_API_VERSION);
	if (out->bytes < sizeof(*out))
		return pspin_damaged(path, "its description is invalid");
	if (out->entries_at % 4 || out->entries_at - L2_HANDLER > L2_HANDLER_BYTES - sizeof(out->entries))
		return pspin_damaged(path, "it has its handlers' addresses where no handler memory is");
	return 0;
}

static int refuse_pspin(const struct spin_object *obj)
{
	struct pspin_api api;
	int err = pspin_object__read(obj->path, obj->data, obj->bytes, &api);

	if (err)
		return err == -ENOENT ? 0 : err;
	return spin_fail(-ENOTSUP,
			 "%s is compiled with --api pspin: it runs on the model of the HPU alone, by `spinctl cost %s`; for the "
			 "kernel, for vectors and recordings write the handlers with <spin/spin.h>",
			 obj->path, obj->path);
}

static int read_meta(struct spin_object *obj)
{
	struct spin_meta *meta = &obj->meta;
	size_t offset, bytes;

	if (!obj->data || spin_elf__section(obj->data, obj->bytes, SPIN_META_SECTION, &offset, &bytes) || !bytes)
		return spin_fail(-EINVAL,
				 "%s is a BPF object without handlers (no %s section); make one with "
				 "`spincc handler.c -o handler.spin`",
				 obj->path, SPIN_META_SECTION);
	if (bytes < offsetof(struct spin_meta, name))
		return spin_fail(-EINVAL, "%s is damaged: its description is too short", obj->path);
	memcpy(meta, obj->data + offset, bytes < sizeof(*meta) ? bytes : sizeof(*meta));
	if (meta->magic != SPIN_META_MAGIC)
		return spin_fail(-EINVAL, "%s is damaged: its description has the wrong mark", obj->path);
	if (meta->api_version > SPIN_API_VERSION)
		return spin_fail(-ENOTSUP,
				 "%s needs handler API %u, this is %u: install a newer version, or "
				 "compile it again",
				 obj->path, meta->api_version, SPIN_API_VERSION);
	if (meta->api_version < SPIN_API_VERSION)
		return spin_fail(-EINVAL, "%s was made for handler API %u, this is %u: compile it again with spincc", obj->path,
				 meta->api_version, SPIN_API_VERSION);
	if (bytes < sizeof(*meta) || meta->bytes < sizeof(*meta) || !memchr(meta->name, 0, sizeof(meta->name)) || !meta->name[0])
		return spin_fail(-EINVAL, "%s is damaged: its description is invalid", obj->path);
	for (const char *c = meta->name; *c; c++)
		if (*c <= 0x20 || *c > 0x7e) /* it is printed */
			return spin_fail(-EINVAL, "%s is damaged: its handler's name is invalid", obj->path);
	if (spin_elf__section(obj->data, obj->bytes, SPIN_RV32_SECTION, &obj->image_offset, &obj->image_bytes))
		return spin_fail(-EINVAL, "%s is damaged: its sections cannot be read", obj->path);
	return object__registration(obj);
}

/* Copies an ELF file inside the object, and checks it in the same way. *out stays NULL if there is none. */
static int read_inner(struct spin_object *obj, const char *section, uint8_t **out, size_t *bytes)
{
	size_t offset;

	if (spin_elf__section(obj->data, obj->bytes, section, &offset, bytes))
		return spin_fail(-EINVAL, "%s is damaged: its sections cannot be read", obj->path);
	if (!*bytes)
		return 0;
	*out = malloc(*bytes); /* aligned, as libelf requires */
	if (!*out)
		return spin_fail(-ENOMEM, "no memory to open %s", obj->path);
	memcpy(*out, obj->data + offset, *bytes);
	if (spin_elf__check(obj->path, *out, *bytes, EM_BPF))
		return -EINVAL;
	return spin_btf__check(obj->path, *out, *bytes);
}

/* Reads the programs for kernels without may_goto, and the one for a card. */
static int read_inner_objects(struct spin_object *obj)
{
	int err = read_inner(obj, SPIN_BOUNDED_SECTION, &obj->bounded, &obj->bounded_bytes);

	return err ? err : read_inner(obj, SPIN_NFP_SECTION, &obj->card, &obj->card_bytes);
}

static int read_types(struct spin_object *obj)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = obj->meta.name);

	obj->types = bpf_object__open_mem(obj->data, obj->bytes, &opts);
	if (!obj->types)
		return spin_fail(-EINVAL, "%s is damaged: libbpf cannot read it (%s)", obj->path, strerror(errno));
	if (!bpf_object__btf(obj->types))
		return spin_fail(-EINVAL, "%s has no type information (BTF); compile it again with spincc", obj->path);
	if (!bpf_object__find_program_by_name(obj->types, "spin_xdp"))
		return spin_fail(-EINVAL, "%s has no program spin_xdp; compile it again with spincc", obj->path);
	return 0;
}

static int check_contract(const struct spin_object *obj)
{
	const int segments = obj->meta.registration.delivery == SPIN_DELIVER_SEGMENTS;
	const struct contract_file main = { .path = obj->path, .data = obj->data, .bytes = obj->bytes, .segments = segments };
	const struct contract_file bounded = {
		.path = obj->path, .data = obj->bounded, .bytes = obj->bounded_bytes, .bounded = 1, .segments = segments
	};
	int err = contract__check(&main);

	return err || !obj->bounded ? err : contract__check(&bounded);
}

static struct spin_object *alloc_object(const char *path)
{
	struct spin_object *obj = calloc(1, sizeof(*obj));

	spin_quiet_libbpf();
	if (obj && (obj->path = strdup(path))) {
		obj->holders = 1;
		return obj;
	}
	free(obj);
	spin_fail(-ENOMEM, "no memory to open %s", path);
	return NULL;
}

/* Checks the object that was read; closes it on failure. */
static int check_object(struct spin_object *obj, struct spin_object **out)
{
	const char *path = obj->path;
	int err = check_trailer(obj);

	if (!err)
		err = refuse_pspin(obj);
	if (!err)
		err = spin_elf__check(path, obj->data, obj->bytes, EM_BPF);
	if (!err)
		err = read_meta(obj);
	if (!err)
		err = spin_btf__check(path, obj->data, obj->bytes);
	if (!err)
		err = read_inner_objects(obj);
	if (!err)
		err = check_contract(obj);
	if (!err)
		err = read_types(obj);
	if (!err && obj->card)
		err = card__check(obj);
	if (err) {
		spin_object__close(obj);
		return err;
	}
	*out = obj;
	return 0;
}

int spin_object__open(const char *path, struct spin_object **out)
{
	struct spin_object *obj = alloc_object(path);
	int err;

	*out = NULL;
	if (!obj)
		return -ENOMEM;
	err = read_file(obj);
	if (!err)
		return check_object(obj, out);
	spin_object__close(obj);
	return err;
}

int spin_object__open_mem(const char *name, const void *data, size_t bytes, struct spin_object **out)
{
	struct spin_object *obj = alloc_object(name);
	int err = 0;

	*out = NULL;
	if (!obj)
		return -ENOMEM;
	if (!bytes || bytes > OBJECT_BYTES_MAX)
		err = spin_fail(-EINVAL, "%s is not a fat object: it has %zu bytes", name, bytes);
	else if (!(obj->data = malloc(bytes)))
		err = spin_fail(-ENOMEM, "no memory to read %s", name);
	if (err) {
		spin_object__close(obj);
		return err;
	}
	memcpy(obj->data, data, bytes);
	obj->bytes = obj->file_bytes = bytes;
	return check_object(obj, out);
}

struct spin_object *object__hold(const struct spin_object *obj)
{
	struct spin_object *held = (struct spin_object *)obj;

	__atomic_fetch_add(&held->holders, 1, __ATOMIC_RELAXED);
	return held;
}

void spin_object__close(struct spin_object *obj)
{
	if (!obj || __atomic_sub_fetch(&obj->holders, 1, __ATOMIC_ACQ_REL))
		return;
	bpf_object__close(obj->types);
	free(obj->bounded);
	free(obj->card);
	free(obj->data);
	free(obj->path);
	free(obj);
}

const struct spin_meta *spin_object__meta(const struct spin_object *obj)
{
	return &obj->meta;
}

const void *spin_object__image(const struct spin_object *obj, size_t *bytes)
{
	*bytes = obj->image_bytes;
	return obj->image_bytes ? obj->data + obj->image_offset : NULL;
}

const void *spin_object__card(const struct spin_object *obj, size_t *bytes)
{
	*bytes = obj->card_bytes;
	return obj->card;
}

const void *object__programs(const struct spin_object *obj, int bounded, size_t *bytes)
{
	*bytes = bounded ? obj->bounded_bytes : obj->bytes;
	return bounded ? obj->bounded : obj->data;
}

/* Checks the registration: spincc has done so already, but the object may come from another compiler. */

static int damaged(const struct spin_object *obj, const char *what)
{
	return spin_fail(-EINVAL, "%s is damaged: %s; compile it again with spincc", obj->path, what);
}

/* Reads the 32-bit word in a section; 0 if there is no such section. what: the error message if it is invalid. */
static int read_number(const struct spin_object *obj, const char *section, const char *what, uint32_t *out)
{
	size_t offset, bytes;

	*out = 0;
	if (spin_elf__section(obj->data, obj->bytes, section, &offset, &bytes))
		return damaged(obj, "its sections cannot be read");
	if (!bytes)
		return 0;
	if (bytes != sizeof(*out))
		return damaged(obj, what);
	memcpy(out, obj->data + offset, sizeof(*out));
	return *out ? 0 : damaged(obj, what);
}

static int read_scratchpad(struct spin_object *obj)
{
	static const char what[] = "the size of its scratchpad is invalid";
	struct spin_registration *reg = &obj->meta.registration;
	uint32_t bytes;
	int err;

	if (reg->scratchpad_bytes)
		return spin_fail(-EINVAL, "%s registers .scratchpad_bytes: leave that to SPIN_SCRATCHPAD(TYPE)", obj->path);
	err = read_number(obj, SPIN_SCRATCH_SECTION, what, &bytes);
	if (err)
		return err;
	if (bytes > SPIN_SCRATCHPAD_MAX || bytes % 8)
		return damaged(obj, what);
	if (bytes && reg->delivery != SPIN_DELIVER_ME)
		return spin_fail(-EINVAL,
				 "%s has a scratchpad, which is a message's: register .delivery = SPIN_DELIVER_ME, "
				 "or keep it in SPIN_STATE",
				 obj->path);
	reg->scratchpad_bytes = bytes;
	return 0;
}

static int read_puts(struct spin_object *obj)
{
	static const char what[] = "the number of packets that it sends for one is invalid";
	struct spin_registration *reg = &obj->meta.registration;
	uint32_t puts;
	int err;

	if (reg->puts)
		return spin_fail(-EINVAL, "%s registers .puts: leave that to SPIN_PUTS(n)", obj->path);
	err = read_number(obj, SPIN_PUTS_SECTION, what, &puts);
	if (err)
		return err;
	if (puts > SPIN_PUTS_MAX)
		return damaged(obj, what);
	reg->puts = (uint16_t)puts;
	return 0;
}

/* Checks gets and atomics; called after read_puts(). */
static int check_request_types(const struct spin_object *obj)
{
	const struct spin_registration *reg = &obj->meta.registration;

	if (reg->takes & ~(SPIN_TAKES_GET | SPIN_TAKES_ATOMIC | SPIN_TAKES_FETCH))
		return damaged(obj, "it takes requests that do not exist");
	if (reg->takes && reg->delivery != SPIN_DELIVER_ME)
		return spin_fail(-EINVAL, "%s registers .takes, which is for messages: register .delivery = SPIN_DELIVER_ME", obj->path);
	if (reg->takes & (SPIN_TAKES_GET | SPIN_TAKES_FETCH) && !reg->puts)
		return spin_fail(-EINVAL,
				 "%s takes gets, or atomics that fetch, whose answers are sent: say with SPIN_PUTS(n) how many "
				 "packets at most for one that came, the answer among them",
				 obj->path);
	return 0;
}

/* Checks user header, payload and fragmentation bytes. */
static int check_fragmentation(const struct spin_object *obj)
{
	const struct spin_registration *reg = &obj->meta.registration;
	const unsigned unit = reg->fragmentation_bytes;

	if (reg->user_header_bytes > SPIN_USER_HEADER_MAX)
		return spin_fail(-EINVAL,
				 "%s registers .user_header_bytes = %u: at most %u; read the rest in the payload "
				 "handler",
				 obj->path, reg->user_header_bytes, SPIN_USER_HEADER_MAX);
	if (unit <= 1)
		return 0;
	if (unit & (unit - 1) || unit > SPIN_FRAGMENTATION_MAX)
		return spin_fail(-EINVAL, "%s registers .fragmentation_bytes = %u: a power of two, at most %u", obj->path, unit,
				 SPIN_FRAGMENTATION_MAX);
	if (reg->delivery != SPIN_DELIVER_ME)
		return spin_fail(-EINVAL,
				 "%s registers .fragmentation_bytes, which is for messages: register .delivery = "
				 "SPIN_DELIVER_ME, or look at the length of each packet",
				 obj->path);
	if (reg->user_header_bytes % unit)
		return spin_fail(-EINVAL,
				 "%s registers .user_header_bytes = %u with .fragmentation_bytes = %u: what follows the user "
				 "header would not lie as promised; make it a multiple",
				 obj->path, reg->user_header_bytes, unit);
	return 0;
}

const char *object__rule(const struct spin_object *obj)
{
	return obj && obj->meta.registration.delivery == SPIN_DELIVER_SEGMENTS ? "tcp" : "udp";
}

/* Checks what handlers of TCP segments cannot have, beyond what is for messages alone; called after read_puts(). */
static int check_segments(const struct spin_object *obj)
{
	const struct spin_registration *reg = &obj->meta.registration;

	if (reg->delivery != SPIN_DELIVER_SEGMENTS)
		return 0;
	if (reg->user_header_bytes)
		return spin_fail(
			-EINVAL,
			"%s registers .user_header_bytes, and a connection begins with a SYN, which has no bytes: look at the first "
			"ones in the payload handler",
			obj->path);
	if (reg->puts)
		return spin_fail(-EINVAL, "%s takes TCP segments and sends packets (SPIN_PUTS), which are of UDP: leave one of them out",
				 obj->path);
	return 0;
}

int object__registration(struct spin_object *obj)
{
	const struct spin_registration *reg = &obj->meta.registration;
	int err;

	if (reg->delivery > SPIN_DELIVER_SEGMENTS)
		return damaged(obj, "it names a delivery that does not exist");
	if (reg->payload_aligned > 1)
		return damaged(obj, "it asks for a place of payloads that does not exist");
	if (reg->budget > SPIN_BUDGET_MAX)
		return spin_fail(-EINVAL, "%s registers .budget = %u: at most %u steps; more would keep an HPU from its packets", obj->path,
				 reg->budget, SPIN_BUDGET_MAX);
	err = check_fragmentation(obj);
	if (!err)
		err = read_scratchpad(obj);
	if (!err)
		err = read_puts(obj);
	if (!err)
		err = check_segments(obj);
	return err ? err : check_request_types(obj);
}
