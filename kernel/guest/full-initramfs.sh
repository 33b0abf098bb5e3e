#!/bin/busybox sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# /init of a full guest's initramfs: loads the modules for disk and network, mounts the disks by their serial numbers (root, modules, work)
# and runs full-init.sh in the Debian root.
b=/bin/busybox
$b mkdir -p /proc /sys /dev /root
$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs devtmpfs /dev
while read -r module; do
	$b insmod "/modules/$module" || echo "initramfs: $module does not load"
done </modules/list

# disk NAME: waits for the disk with that serial number and prints its device
disk() {
	for try in 1 2 3 4 5 6 7 8 9 10; do
		for block in /sys/block/vd*; do
			if [ "$($b cat "$block/serial" 2>/dev/null)" = "$1" ]; then
				echo "/dev/${block##*/}"
				return
			fi
		done
		$b sleep 1
	done
	echo "initramfs: no disk $1" >&2
}

$b mount -t ext4 -o rw,noatime "$(disk root)" /root || $b poweroff -f
$b mkdir -p /root/usr/lib/modules /root/work
$b mount -t ext4 -o ro "$(disk modules)" /root/usr/lib/modules
$b mount -t ext4 -o rw,noatime "$(disk work)" /root/work || $b poweroff -f
$b mount -t tmpfs -o mode=755 tmpfs /root/run
$b mkdir /root/run/guest
$b cp /bin/busybox /full-init.sh /job /collect /root/run/guest/
disk result >/root/run/guest/result
$b mount --move /proc /root/proc
$b mount --move /sys /root/sys
$b mount --move /dev /root/dev
exec $b switch_root /root /bin/sh /run/guest/full-init.sh
