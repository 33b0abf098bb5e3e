/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests packets that handlers send from the model's NIC: they must be in order, and limited per received packet, whichever handler sends
 * them. Acknowledgements of these packets end at the NIC. A handler that uses up its budget must be reported, and the next one must be
 * unaffected. Run by tests/run.
 */
#include <spin/slmp.h>

#include "tests/model/handlers/sends.h"
#include "tests/model/common/packet.h"
#include "tests/model/common/rig.h"

#define BYTES  64u /* of payload, in all packets */
#define SOURCE 0x0100000au

static int failures;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	printf("FAIL %s\n", what);
	failures++;
}

static struct pspin *open_nic(struct rig_file file, uint32_t bytes_in_l1)
{
	struct spin_meta meta = { .magic = SPIN_META_MAGIC,
				  .api_version = SPIN_API_VERSION,
				  .registration = { .header = 1,
						    .payload = 1,
						    .message_completion = 1,
						    .puts = 3,
						    .delivery = SPIN_DELIVER_ME,
						    .budget = 5,
						    .fragmentation_bytes = 4,
						    .bytes_in_l1 = bytes_in_l1 } };
	struct spin_rule any = { 0 };
	struct pspin *nic;
	char err[128];

	if (!pspin__open(&nic, pspin_target__find("pspin-rtl"), &meta, file.data, file.bytes, &any, err, sizeof(err)))
		return nic;
	printf("FAIL open: %s\n", err);
	exit(1);
}

static struct pspin_result send_packet(struct pspin *nic, uint32_t id, uint32_t flags, uint32_t bytes, uint32_t count)
{
	struct spin_slmp slmp = { spin_hton16((uint16_t)flags), spin_hton32(id), 0 };
	uint8_t datagram[sizeof(slmp) + BYTES] = { 0 }, frame[sizeof(datagram) + 64];
	struct pspin_result result;

	memcpy(datagram, &slmp, sizeof(slmp));
	memcpy(datagram + sizeof(slmp), &count, sizeof(count));
	if (pspin__packet(nic, frame, packet__make(frame, SOURCE, datagram, (uint32_t)sizeof(slmp) + bytes), &result)) {
		printf("FAIL the model refuses a packet\n");
		exit(1);
	}
	return result;
}

#define LAST (SPIN_SLMP_SYN | SPIN_SLMP_EOM)

/* Returns 1 if the packet goes from this packet's target to port 7000 of its source. */
static int goes_to_7000(const struct spin_request *r)
{
	const uint8_t *at = r->frame + r->ip_at;
	struct spin_ip4 ip;
	struct spin_udp udp;

	memcpy(&ip, at, sizeof(ip));
	memcpy(&udp, at + sizeof(ip), sizeof(udp));
	return r->type == SPIN_REQUEST_PACKET && r->ip_at == 14 && ip.src == 0x0200000a && ip.dst == SOURCE && ip.ttl == 64 &&
	       udp.src_port == spin_hton16(9000) && udp.dst_port == spin_hton16(7000) &&
	       checksum__fold(checksum__sum(&ip, sizeof(ip))) == 0xffff &&
	       checksum__udp_state(at, 20, spin_ntoh16(udp.length)) == CHECKSUM_RIGHT && r->bytes == 14u + spin_ntoh16(ip.total_length) &&
	       r->put.target.port == udp.dst_port;
}

static void sends_are_in_order(struct pspin *nic)
{
	struct pspin_result r = send_packet(nic, 1, LAST, BYTES, 1);
	const struct spin_slmp *slmp;
	const struct spin_slmp_put *put;

	check(r.reason == SPIN_REASON_SUCCESS && r.verdict == SPIN_VERDICT_TX && r.send_count == 3,
	      "header, payload and completion handler send one each");
	if (r.send_count != 3)
		return;
	slmp = (const struct spin_slmp *)(r.sends[0].frame + 14 + 28);
	put = (const struct spin_slmp_put *)(slmp + 1);
	check(goes_to_7000(&r.sends[0]) && slmp->message_id == spin_hton32(1) && put->length == spin_hton32(4) &&
		      slmp->flags == spin_hton16(LAST | SPIN_SLMP_PUT) && ((const uint8_t *)put)[15] == 1 &&
		      r.sends[0].frame[14 + 28 + 42] == 0x11 && r.sends[0].bytes == 14 + 28 + 42 + 4,
	      "the put of HPU memory is a message of one packet");
	slmp = (const struct spin_slmp *)(r.sends[1].frame + 14 + 28);
	check(goes_to_7000(&r.sends[1]) && slmp->flags == spin_hton16(LAST) && slmp->message_id == spin_hton32(1) &&
		      r.sends[1].bytes == 14 + 28 + 10 + BYTES,
	      "the packet goes on as it is");
	check(r.sends[2].type == SPIN_REQUEST_PUT && !r.sends[2].start && r.sends[2].bytes == 64 && r.sends[2].put.hdr_data == 2 &&
		      r.sends[2].put.remote_offset == 3 && r.sends[2].put.target.addr[0] == SOURCE &&
		      r.sends[2].source.port == spin_hton16(9000),
	      "host memory is left to the host");
	r = send_packet(nic, 2, LAST, BYTES, 0);
	check(r.send_count == 2 && r.sends[0].frame[14 + 28 + 5] == 2, "the next put has the next message id");
}

static void sends_are_limited(struct pspin *nic)
{
	struct pspin_result r = send_packet(nic, 3, LAST, BYTES, 2);

	check(r.reason == SPIN_REASON_SUCCESS && r.send_count == 3 && r.event_count == 2 && r.events[0].type == SPIN_EVENT_SEGV &&
		      r.events[0].handler == SPIN_KIND_COMPLETION,
	      "the completion handler finds no packet left");
	r = send_packet(nic, 4, LAST, BYTES, 3);
	check(r.reason == SPIN_REASON_SEGV && r.send_count == 3, "the payload handler finds none left");
	r = send_packet(nic, 5, LAST, BYTES, 1);
	check(r.reason == SPIN_REASON_SUCCESS && r.send_count == 3, "the next message has its own");
}

static void acknowledgements_and_pieces(struct pspin *nic)
{
	struct pspin_result r = send_packet(nic, 6, SPIN_SLMP_ACK, 0, 0);

	check(r.reason == SPIN_REASON_ACKNOWLEDGED && r.verdict == SPIN_VERDICT_DROP && !r.task_count, "an acknowledgement ends there");
	r = send_packet(nic, 7, LAST, 62, 0);
	check(r.reason == SPIN_REASON_SUCCESS && r.event_count == 1 && r.events[0].dropped_bytes == 62 % 4,
	      "of a last packet half a piece is dropped");
	r = send_packet(nic, 8, 0, 62, 0);
	check(r.reason == SPIN_REASON_MALFORMED && r.verdict == SPIN_VERDICT_DROP, "of another one it is malformed");
}

static void overrun(struct pspin *nic)
{
	struct pspin_result r = send_packet(nic, 8, LAST, BYTES, OVERRUNS);

	check(r.reason == SPIN_REASON_OVERRUN && r.event_count == 2 && r.events[0].type == SPIN_EVENT_OVERRUN &&
		      r.events[0].handler == SPIN_KIND_PAYLOAD && r.events[1].dropped_bytes == BYTES,
	      "a handler that waits for ever has used up its budget");
	check(r.task_count == 3 && r.tasks[1].error == PSPIN_ERROR_OVERRUN, "and its task says so");
	r = send_packet(nic, 9, LAST, BYTES, 1);
	check(r.reason == SPIN_REASON_SUCCESS && r.send_count == 3, "the next message is unharmed");
}

static void entry_without_payload_handler(struct pspin *nic)
{
	const struct spin_me none = { .options = SPIN_ME_NO_PAYLOAD, .length = 64, .ignore_bits = UINT64_MAX };
	const struct spin_me other = { .options = SPIN_ME_NO_HEADER | SPIN_ME_NO_COMPLETION, .length = 64 };

	check(pspin__me_append(nic, &none, NULL, 0, NULL) == -EINVAL,
	      "where payload handlers are promised whole pieces every entry has them");
	check(!pspin__me_append(nic, &other, NULL, 0, NULL), "the others can be left out");
}

int main(void)
{
	struct rig_file file = rig__build("sends", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/sends.c\"'");
	struct rig_file part = rig__build("sends_part", "-DBYTES_IN_L1=SPIN_HEADERS_ONLY hwmodel/image/entry.c "
							"-DSPIN_HANDLER_FILE='\"tests/model/handlers/sends.c\"'");
	struct pspin *nics[2] = { open_nic(file, SPIN_WHOLE_PACKET), open_nic(part, SPIN_HEADERS_ONLY) };

	for (unsigned i = 0; i < 2; i++) {
		sends_are_in_order(nics[i]);
		sends_are_limited(nics[i]);
		acknowledgements_and_pieces(nics[i]);
		overrun(nics[i]);
		entry_without_payload_handler(nics[i]);
		pspin__close(nics[i]);
	}
	free(file.data);
	free(part.data);
	return failures != 0;
}
