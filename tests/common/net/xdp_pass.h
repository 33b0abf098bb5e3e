/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_XDP_PASS_H
#define TESTS_COMMON_XDP_PASS_H

/*
 * Attaches an XDP program that passes everything to an interface of the thread's namespace. The other end of a veth needs one, or frames
 * that XDP sends back over it are lost. Returns the link's descriptor; closing it detaches the program.
 */
int xdp_pass__attach(const char *dev);

#endif
