/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Processes that own an interface and are killed while packets arrive, for tests/stress/stress.c. After each kill the XDP program must
 * disappear from the interface.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <spin/slmp.h>

#include "tests/common/child.h"
#include "tests/common/traffic/shared_updates.h"
#include "tests/common/net/netns.h"
#include "tests/common/interface_owners.h"

#define OTHER_DEV    "own1"
#define LIFE_US      400000
#define PAYLOAD      64u
#define PACKETS      8u /* of a message */
#define DPORT_AT     36 /* offset in the frame */
#define MESSAGES_TO  9330
#define DATAGRAMS_TO 9000

struct owners_counts {
	uint64_t datagrams, message_packets;
};

/* global, because child__start() passes only a number */
static struct owners *owners;

static int run_owner(int ready)
{
	struct shared_updates datagrams = { 0 }, messages = { 0 };
	struct owners_counts *counts = owners->counts;
	struct spin_nic *nic;

	if (spin_nic__open(OWNERS_DEV, &nic) || shared_updates__open(&datagrams, nic, "hammer", "udp dport 9000", SPIN_HPUS_QUEUE, 0) ||
	    shared_updates__open(&messages, nic, "hammer_message", "udp dport 9330", SPIN_HPUS_SPREAD, 0) || write(ready, "r", 1) != 1)
		return 2;
	for (;; usleep(5000)) {
		counts->datagrams = shared_updates__runs(&datagrams);
		counts->message_packets = shared_updates__runs(&messages);
	}
}

static void send_to(struct owners *o, const struct sockaddr_ll *dev, uint16_t port)
{
	o->packet.frame[DPORT_AT] = (uint8_t)(port >> 8);
	o->packet.frame[DPORT_AT + 1] = (uint8_t)port;
	/* fails if the queue is full */
	(void)!sendto(o->socket, o->packet.frame, o->packet.bytes, 0, (const struct sockaddr *)dev, sizeof(*dev));
}

static void *send_packets(void *arg)
{
	struct owners *o = arg;
	struct sockaddr_ll dev = { .sll_family = AF_PACKET, .sll_halen = 6 };

	netns_enter(o->ns);
	dev.sll_ifindex = (int)if_nametoindex(OTHER_DEV);
	for (uint32_t id = 1; !o->stop; id++) {
		for (uint32_t i = 0; i < PACKETS; i++) {
			message_packet_head(&o->packet, SPIN_SLMP_SYN | (i == PACKETS - 1 ? SPIN_SLMP_EOM : 0), id, i * PAYLOAD);
			send_to(o, &dev, MESSAGES_TO);
			send_to(o, &dev, DATAGRAMS_TO);
		}
		usleep(2000);
	}
	return NULL;
}

const char *owners__open(struct owners *o, int ns)
{
	*o = (struct owners){ .ns = ns };
	owners = o;
	netns_enter(ns);
	netns_shell("ip link add " OWNERS_DEV " numrxqueues 4 numtxqueues 4 type veth peer name " OTHER_DEV
		    " numrxqueues 4 numtxqueues 4 && ip link set " OWNERS_DEV " up && ip link set " OTHER_DEV " up");
	o->socket = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	o->counts = mmap(NULL, sizeof(*o->counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (o->socket < 0 || o->counts == MAP_FAILED || message_packet_make(&o->packet, PAYLOAD) ||
	    pthread_create(&o->sending, NULL, send_packets, o))
		return "nothing can be sent to an owner";
	return NULL;
}

const char *owners__kill_one(struct owners *o, struct leak_check *left)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends))
		return "no pipe";
	*o->counts = (struct owners_counts){ 0 };
	pid = child__start(o->ns, run_owner, ends[1]);
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		return "an owner does not get its interface";
	close(ends[0]);
	usleep(LIFE_US);
	leak_check__note(left, pid);
	if (!child__kill(&pid))
		return "an owner has ended by itself";
	o->kills++;
	o->datagrams += o->counts->datagrams;
	o->message_packets += o->counts->message_packets;
	for (int try = 0; leak_check__program(OWNERS_DEV); try++) {
		if (try == 100)
			return "a killed owner's program is still there";
		usleep(20000);
	}
	return NULL;
}

void owners__close(struct owners *o)
{
	o->stop = 1;
	pthread_join(o->sending, NULL);
	munmap(o->counts, sizeof(*o->counts));
	close(o->socket);
}
