#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Process 1 of a full guest, run by full-initramfs.sh in the Debian root. Runs /run/guest/job in /work with its output on the second serial
# line, writes its exit status and the files it names to the disk `result`, and powers off.
b=/run/guest/busybox
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb USER=root

mkdir -p /dev/pts /dev/shm /run/lock
mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /dev/pts
mount -t tmpfs -o nosuid,nodev tmpfs /dev/shm
mount -t bpf -o mode=700 bpf /sys/fs/bpf
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tracefs tracefs /sys/kernel/tracing
ln -sf /proc/self/fd /dev/fd
hostname spin-guest

# QEMU's user network
$b ip link set lo up
$b ip link set eth0 up && $b ip addr add 10.0.2.15/24 dev eth0 && $b ip route add default via 10.0.2.2
echo "nameserver 10.0.2.3" >/etc/resolv.conf

# the limit that systemd sets
ulimit -Hn 524288
cd /work || exit 1
(
	setsid sh -e /run/guest/job </dev/null 2>&1
	echo $? >/run/guest/status
) | tee /run/guest/output | cat >/dev/ttyS1
: >/run/guest/files
while read -r pattern && [ -n "$pattern" ]; do
	# shellcheck disable=SC2086
	ls -d $pattern >>/run/guest/files 2>/dev/null
done </run/guest/collect
dmesg >/run/guest/dmesg
tar cf "$(cat /run/guest/result)" -C /run/guest status output dmesg -C /work -T /run/guest/files
sync
$b poweroff -f
