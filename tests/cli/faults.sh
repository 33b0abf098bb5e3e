#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Handlers that go wrong, in every engine and in the model's report: faults are told by event and reason, and what
# comes next is handled. The kernel refuses a loop that it sees no end of; the model's watchdog ends it.
. "$(dirname "$0")/setup.inc"
cd "$WORK" || exit 1
cp "$ROOT"/tests/handlers/faults.[ch] .

# each fault in each handler, and after each one a datagram of which all goes well
python3 >faults.vec - <<'END'
NONE, WALK = 0, 3
EVENTS = {1: "overrun", 2: "overrun", WALK: "overrun", 4: "segv", 5: "fail"}
state = dict.fromkeys(("guarded", "headers", "payloads", "completions", "completion", "walked"), 0)

def run(kind, fault):
    """A handler: whether it went well."""
    if fault == WALK:
        state["walked"] += WALK << 8 # the first word; the others are 0
        return False
    state["guarded"] += 1
    state[kind + "s"] += fault == NONE
    return fault == NONE

def packet(header=NONE, payload=NONE, completion=NONE):
    print("packet\n  eth 02:00:00:00:00:01 > 02:00:00:00:00:02\n  ip4 10.0.0.1 > 10.0.0.2\n  udp 4000 > 9000")
    print("  hex %02x%02x%02x00\n  fill 596 0" % (header, payload, completion))
    state["completion"] = completion
    failed = []
    if not run("header", header):
        failed = [("header", header)]
    else:
        failed += [] if run("payload", payload) else [("payload", payload)]
        failed += [] if run("completion", completion) else [("completion", completion)]
    if failed and failed[0][0] != "completion":
        print("expect drop", EVENTS[failed[0][1]].replace("fail", "failed"))
    else:
        print("expect pass success unchanged")
    if failed:
        print("event", EVENTS[failed[0][1]], failed[0][0])
    for name, value in state.items():
        print("after spin_state.%s=%d" % (name, value))

print("handler faults")
for fault in (1, 2, 4, 5):
    for kind in ("header", "payload", "completion"):
        packet(**{kind: fault})
        packet()
packet(payload=WALK)
packet()
packet(payload=1, completion=2) # of two faults the first one is told
packet()
END
engines="--engine host --engine model"
[ "$(id -u)" = 0 ] && engines=
expect 0 "$SPINCTL" test faults.c faults.vec $engines
[ $FAILED = 0 ] || cat "$WORK/out" "$WORK/err"

cat >endless.c <<'END'
#include <spin/spin.h>

struct tally { uint32_t never, rounds; };
SPIN_STATE(struct tally);

static enum spin_payload_rc endless_payload(struct spin_payload *p, struct tally *state)
{
	const uint32_t *ask = SPIN_GET(p, 0, uint32_t);

	if (!ask)
		return SPIN_SEGV;
	while (*ask && !spin_load32(&state->never))
		spin_add32(&state->rounds, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(endless, .payload = endless_payload);
END
expect 0 "$SPINCC" --no-verify endless.c -o endless.spin
# two datagrams: one waits for ever, the other does not
python3 - <<'END'
import struct

def frame(payload):
    udp = struct.pack(">HHHH", 4000, 9000, 8 + len(payload), 0) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0x4000, 64, 17, 0, bytes((10, 0, 0, 1)), bytes((10, 0, 0, 2)))
    total = sum(struct.unpack(">10H", ip))
    total = (total & 0xffff) + (total >> 16)
    ip = ip[:10] + struct.pack(">H", ~(total + (total >> 16)) & 0xffff) + ip[12:]
    return bytes.fromhex("020000000002020000000001") + b"\x08\x00" + ip + udp

with open("trace.pcap", "wb") as f:
    f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    for payload in (b"\1\0\0\0" + bytes(60), bytes(64), bytes(64)):
        data = frame(payload)
        f.write(struct.pack("<IIII", 0, 0, len(data), len(data)) + data)
END
expect 0 "$SPINCTL" cost endless.spin --pcap trace.pcap --json
python3 - "$WORK/out" <<'END' || fail "what cost says of a handler that does not end"
import json, sys

doc = json.load(open(sys.argv[1]))
reasons = {row["reason"]: row["packets"] for row in doc["reasons"]}
assert reasons == {"overrun": 1, "success": 2}, reasons
assert doc["handled_packets"] == 3, doc["handled_packets"]
assert doc["handlers"][0]["max_cycles"] >= 1000000 > doc["handlers"][0]["median_cycles"], doc["handlers"]
END
expect 0 "$SPINCTL" cost endless.spin --pcap trace.pcap
says out overrun
[ $FAILED = 0 ] || exit 1
need_root
make_nics
expect 1 in_ns "$SPINCTL" run endless.spin --dev v0 --duration 0.1
one_line
says err "endless.c:12"
says err "no end of this loop is in sight"
exit $FAILED
