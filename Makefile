# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# One makefile for the whole tree, which builds everything in $(BUILD). `make help` lists the targets.

BUILD   ?= build
CFLAGS  ?= -O2 -g
V       ?= 0

# Tools are set on the command line or in the environment. make exports variables of its command line, so spincc and the tests
# see the same names.
ifeq ($(origin CC),default)
CC         := gcc
endif
CLANG      ?= clang
RISCV_CC   ?= riscv64-unknown-elf-gcc
PKG_CONFIG ?= pkg-config

ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-missing-field-initializers -Wmissing-prototypes -Werror=implicit-function-declaration \
	-ffile-prefix-map=$(CURDIR)=. $(CFLAGS) $(SANITIZE)
INCLUDES   := -Ihandlers/include -Ihwmodel/include -Iuser/libspin/include -I.
USER_LIBS  := -lxdp -lbpf -lelf -lz
Q          := $(if $(filter 1,$(V)),,@)
say         = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' $(1) $(2))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules
export SPIN_HOME := $(CURDIR)

# Reports missing packages before a compiler fails. Goals that depend on `deps` install packages first, and the make that they
# start does this check.
ifneq ($(filter all tests install,$(or $(MAKECMDGOALS),all)),)
MISSING := $(strip $(shell CC='$(CC)' CLANG='$(CLANG)' RISCV_CC='$(RISCV_CC)' tests/deps.sh --missing))
ifneq ($(MISSING),)
$(error the build needs packages that are not installed: $(MISSING): run `make deps`, as root, which installs them)
endif
endif

.PHONY: help all deps demo check check-kernels check-offload bench accuracy rtl-kit rtl-check figures stress fuzz clean compile_commands.json fmt fmt-check lint sanitize

help:
	@sed -n 's/^#: //p' Makefile

#: make            build everything
#: make deps       install missing packages (packages.txt); demo and check do it
#:                 themselves
#: make demo       as root: handlers on real traffic and on a program's socket, and what
#:                 they cost on the HPU
#: make check      all tests, JOBS= at a time (as many as CPUs); unprivileged:
#:                 those that need no root
#: make bench      measurements: build/bench.json
#: make accuracy   every calibration row of the RTL against the model:
#:                 build/accuracy.json
#: make hxdp-check HXDP=DIR  hXDP's own programs by its published rules, next to its
#:                 table 3; DIR: its artifacts (axbryd/hXDP-Artifacts)
#: make rtl-kit    images, packets and predicted cycles for PsPIN's RTL:
#:                 build/rtl-kit/
#: make rtl-check  the same through PsPIN's own simulator, RTL beside model:
#:                 PSPIN=checkout, tests/rtl/README.md
#: make stress     as root: everything at once under load, loss and kills,
#:                 MINUTES=2: build/stress.json; spind, its holders and clients
#:                 killed KILLS=500 times
#: make figures    the papers' figures from the model: build/figures.json, plots
#:                 in build/figures/
#: make check-kernels  Debian's kernels in QEMU: which programs load where; ALL=1:
#:                     of every test handler, too
#:                     FULL=1: then Debian 12 and 13 as root guests: vectors, live
#:                     tests, demo (hours, kernel/guest/)
#: make check-offload  offload to a Netronome card, without one: netdevsim and the NFP
#:                     driver's own verifier and JIT in guests (kernel/guest/offload/)
#: make fuzz       1,000,000 packets through BPF, host and model, also as fast as
#:                 they come, and 100,000 schedules of messages and of TCP
#:                 segments; actions of handlers, commands of memcached, 1,000,000
#:                 requests to spind under ASan, UBSan and LeakSanitizer
#: make sanitize   the parts that need no root, under ASan and UBSan
#: make fmt        clang-format all sources; make fmt-check says which differ
#: make lint       cppcheck and clang's analyzer on all that runs on the host;
#:                 LINT_NODES=: states of a function that it follows
#: make install    to PREFIX=/usr/local, below DESTDIR= if given; make uninstall
#:                 takes it away
#: make clean      remove build/
#: variables       BUILD=dir V=1 CFLAGS= STRICT=1 (check: a skip is a failure)
#:                 tools: CC= CLANG= RISCV_CC= PKG_CONFIG=
#:                 install: PREFIX= DESTDIR= BINDIR= LIBDIR= INCLUDEDIR= DATADIR=
#:                 MANDIR=

# --- sources and results -------------------------------------------------------------

HWMODEL_SRC := $(filter-out hwmodel/run/% hwmodel/image/%,$(wildcard hwmodel/*.c hwmodel/*/*.c))
LIBSPIN_SRC := $(wildcard user/libspin/*.c user/libspin/*/*.c kernel/*.c kernel/nfp/*.c kernel/share/*.c)
ROOT_OBJ    := $(addprefix $(BUILD)/obj/user/libspin/,root_image.o out_image.o guard_image.o guard_tcp_image.o streams_image.o ring_image.o gate_image.o)
PROFILE_OBJ := $(BUILD)/obj/kernel/nfp/profile_image.o
USERLIB_SRC := $(wildcard user/lib/*.c)
SPINCTL_SRC := $(filter-out user/spinctl/test_load/%,$(wildcard user/spinctl/*.c user/spinctl/*/*.c))
SPIND_SRC   := $(wildcard user/spind/*.c)
MEMCACHED_SRC := $(wildcard user/memcached/*.c)
COST_SRC    := $(wildcard user/cost/*.c user/cost/*/*.c)
TOOL_SRC    := $(wildcard user/tool/*.c)
CONFORMANCE_SRC := $(wildcard user/conformance/*.c user/conformance/*/*.c)
SEGMENT_SRC := $(addprefix tests/segments/,reference.c reference_engine.c frame.c schedule.c generate.c shrink.c compare.c inject.c echo.c)
TESTLIB_SRC := $(wildcard tests/common/*.c tests/common/net/*.c tests/common/traffic/*.c tests/common/memcached/*.c tests/common/loads/*.c tests/common/measure/*.c tests/reference/*.c) $(SEGMENT_SRC)

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

BPF_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))

HWMODEL := $(BUILD)/libhwmodel.a
LIBSPIN := $(BUILD)/lib/libspin.a
USERLIB := $(BUILD)/libuser.a
CONFORMANCE := $(BUILD)/libconformance.a
COST        := $(BUILD)/libcost.a
TOOL        := $(BUILD)/libtool.a
TESTLIB := $(BUILD)/libtests.a
SPINCC  := $(BUILD)/bin/spincc

HANDLERS      := $(patsubst handlers/%.c,$(BUILD)/handlers/%.spin,$(wildcard handlers/*.c))
TEST_HANDLERS := $(patsubst %.c,$(BUILD)/tests/handlers/%.spin,$(notdir $(wildcard tests/handlers/*/*.c)))
LOOPS         := $(patsubst tests/loops/%.c,$(BUILD)/tests/loops/%.spin,$(wildcard tests/loops/*.c))
HOST_HANDLERS := $(patsubst %.c,$(BUILD)/tests/host/%.so,$(notdir $(wildcard handlers/*.c tests/handlers/*/*.c tests/loops/*.c)))
PLAIN_BPF     := $(patsubst tests/%.bpf.c,$(BUILD)/tests/%.bpf.o,$(wildcard tests/bench/baselines/*.bpf.c tests/bench/*.bpf.c tests/demo/*.bpf.c tests/live/*.bpf.c))

TEST_DIRS     := unit core model vectors fuzz messages segments live ring sockets transfer cli bench stress tools
TEST_PROGRAMS := $(foreach d,$(TEST_DIRS),$(patsubst tests/%.c,$(BUILD)/tests/%,$(filter-out %.bpf.c $(SEGMENT_SRC),$(wildcard tests/$(d)/*.c))))

BINARIES := $(BUILD)/bin/spinctl $(BUILD)/bin/spind $(BUILD)/bin/spin-memcached $(SPINCC) $(BUILD)/bin/hpu-run

VERSION := $(shell sed -n 's/.*SPIN_VERSION "\(.*\)"/\1/p' user/lib/version.h)
SONAME  := libspin.so.$(firstword $(subst ., ,$(VERSION)))
PAGES   := $(patsubst user/man/%.in,$(BUILD)/man/%,$(wildcard user/man/*.in)) $(BUILD)/man/spin-handler.7 $(BUILD)/man/spin-papers.7
LIBSPIN_HEADERS := $(addprefix user/libspin/include/spin/libspin,.h _hpu.h _message.h _ring.h _send.h _socket.h)
COMPLETION := $(BUILD)/completion/spinctl $(BUILD)/completion/spincc

all: $(BINARIES) $(BUILD)/lib/static/libspin.a $(BUILD)/lib/libspin.so $(HANDLERS) $(PAGES) $(COMPLETION)

# --- objects and libraries ------------------------------------------------------

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) $(INCLUDES) $(EXTRA_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/obj/user/%.o $(BUILD)/obj/kernel/%.o: EXTRA_CFLAGS := -fPIC -fvisibility=hidden

$(BUILD)/obj/user/spinctl/new.o: $(wildcard user/spinctl/templates/*)

# The built-in targets, sorted by name except that pspin is first: a target must come after the one that it is based on.
$(BUILD)/gen/targets.inc: hwmodel/target/embed.awk hwmodel/targets/pspin.target $(sort $(wildcard hwmodel/targets/*.target))
	@mkdir -p $(@D)
	$(Q)awk -f $^ >$@
$(BUILD)/obj/hwmodel/target/target.o: $(BUILD)/gen/targets.inc
$(BUILD)/obj/hwmodel/target/target.o: EXTRA_CFLAGS := -I$(BUILD)/gen

# The names of the runtime's files, so that libspin can tell a handler's own header from one of these in a verifier's log. Written only if
# they have changed; the stamp is newer than the files, so that nothing is written in a tree that is up to date.
$(BUILD)/gen/runtime_files.stamp: $(sort $(wildcard bpf/*.[ch] bpf/*/*.h handlers/include/*.h handlers/include/*/*.h handlers/include/*/*/*.h))
	@mkdir -p $(@D)
	$(Q)inc=$(@:.stamp=.inc) new=$@.$$$$; printf '"%s",\n' $(sort $(notdir $^)) >$$new && \
		if cmp -s $$new $$inc; then rm $$new; else mv $$new $$inc; fi && touch $@
$(BUILD)/gen/runtime_files.inc: $(BUILD)/gen/runtime_files.stamp ;
$(BUILD)/obj/user/libspin/load/verifier.o: $(BUILD)/gen/runtime_files.inc
$(BUILD)/obj/user/libspin/load/verifier.o: EXTRA_CFLAGS := -fPIC -fvisibility=hidden -I$(BUILD)/gen

$(HWMODEL): $(call obj,$(HWMODEL_SRC))
$(LIBSPIN): $(call obj,$(LIBSPIN_SRC)) $(ROOT_OBJ) $(PROFILE_OBJ)
$(USERLIB):  $(call obj,$(USERLIB_SRC))
$(CONFORMANCE): $(call obj,$(CONFORMANCE_SRC))
$(COST): $(call obj,$(COST_SRC))
$(TOOL): $(call obj,$(TOOL_SRC))
$(TESTLIB): $(call obj,$(TESTLIB_SRC))
$(HWMODEL) $(LIBSPIN) $(USERLIB) $(CONFORMANCE) $(COST) $(TOOL) $(TESTLIB):
	@mkdir -p $(@D)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar qcs $@ $^

# BPF programs that are not part of a context (dispatcher, guard and others) are embedded in the library.
# BPF_RUNTIME: the files that a context is compiled from, without those of the embedded programs.
BPF_RUNTIME := $(filter-out %.md bpf/guard.bpf.c bpf/guard_tcp.bpf.c bpf/guard.h bpf/share.h bpf/abi/guard.h bpf/streams.bpf.c bpf/ring.bpf.c bpf/abi/ring.h bpf/gate.bpf.c bpf/abi/gate.h,$(wildcard bpf/*.[chS] bpf/*/*.h) bpf/cflags)
ROOT_IMAGE := $(BUILD)/bpf/root.bpf.o
OUT_IMAGE  := $(BUILD)/bpf/out.bpf.o
GUARD_IMAGE := $(BUILD)/bpf/guard.bpf.o
GUARD_TCP_IMAGE := $(BUILD)/bpf/guard_tcp.bpf.o
STREAMS_IMAGE := $(BUILD)/bpf/streams.bpf.o
RING_IMAGE := $(BUILD)/bpf/ring.bpf.o
GATE_IMAGE := $(BUILD)/bpf/gate.bpf.o
$(GUARD_IMAGE) $(GUARD_TCP_IMAGE): bpf/guard.h
$(GUARD_IMAGE) $(GUARD_TCP_IMAGE) $(STREAMS_IMAGE): bpf/share.h bpf/abi/guard.h
$(RING_IMAGE): bpf/abi/ring.h
$(GATE_IMAGE): bpf/abi/gate.h
$(ROOT_IMAGE) $(OUT_IMAGE) $(GUARD_IMAGE) $(GUARD_TCP_IMAGE) $(STREAMS_IMAGE) $(RING_IMAGE) $(GATE_IMAGE): $(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c $(BPF_RUNTIME) $(wildcard handlers/include/spin/*.h handlers/include/spin/*/*.h)
	@mkdir -p $(@D)
	$(call say,BPF,$<)
	$(Q)$(CLANG) @bpf/cflags -Ihandlers/include -I. -idirafter /usr/include/$(shell $(CC) -print-multiarch) \
		-ffile-prefix-map=$(CURDIR)=. -D__TARGET_ARCH_$(BPF_ARCH) -c $< -o $@

$(ROOT_OBJ): $(BUILD)/obj/user/libspin/%_image.o: user/libspin/%_image.S $(BUILD)/bpf/%.bpf.o
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(CC) -fPIC -DROOT_IMAGE='"$(ROOT_IMAGE)"' -DOUT_IMAGE='"$(OUT_IMAGE)"' -DGUARD_IMAGE='"$(GUARD_IMAGE)"' \
		-DGUARD_TCP_IMAGE='"$(GUARD_TCP_IMAGE)"' \
		-DSTREAMS_IMAGE='"$(STREAMS_IMAGE)"' -DRING_IMAGE='"$(RING_IMAGE)"' -DGATE_IMAGE='"$(GATE_IMAGE)"' -c $< -o $@

# The built-in profile of the NFP's firmware, embedded as text.
$(PROFILE_OBJ): kernel/nfp/profile_image.S $(wildcard kernel/nfp/*.profile)
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(CC) -fPIC -c $< -o $@

$(BUILD)/lib/libspin.so: $(call obj,$(LIBSPIN_SRC)) $(ROOT_OBJ) $(PROFILE_OBJ) user/libspin/libspin.map
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) \
		-Wl,--version-script=user/libspin/libspin.map -o $@ $(filter %.o,$^) $(USER_LIBS)

# The static library that is installed: one object that exports only the public names, so that others cannot clash.
$(BUILD)/lib/static/libspin.a: $(LIBSPIN)
	@mkdir -p $(@D)
	$(call say,AR,$@)
	$(Q)ld -r --whole-archive $< -o $(@D)/libspin.o && objcopy --localize-hidden $(@D)/libspin.o
	$(Q)rm -f $@ && ar qcs $@ $(@D)/libspin.o

# Handlers embedded in spinctl, which `spinctl doctor` loads. The build does not try the kernel's verifier on them.
TEST_LOADS := $(patsubst user/spinctl/test_load/%.c,$(BUILD)/test_load/%.spin,$(wildcard user/spinctl/test_load/*.c))
TEST_LOAD_OBJ := $(BUILD)/obj/user/spinctl/test_load_image.o
$(TEST_LOAD_OBJ): user/spinctl/test_load_image.S $(TEST_LOADS)
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(CC) -fPIC -Wa,-I$(BUILD)/test_load -c $< -o $@

$(BUILD)/bin/spinctl: $(call obj,$(SPINCTL_SRC)) $(TEST_LOAD_OBJ) $(COST) $(TOOL) $(CONFORMANCE) $(USERLIB) $(LIBSPIN) $(HWMODEL)
$(BUILD)/bin/spinctl: LIBS := $(USER_LIBS) -lncurses -ltinfo -lpcap -ldw -ldl -lpthread -lm
$(BUILD)/bin/spind: $(call obj,$(SPIND_SRC)) $(USERLIB) $(LIBSPIN)
ifneq ($(findstring address,$(SANITIZE)),)
$(BUILD)/bin/spind: $(BUILD)/obj/tests/fuzz/sanitized/spind.o
endif
$(BUILD)/bin/spind: LIBS := $(USER_LIBS) -lpthread
$(BUILD)/bin/spin-memcached: $(call obj,$(MEMCACHED_SRC)) $(TOOL) $(USERLIB) $(LIBSPIN)
$(BUILD)/bin/spin-memcached: LIBS := $(USER_LIBS) -lpthread
$(SPINCC): $(call obj,$(wildcard user/spincc/*.c)) $(USERLIB) $(LIBSPIN)
$(SPINCC): LIBS := $(USER_LIBS) -ldw -lpthread -lm
$(BUILD)/bin/hpu-run: $(call obj,$(wildcard hwmodel/run/*.c)) $(HWMODEL)
$(BINARIES):
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# --- handlers ---------------------------------------------------------------------

IMAGE   := $(filter-out hwmodel/image/pspin,$(wildcard hwmodel/image/*))
RUNTIME := $(IMAGE) hwmodel/include/hwmodel/registers.h hwmodel/include/hwmodel/scratch.h $(BPF_RUNTIME) $(wildcard handlers/include/*.h handlers/include/spin/*.h handlers/include/spin/*/*.h tests/handlers/*/*.h tests/loops/*.h)
# files that spincc --api pspin needs in addition
PSPIN_RUNTIME := $(wildcard handlers/include/pspin/*.h handlers/include/pspin/*/*.h hwmodel/image/pspin/*) hwmodel/include/hwmodel/pspin_api.h hwmodel/include/hwmodel/registers.h

# In the isolated class the verifier compares states strictly, and its step limit is too low for all that memcached parses.
$(BUILD)/handlers/memcached.spin: SPINCC_FLAGS := --trusted

# Handlers that also have a program for a card with hardware XDP.
OFFLOADED := handlers/counter handlers/empty handlers/filtering handlers/filter_counts handlers/kvget tests/handlers/cut
$(OFFLOADED:%=$(BUILD)/%.spin): SPINCC_FLAGS := --target nfp

$(BUILD)/handlers/%.spin: handlers/%.c $(RUNTIME) | $(SPINCC)
	@mkdir -p $(@D)
	$(call say,SPINCC,$<)
	$(Q)$(SPINCC) $(SPINCC_FLAGS) $< -o $@

$(BUILD)/test_load/%.spin: user/spinctl/test_load/%.c $(RUNTIME) | $(SPINCC)
	@mkdir -p $(@D)
	$(call say,SPINCC,$<)
	$(Q)$(SPINCC) --no-verify $< -o $@

# All test handlers' objects are in one directory, named after the source file, whichever directory that is in. The build does not try
# the verifier: the tests load all of them.
define test_handlers_of
$(BUILD)/tests/handlers/%.spin: $(1)/%.c $(RUNTIME) | $(SPINCC)
	@mkdir -p $$(@D)
	$$(call say,SPINCC,$$<)
	$$(Q)$(SPINCC) --no-verify $$(SPINCC_FLAGS) $$< -o $$@

$(BUILD)/tests/host/%.so: $(1)/%.c $(RUNTIME) | $(SPINCC)
	@mkdir -p $$(@D)
	$$(call say,SPINCC,"$$< (host)")
	$$(Q)$(SPINCC) --target host $$< -o $$@
endef
$(foreach directory,$(sort $(patsubst %/,%,$(dir $(wildcard tests/handlers/*/*.c)))),$(eval $(call test_handlers_of,$(directory))))

$(BUILD)/tests/loops/%.spin: tests/loops/%.c $(RUNTIME) | $(SPINCC)
	@mkdir -p $(@D)
	$(call say,SPINCC,$<)
	$(Q)$(SPINCC) --no-verify $< -o $@

$(BUILD)/tests/host/%.so: handlers/%.c $(RUNTIME) | $(SPINCC)
	@mkdir -p $(@D)
	$(call say,SPINCC,"$< (host)")
	$(Q)$(SPINCC) --target host $< -o $@

$(BUILD)/tests/host/%.so: tests/loops/%.c $(RUNTIME) | $(SPINCC)
	@mkdir -p $(@D)
	$(call say,SPINCC,"$< (host)")
	$(Q)$(SPINCC) --target host $< -o $@

# BPF programs of tests that are not handlers: baselines, generators.
$(BUILD)/tests/%.bpf.o: tests/%.bpf.c $(wildcard handlers/include/*.h tests/bench/*.h tests/bench/baselines/*.h)
	@mkdir -p $(@D)
	$(call say,BPF,$<)
	$(Q)$(CLANG) -target bpf -mcpu=v3 -O2 -g -Wall -ffreestanding -Ihandlers/include -I. \
		-I/usr/include/$(shell $(CC) -print-multiarch) -c $< -o $@

# --- guests that boot other kernels ----------------------------------------------

LOADER := $(BUILD)/guest/loader

$(LOADER): $(BUILD)/obj/tests/kernels/loader.o $(LIBSPIN)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(USER_LIBS) -lpthread

# Programs that the guests of check-offload run.
OFFLOAD_GUEST := $(addprefix $(BUILD)/guest/,judge cases)
$(BUILD)/guest/cases: $(BUILD)/obj/kernel/guest/offload/steps.o
$(OFFLOAD_GUEST): $(BUILD)/guest/%: $(BUILD)/obj/kernel/guest/offload/%.o $(BUILD)/obj/kernel/guest/offload/words.o
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(USER_LIBS)

# --- pages and completion: templates filled from the programs' tables and from headers -----

$(BUILD)/man/spinctl.8: user/man/spinctl.8.in $(BUILD)/bin/spinctl
	$(Q)mkdir -p $(@D) && $(BUILD)/bin/spinctl --fill-template <$< >$@

$(BUILD)/man/spind.8: user/man/spind.8.in $(BUILD)/bin/spind
	$(Q)mkdir -p $(@D) && $(BUILD)/bin/spind --fill-template <$< >$@

$(BUILD)/man/spin-memcached.8: user/man/spin-memcached.8.in $(BUILD)/bin/spin-memcached
	$(Q)mkdir -p $(@D) && $(BUILD)/bin/spin-memcached --fill-template <$< >$@

$(BUILD)/man/spincc.1: user/man/spincc.1.in $(SPINCC)
	$(Q)mkdir -p $(@D) && $(SPINCC) --fill-template <$< >$@

$(BUILD)/man/hpu-run.1 $(BUILD)/man/spin-pspin.7: $(BUILD)/man/%: user/man/%.in
$(BUILD)/man/spin-papers.7: $(sort $(wildcard user/man/spin-papers/*.in))
$(BUILD)/man/hpu-run.1 $(BUILD)/man/spin-pspin.7 $(BUILD)/man/spin-papers.7: user/lib/version.h
	$(Q)mkdir -p $(@D) && sed 's/@VERSION@/$(VERSION)/' $(filter %.in,$^) >$@

$(BUILD)/man/libspin.3: user/man/libspin.awk $(LIBSPIN_HEADERS) handlers/include/spin/context.h user/man/libspin.c user/man/libspin_message.c user/man/libspin_hpu.c user/man/libspin_ring.c \
	user/man/libspin.3.in
$(BUILD)/man/spin-handler.7: user/man/reasons.awk handlers/include/spin/reason.h $(sort $(wildcard user/man/spin-handler/*.in))
$(BUILD)/man/libspin.3 $(BUILD)/man/spin-handler.7: user/lib/version.h
	$(Q)mkdir -p $(@D) && awk -v version=$(VERSION) -f $(filter-out %version.h,$^) >$@

$(BUILD)/completion/%: user/completion/complete.bash $(BUILD)/bin/%
	$(Q)mkdir -p $(@D) && $(BUILD)/bin/$* --fill-template <$< >$@

# --- tests ------------------------------------------------------------------------

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(TESTLIB) $(CONFORMANCE) $(USERLIB) $(LIBSPIN) $(HWMODEL)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(TESTLIB) $(CONFORMANCE) $(USERLIB) $(LIBSPIN) $(HWMODEL) $(USER_LIBS) -lpcap -ldw -ldl -lpthread -lm

# Tests rows of the doctor with made-up facts.
$(BUILD)/tests/unit/doctor_rows: $(BUILD)/obj/tests/unit/doctor_rows.o $(call obj,$(wildcard user/spinctl/doctor/*.c) user/spinctl/builtin.c) $(TEST_LOAD_OBJ) $(TESTLIB) \
		$(CONFORMANCE) $(USERLIB) $(LIBSPIN) $(HWMODEL)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(USER_LIBS) -lpcap -ldw -ldl -lpthread -lm

# Test devices of spinctl cost --compare.
$(addprefix $(BUILD)/tests/unit/,vliw_rows compare_rows compare_machine): $(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o $(TESTLIB) $(COST) $(TOOL) $(CONFORMANCE) \
		$(USERLIB) $(LIBSPIN) $(HWMODEL)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(USER_LIBS) -lpcap -ldw -ldl -lpthread -lm

# Tests the program that fills memcached's cache, without a context.
$(BUILD)/tests/unit/memcached_cache_is_filled: $(BUILD)/obj/tests/unit/memcached_cache_is_filled.o $(call obj,$(filter-out %/main.c,$(MEMCACHED_SRC))) $(TESTLIB) $(CONFORMANCE) \
		$(USERLIB) $(LIBSPIN) $(HWMODEL)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(USER_LIBS) -lpcap -ldw -ldl -lpthread -lm

# Tests how a holder of spind keeps its users apart, without clients.
$(BUILD)/tests/sockets/users_do_not_wait_for_others: $(BUILD)/obj/tests/sockets/users_do_not_wait_for_others.o $(call obj,$(filter-out %/main.c,$(SPIND_SRC))) $(TESTLIB) \
		$(CONFORMANCE) $(USERLIB) $(LIBSPIN) $(HWMODEL)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(USER_LIBS) -lpcap -ldw -ldl -lpthread -lm

# Runs the vectors again with the programs for kernels without may_goto.
$(BUILD)/tests/vectors/run-bounded: $(BUILD)/obj/tests/vectors/run.o $(BUILD)/obj/tests/common/loads/bounded_loops.o $(TESTLIB) $(CONFORMANCE) $(USERLIB) $(LIBSPIN) $(HWMODEL)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -Wl,--wrap=kernel_probe__may_goto -Wl,--wrap=kernel_probe__copies -Wl,--wrap=bpf_object__load -o $@ $^ \
		$(USER_LIBS) -lpcap -ldw -ldl -lpthread -lm

# Loads programs with one more flag than libspin sets.
$(BUILD)/tests/vectors/run: LDFLAGS += -Wl,--wrap=bpf_object__load

# Pretend that the kernel has no may_goto.
$(addprefix $(BUILD)/tests/unit/,swap_finds_its_counters loops_fit_the_mtu): LDFLAGS += -Wl,--wrap=kernel_probe__may_goto -Wl,--wrap=kernel_probe__copies

# Can make map updates fail.
$(BUILD)/tests/sockets/state_survives_failed_moves: LDFLAGS += -Wl,--wrap=bpf_map_update_elem

DEMO := $(BUILD)/tests/demo/demo

$(DEMO): $(call obj,$(filter-out %.bpf.c,$(wildcard tests/demo/*.c))) $(TESTLIB) $(CONFORMANCE) $(USERLIB) $(LIBSPIN) $(HWMODEL)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(USER_LIBS) -lpcap -ldw -lpthread -lm

FIGURES := $(BUILD)/tests/figures/figures

$(FIGURES): $(call obj,$(wildcard tests/figures/*.c)) $(TESTLIB) $(CONFORMANCE) $(USERLIB) $(LIBSPIN) $(HWMODEL)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(USER_LIBS) -lpcap -ldw -ldl -lpthread -lm

# An HPU program that is not built by spincc, with our boot code and linker script.
$(BUILD)/tests/figures/handlers.elf: tests/figures/handlers.S $(IMAGE)
	@mkdir -p $(@D)
	$(call say,RV32,$<)
	$(Q)$(RISCV_CC) @hwmodel/image/cflags -Wl,--gc-sections -Wl,--build-id=none -Wl,--no-warn-rwx-segments -I. \
		-Ihandlers/include -T hwmodel/image/pspin.ld hwmodel/image/boot.S $< -lgcc -o $@

tests: all demo-program accuracy-programs offload-programs $(BUILD)/tests/accuracy/rtl-kit $(LOADER) $(TEST_PROGRAMS) $(BUILD)/tests/vectors/run-bounded $(HOST_HANDLERS) $(TEST_HANDLERS) $(LOOPS) $(PLAIN_BPF)
.PHONY: tests

# Goals below run deps first, then a second make, which finds the packages that were just installed.
deps:
	@tests/deps.sh

check: deps
	@$(MAKE) --no-print-directory -j$$(nproc) tests
	@BUILD=$(BUILD) STRICT=$(STRICT) tests/run $(if $(JOBS),-j $(JOBS))

check-kernels: deps
	@$(MAKE) --no-print-directory -j$$(nproc) $(LOADER) $(HANDLERS) $(TEST_HANDLERS) $(LOOPS) $(BUILD)/bin/spinctl $(PLAIN_BPF) $(BUILD)/tests/vectors/run-bounded
	@BUILD=$(BUILD) tests/kernels/run $(if $(ALL),--all)
	@BUILD=$(BUILD) $(BUILD)/tests/vectors/run-bounded --engine bpf --partial 134 --every-program || [ $$? = 77 ]
	@BUILD=$(BUILD) tests/kernels/doctor.sh || [ $$? = 77 ]
	@BUILD=$(BUILD) tests/kernels/share.sh || [ $$? = 77 ]
	@$(if $(FULL),BUILD=$(BUILD) tests/kernels/drivers.sh || [ $$? = 77 ])
	@$(if $(FULL),kernel/guest/full_check.sh)

check-offload: deps
	@$(MAKE) --no-print-directory -j$$(nproc) offload-programs
	@kernel/guest/offload/modules.sh >/dev/null || [ $$? = 77 ]
	@for test in netdevsim_does_as_expected run_on_netdevsim handlers_are_accepted checker_agrees_with_the_driver; do \
		KERNELS="6.1-cloud 6.12-cloud" BUILD=$(BUILD) tests/offload/$$test.sh || [ $$? = 77 ] || exit 1; \
	done

offload-programs: $(OFFLOAD_GUEST) $(BUILD)/bin/spinctl $(SPINCC) $(OFFLOADED:%=$(BUILD)/%.spin)
.PHONY: offload-programs

demo: deps
	@$(MAKE) --no-print-directory -j$$(nproc) demo-program
	@BUILD=$(BUILD) $(DEMO)

demo-program: all $(DEMO) $(PLAIN_BPF) $(BUILD)/tests/handlers/every_nth.spin $(BUILD)/tests/handlers/first_bytes.spin $(BUILD)/tests/handlers/from_source.spin
.PHONY: demo-program

bench: deps
	@$(MAKE) --no-print-directory -j$$(nproc) tests
	@BUILD=$(BUILD) tests/bench/bench.sh

figures: deps
	@$(MAKE) --no-print-directory -j$$(nproc) figures-program
	@BUILD=$(BUILD) $(FIGURES) $(BUILD)/figures.json $(BUILD)/figures

# only the test handlers that the figures need
figures-program: $(HANDLERS) $(BUILD)/tests/handlers/c32_accumulate.spin $(FIGURES) $(BUILD)/tests/figures/handlers.elf
.PHONY: figures-program

# HPU programs that measure the calibration rows. They are in several images, because program memory has 32 KiB.
ACCURACY := $(BUILD)/tests/accuracy/accuracy
ACCURACY_HPU := tests/accuracy/hpu
ACCURACY_IMAGES := $(patsubst %,$(BUILD)/tests/accuracy/%.elf,sequences programs straight shared_256 shared_512 shared_1024)
$(BUILD)/tests/accuracy/sequences.elf: $(addprefix $(ACCURACY_HPU)/,sequences.c sums.c busy.S)
$(BUILD)/tests/accuracy/programs.elf: $(addprefix $(ACCURACY_HPU)/,busy.S loops.S commands.S locks.S) tests/model/baselines/examples.c
$(BUILD)/tests/accuracy/shared_%.elf: DEFINES = -DBYTES=$(subst shared_,,$*)
$(BUILD)/tests/accuracy/straight.elf $(BUILD)/tests/accuracy/shared_256.elf $(BUILD)/tests/accuracy/shared_512.elf \
	$(BUILD)/tests/accuracy/shared_1024.elf: $(ACCURACY_HPU)/straight.S $(ACCURACY_HPU)/busy.S
$(ACCURACY_IMAGES): $(BUILD)/tests/accuracy/%.elf: tests/accuracy/sequences.def $(IMAGE)
	@mkdir -p $(@D)
	$(call say,RV32,$@)
	$(Q)$(RISCV_CC) @hwmodel/image/cflags -fno-unroll-loops -Wl,--gc-sections -Wl,--build-id=none \
		-Wl,--no-warn-rwx-segments -I. -Ihandlers/include $(DEFINES) -T hwmodel/image/pspin.ld hwmodel/image/boot.S \
		$(filter tests/%.c tests/%.S,$^) -lgcc -o $@

$(ACCURACY): $(call obj,$(wildcard tests/accuracy/*.c)) $(TESTLIB) $(USERLIB) $(LIBSPIN) $(HWMODEL)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(USER_LIBS) -lpcap -lm

accuracy: deps
	@$(MAKE) --no-print-directory -j$$(nproc) accuracy-programs
	@BUILD=$(BUILD) $(ACCURACY) $(BUILD)/accuracy.json

accuracy-programs: $(ACCURACY) $(ACCURACY_IMAGES)
.PHONY: accuracy-programs

RTL_KIT := $(BUILD)/tests/accuracy/rtl-kit
RTL_KIT_SRC := $(wildcard tests/accuracy/kit/kit_*.c) $(addprefix tests/figures/,workload.c workload_packets.c)
$(RTL_KIT): $(BUILD)/obj/tests/accuracy/kit/kit.o
$(BUILD)/tests/model/rtl_kit_is_complete: $(BUILD)/obj/tests/model/rtl_kit_is_complete.o
$(RTL_KIT) $(BUILD)/tests/model/rtl_kit_is_complete: $(call obj,$(RTL_KIT_SRC)) $(TESTLIB) $(CONFORMANCE) $(USERLIB) $(LIBSPIN) $(HWMODEL)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(USER_LIBS) -lpcap -ldw -ldl -lpthread -lm

rtl-kit: deps
	@$(MAKE) --no-print-directory -j$$(nproc) $(RTL_KIT) $(HANDLERS)
	@rm -rf $(BUILD)/rtl-kit && mkdir -p $(BUILD)/rtl-kit && cp tests/accuracy/kit/README.md $(BUILD)/rtl-kit/
	@BUILD=$(BUILD) $(RTL_KIT) $(BUILD)/rtl-kit $(basename $(notdir $(HANDLERS)))

# Compares PsPIN's simulator with the model. PSPIN: a checkout; its simulator is built if necessary. HANDLER: your own fat object.
RTL_CHECK := $(BUILD)/tests/rtl/rtl-check
RTL_CHECK_SRC := $(addprefix tests/rtl/,rtl_series.c rtl_trace.c)
$(RTL_CHECK): $(BUILD)/obj/tests/rtl/rtl_check.o
$(BUILD)/tests/model/rtl_check_compares: $(BUILD)/obj/tests/model/rtl_check_compares.o
$(RTL_CHECK) $(BUILD)/tests/model/rtl_check_compares: $(call obj,$(RTL_CHECK_SRC)) $(TESTLIB) $(CONFORMANCE) $(USERLIB) $(LIBSPIN) $(HWMODEL)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(USER_LIBS) -lpcap -ldw -ldl -lpthread -lm

CLUSTERS ?= 1
SIZES ?= 64,256,512,1024
rtl-check: deps
	@tests/rtl/simulator.sh "$(PSPIN)" "$(CLUSTERS)" $(BUILD)/tests/rtl/simulator
	@$(MAKE) --no-print-directory -j$$(nproc) $(RTL_CHECK) $(RTL_KIT) $(if $(HANDLER),,$(HANDLERS))
	@rm -rf $(BUILD)/rtl-check && mkdir -p $(BUILD)/rtl-check
	@BUILD=$(BUILD) $(RTL_KIT) --free-ids --clusters $(CLUSTERS) $(BUILD)/rtl-check/kit $(or $(HANDLER),$(basename $(notdir $(HANDLERS)))) >$(BUILD)/rtl-check/kit.log
	@BUILD=$(BUILD) $(RTL_CHECK) $(abspath $(BUILD)/tests/rtl/simulator) $(abspath $(BUILD)/rtl-check/kit) $(abspath $(BUILD)/rtl-check/run) \
		$(CLUSTERS) $(BUILD)/rtl-check.json $(SIZES) $(basename $(notdir $(or $(HANDLER),$(HANDLERS))))

# Runs hXDP's own programs through our implementation of its rules. HXDP: a checkout of its artifacts.
HXDP_CHECK := $(BUILD)/tests/accuracy/hxdp-check
$(HXDP_CHECK): $(BUILD)/obj/tests/accuracy/hxdp/hxdp_check.o $(TESTLIB) $(COST) $(TOOL) $(CONFORMANCE) $(USERLIB) $(LIBSPIN) $(HWMODEL)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(USER_LIBS) -lpcap -ldw -ldl -lpthread -lm

hxdp-check: deps
	@$(MAKE) --no-print-directory -j$$(nproc) $(HXDP_CHECK)
	@$(HXDP_CHECK) "$(HXDP)" $(BUILD)/hxdp-check.json
.PHONY: hxdp-check

MINUTES ?= 2
KILLS ?= 500
stress: deps
	@$(MAKE) --no-print-directory -j$$(nproc) tests
	@BUILD=$(BUILD) $(BUILD)/tests/live/hpus_hammer_shared_memory $$(($(MINUTES) * 30))
	@BUILD=$(BUILD) tests/stress/file_beyond_4_gib.sh || [ $$? = 77 ]
	@BUILD=$(BUILD) $(BUILD)/tests/stress/stress $$(($(MINUTES) * 60)) $(BUILD)/stress.json
	@BUILD=$(BUILD) $(BUILD)/tests/sockets/killed_at_any_time $(KILLS)

SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=undefined

fuzz: deps
	@$(MAKE) --no-print-directory -j$$(nproc) tests
	@BUILD=$(BUILD) $(BUILD)/tests/fuzz/fuzz_packets --packets 1000000 --model 1000000
	@BUILD=$(BUILD) $(BUILD)/tests/fuzz/fuzz_actions --packets 100000
	@BUILD=$(BUILD) $(BUILD)/tests/fuzz/fuzz_traffic --packets 50000
	@BUILD=$(BUILD) $(BUILD)/tests/fuzz/fuzz_memcached --commands 1000000
	@BUILD=$(BUILD) $(BUILD)/tests/messages/random_schedules --runs 100000
	@BUILD=$(BUILD) $(BUILD)/tests/segments/random_schedules --runs 100000
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=$(BUILD)/sanitize SANITIZE="$(SANITIZERS)" $(BUILD)/sanitize/bin/spind
	@BUILD=$(BUILD) SPIND=$(BUILD)/sanitize/bin/spind $(BUILD)/tests/fuzz/fuzz_spind --messages 1000000 --loads 100

sanitize: deps
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=$(BUILD)/sanitize \
		SANITIZE="$(SANITIZERS)" tests
	@BUILD=$(BUILD)/sanitize tests/run unit core model vectors

compile_commands.json:
	@$(MAKE) --no-print-directory -Bn V=1 tests | sed -n 's|^$(CC) .* -c \([^ ]*\.c\) .*|\0\t\1|p' | \
		awk -F'\t' 'BEGIN { print "[" } { gsub(/["\\]/, "\\\\&", $$1); \
		printf "%s{\"directory\":\"%s\",\"command\":\"%s\",\"file\":\"%s\"}\n", n++ ? "," : "", \
		"$(CURDIR)", $$1, $$2 } END { print "]" }' > $@

# Handler files are formatted by hand, with a field of the registration on each line.
FORMATTED = $(filter-out $(wildcard handlers/*.c) tests/diagnostics/refused/%,$(shell find bpf handlers hwmodel kernel user tests -name '*.[ch]'))

fmt:
	$(Q)clang-format -i $(FORMATTED)

fmt-check:
	$(Q)clang-format --dry-run --Werror $(FORMATTED)

# cppcheck and clang's analyzer must report nothing. A file is analyzed again if it or a file that it includes has changed. LINT_NODES:
# how many states of a function the analyzer follows. 225000 is clang's default; `make check` uses a third, which takes half the time.
LINT_NODES ?= 225000
LINTED := $(HWMODEL_SRC) $(wildcard hwmodel/run/*.c) $(LIBSPIN_SRC) $(USERLIB_SRC) $(CONFORMANCE_SRC) $(wildcard user/spincc/*.c) $(SPINCTL_SRC) $(SPIND_SRC) $(MEMCACHED_SRC) $(COST_SRC) $(TOOL_SRC)

$(BUILD)/lint/$(LINT_NODES)/%.ok: %.c | $(BUILD)/gen/targets.inc $(BUILD)/gen/runtime_files.inc
	@mkdir -p $(@D)
	$(call say,LINT,$<)
	$(Q)$(CLANG) --analyze --analyzer-output text -Xclang -analyzer-werror \
		-Xclang -analyzer-config -Xclang max-nodes=$(LINT_NODES) -std=gnu11 -D_GNU_SOURCE -w $(INCLUDES) -I$(BUILD)/gen \
		-MMD -MP -MT $@ -MF $(@:.ok=.d) $<
	@touch $@

# One cppcheck for all files, because it checks calls across files. With -j it runs in parallel with the analyzer.
lint: lint-cppcheck $(LINTED:%.c=$(BUILD)/lint/$(LINT_NODES)/%.ok)
lint-cppcheck: | $(BUILD)/gen/targets.inc $(BUILD)/gen/runtime_files.inc
	$(Q)cppcheck --quiet --std=c11 --enable=warning,portability --inline-suppr --suppressions-list=tests/lint.suppressions --error-exitcode=1 \
		-D__x86_64__ -D__linux__ $(INCLUDES) $(LINTED)
.PHONY: lint-cppcheck

clean:
	rm -rf $(BUILD)

include user/install.mk

-include $(shell find $(BUILD)/obj $(BUILD)/lint -name '*.d' 2>/dev/null)
