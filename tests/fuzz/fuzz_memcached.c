/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends random and damaged commands through the memcached handlers and then to a memcached, by UDP. If memcached changes a key, the
 * handlers must have counted the change. After a datagram that they passed, memcached must not wait for the rest of a command. Run by
 * tests/run and, longer, by `make fuzz`.
 *
 *	fuzz_memcached [--commands N] [--seed N]
 *
 * The handlers are the host build's, which has the same parser as all engines (tests/vectors/memcached). The parser treats the bytes of a
 * datagram and of a stream alike.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <memcached.h>
#include <spin/wire.h>

#include "tests/common/built.h"
#include "tests/common/memcached/client.h"
#include "tests/common/memcached/server.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"
#include "user/conformance/engine.h"

#define SERVER    "10.9.0.1"
#define PORT      11211
#define KEYS      4
#define TEXT_MAX  1200u
#define HEADERS   (sizeof(struct spin_eth) + sizeof(struct spin_ip4) + sizeof(struct spin_udp))
#define ANSWER_MS 1000
#define SOON_S    60 /* longer than any machine needs for a datagram */

struct fuzz {
	uint64_t seed;
	struct engine *engine;
	int fd; /* the UDP client */
	struct mc_answer on, answer;
	uint16_t id;
	char text[TEXT_MAX];
	size_t bytes;
};

/* memcached's state of each key, and what the handlers have counted. */
struct snapshot {
	char state[KEYS][160];
	int expires_soon[KEYS]; /* expires by itself within seconds */
	uint32_t version[KEYS], epoch;
};

static const char *const keys[KEYS] = { "k0", "k1", "key\x10two", "3" };

static uint32_t below(struct fuzz *f, uint32_t n)
{
	return (uint32_t)(random_next(&f->seed) % n);
}

/* --- commands ------------------------------------------------------------------- */

static void put(struct fuzz *f, const void *bytes, size_t count)
{
	if (count > sizeof(f->text) - f->bytes)
		count = sizeof(f->text) - f->bytes;
	memcpy(f->text + f->bytes, bytes, count);
	f->bytes += count;
}

static void put_text(struct fuzz *f, const char *text)
{
	put(f, text, strlen(text));
}

static void put_number(struct fuzz *f)
{
	static const char *const odd[] = { "0",  "-1", "4294967295", "4294967296", "99999999999999999999", "x", "", "+1",
					   "1x", "-",  "-x1",        "2147483648" };
	char number[16];

	snprintf(number, sizeof(number), "%u", below(f, 100000));
	put_text(f, below(f, 8) ? number : odd[below(f, sizeof(odd) / sizeof(odd[0]))]);
}

static void put_data(struct fuzz *f, uint32_t bytes)
{
	static const char inside[] = "delete k0\r\nset k1 0 0 1\r\nx\r\nincr 3 1\r\n";

	for (uint32_t i = 0; i < bytes; i++)
		put(f, &inside[i % (sizeof(inside) - 1)], 1);
}

/* Expands letters: K key, N number, B the length of the data that follows, F flags of meta commands. */
static void put_line(struct fuzz *f, const char *line)
{
	static const char *const flags[] = { "q", "k", "c", "I", "T30", "F7", "b", "MS", "MA", "O1", "v", "t", "N9", "Tx", "MX", "C1" };
	uint32_t length = below(f, 40);
	char number[16];
	int has_data = 0;

	for (; *line; line++) {
		if (*line == 'K') {
			put_text(f, keys[below(f, KEYS)]);
		} else if (*line == 'N') {
			put_number(f);
		} else if (*line == 'B') {
			has_data = 1;
			snprintf(number, sizeof(number), "%u", length);
			put_text(f, number);
		} else if (*line == 'F') {
			for (uint32_t i = below(f, 4); i; i--) {
				put_text(f, " ");
				put_text(f, flags[below(f, sizeof(flags) / sizeof(flags[0]))]);
			}
		} else {
			put(f, line, 1);
		}
	}
	put_text(f, "\r\n");
	if (!has_data)
		return;
	put_data(f, length);
	put_text(f, "\r\n");
}

static void put_binary(struct fuzz *f)
{
	static const uint8_t opcodes[] = { 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 14, 15, 17, 20, 21, 24, 25, 28, 29, 30, 35, 0x40 };
	uint8_t opcode = opcodes[below(f, sizeof(opcodes))], extras = 0, header[24] = { 0x80, opcode }, extra[20] = { 0 };
	const char *key = opcode == 8 || opcode == 10 || opcode == 24 ? "" : keys[below(f, KEYS)];
	uint32_t value = 0;

	if (opcode == 5 || opcode == 6 || opcode == 21)
		extras = 20;
	else if (opcode == 1 || opcode == 2 || opcode == 3 || opcode == 17)
		extras = 8;
	else if (opcode >= 28 && opcode <= 35)
		extras = 4;
	if (extras == 8 || opcode == 14 || opcode == 15 || opcode == 25)
		value = below(f, 40);
	if (!below(f, 20))
		extras ^= 4;
	header[3] = (uint8_t)strlen(key);
	header[4] = extras;
	header[11] = (uint8_t)(strlen(key) + extras + value);
	put(f, header, sizeof(header));
	put(f, extra, extras);
	put_text(f, key);
	put_data(f, value);
}

static void damage(struct fuzz *f)
{
	static const char other[] = " \r\n0-9kx\200";
	size_t at = f->bytes ? below(f, (uint32_t)f->bytes) : 0;
	char byte = below(f, 10) ? other[below(f, sizeof(other) - 1)] : (char)below(f, 256);

	switch (f->bytes ? below(f, 4) : 3) {
	case 0:
		f->text[at] = byte;
		break;
	case 1:
		memmove(f->text + at, f->text + at + 1, f->bytes - at - 1);
		f->bytes--;
		break;
	case 2:
		f->bytes = at;
		break;
	default:
		if (f->bytes == sizeof(f->text))
			break;
		memmove(f->text + at + 1, f->text + at, f->bytes - at);
		f->text[at] = byte;
		f->bytes++;
	}
}

static void make_commands(struct fuzz *f)
{
	static const char *const lines[] = {
		"get K",
		"get K K",
		"gets K",
		"set K N N B",
		"set K N N B noreply",
		"add K N N B",
		"replace K 0 0 B",
		"append K 0 0 B",
		"prepend K 0 0 B",
		"cas K 0 0 B N",
		"incr K N",
		"decr K N",
		"delete K",
		"delete K noreply",
		"touch K N",
		"gat N K",
		"gat N K K",
		"flush_all",
		"flush_all noreply",
		"mgF",
		"mg KF",
		"md KF",
		"ma KF",
		"ms K BF",
		"ms K B",
		"mn",
		"set K N N N",
		"set K N N",
		"cas K 0 0 B",
		"version",
		"set K 0 N B N N",
	};
	uint32_t binary = !below(f, 4);

	f->bytes = 0;
	for (uint32_t n = 1 + below(f, 3); n; n--) {
		if (binary)
			put_binary(f);
		else
			put_line(f, lines[below(f, sizeof(lines) / sizeof(lines[0]))]);
	}
	for (uint32_t n = below(f, 2) ? 0 : below(f, 4); n; n--)
		damage(f);
}

/* --- what the handlers do with it ------------------------------------------------- */

/* Returns 1 if the handlers pass the command to memcached. */
static int handlers_pass(struct fuzz *f)
{
	static struct engine_out out;
	uint8_t frame[HEADERS + sizeof(struct mc_frame) + TEXT_MAX] = { 0 };
	const uint32_t bytes = (uint32_t)(HEADERS + sizeof(struct mc_frame) + f->bytes);
	struct spin_eth *eth = (struct spin_eth *)frame;
	struct spin_ip4 *ip = (struct spin_ip4 *)(eth + 1);
	struct spin_udp *udp = (struct spin_udp *)(ip + 1);
	struct mc_frame *front = (struct mc_frame *)(udp + 1);
	uint32_t sum = 0;

	eth->type = htons(SPIN_ETH_IP4);
	*ip = (struct spin_ip4){ .version_ihl = 0x45, .ttl = 64, .protocol = SPIN_IP_UDP, .src = 1, .dst = 2 };
	ip->total_length = htons((uint16_t)(bytes - sizeof(*eth)));
	for (unsigned i = 0; i < sizeof(*ip) / 2; i++)
		sum += ((const uint16_t *)ip)[i];
	ip->checksum = (uint16_t) ~((sum & 0xffff) + (sum >> 16));
	udp->dst_port = htons(PORT);
	udp->length = htons((uint16_t)(bytes - sizeof(*eth) - sizeof(*ip)));
	front->datagrams = htons(1);
	memcpy(front + 1, f->text, f->bytes);
	if (f->engine->ops->packet(f->engine, frame, bytes, &out))
		die("the handlers: %s", engine_error());
	return out.verdict == SPIN_VERDICT_PASS;
}

static uint32_t read_word(struct fuzz *f, size_t offset)
{
	uint32_t word;

	if (f->engine->ops->read(f->engine, "spin_state", offset, &word, sizeof(word)))
		die("the handlers' state: %s", engine_error());
	return word;
}

/* --- what memcached does with it --------------------------------------------------- */

/*
 * Reads the value, its unique number and flags. Of its expiry only whether it is "for ever" goes into the state, because the time left
 * changes by itself; *expires_soon: it expires soon.
 */
static void query_state(struct fuzz *f, const char *key, char *state, size_t bytes, int *expires_soon)
{
	char command[64], *line;
	long left = 0;

	*expires_soon = 0;
	snprintf(command, sizeof(command), "gets %s\r\nmg %s t\r\n", key, key);
	mc_client__send(f->on.fd, command, strlen(command), 1, NULL);
	line = mc_client__line(&f->on);
	if (!line)
		die("memcached does not answer over TCP");
	snprintf(state, bytes, "%s", line);
	if (!strncmp(line, "VALUE", 5)) {
		unsigned long value = 0;

		sscanf(line, "%*s %*s %*s %lu", &value);
		if (!mc_client__bytes(&f->on, value + 2) || !mc_client__line(&f->on))
			die("memcached's value is cut");
	}
	line = mc_client__line(&f->on);
	if (!line)
		die("memcached does not answer over TCP");
	if (sscanf(line, "HD t%ld", &left) != 1)
		return;
	snprintf(state + strlen(state), bytes - strlen(state), " %s", left < 0 ? "for ever" : "");
	*expires_soon = left >= 0 && left < SOON_S;
}

static void read_handler_state(struct fuzz *f, struct snapshot *out)
{
	for (int i = 0; i < KEYS; i++) {
		uint32_t hash = MC_HASH_START;

		for (const char *at = keys[i]; *at; at++)
			hash = mc_hash(hash, (uint8_t)*at);
		out->version[i] = read_word(f, offsetof(struct mc_cache, version) + 4 * MC_VERSION_OF(hash));
	}
	out->epoch = read_word(f, offsetof(struct mc_cache, epoch));
}

static void take_snapshot(struct fuzz *f, struct snapshot *out)
{
	read_handler_state(f, out);
	for (int i = 0; i < KEYS; i++)
		query_state(f, keys[i], out->state[i], sizeof(out->state[i]), &out->expires_soon[i]);
}

static void print_text(const struct fuzz *f)
{
	printf("      | ");
	for (size_t i = 0; i < f->bytes; i++)
		printf(f->text[i] >= ' ' && f->text[i] < 127 ? "%c" : "\\x%02x", (uint8_t)f->text[i]);
	putchar('\n');
}

/* Sends a command. Returns 1 if a change was not counted, or memcached waits for more data. */
static int try_one(struct fuzz *f, struct snapshot *before, uint64_t *changes)
{
	struct snapshot after;
	int failed = 0;

	mc_client__send_udp(f->fd, ++f->id, f->text, f->bytes);
	mc_client__send_udp(f->fd, ++f->id, "version\r\n", 9); /* answered after the command: there is one thread, and one queue */
	if (mc_client__receive_udp(f->fd, f->id, ANSWER_MS, &f->answer) < 0) {
		printf("FAIL: memcached does not answer what comes behind this:\n");
		print_text(f);
		return 1;
	}
	take_snapshot(f, &after);
	for (int i = 0; i < KEYS; i++) {
		if (!strcmp(before->state[i], after.state[i]))
			continue;
		++*changes;
		if (before->version[i] != after.version[i] || before->epoch != after.epoch)
			continue;
		if (before->expires_soon[i] && !strncmp(after.state[i], "END", 3))
			continue;
		printf("FAIL: '%s' became '%s', and the handlers have not counted it:\n", before->state[i], after.state[i]);
		print_text(f);
		failed = 1;
	}
	*before = after;
	return failed;
}

int main(int argc, char **argv)
{
	static struct fuzz f = { .seed = 1 };
	struct mc_server server = { .cpu = -1, .threads = 1 };
	unsigned long commands = 20000, passed = 0;
	uint64_t changes = 0;
	struct udp_hosts hosts;
	struct built built;
	struct snapshot before;
	int failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--commands"))
			commands = strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--seed"))
			f.seed = strtoull(argv[i + 1], NULL, 10);
		else
			die("usage: fuzz_memcached [--commands N] [--seed N]");
	}
	if (mc_server__missing()) {
		printf("skip: %s\n", mc_server__missing());
		return 77;
	}
	if (built_handler("memcached", &built) ||
	    engine_open(ENGINE_HOST, &built.handler, &(struct engine_context){ .rule = { .protocol = SPIN_IP_UDP } }, &f.engine))
		die("%s", engine_error());
	proc_init();
	udp_hosts__hosts(&hosts);
	netns_enter(hosts.client_ns);
	server.ns = hosts.server_ns;
	mc_server__start(&server);
	f.fd = mc_client__udp(SERVER, PORT);
	f.on.fd = mc_client__tcp(SERVER, PORT);
	take_snapshot(&f, &before);
	for (unsigned long i = 0; i < commands && !failed; i++) {
		if (!(i % 10000))
			proc_progress();
		make_commands(&f);
		read_handler_state(&f, &before);
		if (!f.bytes || !handlers_pass(&f))
			continue;
		passed++;
		failed = try_one(&f, &before, &changes);
	}
	mc_server__stop(&server);
	engine_close(f.engine);
	printf("%lu datagrams, %lu let through, %llu changes of keys\n", commands, passed, (unsigned long long)changes);
	return failed || changes < commands / 100;
}
