#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The kernel's offload path on netdevsim, case by case: cases.sh KERNEL, of ../kernels.txt. Prints the lines of cases.c.
#
# Boots the kernel in QEMU with netdevsim, the kernel's simulated device, and runs cases.c there. Called by the tests in tests/offload/.
# Exits with 77 and "skip: WHY" if there is no guest.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/guest.lib.sh"
[ $# = 1 ] || { sed -n '3s/^# //p' "$0" >&2; exit 2; }
ip=$(command -v ip) || skip "no ip (packages.txt)"
in_guest "$1" "netdevsim veth" '
	mount -t debugfs debug /sys/kernel/debug
	mount -t bpf bpf /sys/fs/bpf
	echo "1 1" >/sys/bus/netdevsim/new_device
	echo "2 1" >/sys/bus/netdevsim/new_device
	/objects/ip link add veth0 type veth peer name veth1
	cd /sys/bus/netdevsim/devices
	exec cases "$(ls netdevsim1/net)" /sys/kernel/debug/netdevsim/netdevsim1 "$(ls netdevsim2/net)" veth0 >/dev/ttyS1
' "$BUILD/guest/cases" "$ip"
