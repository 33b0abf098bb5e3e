/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Example of libspin(3): reads datagrams past the kernel's stack (AF_XDP ring). Compiled and run by tests/install/page_examples.sh. */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>

#include <spin/libspin_ring.h>

/* Prints sender, length and payload of each datagram. */
static void packets_came(void *arg, const struct spin_ring_packet *packets, unsigned count)
{
	char source[INET6_ADDRSTRLEN];
	unsigned *left = arg;

	for (unsigned i = 0; i < count && *left; i++, --*left) {
		const struct spin_ring_packet *p = &packets[i];

		inet_ntop(p->ip_version == 4 ? AF_INET : AF_INET6, p->src_addr, source, sizeof(source));
		printf("%s port %u: %u bytes: %.*s\n", source, p->src_port, p->payload_bytes, (int)p->payload_bytes,
		       (const char *)p->frame + p->payload_at);
	}
}

static int take(struct spin_nic *nic, struct spin_object *obj)
{
	struct spin_ctx *ctx = NULL;
	struct spin_ring *ring;
	struct spin_rule rule;
	struct pollfd fd = { .events = POLLIN };
	unsigned left = 3;
	int err;

	err = spin_rule__parse("udp dport 9000", &rule);
	if (!err)
		err = spin_ctx__create(nic, obj, &rule, &ctx);
	if (!err)
		err = spin_ring__create(ctx, NULL, &ring);
	if (!err)
		err = spin_ctx__attach(ctx);
	if (!err)
		fd.fd = spin_ring__fd(ring);
	while (err >= 0 && left) {
		err = spin_ring__receive(ring, packets_came, &left);
		if (!err && poll(&fd, 1, -1) < 0)
			break; /* a signal */
	}
	spin_ctx__destroy(ctx); /* and its ring */
	return err;
}

int main(int argc, char **argv)
{
	struct spin_object *obj = NULL;
	struct spin_nic *nic = NULL;
	int err;

	if (argc != 3) {
		fprintf(stderr, "usage: ring FILE.spin IF\n");
		return 2;
	}
	err = spin_object__open(argv[1], &obj);
	if (!err)
		err = spin_nic__open(argv[2], &nic);
	if (!err)
		err = take(nic, obj);
	if (err < 0)
		fprintf(stderr, "ring: %s\n", spin_strerror_last());
	spin_nic__close(nic);
	spin_object__close(obj);
	return err < 0;
}
