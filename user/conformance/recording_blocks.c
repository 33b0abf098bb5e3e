/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* pcapng blocks as a recording has them, written with a running checksum. */
#include <errno.h>
#include <zlib.h>

#include "user/lib/version.h"

#include "user/conformance/recording_internal.h"

int recording__put(struct recording_writer *w, const void *data, size_t bytes)
{
	if (!bytes)
		return 0;
	if (fwrite(data, 1, bytes, w->out.file) != bytes)
		return engine_fail(-errno, "cannot write %s: %s", w->out.path, strerror(errno));
	w->crc = (uint32_t)crc32_z(w->crc, data, bytes);
	w->bytes += bytes;
	return 0;
}

int recording__put32(struct recording_writer *w, uint32_t value)
{
	return recording__put(w, &value, sizeof(value));
}

uint32_t recording__padding(size_t bytes)
{
	return (uint32_t)(-bytes & 3);
}

int recording__put_padded(struct recording_writer *w, const void *data, size_t bytes)
{
	static const uint8_t zeros[4];
	int err = recording__put(w, data, bytes);

	return err ? err : recording__put(w, zeros, recording__padding(bytes));
}

int recording__put_option(struct recording_writer *w, uint16_t code, const void *value, uint16_t bytes)
{
	int err = recording__put32(w, code | (uint32_t)bytes << 16);

	return err ? err : recording__put_padded(w, value, bytes);
}

uint32_t recording__option_bytes(size_t bytes)
{
	return 4 + (uint32_t)bytes + recording__padding(bytes);
}

int recording__put_custom(struct recording_writer *w, enum recording_kind kind, const void *head, size_t head_bytes, const void *tail,
			  size_t tail_bytes)
{
	struct recording_custom custom = { .magic = RECORDING_MAGIC, .kind = kind, .bytes = (uint32_t)(head_bytes + tail_bytes) };
	uint32_t bytes = 12 + (uint32_t)sizeof(custom) + custom.bytes + recording__padding(custom.bytes);
	int err = recording__put32(w, RECORDING_BLOCK);

	if (!err)
		err = recording__put32(w, bytes);
	if (!err)
		err = recording__put(w, &custom, sizeof(custom));
	if (!err)
		err = recording__put(w, head, head_bytes);
	if (!err)
		err = recording__put_padded(w, tail, tail_bytes);
	return err ? err : recording__put32(w, bytes);
}

int recording__put_section(struct recording_writer *w)
{
	static const char application[] = "spinctl record " SPIN_VERSION;
	uint32_t bytes = 28 + recording__option_bytes(sizeof(application) - 1) + 4;
	const uint32_t head[] = { PCAPNG_SECTION, bytes, PCAPNG_BYTE_ORDER, 1 /* 1.0 */, ~0u, ~0u };
	int err = recording__put(w, head, sizeof(head));

	if (!err)
		err = recording__put_option(w, PCAPNG_SHB_USERAPPL, application, sizeof(application) - 1);
	if (!err)
		err = recording__put32(w, 0);
	return err ? err : recording__put32(w, bytes);
}

int recording__put_interface(struct recording_writer *w, const char *device)
{
	static const uint8_t nanoseconds = 9;
	uint16_t length = (uint16_t)strlen(device);
	uint32_t bytes = 20 + recording__option_bytes(length) + recording__option_bytes(1) + 4;
	const uint32_t head[] = { PCAPNG_INTERFACE, bytes, PCAPNG_ETHERNET, 0 /* no limit */ };
	int err = recording__put(w, head, sizeof(head));

	if (!err)
		err = recording__put_option(w, PCAPNG_IF_NAME, device, length);
	if (!err)
		err = recording__put_option(w, PCAPNG_IF_TSRESOL, &nanoseconds, 1);
	if (!err)
		err = recording__put32(w, 0);
	return err ? err : recording__put32(w, bytes);
}
