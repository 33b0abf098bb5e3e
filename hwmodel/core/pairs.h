/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The code of all pairs of instructions that the simulated core runs in one dispatch, as one op. Must name the same pairs as fused.def.
 * Included in the middle of exec__run() (exec.c).
 */
#define FIRST  addi
#define SECOND bne
#include "hwmodel/core/pair.h"
#define FIRST  addi
#define SECOND addi
#include "hwmodel/core/pair.h"
#define FIRST  lw
#define SECOND lw
#include "hwmodel/core/pair.h"
#define FIRST  sw
#define SECOND sw
#include "hwmodel/core/pair.h"
#define FIRST  lw
#define SECOND addi
#include "hwmodel/core/pair.h"
#define FIRST  lw
#define SECOND add
#include "hwmodel/core/pair.h"
#define FIRST  slli
#define SECOND add
#include "hwmodel/core/pair.h"
#define FIRST  slli
#define SECOND srli
#include "hwmodel/core/pair.h"
#define FIRST  srli
#define SECOND slli
#include "hwmodel/core/pair.h"
#define FIRST  slli
#define SECOND or
#include "hwmodel/core/pair.h"
#define FIRST  or
#define SECOND xor
#include "hwmodel/core/pair.h"
#define FIRST  xor
#define SECOND srli
#include "hwmodel/core/pair.h"
#define FIRST  xor
#define SECOND xor
#include "hwmodel/core/pair.h"
#define FIRST  add
#define SECOND add
#include "hwmodel/core/pair.h"
#define FIRST  and
#define SECOND xor
#include "hwmodel/core/pair.h"
#define FIRST  mul
#define SECOND add
#include "hwmodel/core/pair.h"
#define FIRST  addi
#define SECOND lw
#include "hwmodel/core/pair.h"
#define FIRST  add
#define SECOND lw
#include "hwmodel/core/pair.h"
#define FIRST  addi
#define SECOND sw
#include "hwmodel/core/pair.h"
