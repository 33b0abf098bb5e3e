/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * activate PATH PROGRAM [ARGUMENT...]: runs a program as systemd does by socket activation: with a socket that listens at PATH as
 * descriptor 3. Used by tests/cli/spind.sh to start spind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	char pid[16];

	if (argc < 3 || strlen(argv[1]) >= sizeof(address.sun_path))
		return 2;
	strcpy(address.sun_path, argv[1]);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || chmod(argv[1], 0666) || listen(fd, 16) || dup2(fd, 3) < 0) {
		perror("activate");
		return 1;
	}
	if (fd != 3)
		close(fd);
	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv("LISTEN_PID", pid, 1);
	setenv("LISTEN_FDS", "1", 1);
	execv(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
