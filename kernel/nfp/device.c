/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The profile of a card that is there. Called by `spinctl check --dev`. The driver keeps what the firmware told it of BPF to
 * itself: no file, ioctl or netlink request of Linux 6.1 to 6.12 shows it. The name of the firmware is shown (ethtool -i),
 * so a firmware whose capabilities are known is recognized, and any other is refused.
 */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel/nfp/profile.h"

int nfp_profile__of_device(const char *ifname, struct nfp_profile *out, char *why, size_t why_bytes)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq request = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (strlen(ifname) >= sizeof(request.ifr_name)) {
		snprintf(why, why_bytes, "%.40s is not the name of an interface", ifname);
		err = -EINVAL;
		goto out;
	}
	strcpy(request.ifr_name, ifname);
	request.ifr_data = (void *)&info;
	if (fd < 0 || ioctl(fd, SIOCETHTOOL, &request)) {
		err = -errno;
		snprintf(why, why_bytes, "%s: %s; `ip link` lists the interfaces", ifname, strerror(-err));
		goto out;
	}
	info.driver[sizeof(info.driver) - 1] = 0;
	info.fw_version[sizeof(info.fw_version) - 1] = 0;
	err = -ENODEV;
	if (strcmp(info.driver, "nfp"))
		snprintf(why, why_bytes, "%s is of the driver %s, not of nfp", ifname, info.driver);
	else if (nfp_profile__default(out) || !strstr(info.fw_version, out->firmware))
		snprintf(why, why_bytes,
			 "%s has the firmware \"%s\", whose capabilities are not known, and the driver does not show them; load the "
			 "firmware bpf-2.0.6.124, or write a profile yourself and pass it by --profile",
			 ifname, info.fw_version);
	else
		err = 0;
out:
	if (fd >= 0)
		close(fd);
	return err;
}
