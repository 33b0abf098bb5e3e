/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * simulator SERIES SLM CLUSTERS: runs a series of packets (a directory that `make rtl-kit` wrote) through PsPIN's Verilator model of its
 * RTL. Started by rtl-check (`make rtl-check`) in a directory of its own. Writes observed.csv there: packet, cycle of its HER (the request
 * to run its handlers), cycle of its feedback (their end). The Verilator model itself writes trace_core_*.log.
 *
 * This file simulates the rest of the NIC, around PsPIN's ports. It writes packets to L2, one beat (64 bytes) per cycle, and issues a
 * packet's HER after L2 has answered the last beat. Wire and host accept and deliver one beat per cycle and answer in the next cycle, as
 * PsPIN's own NICOutbound and PCIeSlave do. Handshakes are sampled before the clock's rising edge; inputs change after it, when the outputs
 * have settled.
 *
 * A message gets the lowest free id of the home cluster that has the fewest packets in flight, as in the model (hwmodel/nic/slots.c). Its
 * scratchpad belongs to the id. The id is free again after the feedback of all packets of the message. With CLUSTERS = 1 the first cluster
 * is home to all messages, and this file marks the other three as full in the task dispatcher after reset, so that the dispatcher never
 * sends them a task.
 *
 * Links with a libpspin.so that PsPIN's own Makefile has built; nothing of PsPIN is compiled here.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "Vpspin_verilator.h"
#include "Vpspin_verilator___024root.h"
#include "Vpspin_verilator__Syms.h" // the classes that Verilator makes of modules
#include "verilated.h"

#define BEAT_BYTES 64u
#define IDS_MAX 256u         /* PsPIN's message queues */
#define CLUSTERS_MAX 4u      /* a message's home is its id modulo this */
#define PACKET_MEMORY 0x1c400000u
#define PACKET_MEMORY_BYTES (4u << 20)
#define APART_CYCLES 300     /* pause before a packet that runs alone, so that pipelines are idle */
#define ALONE_CYCLES 1000    /* in hers.csv: packets that run alone are further apart than this; the first closer pair begins the burst */
#define QUIET_CYCLES 200000  /* without feedback for this long the run is stuck; the longest boot (a copy of 128 KiB) takes less */

static std::string slm;
static uint64_t cycle;

static void die(const std::string &what)
{
	fprintf(stderr, "rtl-check: %s\n", what.c_str());
	exit(1);
}

/* libpspin.so defines these two as well, for PsPIN's own driver. The program's definitions take precedence. */
extern "C" const char *get_slm_path() { return slm.c_str(); }
double sc_time_stamp() { return (double)cycle * 1000; }

struct packet {
	uint64_t at; /* its HER in the series, cycles */
	uint32_t message, end_of_message, bytes, bytes_in_l1, header, payload, completion;
	uint32_t handler_mem, handler_mem_bytes, host_mem_bytes, scratchpad, scratchpad_bytes;
	uint64_t host_mem;
	size_t offset, scratch_offset; /* in packets.bin, scratch.bin */
	uint32_t lead_bytes;     /* offset of the packet's first byte in its 64-byte line */
	uint32_t l2;             /* its address in L2; read from hers.csv, then allocate() replaces it */
	uint32_t id;             /* message id */
	uint64_t her, feedback;  /* cycles seen; 0: not yet */
};

/* The dispatcher's count of tasks in each of four clusters, 6 bits each; 20 is full (pspin_cfg_pkg.sv, scheduler.sv). */
#define OCCUPATION pspin_verilator__DOT__i_pspin__DOT__i_scheduler__DOT__cluster_occup_q
#define OCCUPATION_BITS 6
#define OCCUPATION_FULL 20u

static void use_first_cluster(Vpspin_verilator &top)
{
	top.rootp->OCCUPATION = 0;
	for (int cluster = 1; cluster < 4; cluster++)
		top.rootp->OCCUPATION |= OCCUPATION_FULL << (cluster * OCCUPATION_BITS);
}

/* A cluster's L1 has 64 banks; consecutive words are in consecutive banks (pulp_cluster.sv). */
#define BANKS 64u
#define SCRATCHPADS 0x14400u /* offset of the first in L1 */
#define CLUSTER(c) pspin_verilator__DOT__i_pspin__DOT__gen_clusters__BRA__##c##__KET____DOT__gen_cluster_sync__DOT__i_cluster
#define MEM(n) i_ooc__DOT__i_bound__DOT__gen_tcdm_banks__BRA__##n##__KET____DOT__i_mem
#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define OF_ROOT(c, n) JOIN(CLUSTER(c), __DOT__, MEM(n))
/*
 * The path to a bank's words depends on whether Verilator has made a class of each bank and cluster, of banks alone, or of neither. There
 * is a function for each case. SFINAE removes those that do not compile, and the tags first to last select the first of the rest.
 */
struct last {};
struct third : last {};
struct second : third {};
struct first : second {};
#define BANK(c, n)                                                                                       \
	template <class Root> auto words_##c##_##n(Root &root, first) -> decltype(&root.JOIN(OF_ROOT(c, n), __DOT__i_tc_sram__DOT__sram, )[0]) \
	{                                                                                                \
		return &root.JOIN(OF_ROOT(c, n), __DOT__i_tc_sram__DOT__sram, )[0];                      \
	}                                                                                                \
	template <class Root> auto words_##c##_##n(Root &root, second) -> decltype(&root.JOIN(__PVT__, OF_ROOT(c, n), )->i_tc_sram__DOT__sram[0]) \
	{                                                                                                \
		return &root.JOIN(__PVT__, OF_ROOT(c, n), )->i_tc_sram__DOT__sram[0];                    \
	}                                                                                                \
	template <class Root> auto words_##c##_##n(Root &root, third)                                    \
		-> decltype(&root.JOIN(__PVT__, CLUSTER(c), )->JOIN(__PVT__, MEM(n), )->i_tc_sram__DOT__sram[0]) \
	{                                                                                                \
		return &root.JOIN(__PVT__, CLUSTER(c), )->JOIN(__PVT__, MEM(n), )->i_tc_sram__DOT__sram[0]; \
	}                                                                                                \
	template <class Root> IData *words_##c##_##n(Root &, last) /* the cluster is not in this model */   \
	{                                                                                                \
		return NULL;                                                                             \
	}
#define BANKS_OF(EACH, c)                                                                                \
	EACH(c, 0) EACH(c, 1) EACH(c, 2) EACH(c, 3) EACH(c, 4) EACH(c, 5) EACH(c, 6) EACH(c, 7)          \
	EACH(c, 8) EACH(c, 9) EACH(c, 10) EACH(c, 11) EACH(c, 12) EACH(c, 13) EACH(c, 14) EACH(c, 15)    \
	EACH(c, 16) EACH(c, 17) EACH(c, 18) EACH(c, 19) EACH(c, 20) EACH(c, 21) EACH(c, 22) EACH(c, 23)  \
	EACH(c, 24) EACH(c, 25) EACH(c, 26) EACH(c, 27) EACH(c, 28) EACH(c, 29) EACH(c, 30) EACH(c, 31)  \
	EACH(c, 32) EACH(c, 33) EACH(c, 34) EACH(c, 35) EACH(c, 36) EACH(c, 37) EACH(c, 38) EACH(c, 39)  \
	EACH(c, 40) EACH(c, 41) EACH(c, 42) EACH(c, 43) EACH(c, 44) EACH(c, 45) EACH(c, 46) EACH(c, 47)  \
	EACH(c, 48) EACH(c, 49) EACH(c, 50) EACH(c, 51) EACH(c, 52) EACH(c, 53) EACH(c, 54) EACH(c, 55)  \
	EACH(c, 56) EACH(c, 57) EACH(c, 58) EACH(c, 59) EACH(c, 60) EACH(c, 61) EACH(c, 62) EACH(c, 63)

BANKS_OF(BANK, 0) BANKS_OF(BANK, 1) BANKS_OF(BANK, 2) BANKS_OF(BANK, 3)

static void write_l1(Vpspin_verilator &top, unsigned cluster, uint32_t offset, const uint8_t *data, uint32_t bytes)
{
#define WORDS(c, n) words_##c##_##n(*top.rootp, first()),
	IData *const banks[CLUSTERS_MAX][BANKS] = { { BANKS_OF(WORDS, 0) }, { BANKS_OF(WORDS, 1) }, { BANKS_OF(WORDS, 2) }, { BANKS_OF(WORDS, 3) } };

	if (!banks[cluster][0])
		die("L1 of cluster " + std::to_string(cluster) + " is not where this simulator looks for it in Verilator's model");
	for (uint32_t at = 0; at + 4 <= bytes; at += 4)
		memcpy(&banks[cluster][(offset + at) / 4 % BANKS][(offset + at) / 4 / BANKS], data + at, 4);
}

static std::vector<packet> read_hers(const std::string &path)
{
	std::vector<packet> out;
	FILE *from = fopen(path.c_str(), "r");
	char line[1024];

	if (!from || !fgets(line, sizeof(line), from))
		die(path + " cannot be read: make rtl-kit writes it");
	while (fgets(line, sizeof(line), from)) {
		unsigned long long at, host;
		packet p = {};

		if (sscanf(line, "%*u,%llu,%u,%u,0x%x,%u,%u,0x%x,0x%x,0x%x,0x%x,%u,0x%llx,%u,0x%x,%u,%zu,%zu", &at, &p.message,
			   &p.end_of_message, &p.l2, &p.bytes, &p.bytes_in_l1, &p.header, &p.payload, &p.completion, &p.handler_mem,
			   &p.handler_mem_bytes, &host, &p.host_mem_bytes, &p.scratchpad, &p.scratchpad_bytes, &p.offset, &p.scratch_offset) != 17)
			die(path + ": not a line of the kit: " + line);
		p.at = at;
		p.lead_bytes = p.l2 % BEAT_BYTES;
		p.host_mem = host;
		out.push_back(p);
	}
	fclose(from);
	return out;
}

static std::vector<uint8_t> read_all(const std::string &path)
{
	FILE *from = fopen(path.c_str(), "rb");
	std::vector<uint8_t> out;
	int c;

	if (!from)
		die(path + " cannot be read");
	while ((c = fgetc(from)) != EOF)
		out.push_back((uint8_t)c);
	fclose(from);
	return out;
}

static unsigned beats_of(uint64_t address, uint32_t bytes)
{
	return (unsigned)((address % BEAT_BYTES + bytes + BEAT_BYTES - 1) / BEAT_BYTES);
}

/* The NIC's inbound engine: packets into L2, then their HERs. */
class Inbound {
	std::vector<packet> &packets;
	std::vector<uint8_t> content, scratch;
	std::vector<unsigned> open_packets; /* by id: packets of its message without feedback; 0: the id is free */
	unsigned in_flight[CLUSTERS_MAX] = {0}; /* packets by home, from their HERs to their feedback */
	std::deque<size_t> coming, written, stored; /* packets whose address is sent; whose beats are sent; that L2 has acknowledged */
	size_t next = 0, done = 0;
	unsigned clusters, beat = 0;
	uint32_t place = PACKET_MEMORY;
	uint64_t started = 0, alone_from = 0, wire_free = 0;
	size_t burst; /* the second packet of the burst: this one and all later ones do not wait for earlier packets */

	bool continues(size_t i) const
	{
		return i && !packets[i - 1].end_of_message && packets[i - 1].message == packets[i].message;
	}

	/*
	 * Returns true if packet i may be sent: a packet that runs alone waits until all earlier ones are done and APART_CYCLES have
	 * passed.
	 */
	bool may_come(size_t i)
	{
		return !i || i >= burst || (done == i && cycle >= alone_from);
	}

	/* Returns the lowest free id of the home cluster with the fewest packets in flight, or IDS_MAX if no id is free. */
	uint32_t free_id() const
	{
		uint32_t best = IDS_MAX;

		for (uint32_t home = 0; home < clusters; home++) {
			uint32_t id = home;

			while (id < IDS_MAX && open_packets[id])
				id += CLUSTERS_MAX;
			if (id < IDS_MAX && (best == IDS_MAX || in_flight[home] < in_flight[best % CLUSTERS_MAX]))
				best = id;
		}
		return best;
	}

	/*
	 * Sets the packet's message id. For the first packet of a message it allocates the id and counts the message's packets. Returns
	 * false if no id is free.
	 */
	bool identify(size_t i)
	{
		packet &p = packets[i];

		p.id = continues(i) ? packets[i - 1].id : free_id();
		if (p.id == IDS_MAX)
			return false;
		in_flight[p.id % CLUSTERS_MAX]++;
		for (size_t of = i; !continues(i) && of < packets.size() && (of == i || continues(of)); of++)
			open_packets[p.id]++;
		p.scratchpad = p.id / CLUSTERS_MAX * (beats_of(0, p.scratchpad_bytes) * BEAT_BYTES);
		return true;
	}

	/*
	 * Allocates packet memory as a ring, which has room for all packets of a series that are in flight at once. The packet gets the
	 * same offset in a line as in the model.
	 */
	uint32_t allocate(const packet &p)
	{
		uint32_t at = place, units = beats_of(p.lead_bytes, p.bytes) * BEAT_BYTES;

		if (at + units > PACKET_MEMORY + PACKET_MEMORY_BYTES)
			at = PACKET_MEMORY;
		place = at + units;
		return at + p.lead_bytes;
	}

	/*
	 * Sends a packet's write address together with its first beat, and the next address only after this packet's last beat, as from a
	 * wire (NICInbound.hpp does the same). An address that is sent earlier and waits would delay reads of the host's DMA
	 * (axi_id_remap.sv).
	 */
	void address(Vpspin_verilator &top, bool taken)
	{
		if (taken)
			top.ni_slave_aw_valid_i = 0;
		if (top.ni_slave_aw_valid_i || next == packets.size() || cycle < wire_free || !may_come(next))
			return;
		packet &p = packets[next];
		coming.push_back(next++);
		wire_free = cycle + beats_of(p.lead_bytes, p.bytes);
		p.l2 = allocate(p);
		top.ni_slave_aw_addr_i = p.l2;
		top.ni_slave_aw_len_i = (uint8_t)(beats_of(p.lead_bytes, p.bytes) - 1);
		top.ni_slave_aw_valid_i = 1;
	}

	void put_beat(Vpspin_verilator &top, const packet &p)
	{
		uint32_t lead = beat ? 0 : p.lead_bytes, at = beat * BEAT_BYTES - (beat ? p.lead_bytes : 0);
		uint32_t bytes = p.bytes - at < BEAT_BYTES - lead ? p.bytes - at : BEAT_BYTES - lead;
		uint8_t data[BEAT_BYTES] = {0};

		memcpy(data + lead, &content[p.offset + at], bytes);
		memcpy(&top.ni_slave_w_data_i, data, sizeof(data));
		top.ni_slave_w_strb_i = (bytes == BEAT_BYTES ? ~UINT64_C(0) : (UINT64_C(1) << bytes) - 1) << lead;
		top.ni_slave_w_last_i = at + bytes == p.bytes;
		top.ni_slave_w_valid_i = 1;
	}

	void data(Vpspin_verilator &top, bool taken)
	{
		if (taken) {
			top.ni_slave_w_valid_i = 0;
			beat++;
			if (top.ni_slave_w_last_i) {
				written.push_back(coming.front());
				coming.pop_front();
				beat = 0;
			}
		}
		if (!top.ni_slave_w_valid_i && !coming.empty())
			put_beat(top, packets[coming.front()]);
	}

	void her(Vpspin_verilator &top, bool taken)
	{
		if (taken) {
			packets[stored.front()].her = cycle;
			stored.pop_front();
			top.her_valid_i = 0;
		}
		if (top.her_valid_i || stored.empty() || !identify(stored.front()))
			return;
		const packet &p = packets[stored.front()];
		top.her_msgid_i = (uint16_t)p.id;
		top.her_is_eom_i = p.end_of_message != 0;
		top.her_addr_i = p.l2;
		top.her_size_i = p.bytes;
		top.her_xfer_size_i = p.bytes_in_l1;
		top.her_meta_handler_mem_addr_i = p.handler_mem;
		top.her_meta_handler_mem_size_i = p.handler_mem_bytes;
		top.her_meta_host_mem_addr_i = p.host_mem;
		top.her_meta_host_mem_size_i = p.host_mem_bytes;
		top.her_meta_hh_addr_i = p.header;
		top.her_meta_ph_addr_i = p.payload;
		top.her_meta_th_addr_i = p.completion;
		top.her_meta_hh_size_i = top.her_meta_ph_size_i = top.her_meta_th_size_i = 4096;
		top.her_meta_scratchpad_0_addr_i = top.her_meta_scratchpad_1_addr_i = p.scratchpad;
		top.her_meta_scratchpad_2_addr_i = top.her_meta_scratchpad_3_addr_i = p.scratchpad;
		top.her_meta_scratchpad_0_size_i = top.her_meta_scratchpad_1_size_i = p.scratchpad_bytes;
		top.her_meta_scratchpad_2_size_i = top.her_meta_scratchpad_3_size_i = p.scratchpad_bytes;
		top.her_valid_i = 1;
		if (!continues(stored.front())) /* the NIC initialises the scratchpad of a message before its first task */
			write_l1(top, p.id % CLUSTERS_MAX, SCRATCHPADS + p.scratchpad, &scratch[p.scratch_offset], p.scratchpad_bytes);
	}

	void feedback(uint32_t l2)
	{
		for (size_t i = 0; i < next; i++) {
			if (packets[i].l2 != l2 || !packets[i].her || packets[i].feedback)
				continue;
			packets[i].feedback = cycle;
			open_packets[packets[i].id]--;
			in_flight[packets[i].id % CLUSTERS_MAX]--;
			done++;
			started = cycle;
			alone_from = cycle + APART_CYCLES;
			return;
		}
		die("feedback for a packet that is not there");
	}

public:
	struct seen { bool aw, w, b, her, feedback; uint32_t feedback_at; };

	Inbound(std::vector<packet> &packets, std::vector<uint8_t> content, std::vector<uint8_t> scratch, unsigned clusters)
		: packets(packets), content(std::move(content)), scratch(std::move(scratch)), open_packets(IDS_MAX), clusters(clusters)
	{
		burst = 1;
		while (burst < packets.size() && packets[burst].at - packets[burst - 1].at > ALONE_CYCLES)
			burst++;
	}

	static void reset(Vpspin_verilator &top)
	{
		top.ni_slave_aw_size_i = 6;
		top.ni_slave_aw_burst_i = 1;
		top.ni_slave_b_ready_i = 1;
		top.feedback_ready_i = 1;
	}

	static seen sample(const Vpspin_verilator &top)
	{
		return {bool(top.ni_slave_aw_valid_i && top.ni_slave_aw_ready_o), bool(top.ni_slave_w_valid_i && top.ni_slave_w_ready_o),
			bool(top.ni_slave_b_valid_o), bool(top.her_valid_i && top.her_ready_o), bool(top.feedback_valid_o),
			top.feedback_her_addr_o};
	}

	void advance(Vpspin_verilator &top, const seen &s)
	{
		if (s.feedback)
			feedback(s.feedback_at);
		if (s.b) {
			if (written.empty())
				die("L2 answers a write that was not made");
			stored.push_back(written.front());
			written.pop_front();
		}
		address(top, s.aw);
		data(top, s.w);
		her(top, s.her);
	}

	bool is_done() const { return done == packets.size(); }
	bool is_stuck() const { return cycle > started + QUIET_CYCLES; }
	void boots() { started = cycle; }
	size_t finished() const { return done; }
};

/* The wire: reads the 64-byte lines of a send command from NIC memory, and answers the command in the cycle after the last one. */
class Wire {
	struct send { uint64_t address; uint32_t bytes; uint8_t id; };
	std::deque<send> asked, reading;
	bool ends = false; /* true: a command ends in this cycle */
	uint8_t ended = 0;

public:
	struct seen { bool command, ar, last; send what; };

	static void reset(Vpspin_verilator &top)
	{
		top.nic_cmd_req_ready_i = 1;
		top.no_slave_r_ready_i = 1;
		top.no_slave_b_ready_i = 1;
		top.no_slave_ar_size_i = 6;
		top.no_slave_ar_burst_i = 1;
	}

	static seen sample(const Vpspin_verilator &top)
	{
		return {bool(top.nic_cmd_req_valid_o), bool(top.no_slave_ar_valid_i && top.no_slave_ar_ready_o),
			bool(top.no_slave_r_valid_o && top.no_slave_r_last_o),
			{top.nic_cmd_req_src_addr_o, top.nic_cmd_req_length_o, top.nic_cmd_req_id_o}};
	}

	void advance(const seen &s)
	{
		ends = s.last;
		if (s.last) {
			ended = reading.front().id;
			reading.pop_front();
		}
		if (s.command)
			asked.push_back(s.what);
		if (s.ar) {
			reading.push_back(asked.front());
			asked.pop_front();
		}
	}

	void answer(Vpspin_verilator &top) const
	{
		seen now = sample(top);

		top.no_slave_ar_valid_i = now.command || !asked.empty();
		if (top.no_slave_ar_valid_i) {
			const send &next = asked.empty() ? now.what : asked.front();

			top.no_slave_ar_addr_i = (uint32_t)next.address & ~(BEAT_BYTES - 1);
			top.no_slave_ar_len_i = (uint8_t)(beats_of(next.address, next.bytes) - 1);
		}
		top.nic_cmd_resp_valid_i = ends;
		top.nic_cmd_resp_id_i = ended;
	}
};

/* The host: accepts every beat at once, and answers a write in the cycle after its last beat. Reads return zeros. */
class Host {
	struct read { uint8_t id; unsigned beats; };
	std::deque<uint8_t> addressed, answers;
	std::deque<read> reads;
	unsigned lasts = 0;

public:
	struct seen { bool aw, last, b, ar, r; uint8_t aw_id, ar_id, ar_len; };

	static void reset(Vpspin_verilator &top)
	{
		top.host_master_aw_ready_i = top.host_master_w_ready_i = top.host_master_ar_ready_i = 1;
		top.host_slave_b_ready_i = top.host_slave_r_ready_i = 1;
	}

	static seen sample(const Vpspin_verilator &top)
	{
		return {bool(top.host_master_aw_valid_o), bool(top.host_master_w_valid_o && top.host_master_w_last_o),
			bool(top.host_master_b_valid_i && top.host_master_b_ready_o), bool(top.host_master_ar_valid_o),
			bool(top.host_master_r_valid_i && top.host_master_r_ready_o), top.host_master_aw_id_o, top.host_master_ar_id_o,
			top.host_master_ar_len_o};
	}

	void advance(const seen &s)
	{
		if (s.aw)
			addressed.push_back(s.aw_id);
		lasts += s.last;
		for (; lasts && !addressed.empty(); lasts--) {
			answers.push_back(addressed.front());
			addressed.pop_front();
		}
		if (s.b)
			answers.pop_front();
		if (s.r && !--reads.front().beats)
			reads.pop_front();
		if (s.ar)
			reads.push_back({s.ar_id, s.ar_len + 1u});
	}

	void answer(Vpspin_verilator &top) const
	{
		top.host_master_b_valid_i = !answers.empty();
		top.host_master_b_id_i = answers.empty() ? 0 : answers.front();
		/* data in the same cycle as its address would keep PsPIN's transfers from ending, so it follows one cycle later */
		top.host_master_r_valid_i = !reads.empty();
		top.host_master_r_id_i = reads.empty() ? 0 : reads.front().id;
		top.host_master_r_last_i = !reads.empty() && reads.front().beats == 1;
	}
};

/*
 * Evaluates all logic. Verilator 5.006 does not propagate an input change through all of PsPIN's combinational paths: when the wire's read
 * took a bank of L1, an HPU's load of that bank remained granted in the same cycle, and read zeros. The symbol is weak, since not every
 * library has the function; settle() then does without it.
 */
void __attribute__((weak)) Vpspin_verilator___024root___eval_settle(Vpspin_verilator___024root *);

static bool has_input(const Vpspin_verilator &top)
{
	return top.ni_slave_aw_valid_i || top.ni_slave_w_valid_i || top.her_valid_i || top.no_slave_ar_valid_i ||
	       top.nic_cmd_resp_valid_i || top.host_master_b_valid_i || top.host_master_r_valid_i;
}

/* Evaluates the model after the inputs have their values of this cycle. */
static void settle(Vpspin_verilator &top)
{
	static bool had_input;
	bool has = has_input(top);

	top.eval();
	if ((has || had_input) && Vpspin_verilator___024root___eval_settle)
		Vpspin_verilator___024root___eval_settle(top.rootp);
	had_input = has;
}

static void write_observed(const std::vector<packet> &packets)
{
	FILE *to = fopen("observed.csv", "w");

	if (!to)
		die("observed.csv cannot be written");
	fprintf(to, "packet,her,feedback\n");
	for (size_t i = 0; i < packets.size(); i++)
		fprintf(to, "%zu,%llu,%llu\n", i, (unsigned long long)packets[i].her, (unsigned long long)packets[i].feedback);
	if (fclose(to))
		die("observed.csv cannot be written");
}

int main(int argc, char **argv)
{
	if (argc != 4 || (atoi(argv[3]) != 1 && atoi(argv[3]) != CLUSTERS_MAX))
		die("usage: simulator SERIES SLM CLUSTERS");
	slm = std::string(argv[2]) + "/";
	std::vector<packet> packets = read_hers(std::string(argv[1]) + "/hers.csv");
	unsigned clusters = (unsigned)atoi(argv[3]);
	Inbound inbound(packets, read_all(std::string(argv[1]) + "/packets.bin"), read_all(std::string(argv[1]) + "/scratch.bin"), clusters);
	setvbuf(stdout, NULL, _IOLBF, 0);
	Verilated::commandArgs(argc, argv);
	static Vpspin_verilator top;
	Wire wire;
	Host host;

	top.rst_ni = 0;
	for (int i = 0; i < 8; i++) {
		top.clk_i = !top.clk_i;
		top.eval();
	}
	top.clk_i = 0;
	Inbound::reset(top);
	Wire::reset(top);
	Host::reset(top);
	top.rst_ni = 1;
	top.eval();
	if (clusters == 1)
		use_first_cluster(top);
	for (bool active = false; !inbound.is_done(); cycle++) {
		Inbound::seen i = Inbound::sample(top);
		Wire::seen w = Wire::sample(top);
		Host::seen h = Host::sample(top);

		if (!active && top.pspin_active_o) {
			active = true;
			inbound.boots();
			printf("rtl-check: active at cycle %llu\n", (unsigned long long)cycle);
		}
		top.clk_i = 1;
		top.eval();
		if (active)
			inbound.advance(top, i);
		wire.advance(w);
		host.advance(h);
		top.eval();
		wire.answer(top);
		host.answer(top);
		top.clk_i = 0;
		settle(top);
		if (inbound.is_stuck()) {
			write_observed(packets);
			die(active ? "no feedback for " + std::to_string(QUIET_CYCLES) + " cycles: " + std::to_string(inbound.finished()) +
					     " of " + std::to_string(packets.size()) + " packets done"
				   : "the program does not boot: some HPU never waits for a task");
		}
	}
	write_observed(packets);
	top.final();
	return 0;
}
