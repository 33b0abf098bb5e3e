/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "kernel/probe_iface.h"
#include "kernel/threaded.h"

int kernel_threaded__read(int ifindex, uint32_t *queues, int *threaded)
{
	struct probe_iface iface;
	struct probe_net net;
	int err = kernel_net__open(&net);

	if (!err)
		err = kernel_iface__read_index(&net, ifindex, &iface);
	kernel_net__close(&net);
	if (err)
		return err;
	*queues = iface.rx_queues_max > iface.rx_queues ? iface.rx_queues_max : iface.rx_queues;
	*threaded = iface.threaded;
	return 0;
}

static int write_digit(int sysfs_fd, const char *name, int on)
{
	char path[64];
	int fd, err;

	snprintf(path, sizeof(path), "class/net/%s/threaded", name);
	fd = openat(sysfs_fd, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -EOPNOTSUPP;
	err = write(fd, on ? "1" : "0", 1) == 1 ? 0 : -errno;
	close(fd);
	return err;
}

int kernel_threaded__set(int ifindex, int on)
{
	struct probe_iface iface;
	struct probe_net net;
	int err = kernel_net__open(&net);

	if (!err)
		err = kernel_iface__read_index(&net, ifindex, &iface);
	/* threaded is not known where sysfs is another namespace's */
	if (!err)
		err = iface.threaded < 0 ? -EOPNOTSUPP : write_digit(net.sysfs_fd, iface.name, on);
	kernel_net__close(&net);
	return err;
}
