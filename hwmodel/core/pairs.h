/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The code of the pairs in fused.def; part of exec__run(). */
