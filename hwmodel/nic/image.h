/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_IMAGE_H
#define HWMODEL_NIC_IMAGE_H

/*
 * Third-party programs in the model: PsPIN programs that spincc did not make, or made with --api pspin. Called by open.c with a machine
 * whose memory has the program. Functions return 0, -EINVAL or -ENOMEM.
 */
#include "hwmodel/nic/nic.h"

int image__open(struct pspin *nic, const struct pspin_image *image, char *err, size_t err_bytes);
/* Called after the program's start-up: reads the handlers of a program of PsPIN's API. */
int image__booted(struct pspin *nic, char *err, size_t err_bytes);

#endif
