/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests rows of `spinctl doctor` for drivers that this machine may not have: for made-up facts (virtio_net with too few queues for XDP,
 * threaded NAPI that is absent or not readable) verdict, text and advice must be as expected. Run by tests/run.
 */
#include <stdio.h>
#include <string.h>

#include <linux/capability.h>

#include "tests/common/expect.h"
#include "user/spinctl/doctor/facts.h"

/* replaces main.c's; the rows must not report errors */
int report_error(const char *format, ...)
{
	fail(format);
}

static void row_is(const struct doctor_facts *facts, const char *name, enum doctor_verdict verdict, const char *found, const char *advice)
{
	const struct doctor_check *check = doctor_iface_checks;
	struct doctor_row row = { 0 };

	while (check->name && strcmp(check->name, name))
		check++;
	if (!check->name)
		fail(name);
	check->look(facts, &row);
	printf("%s: %s %s -> %s\n", name, doctor_verdict_name(row.verdict), row.found, row.advice);
	expect(verdict, row.verdict, name);
	if (!strstr(row.found, found) || !strstr(row.advice, advice) || (!*advice && *row.advice))
		fail(found);
}

int main(void)
{
	struct doctor_device device = {
		.iface = { .name = "eth0", .driver = "virtio_net", .rx_queues = 4, .rx_queues_max = 8, .threaded = 0 }
	};
	struct doctor_facts facts = { .device = &device, .possible_cpus = 4 };

	/* virtnet_xdp_set() counts the queues in use and one per possible CPU */
	row_is(&facts, "XDP send queues", DOCTOR_OK, "4 in use and one per CPU (4)", "");
	facts.possible_cpus = 5;
	row_is(&facts, "XDP send queues", DOCTOR_WARNING, "under a lock", "`ethtool -L eth0 combined 3`");
	facts.possible_cpus = 8;
	row_is(&facts, "XDP send queues", DOCTOR_WARNING, "only 8 in all", "queues=16,");
	device.iface.native_id = 7;
	row_is(&facts, "XDP send queues", DOCTOR_NOTE, "while a program is attached", "");
	snprintf(device.iface.driver, sizeof(device.iface.driver), "vmxnet3");
	row_is(&facts, "XDP send queues", DOCTOR_LEFT_OUT, "", "");

	row_is(&facts, "threaded NAPI", DOCTOR_OK, "off", "");
	device.iface.threaded = PROBE_THREADED_ABSENT;
	row_is(&facts, "threaded NAPI", DOCTOR_OK, "since Linux 5.12", "");
	device.iface.threaded = -1;
	row_is(&facts, "threaded NAPI", DOCTOR_NOTE, "only root", "");
	facts.process.capabilities = 1ull << CAP_SYS_ADMIN; /* not told to become root */
	row_is(&facts, "threaded NAPI", DOCTOR_NOTE, "lets nobody mount", "");
	return 0;
}
