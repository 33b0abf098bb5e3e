# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# make install, make uninstall: what goes where. Included by the Makefile, which pipes the rows to user/install.sh. A row is MODE|FROM|TO:
# MODE is a file's mode, `link` (TO is a symbolic link to FROM), `pc` (a pkg-config file, whose directories are filled in) or `bindir` (a
# unit of systemd, in which @BINDIR@ is filled in).

PREFIX     ?= /usr/local
BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR    ?= $(PREFIX)/share
MANDIR     ?= $(DATADIR)/man

# spincc looks for share/spin in the directories above its executable, so it finds this one if DATADIR is BINDIR/../share
SPIN_DATA  := $(DATADIR)/spin

# Makes a row for each file: $(call rows,MODE,DIRECTORY,FILES)
rows = $(foreach f,$(3),$(1)|$(f)|$(2)/$(notdir $(f)))

INSTALL_ROWS = \
	$(call rows,755,$(BINDIR),$(BINARIES)) \
	644|$(BUILD)/lib/static/libspin.a|$(LIBDIR)/libspin.a \
	755|$(BUILD)/lib/libspin.so|$(LIBDIR)/libspin.so.$(VERSION) \
	link|libspin.so.$(VERSION)|$(LIBDIR)/$(SONAME) \
	link|$(SONAME)|$(LIBDIR)/libspin.so \
	pc|user/libspin/libspin.pc.in|$(LIBDIR)/pkgconfig/libspin.pc \
	$(call rows,644,$(LIBDIR)/spin,$(HANDLERS)) \
	$(call rows,644,$(SPIN_DATA)/handlers,$(BUILD)/handlers/copy_to_host.spin) \
	$(call rows,644,$(INCLUDEDIR)/spin,$(LIBSPIN_HEADERS) \
		$(addprefix handlers/include/spin/,action.h bytes.h context.h hpu.h message.h meta.h put.h reason.h rule.h slmp.h work.h)) \
	$(foreach f,$(RUNTIME) $(PSPIN_RUNTIME) $(wildcard handlers/*.c handlers/*.md),644|$(f)|$(SPIN_DATA)/$(f)) \
	$(foreach n,1 3 7 8,$(call rows,644,$(MANDIR)/man$(n),$(filter %.$(n),$(PAGES)))) \
	$(foreach f,$(filter spin_%,$(subst ;,,$(file <user/libspin/libspin.map))),link|libspin.3|$(MANDIR)/man3/$(f).3) \
	$(call rows,644,$(SPIN_DATA)/wireshark,user/wireshark/slmp.lua) \
	$(call rows,644,$(DATADIR)/bash-completion/completions,$(COMPLETION)) \
	bindir|user/spind/spind.service|$(LIBDIR)/systemd/system/spind.service \
	644|user/spind/spind.socket|$(LIBDIR)/systemd/system/spind.socket \
	644|user/spind/spind.conf|$(DATADIR)/doc/spin/spind.conf \
	644|user/spind/dashboard.json|$(SPIN_DATA)/dashboard.json \
	644|LICENSE|$(DATADIR)/doc/spin/LICENSE

RUN_INSTALL = DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' BINDIR='$(BINDIR)' LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)' \
	VERSION='$(VERSION)' MANIFEST='$(SPIN_DATA)/manifest' user/install.sh

.PHONY: install uninstall

install: all
	@printf '%s\n' $(foreach row,$(INSTALL_ROWS),'$(row)') | $(RUN_INSTALL) install
	@[ -n '$(DESTDIR)' ] || echo 'make sure that programs find $(SONAME) in $(LIBDIR): run ldconfig'
	@[ '$(abspath $(BINDIR)/../share)' = '$(abspath $(DATADIR))' ] || \
		echo 'spincc will not find $(SPIN_DATA) by itself: set SPIN_HOME=$(SPIN_DATA) where it is used'

uninstall:
	@$(RUN_INSTALL) uninstall
