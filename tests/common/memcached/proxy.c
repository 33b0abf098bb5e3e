/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A deliberately wrong cache: forwards the GETs of one client at a time to memcached, and answers some itself with old or other values
 * (proxy.h). Started by tests/sockets/memcached_is_coherent.c, which must notice it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memcached.h>

#include "tests/common/memcached/client.h"
#include "tests/common/memcached/proxy.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"

#define KEYS          64
#define CACHE_NS      20000000ull   /* how long an answer is kept */
#define CACHE_LONG_NS 6000000000ull /* same, for keys that expire: their names begin with e */
#define FOREIGN_EACH  50
#define TEXT_BYTES    4096 /* enough for two values */

struct cached {
	char name[8]; /* "k07": all have the same length */
	size_t bytes;
	uint64_t until;
	char text[TEXT_BYTES];
};

/* Returns NULL if the command is not a GET of one key. */
static struct cached *find(struct cached *cached, const char *command)
{
	char name[8] = "", more[2] = "";
	int i = 0;

	if (sscanf(command, "get %7s %1s", name, more) != 1)
		return NULL;
	while (i < KEYS - 1 && cached[i].name[0] && strcmp(cached[i].name, name))
		i++;
	strcpy(cached[i].name, name);
	return &cached[i];
}

/* Sends the command to memcached. Returns the length of the text of all datagrams: memcached sends one for each value. */
static size_t forward(int to, uint16_t id, const char *command, size_t count, char *out)
{
	static struct mc_answer answer;
	size_t bytes = 0;

	mc_client__send_udp(to, id, command, count);
	do {
		ssize_t n = mc_client__receive_udp(to, id, 1000, &answer);

		if (n < 0 || bytes + (size_t)n > TEXT_BYTES)
			return 0;
		memcpy(out + bytes, answer.data + answer.at, (size_t)n);
		bytes += (size_t)n;
	} while (bytes < 5 || memcmp(out + bytes - 5, "END\r\n", 5));
	return bytes;
}

static void cache_answer(struct cached *entry, const char *text, size_t bytes)
{
	if (memcmp(text, "VALUE ", 6))
		return;
	memcpy(entry->text, text, bytes);
	entry->bytes = bytes;
	entry->until = now_ns() + (entry->name[0] == 'e' ? CACHE_LONG_NS : CACHE_NS);
}

static size_t answer_as(const struct cached *entry, const struct cached *other, char *text)
{
	memcpy(text, other->text, other->bytes);
	memcpy(text + 6, entry->name, strlen(entry->name));
	return other->bytes;
}

static void *serve(void *arg)
{
	static struct cached cached[KEYS];
	struct mc_proxy *proxy = arg;
	int to = mc_client__udp(proxy->addr, proxy->port);
	uint16_t count = 0;

	memset(cached, 0, sizeof(cached));
	while (!proxy->stop) {
		struct pollfd wait = { .fd = proxy->fd, .events = POLLIN };
		struct {
			struct mc_frame frame;
			char text[TEXT_BYTES + 1];
		} d;
		union asks_address from;
		socklen_t from_bytes = sizeof(from);
		struct cached *entry, *other;
		ssize_t n = poll(&wait, 1, 20) > 0 ? recvfrom(proxy->fd, &d, sizeof(d) - 1, 0, &from.any, &from_bytes) : 0;
		size_t bytes = (size_t)n - sizeof(d.frame);

		if (n <= (ssize_t)sizeof(d.frame))
			continue;
		d.text[bytes] = '\0';
		entry = find(cached, d.text);
		other = &cached[entry == cached];
		count++;
		if (entry && proxy->fault == MC_FAULT_STALE && now_ns() < entry->until) {
			bytes = answer_as(entry, entry, d.text);
		} else if (entry && proxy->fault == MC_FAULT_FOREIGN && count % FOREIGN_EACH == 0 && other->bytes) {
			bytes = answer_as(entry, other, d.text);
		} else {
			bytes = forward(to, count, d.text, bytes, d.text);
			if (entry && bytes)
				cache_answer(entry, d.text, bytes);
		}
		if (bytes)
			sendto(proxy->fd, &d, sizeof(d.frame) + bytes, 0, &from.any, from_bytes);
	}
	close(to);
	return NULL;
}

void mc_proxy__start(struct mc_proxy *proxy)
{
	union asks_address own;
	socklen_t bytes = udp_hosts__address("127.0.0.1", proxy->own_port, &own);

	proxy->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (proxy->fd < 0 || bind(proxy->fd, &own.any, bytes) || pthread_create(&proxy->thread, NULL, serve, proxy))
		die("proxy: %s", strerror(errno));
}

void mc_proxy__stop(struct mc_proxy *proxy)
{
	proxy->stop = 1;
	pthread_join(proxy->thread, NULL);
	close(proxy->fd);
}
