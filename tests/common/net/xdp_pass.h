/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_XDP_PASS_H
#define TESTS_COMMON_XDP_PASS_H

/*
 * An XDP program that passes everything, on an interface of the thread's namespace: the other end of a veth
 * needs one, or what XDP sends back over it is lost. The descriptor of its link: it ends with that.
 */
int xdp_pass__attach(const char *dev);

#endif
