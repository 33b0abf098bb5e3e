/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Concurrency test of handlers/kvstore.c, the handlers of a key-value cache that a server fills: no reader may get a value older than the
 * last acknowledged SET. Some threads run the handlers as the HPUs (a card's processors) would, another is the server, which fills and
 * commits cache lines. Between them requests are lost, duplicated and reordered, or carry the lease (permission to fill a cache line) of
 * another request. All keys fall into one set of the cache, and there are more keys than ways. Run by tests/run.
 *
 * Handlers and server yield the CPU at random between atomic accesses. What the handler fetches is, at random, the memory itself, as with
 * BPF, or a copy, as on the card, whose words may be stale when they are used.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/common/interleave.h"
#include "tests/common/net/slow.h"

static const void *fetch(const void *from, void *buffer, size_t bytes)
{
	if (random32() % 2)
		return from;
	for (size_t i = 0; i < bytes / 4; i++)
		((uint32_t *)buffer)[i] = spin_load32((const uint32_t *)from + i);
	return buffer;
}

#undef SPIN_FETCH
#define SPIN_FETCH(v, from, buffer) ((void)(v), (const __typeof__(*(buffer)) *)fetch((from), (buffer), sizeof(*(buffer))))
#undef SPIN_FETCHED
#define SPIN_FETCHED(at, from, near) ((const __typeof__(*(at)) *)((const char *)(near) + ((const char *)(at) - (const char *)(from))))
#include "handlers/kvstore.c"

#define __atomic_load_n(at, order)         INTERLEAVED(uint32_t, __atomic_load_n(at, order))
#define __atomic_store_n(at, value, order) INTERLEAVED_VOID(__atomic_store_n(at, value, order))
#include "tests/common/kv_commit.c"
#undef __atomic_load_n
#undef __atomic_store_n

#define KEYS          6
#define HPUS          3
#define IN_FLIGHT_MAX 64
#define SECONDS       3
#define TIMEOUT_S     (150 * slow_factor()) /* seconds to reach the number of hits on a busy machine */
#define HITS_MIN      10000

/* Frames are laid out as XDP has them. Only the fields that the handler uses are set. */
struct frame {
	uint16_t before; /* aligns the headers after the Ethernet header */
	struct spin_eth eth;
	struct spin_ip4 ip;
	struct spin_udp udp;
	struct kv_message message;
} __attribute__((packed, aligned(4)));

/* The server's data by key. A version is the number of SETs committed so far. */
static uint32_t store[KEYS][KV_WORDS], version[KEYS], acknowledged[KEYS];

/* Requests queued for the server. */
static struct kv_message in_flight[IN_FLIGHT_MAX];
static unsigned in_flight_count;
static pthread_mutex_t on_way_lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t hits, stale, foreign;
static int stop;

static uint32_t key_of(uint32_t index)
{
	return index * KV_SETS;
}

/* Makes a value that encodes its key and version in every word. */
static void make_value(uint32_t *value, uint32_t index, uint32_t of_version)
{
	value[0] = of_version;
	for (uint32_t i = 1; i < KV_WORDS; i++)
		value[i] = (of_version * KEYS + index) * 0x9e3779b1u + i;
}

static void check_value(const struct kv_message *m, uint32_t index, uint32_t oldest)
{
	uint32_t want[KV_WORDS], got = m->value[0];

	__atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
	make_value(want, index, got);
	if (memcmp(want, m->value, sizeof(want))) {
		if (!__atomic_fetch_add(&foreign, 1, __ATOMIC_RELAXED))
			printf("key %u: a value that was never SET\n", key_of(index));
	} else if (got < oldest) {
		if (!__atomic_fetch_add(&stale, 1, __ATOMIC_RELAXED))
			printf("key %u: version %u read after %u was acknowledged\n", key_of(index), got, oldest);
	}
}

/* Drops the request, or queues it when there is room. May replace its lease by another request's. */
static void to_server(struct kv_message *m)
{
	int queued = 0;

	if (random32() % 16 == 0)
		return;
	while (!queued && !__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&on_way_lock);
		if (in_flight_count < IN_FLIGHT_MAX) {
			if (in_flight_count && random32() % 16 == 0)
				m->lease = in_flight[random32() % in_flight_count].lease;
			in_flight[in_flight_count++] = *m;
			queued = 1;
		}
		pthread_mutex_unlock(&on_way_lock);
		if (!queued)
			sched_yield();
	}
}

/* Takes a random request. Sometimes leaves it in the queue, as a duplicate. */
static int from_hpus(struct kv_message *m)
{
	int got = 0;

	pthread_mutex_lock(&on_way_lock);
	if (in_flight_count) {
		unsigned i = random32() % in_flight_count;

		*m = in_flight[i];
		if (random32() % 16)
			in_flight[i] = in_flight[--in_flight_count];
		got = 1;
	}
	pthread_mutex_unlock(&on_way_lock);
	return got;
}

static void *hpu(void *arg)
{
	random_state = (uintptr_t)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		uint32_t index = random32() % KEYS, oldest;
		struct frame frame = { .message = {
					       .op = spin_hton16(random32() % 4 ? KV_GET : KV_SET),
					       .key = spin_hton32(key_of(index)),
				       } };
		struct spin_packet packet = {
			.view = { .data = (uint8_t *)&frame, .end = (uint8_t *)(&frame + 1) },
			.ip = &frame.ip,
			.udp = &frame.udp,
			.payload = (uint8_t *)&frame.message,
			.bytes = sizeof(frame.message),
			.is_ip4 = 1,
		};
		struct spin_payload payload = { .length = sizeof(frame.message), .packet = &packet };
		struct kv_message m;

		oldest = __atomic_load_n(&acknowledged[index], __ATOMIC_SEQ_CST);
		maybe_yield();
		if (kvstore_payload(&payload, &spin_state) == SPIN_REPLIED) {
			m = frame.message;
			check_value(&m, index, oldest);
		} else {
			m = frame.message;
			to_server(&m);
		}
	}
	return NULL;
}

static void serve(const struct kv_message *m)
{
	uint32_t key = spin_ntoh32(m->key), index = key / KV_SETS;

	if (m->op == spin_hton16(KV_GET)) {
		kv_cache_fill(&spin_state, key, store[index], m->lease);
		return;
	}
	make_value(store[index], index, ++version[index]);
	kv_cache_commit(&spin_state, key, store[index], m->lease);
	__atomic_store_n(&acknowledged[index], version[index], __ATOMIC_SEQ_CST);
}

int main(void)
{
	time_t start = time(NULL), now;
	pthread_t thread[HPUS];
	struct kv_message m;

	random_state = 12345;
	for (uint32_t i = 0; i < KEYS; i++)
		make_value(store[i], i, 0);
	for (uintptr_t i = 0; i < HPUS; i++)
		if (pthread_create(&thread[i], NULL, hpu, (void *)(i + 1))) {
			printf("FAIL: no thread\n");
			return 1;
		}
	do {
		for (int i = 0; i < 1000; i++) {
			if (from_hpus(&m))
				serve(&m);
			else
				sched_yield();
		}
		now = time(NULL) - start;
	} while (now < SECONDS || (now < TIMEOUT_S && __atomic_load_n(&hits, __ATOMIC_RELAXED) < HITS_MIN));
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < HPUS; i++)
		pthread_join(thread[i], NULL);

	printf("%llu hits, %llu stale, %llu never SET\n", (unsigned long long)hits, (unsigned long long)stale, (unsigned long long)foreign);
	if (stale || foreign || hits < HITS_MIN) {
		printf("FAIL: %s\n", stale || foreign ? "the cache gave a wrong value" : "hardly any hits");
		return 1;
	}
	return 0;
}
