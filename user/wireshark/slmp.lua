-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- Wireshark and tshark dissector of SLMP, the sPIN Lightweight Message Protocol over UDP (handlers/include/spin/slmp.h).
-- Wireshark calls it for UDP port 9330, and for others with "Decode As" (tshark -d udp.port==9000,slmp). It reads no byte
-- after the packet's end. Truncated and invalid packets are marked as malformed.

local slmp = Proto("slmp", "sPIN Lightweight Message Protocol")

local PORT = 9330
local HEADER_BYTES, PUT_BYTES = 10, 32
local EOM, SYN, ACK, PUT, REFUSED, AGAIN = 0x8000, 0x4000, 0x2000, 0x1000, 0x0800, 0x0400
local LENGTH_UNKNOWN = 0xffffffff

local f = {
	flags = ProtoField.uint16("slmp.flags", "Flags", base.HEX),
	eom = ProtoField.bool("slmp.flags.eom", "End of message", 16, nil, EOM),
	syn = ProtoField.bool("slmp.flags.syn", "Acknowledgement wanted", 16, nil, SYN),
	ack = ProtoField.bool("slmp.flags.ack", "Acknowledgement", 16, nil, ACK),
	put = ProtoField.bool("slmp.flags.put", "Put header", 16, nil, PUT),
	refused = ProtoField.bool("slmp.flags.refused", "Refused: no room for it", 16, nil, REFUSED),
	again = ProtoField.bool("slmp.flags.again", "Evicted: to be sent again with another id", 16, nil, AGAIN),
	msg_id = ProtoField.uint32("slmp.msg_id", "Message id", base.DEC),
	offset = ProtoField.uint32("slmp.offset", "Offset in message", base.DEC),
	put_op = ProtoField.uint8("slmp.put.op", "Operation", base.DEC, { [1] = "put", [2] = "get", [3] = "atomic" }),
	put_version = ProtoField.uint8("slmp.put.version", "Version", base.DEC),
	put_atomic = ProtoField.uint16("slmp.put.atomic", "Atomic operation", base.DEC, {
		[0] = "none", [1] = "add, 32 bits", [2] = "add, 64 bits",
		[17] = "fetch and add, 32 bits", [18] = "fetch and add, 64 bits",
	}),
	put_length = ProtoField.uint32("slmp.put.length", "Message length", base.DEC),
	put_match_bits = ProtoField.uint64("slmp.put.match_bits", "Match bits", base.HEX),
	put_hdr_data = ProtoField.uint64("slmp.put.hdr_data", "Header data", base.HEX),
	put_offset = ProtoField.uint64("slmp.put.offset", "Offset in matching entry", base.DEC),
	payload = ProtoField.bytes("slmp.payload", "Payload"),
	payload_length = ProtoField.uint32("slmp.payload_length", "Payload length", base.DEC),
}
slmp.fields = f

local malformed = ProtoExpert.new("slmp.malformed", "Malformed SLMP", expert.group.MALFORMED, expert.severity.ERROR)
slmp.experts = { malformed }

local function flag_names(flags)
	local names = {}

	for _, flag in ipairs({ { SYN, "SYN" }, { ACK, "ACK" }, { EOM, "EOM" }, { PUT, "PUT" }, { REFUSED, "REFUSED" }, { AGAIN, "AGAIN" } }) do
		if bit.band(flags, flag[1]) ~= 0 then
			names[#names + 1] = flag[2]
		end
	end
	return #names > 0 and table.concat(names, "+") or "DATA"
end

-- Dissects the put header, which follows the SLMP header of a packet with PUT. Returns false if it is truncated.
local function dissect_put(tvb, tree, pinfo)
	local at = HEADER_BYTES
	local put

	if tvb:reported_len() < at + PUT_BYTES or tvb:len() < at + PUT_BYTES then
		tree:add_proto_expert_info(malformed, "the put header has " .. PUT_BYTES .. " bytes, " ..
			(math.min(tvb:reported_len(), tvb:len()) - at) .. " are there")
		return false
	end
	put = tree:add(tvb(at, PUT_BYTES), "Put header")
	put:add(f.put_op, tvb(at, 1))
	put:add(f.put_version, tvb(at + 1, 1))
	put:add(f.put_atomic, tvb(at + 2, 2))
	put:add(f.put_length, tvb(at + 4, 4)):append_text(tvb(at + 4, 4):uint() == LENGTH_UNKNOWN and " (unknown)" or "")
	put:add(f.put_match_bits, tvb(at + 8, 8))
	put:add(f.put_hdr_data, tvb(at + 16, 8))
	put:add(f.put_offset, tvb(at + 24, 8))
	if tvb(at, 1):uint() < 1 or tvb(at, 1):uint() > 3 or tvb(at + 1, 1):uint() ~= 1 then
		put:add_proto_expert_info(malformed, "an operation or version that SLMP does not have")
	end
	pinfo.cols.info:append(" match=0x" .. tvb(at + 8, 8):uint64():tohex())
	return true
end

-- Marks violations of the protocol that are visible in a single packet.
local function check(tree, flags, offset, payload_bytes)
	if bit.band(flags, 0x03ff) ~= 0 or (bit.band(flags, REFUSED + AGAIN) ~= 0 and bit.band(flags, ACK) == 0) then
		tree:add_proto_expert_info(malformed, "flags that SLMP does not have")
	end
	if bit.band(flags, ACK) ~= 0 and ((flags ~= ACK and flags ~= ACK + REFUSED and flags ~= ACK + AGAIN) or payload_bytes > 0) then
		tree:add_proto_expert_info(malformed, "an acknowledgement has no other flag but REFUSED or AGAIN, and no payload")
	end
	if bit.band(flags, PUT) ~= 0 and offset ~= 0 then
		tree:add_proto_expert_info(malformed, "only the first packet of a message has a put header")
	end
	if payload_bytes == 0 and bit.band(flags, EOM + ACK) == 0 then
		tree:add_proto_expert_info(malformed, "only the last packet of a message may be empty")
	end
	if offset == 0 and bit.band(flags, SYN + ACK) == 0 then
		tree:add_proto_expert_info(malformed, "the first packet of a message wants an acknowledgement")
	end
end

function slmp.dissector(tvb, pinfo, tree)
	local length, captured = tvb:reported_len(), tvb:len()
	local flags, offset, top, bits, at

	pinfo.cols.protocol = "SLMP"
	top = tree:add(slmp, tvb())
	if length < HEADER_BYTES or captured < HEADER_BYTES then
		pinfo.cols.info = "Truncated"
		top:add_proto_expert_info(malformed, "the header has " .. HEADER_BYTES .. " bytes, " ..
			math.min(length, captured) .. " are there")
		return captured
	end
	flags, offset, at = tvb(0, 2):uint(), tvb(6, 4):uint(), HEADER_BYTES
	pinfo.cols.info = string.format("%s id=%u offset=%u", flag_names(flags), tvb(2, 4):uint(), offset)
	bits = top:add(f.flags, tvb(0, 2))
	bits:append_text(" (" .. flag_names(flags) .. ")")
	bits:add(f.eom, tvb(0, 2))
	bits:add(f.syn, tvb(0, 2))
	bits:add(f.ack, tvb(0, 2))
	bits:add(f.put, tvb(0, 2))
	bits:add(f.refused, tvb(0, 2))
	bits:add(f.again, tvb(0, 2))
	top:add(f.msg_id, tvb(2, 4))
	top:add(f.offset, tvb(6, 4))
	if bit.band(flags, PUT) ~= 0 then
		if not dissect_put(tvb, top, pinfo) then
			return captured
		end
		at = at + PUT_BYTES
	end
	check(top, flags, offset, length - at)
	top:add(f.payload_length, length - at):set_generated()
	pinfo.cols.info:append(" bytes=" .. (length - at))
	if captured > at then
		top:add(f.payload, tvb(at))
	end
	return captured
end

-- Wireshark compares both ports with this table, so acknowledgements, which go from port 9330 to the sender's, are dissected as well.
DissectorTable.get("udp.port"):add(PORT, slmp)
