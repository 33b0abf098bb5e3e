/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Changes keys of memcached with every command that can, in the threads that checker.c starts to find stale answers (writer.h). A change is
 * chosen by what is known about its key, so that memcached's possible answers and the key's next state are known. A key that may have
 * expired or been flushed gets only changes that leave one possible value.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/memcached/writer.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"

#define SECOND       1000000000ull
#define BATCH_MAX    4u
#define SHORT_S      2u /* an expiry that the test waits for */
#define LONG_S       100u
#define ANSWER_MS    5000
#define LARGE_BYTES  1100u /* of values that do not fit into the handlers' cache, and that take several segments in a batch */
#define GROWN_BYTES  200u  /* a value of this length is not appended to */
#define FLUSH_SURE_S 3u /* by then a flush with a delay of one second has taken effect: memcached counts whole seconds, late under load */

enum transport { TEXT4, TEXT6, BINARY, TEXT_UDP, BINARY_UDP, TRANSPORTS };

struct change {
	struct mc_key *key;
	uint64_t number;
	struct mc_state before, next, issued;
	struct mc_command command;
	unsigned allowed; /* bits of enum mc_result that the answer may have */
	char bytes[MC_VALUE_BYTES];
};

struct run {
	struct mc_writer *writer;
	struct mc_check *check;
	struct mc_answer answer[TRANSPORTS];
	uint64_t seed, serial;
	uint16_t id;
	uint64_t changes[MC_OPS], quiet, cut, piped, wrong;
	unsigned lost;
};

static const struct mc_state no_value;

static int is_binary(enum transport transport)
{
	return transport == BINARY || transport == BINARY_UDP;
}

static int is_udp(enum transport transport)
{
	return transport == TEXT_UDP || transport == BINARY_UDP;
}

static void open_transports(const struct mc_check *check, int *fd)
{
	fd[TEXT4] = mc_client__tcp(check->addr, check->port);
	fd[TEXT6] = mc_client__tcp(check->addr6 ? check->addr6 : check->addr, check->port);
	fd[BINARY] = mc_client__tcp(check->addr, check->port);
	fd[TEXT_UDP] = mc_client__udp(check->addr6 ? check->addr6 : check->addr, check->port);
	fd[BINARY_UDP] = mc_client__udp(check->addr, check->port);
}

/* --- planning ------------------------------------------------------------------- */

enum presence { ABSENT, PRESENT, UNSURE };

static enum presence presence_of(const struct mc_state *state, uint64_t now)
{
	if (now >= state->gone_from)
		return ABSENT;
	return state->misses_from == MC_NEVER && state->gone_from == MC_NEVER ? PRESENT : UNSURE;
}

static int is_store(enum mc_op op)
{
	return op <= MC_REPLACE || op == MC_CAS || op == MC_META_SET || op == MC_META_ADD || op == MC_META_REPLACE;
}

static int is_append(enum mc_op op)
{
	return op == MC_APPEND || op == MC_PREPEND || op == MC_META_APPEND || op == MC_META_PREPEND;
}

static int is_counter_op(enum mc_op op)
{
	return op == MC_INCR || op == MC_DECR || op == MC_META_INCR || op == MC_META_DECR || op == MC_META_INCR_OR_NEW;
}

static int is_touch(enum mc_op op)
{
	return op == MC_TOUCH || op == MC_GAT || op == MC_GATS || op == MC_META_TOUCH;
}

static int is_delete(enum mc_op op)
{
	return op == MC_DELETE || op == MC_META_DELETE;
}

static int is_possible(const struct change *c, enum transport transport, enum presence presence, int first)
{
	enum mc_op op = c->command.op;

	if (is_binary(transport) && !mc_command__is_binary(op))
		return 0;
	if (c->key->is_number ? is_append(op) || op == MC_META_GET_OR_NEW : is_counter_op(op))
		return 0;
	if (is_append(op) && c->before.bytes > GROWN_BYTES)
		return 0;
	if (op == MC_CAS || op == MC_CAS_OLD)
		return presence == PRESENT && first;
	if (presence == UNSURE && (op == MC_ADD || op == MC_META_ADD || op == MC_META_INCR_OR_NEW || op == MC_META_GET_OR_NEW))
		return 0;
	return 1;
}

/* A value names its key and has a serial number. */
static void make_bytes(struct run *run, struct change *c)
{
	unsigned key = (unsigned)(c->key - run->writer->on->key);
	int n, filler = (int)(random_next(&run->seed) % 80);

	run->serial++;
	if (c->key->is_number)
		n = sprintf(c->bytes, "1%02u%010llu00", key, (unsigned long long)run->serial % 10000000000ull);
	else if (is_append(c->command.op))
		n = sprintf(c->bytes, "<%llu>", (unsigned long long)run->serial);
	else
		n = sprintf(c->bytes, "%s:%llu:%.*s.", c->key->name, (unsigned long long)run->serial, filler,
			    "abcdefghijklmnopqrstuvwxyz\r\nEND\r\nabcdefghijklmnopqrstuvwxyz get k01\r\nabcdefghijklmnopqrstuvwxyz");
	if (!c->key->is_number && !is_append(c->command.op) && random_next(&run->seed) % 16 == 0) {
		int more = (int)(random_next(&run->seed) % LARGE_BYTES);

		memset(c->bytes + n, 'x', (size_t)more);
		n += more;
	}
	c->command.bytes = c->bytes;
	c->command.count = (uint32_t)n;
}

static void set_value(struct mc_state *state, uint32_t flags, const char *bytes, uint32_t count)
{
	state->flags = flags;
	state->bytes = count;
	memcpy(state->value, bytes, count);
}

static void append_value(struct mc_state *state, const struct mc_command *command, int in_front)
{
	if (in_front)
		memmove(state->value + command->count, state->value, state->bytes);
	memcpy(in_front ? state->value : state->value + state->bytes, command->bytes, command->count);
	state->bytes += command->count;
}

static void apply_delta(struct mc_state *state, const struct mc_command *command, int down)
{
	unsigned long long number = 0;

	state->value[state->bytes] = '\0';
	sscanf(state->value, "%llu", &number);
	state->bytes = (uint32_t)sprintf(state->value, "%llu", down ? number - command->delta : number + command->delta);
}

static void set_expiry(struct mc_state *state, unsigned seconds, uint64_t now)
{
	state->misses_from = seconds == SHORT_S ? now + (SHORT_S - 1) * SECOND : MC_NEVER;
	state->gone_from = MC_NEVER; /* acknowledge() sets it, when the time of the answer is known */
}

/* Sets the next state and the possible results, given what is known about the key. */
static void plan(struct change *c, enum presence presence, uint64_t now)
{
	const struct mc_command *command = &c->command;
	enum mc_op op = command->op;
	struct mc_state *next = &c->next;

	*next = c->before;
	c->allowed = 1u << MC_DONE;
	if (op == MC_CAS_OLD || ((op == MC_ADD || op == MC_META_ADD) && presence == PRESENT)) {
		c->allowed = 1u << MC_UNCHANGED;
		return;
	}
	if (is_delete(op)) {
		*next = no_value;
		c->allowed = presence == PRESENT ? 1u << MC_DONE : presence == ABSENT ? 1u << MC_ABSENT : 1u << MC_DONE | 1u << MC_ABSENT;
		return;
	}
	if (op == MC_SET || op == MC_META_SET || op == MC_ADD || op == MC_META_ADD) {
		set_value(next, command->flags, command->bytes, command->count);
		set_expiry(next, command->seconds, now);
		return;
	}
	if (presence == ABSENT && (op == MC_META_INCR_OR_NEW || op == MC_META_GET_OR_NEW)) {
		set_value(next, 0, command->bytes, op == MC_META_GET_OR_NEW ? 0 : command->count);
		set_expiry(next, op == MC_META_GET_OR_NEW ? command->seconds : 0, now);
		return;
	}
	if (presence == ABSENT) {
		*next = no_value;
		c->allowed = 1u << MC_ABSENT;
		return;
	}
	if (presence == UNSURE)
		c->allowed |= 1u << MC_ABSENT;
	if (is_store(op)) {
		set_value(next, command->flags, command->bytes, command->count);
		set_expiry(next, command->seconds, now);
	} else if (is_append(op)) {
		append_value(next, command, op == MC_PREPEND || op == MC_META_PREPEND);
	} else if (is_counter_op(op)) {
		apply_delta(next, command, op == MC_DECR || op == MC_META_DECR);
	} else if (is_touch(op)) {
		set_expiry(next, command->seconds, now);
	}
}

/* Gets the unique number that a cas needs; MC_CAS_OLD uses another one. */
static int get_unique(struct run *run, enum transport transport, struct change *c)
{
	struct mc_answer *from = &run->answer[transport];
	char text[64];
	int n = sprintf(text, "gets %s\r\n", c->key->name);
	const char *line;
	unsigned bytes;
	unsigned long long unique;

	if (is_udp(transport)) {
		mc_client__send_udp(from->fd, ++run->id, text, (size_t)n);
		int fd = from->fd;
		ssize_t got = mc_client__receive_udp(fd, run->id, ANSWER_MS, from);

		line = got > 0 ? mc_client__line(from) : NULL;
		from->fd = fd;
		if (!line || sscanf(line, "VALUE %*s %*u %*u %llu", &unique) != 1)
			return 0;
	} else {
		mc_client__send(from->fd, text, (size_t)n, 1, &run->seed);
		line = mc_client__line(from);
		if (!line || sscanf(line, "VALUE %*s %*u %u %llu", &bytes, &unique) != 2)
			return 0;
		(void)mc_client__bytes(from, bytes + 2);
		(void)mc_client__line(from);
	}
	c->command.unique = c->command.op == MC_CAS ? unique : unique - 1;
	return 1;
}

static int may_be_quiet(const struct change *c, enum transport transport, enum presence presence)
{
	enum mc_op op = c->command.op;

	if (is_touch(op) && (op != MC_TOUCH || is_binary(transport)))
		return 0;
	if (op == MC_META_INCR_OR_NEW || op == MC_META_GET_OR_NEW)
		return 0;
	/* the quiet binary and meta commands suppress only the answer of a success */
	return (!is_binary(transport) && op < MC_META_SET) || (presence != UNSURE && c->allowed == 1u << MC_DONE);
}

/* Plans and issues a change. op MC_OPS: any. Returns 0 if the change is not possible. */
static int make_change(struct run *run, struct change *c, struct mc_key *key, enum transport transport, enum mc_op op, unsigned seconds,
		       int first)
{
	uint64_t now = now_ns();
	enum presence presence;
	int unsure = now < run->writer->on->unsure_until;

	memset(&c->command, 0, sizeof(c->command));
	c->key = key;
	c->command.key = key->name;
	mc_key__last(key, &c->before);
	presence = presence_of(&c->before, now);
	do
		c->command.op = op == MC_OPS ? (enum mc_op)(random_next(&run->seed) % MC_OPS) : op;
	while (!is_possible(c, transport, presence, first) && op == MC_OPS);
	if (!is_possible(c, transport, presence, first))
		return 0;
	make_bytes(run, c);
	c->command.flags = (uint32_t)random_next(&run->seed) % 3 ? 0 : (uint32_t)random_next(&run->seed) & 0xffff;
	c->command.delta = 1 + (uint32_t)random_next(&run->seed) % 9;
	c->command.seconds = seconds;
	if ((c->command.op == MC_CAS || c->command.op == MC_CAS_OLD) && !get_unique(run, transport, c))
		return 0;
	plan(c, presence, now);
	c->command.quiet = random_next(&run->seed) % 3 == 0 && may_be_quiet(c, transport, presence);
	c->issued = c->next;
	if (unsure && c->next.gone_from) {
		c->next.misses_from = 0;
		c->next.gone_from = MC_NEVER;
	}
	if (c->next.gone_from && (unsure || c->allowed & 1u << MC_ABSENT))
		c->issued.misses_from = 0;
	if (c->issued.gone_from && c->next.gone_from == MC_NEVER)
		c->issued.gone_from = MC_NEVER;
	c->number = mc_key__issue(key, &c->issued);
	return 1;
}

/* --- sending and receiving ---------------------------------------------------- */

static void acknowledge(struct run *run, struct change *c, enum mc_result result, int answered)
{
	enum mc_op op = c->command.op;
	struct mc_state state = answered ? c->next : c->issued;
	uint64_t now = now_ns();

	if (answered && result == MC_ABSENT)
		state = no_value;
	else if (answered && result == MC_UNCHANGED)
		state = c->before;
	else if (c->command.seconds == SHORT_S && state.gone_from && !(c->allowed & 1u << MC_UNCHANGED) &&
		 (is_store(op) || is_touch(op) || op == MC_META_GET_OR_NEW) && state.misses_from != MC_NEVER)
		state.gone_from = now + (SHORT_S + 1) * SECOND;
	mc_key__acknowledge(c->key, c->number, &state);
	run->changes[op]++;
	run->quiet += (uint64_t)c->command.quiet;
}

static void check_answer(struct run *run, const struct change *c, enum transport transport, enum mc_result result, const char *data,
			 uint32_t bytes)
{
	int right = (c->allowed >> result & 1) != 0;

	if (right && result == MC_DONE && data)
		right = bytes == c->next.bytes && !memcmp(data, c->next.value, bytes);
	if (right)
		return;
	run->wrong++;
	mc_check_run__report(run->writer->on, "%s %s over %s%s: result %d '%.*s', of results %#x and the value '%.*s'",
			     mc_op_name[c->command.op], c->key->name, is_udp(transport) ? "UDP" : "TCP",
			     is_binary(transport) ? ", binary" : "", result, data ? (int)bytes : 0, data ? data : "", c->allowed,
			     (int)c->next.bytes, c->next.value);
}

/* Reads the answers to a batch. If a UDP answer is lost, the states of its keys are unknown from then on. */
static void receive_answers(struct run *run, enum transport transport, struct change *c, unsigned changes, int has_noop)
{
	struct mc_answer *from = &run->answer[transport];
	int fd = from->fd;
	unsigned acknowledged = 0;

	if (is_udp(transport) && mc_client__receive_udp(fd, run->id, ANSWER_MS, from) < 0) {
		from->fd = fd;
		for (unsigned i = 0; i < changes; i++)
			mc_key__mark_unknown(c[i].key);
		run->lost += changes;
		mc_check_run__report(run->writer->on, "no answer to %s %s over UDP%s%s, %u bytes", mc_op_name[c->command.op], c->key->name,
				     is_binary(transport) ? ", binary" : "", has_noop ? ", quiet" : "", c->command.count);
		return;
	}
	for (unsigned i = 0; i < changes + (unsigned)has_noop; i++) {
		static const struct mc_command none;
		const struct mc_command *command = i < changes ? &c[i].command : &none;
		enum mc_result result;
		const char *data = NULL;
		uint32_t bytes = 0, opaque = i;

		if (command->quiet)
			continue;
		result = is_binary(transport) ? mc_command__binary_answer(from, &opaque)
					      : mc_command__text_answer(command, from, &data, &bytes);
		if (opaque != i)
			die("memcached answers command %u of %u, %u was to be the next", opaque, changes, i);
		while (acknowledged < i)
			acknowledge(run, &c[acknowledged++], MC_DONE, 0);
		if (i == changes)
			break;
		check_answer(run, &c[i], transport, result, data, bytes);
		acknowledge(run, &c[acknowledged++], result, 1);
	}
	from->fd = fd;
}

static void send_batch(struct run *run, enum transport transport, struct change *c, unsigned changes)
{
	char out[BATCH_MAX * (MC_VALUE_BYTES + 200)];
	unsigned pieces = random_next(&run->seed) % 3 ? 1 : 2 + (unsigned)random_next(&run->seed) % 3;
	int has_noop = c[changes - 1].command.quiet;
	size_t n = 0;

	for (unsigned i = 0; i < changes; i++) {
		c[i].command.opaque = i;
		n += is_binary(transport) ? mc_command__binary(&c[i].command, out + n) : mc_command__text(&c[i].command, out + n);
	}
	if (has_noop)
		n += mc_command__noop(is_binary(transport), changes, out + n);
	if (is_udp(transport))
		mc_client__send_udp(run->answer[transport].fd, ++run->id, out, n);
	else
		mc_client__send(run->answer[transport].fd, out, n, pieces, &run->seed);
	run->cut += !is_udp(transport) && pieces > 1;
	run->piped += changes > 1;
	receive_answers(run, transport, c, changes, has_noop);
}

static void change_batch(struct run *run)
{
	const struct mc_writer *writer = run->writer;
	enum transport transport = (enum transport)(random_next(&run->seed) % TRANSPORTS);
	unsigned most = is_udp(transport) || random_next(&run->seed) % 3 ? 1 : BATCH_MAX, changes = 0;
	struct change c[BATCH_MAX];

	pthread_rwlock_rdlock(&writer->on->flushing);
	for (unsigned i = 0; i < most; i++) {
		struct mc_key *key = &writer->on->key[writer->first + random_next(&run->seed) % writer->keys];
		unsigned kind = (unsigned)random_next(&run->seed) % 10;

		if (!key->lost)
			changes += (unsigned)make_change(run, &c[changes], key, transport, MC_OPS,
							 kind == 0   ? SHORT_S
							 : kind == 1 ? LONG_S
								     : 0,
							 !changes);
	}
	if (changes)
		send_batch(run, transport, c, changes);
	pthread_rwlock_unlock(&writer->on->flushing);
}

/* Gives each key a short expiry, by one of the commands that can do that, and waits until it has expired. */
static void change_and_expire(struct run *run)
{
	static const enum mc_op ways[] = { MC_SET, MC_REPLACE, MC_TOUCH, MC_GAT, MC_GATS, MC_META_SET, MC_META_REPLACE, MC_META_TOUCH };
	const struct mc_writer *writer = run->writer;

	for (unsigned i = 0; i < writer->keys * 2; i++) {
		struct mc_key *key = &writer->on->key[writer->first + i % writer->keys];
		enum mc_op op = i < writer->keys ? MC_SET : ways[random_next(&run->seed) % (sizeof(ways) / sizeof(ways[0]))];
		enum transport transport = (enum transport)(random_next(&run->seed) % TRANSPORTS);
		struct change c;

		if (is_binary(transport) && !mc_command__is_binary(op))
			transport = TEXT4;
		pthread_rwlock_rdlock(&writer->on->flushing);
		if (!key->lost && make_change(run, &c, key, transport, op, i < writer->keys ? 0 : SHORT_S, 1))
			send_batch(run, transport, &c, 1);
		pthread_rwlock_unlock(&writer->on->flushing);
	}
	for (int i = 0; i < 40 && !writer->on->stop; i++)
		usleep((SHORT_S + 2) * 1000000 / 40);
}

void *mc_writer__run(void *arg)
{
	struct mc_writer *writer = arg;
	struct run run = { .writer = writer, .check = writer->on->check, .seed = writer->seed };
	struct mc_check *check = run.check;
	int fd[TRANSPORTS];

	open_transports(check, fd);
	for (int i = 0; i < TRANSPORTS; i++)
		run.answer[i].fd = fd[i];
	while (!writer->on->stop) {
		if (writer->short_lived)
			change_and_expire(&run);
		else
			change_batch(&run);
		if (!writer->short_lived && random_next(&run.seed) % 4)
			usleep((useconds_t)(random_next(&run.seed) % (check->pause_us + 1)));
	}
	for (int i = 0; i < TRANSPORTS; i++)
		close(fd[i]);
	pthread_mutex_lock(&writer->on->results);
	for (int i = 0; i < MC_OPS; i++)
		check->changes[i] += run.changes[i];
	check->quiet += run.quiet;
	check->cut += run.cut;
	check->piped += run.piped;
	check->wrong += run.wrong;
	check->lost += run.lost;
	pthread_mutex_unlock(&writer->on->results);
	return NULL;
}

/* --- flushes -------------------------------------------------------------------- */

/*
 * A flush with a delay of one second takes effect within FLUSH_SURE_S. memcached 1.6.18 immediately removes what is older, and also what is
 * stored in the rest of its current second.
 */
static void flush(struct mc_writer *writer, struct mc_answer *answer, enum transport transport, unsigned seconds)
{
	struct mc_check_run *on = writer->on;
	unsigned keys = on->check->keys + on->check->short_lived_keys;
	uint64_t number[MC_CHECK_KEYS_MAX], now;
	int quiet = !is_udp(transport) && random_next(&writer->seed) % 2, fd = answer->fd;
	struct mc_state state[MC_CHECK_KEYS_MAX];
	enum mc_result result;
	uint32_t bytes, opaque;
	const char *data;
	char out[128];
	size_t n;

	pthread_rwlock_wrlock(&on->flushing);
	for (unsigned i = 0; i < keys; i++) {
		mc_key__last(&on->key[i], &state[i]);
		if (!seconds)
			state[i] = no_value;
		else if (state[i].misses_from > now_ns())
			state[i].misses_from = now_ns();
		number[i] = mc_key__issue(&on->key[i], &state[i]);
	}
	n = mc_command__flush(seconds, is_binary(transport), quiet, out);
	if (quiet)
		n += mc_command__noop(is_binary(transport), 1, out + n);
	if (is_udp(transport)) {
		uint16_t id = (uint16_t)random_next(&writer->seed);

		mc_client__send_udp(fd, id, out, n);
		if (mc_client__receive_udp(fd, id, ANSWER_MS, answer) < 0)
			die("no answer to a flush over UDP");
	} else {
		mc_client__send(fd, out, n, 1 + random_next(&writer->seed) % 2, &writer->seed);
	}
	result = is_binary(transport) ? mc_command__binary_answer(answer, &opaque)
				      : mc_command__text_answer(&(struct mc_command){ .op = MC_SET }, answer, &data, &bytes);
	answer->fd = fd;
	if (result != MC_DONE)
		die("memcached does not flush: result %d", result);
	now = now_ns();
	if (seconds)
		on->unsure_until = now + FLUSH_SURE_S * SECOND + SECOND / 4;
	for (unsigned i = 0; i < keys; i++) {
		if (seconds && state[i].gone_from > now + FLUSH_SURE_S * SECOND)
			state[i].gone_from = now + FLUSH_SURE_S * SECOND;
		mc_key__acknowledge(&on->key[i], number[i], &state[i]);
	}
	pthread_rwlock_unlock(&on->flushing);
}

void *mc_writer__flush(void *arg)
{
	struct mc_writer *writer = arg;
	struct mc_check *check = writer->on->check;
	static __thread struct mc_answer answer[TRANSPORTS];
	int fd[TRANSPORTS];

	open_transports(check, fd);
	for (int i = 0; i < TRANSPORTS; i++)
		answer[i].fd = fd[i];
	while (!writer->on->stop) {
		enum transport transport = (enum transport)(random_next(&writer->seed) % TRANSPORTS);

		usleep((useconds_t)(check->flush_ms * 500 + random_next(&writer->seed) % (check->flush_ms * 1000)));
		flush(writer, &answer[transport], transport, random_next(&writer->seed) % 12 == 0);
		check->flushes++;
	}
	for (int i = 0; i < TRANSPORTS; i++)
		close(fd[i]);
	return NULL;
}
