/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef DEMO_PARTS_H
#define DEMO_PARTS_H

/* The two parts of the demo. Each prints what it sees and fills its summary. */
#include "tests/common/measure.h"
#include "tests/common/netlab.h"
#include "tests/demo/summary.h"

struct demo {
	struct lab lab;
	struct measure measure;
	char handlers[256];   /* folder of the fat objects */
	char programs[256];   /* folder of the demo's own BPF programs, and of what it writes */
};

void demo_filtering(struct demo *demo, struct summary *s);
void demo_kvstore(struct demo *demo, struct summary *s);

#endif
