/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that each call of <spin/action.h>, <spin/put.h> and <spin/lock.h> makes exactly the register accesses that commands.golden lists:
 * handlers start DMA and sends by writes to registers of the NIC model. actions_cost_what_pspins_do.c checks their cost. Run by tests/run.
 *
 * commands_are_pspins --print    prints the current accesses; commands.golden is changed by hand only
 */
#include <spin/slmp.h>

#include "tests/model/handlers/commands.h"
#include "tests/model/common/packet.h"
#include "tests/model/common/listing.h"

#define GOLDEN        "tests/model/programs/commands.golden"
#define PAYLOAD_BYTES 128u

static int failures;

static const char *const names[] = {
#define COMMAND_NAME_(name) [COMMAND_##name] = #name,
	COMMAND_CALLS(COMMAND_NAME_)
#undef COMMAND_NAME_
};

static struct pspin *open_nic(struct rig_file file)
{
	struct spin_meta meta = { .magic = SPIN_META_MAGIC,
				  .api_version = SPIN_API_VERSION,
				  .registration = { .payload = 1, .delivery = SPIN_DELIVER_ME, .puts = 2 } };
	struct spin_rule any = { 0 };
	struct pspin *nic;
	char err[128];

	if (!pspin__open(&nic, pspin_target__find("pspin-rtl"), &meta, file.data, file.bytes, &any, err, sizeof(err)))
		return nic;
	printf("FAIL open: %s\n", err);
	exit(1);
}

/* Runs a message of one packet. The state is reset before. */
static void call(struct pspin *nic, struct listing *l, uint32_t what, const void *state)
{
	static const struct spin_segment one = { 4096, 512 }, three[] = { { 4096, 16 }, { 8192, 40 }, { 12288, 64 } };
	struct pspin_limits limits = { .handler_mem = what == COMMAND_HANDLER_IOVEC ? three : &one,
				       .handler_segments = what == COMMAND_HANDLER_IOVEC ? 3 : 1 };
	struct spin_slmp slmp = { spin_hton16(SPIN_SLMP_SYN | SPIN_SLMP_EOM), spin_hton32(what), 0 };
	uint8_t datagram[sizeof(slmp) + PAYLOAD_BYTES] = { 0 }, frame[sizeof(datagram) + 64];
	struct pspin_result result;

	memcpy(datagram, &slmp, sizeof(slmp));
	memcpy(datagram + sizeof(slmp), &what, sizeof(what));
	listing__begin(l, names[what]);
	if (pspin__limit(nic, &limits) || pspin__write(nic, l->state, state, l->state_bytes) ||
	    pspin__packet(nic, frame, packet__make(frame, 0x0100000a, datagram, sizeof(datagram)), &result) || result.task_count != 1 ||
	    result.tasks[0].error || result.reason != SPIN_REASON_SUCCESS) {
		printf("FAIL %s: the call fails\n", names[what]);
		failures++;
	}
}

/* Prints the first line that differs, from both texts. */
static void compare(const char *have)
{
	static char want[LISTING_BYTES];
	FILE *f = fopen(GOLDEN, "r");
	size_t bytes = f ? fread(want, 1, sizeof(want) - 1, f) : 0;
	const char *a = have, *b = want, *block = "";
	size_t line_a, line_b;

	if (f)
		fclose(f);
	while (*b == '#') /* the file's own comments */
		b += strcspn(b, "\n") + 1;
	while (*a || *b) {
		line_a = strcspn(a, "\n");
		line_b = strcspn(b, "\n");
		if (line_a != line_b || memcmp(a, b, line_a)) {
			printf("FAIL in %.*s\n     there is   %.*s\n     %s has %.*s\n", (int)strcspn(block, "\n"), block, (int)line_a, a,
			       GOLDEN, (int)line_b, b);
			failures++;
			return;
		}
		if (*a != '\t')
			block = a;
		a += line_a + (a[line_a] == '\n');
		b += line_b + (b[line_b] == '\n');
	}
	if (!bytes) {
		printf("FAIL no %s\n", GOLDEN);
		failures++;
	}
}

int main(int argc, char **argv)
{
	static struct listing listing;
	static uint8_t state[4096];
	struct rig_file file = rig__build("commands", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/commands.c\"'");
	struct pspin *nic = open_nic(file);

	if (pspin__symbol(nic, "spin_state", &listing.state, &listing.state_bytes) ||
	    pspin__read(nic, listing.state, state, listing.state_bytes)) {
		printf("FAIL no state in the image\n");
		return 1;
	}
	listing.locks = listing.state + 72; /* offset of `struct memory` of commands.c */
	if (pspin__symbol(nic, "spin_host_lock_", &listing.host_lock, NULL)) {
		printf("FAIL no symbol spin_host_lock_\n");
		return 1;
	}
	nic->device->soc.hpus[0].watch = listing__watch;
	nic->device->soc.hpus[0].watch_arg = &listing;
	for (uint32_t what = 0; what < COMMAND_COUNT; what++)
		call(nic, &listing, what, state);
	if (argc > 1 && !strcmp(argv[1], "--print"))
		fputs(listing.text, stdout);
	else
		compare(listing.text);
	pspin__close(nic);
	free(file.data);
	return failures != 0;
}
