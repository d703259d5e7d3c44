# Trapeze. `make help` lists the targets.
#
# Everything made lies under build/. One compile rule serves all builds; they differ
# in OUT (where), SAN (sanitizer) and WERROR:
#   build/        the program, warnings are warnings
#   build/test/   `make test`, warnings are errors
#   build/asan/   and ubsan, tsan
# Variables: MARCH (processor, default x86-64-v3), CC, OUT, TEST_OUT, TESTS (which to
# run, e.g. `make test TESTS=tests/unit/test_vec.c`), V=1 (show commands), PREFIX,
# DESTDIR, SUITE.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
comma    := ,
MAKEFLAGS += --no-builtin-rules --no-print-directory
OUT      ?= build
TEST_OUT ?= build/test
CC       := $(if $(filter default,$(origin CC)),gcc,$(CC))
PREFIX   ?= /usr/local
SUITE    ?= bookworm
RIG      ?= config/rigs/default.yaml
JOBS     := $(shell nproc)

# ---- set-up: which packages the goals need; tools/setup sees to them ----------------

GOALS := $(or $(MAKECMDGOALS),all)
ROWS  := run
ROWS  += $(if $(filter test check asan ubsan tsan campaign,$(GOALS)),test)
ROWS  += $(if $(filter fuzz campaign,$(GOALS)),fuzz)
ROWS  += $(if $(filter lint format,$(GOALS)),lint)
ROWS  += $(if $(filter test-fresh campaign,$(GOALS)),fresh)
ROWS  += $(if $(filter test-preempt-rt campaign,$(GOALS)),preempt)
ROWS  += $(if $(filter bench campaign figures,$(GOALS)),bench)
ROWS  := $(strip $(ROWS))
SETUP := build/setup/$(shell echo $(ROWS) | tr ' ' '-').mk

# A missing or old answer makes make run the set-up and read this file again.
DRY_RUN := $(findstring n,$(filter-out --%,$(firstword $(MAKEFLAGS))))
ifeq ($(filter-out clean distclean help uninstall,$(GOALS)),)
else ifneq ($(DRY_RUN),)
-include build/setup/flags.mk
else
include $(SETUP)
$(SETUP): tools/setup $(wildcard /var/lib/dpkg/status)
	@tools/setup $(ROWS)
endif

# ---- flags --------------------------------------------------------------------------

MARCH    ?= $(MARCH_DEFAULT)
OPCUA_CFLAGS := $(if $(OPCUA_DIR),-isystem build/deps/usr/include)
OPCUA_LIBS   := $(OPCUA_DIR:%=-L%) $(OPCUA_DIR:%=-Wl,-rpath-link,%) $(if $(OPCUA_VERSION),-lopen62541)
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wvla -Wmissing-prototypes \
            -Wstrict-prototypes -Wcast-qual -Wundef -Wpointer-arith -Wwrite-strings \
            -Wformat=2 -Wno-psabi
GCC      := $(shell $(CC) -dumpfullversion 2> /dev/null | cut -d. -f1)
FORTIFY  := $(if $(filter 4 5 6 7 8 9 10 11,$(GCC))$(findstring clang,$(CC)),2,3)
GUARD    := $(if $(SAN),,-fstack-clash-protection $(if $(filter x86_64%,$(shell uname -m)),-fcf-protection))
# -ffast-math is forbidden: it kills isfinite, and with it the check of every step
COMMON   := -std=gnu11 -D_GNU_SOURCE -I. -g -fno-math-errno $(if $(MARCH),-march=$(MARCH)) \
            $(WARNINGS) $(WERROR) $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all) \
            $(if $(SAN),-fno-omit-frame-pointer -O1,-O2) $(GUARD) $(LIB_CFLAGS) $(OPCUA_CFLAGS)
TIDY_FLAGS = $(filter-out -g -W%,$(COMMON))
# level 3 also watches buffers whose size is known only when the program runs; gcc 12 is the
# first to have it. rt/ has no stack protector: it owns no buffer that input could overrun
HARDEN   := $(if $(SAN),,-D_FORTIFY_SOURCE=$(FORTIFY) -fstack-protector-strong)
# the frame limits mean the optimised program, not a sanitizer's
FRAME    := $(if $(SAN),,-Wframe-larger-than=4096 $(if $(findstring clang,$(CC)),,-Wstack-usage=4096))
# vectors are written out by hand: the compiler's own attempts cost 7 % (make bench)
RT       := $(if $(SAN),,-O3 -fno-tree-vectorize -fno-trapping-math -DNDEBUG) $(FRAME)

# BLAS_DIR holds the serial OpenBLAS. DT_RPATH (not RUNPATH) so that liblapacke's own
# libblas and liblapack come from there too, whatever the machine's alternatives say.
RPATH   := -Wl,--disable-new-dtags,-rpath,$(BLAS_DIR)
LIBS    := -L$(BLAS_DIR) -Wl,--as-needed $(LIB_LIBS) -lopenblas $(OPCUA_LIBS) \
           -lpthread -lrt -lm
LINK    := $(CC) -g $(if $(SAN),-fsanitize=$(SAN)) -pie -Wl,-z,relro,-z,now,--build-id=sha1 $(RPATH)

# ---- what there is ------------------------------------------------------------------

SOURCES  := $(sort $(shell find rt services -name '*.c' 2> /dev/null))
OBJECTS  := $(SOURCES:%.c=$(OUT)/obj/%.o)
MAIN     := $(filter $(OUT)/obj/services/main.o $(OUT)/obj/services/heap.o,$(OBJECTS))
ARCHIVE  := $(OUT)/libtrapeze.a
BINARY   := $(if $(MAIN),$(OUT)/trapeze)

ROOMS    := unit physics rt service fault
FUZZES   := $(sort $(wildcard tests/fault/fuzz_*.c))
TESTS    ?= $(sort $(wildcard $(foreach e,c sh mjs,$(ROOMS:%=tests/%/test_*.$e)))) $(FUZZES)
PROGRAMS := $(patsubst %.c,$(OUT)/%,$(filter-out $(FUZZES),$(filter %.c,$(TESTS))))
FUZZERS  := $(FUZZES:%.c=$(OUT)/%)
# every other .c beside the tests is help shared by them
HELPERS  := $(filter-out $(foreach r,$(ROOMS),tests/$r/test_% tests/$r/fuzz_%),\
              $(wildcard tests/*.c $(ROOMS:%=tests/%/*.c)))
HELP_LIB := $(if $(HELPERS),$(OUT)/libtests.a)
BENCHES  := $(patsubst tools/bench/%.c,$(OUT)/bench/%,$(wildcard tools/bench/*.c))
PEERS    := $(patsubst tools/peers/%.cpp,$(OUT)/peers/%,$(wildcard tools/peers/*.cpp))
ALL_CODE := $(sort $(shell find rt services tests tools -name node_modules -prune -o -name '*.[ch]' -print 2> /dev/null))

# ---- compile and link ---------------------------------------------------------------

SHOW  = $(if $(V),,@echo '  $1'; )
FLAGS = $(COMMON)
$(OUT)/obj/rt/%.o: FLAGS = $(COMMON) $(RT)
$(OUT)/obj/services/%.o: FLAGS = $(COMMON) $(HARDEN)
# what git calls these sources; the object follows when that changes
VERSION_IS = -DVERSION_SOURCES='"$(shell git describe --always --dirty --tags 2> /dev/null || echo unknown)"' \
             -DVERSION_DATE=$(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2> /dev/null),0)LL
$(OUT)/obj/services/base/version.o: FLAGS = $(COMMON) $(HARDEN) $(VERSION_IS)
$(OUT)/obj/services/base/version.o: $(OUT)/version
$(OUT)/version: FORCE
	@mkdir -p $(@D)
	@echo "$(VERSION_IS)" | cmp -s - $@ || echo "$(VERSION_IS)" > $@

# main says so in a sentence when the processor lacks what MARCH asks for
$(OUT)/obj/services/main.o: FLAGS = $(filter-out -march=%,$(COMMON)) $(HARDEN)

$(OUT)/obj/%.o: %.c Makefile $(wildcard build/setup/flags.mk)
	@mkdir -p $(@D)
	$(call SHOW,compile $<)$(CC) $(FLAGS) -MMD -MP -c $< -o $@

# the list changes when a source comes or goes
$(OUT)/objects: FORCE
	@mkdir -p $(@D)
	@echo '$(OBJECTS) $(HELPERS)' | cmp -s - $@ || echo '$(OBJECTS) $(HELPERS)' > $@

$(ARCHIVE): $(filter-out $(MAIN),$(OBJECTS)) $(OUT)/objects
	@rm -f $@
	$(call SHOW,archive $@)ar rcs $@ $(filter %.o,$^)

$(OUT)/libtests.a: $(HELPERS:%.c=$(OUT)/obj/%.o) $(OUT)/objects
	@rm -f $@
	$(call SHOW,archive $@)ar rcs $@ $(filter %.o,$^)

# the unpacked libraries are found beside the program, built or installed
DEPS_RPATH := $(OPCUA_DIR:%=-Wl,-rpath,'$(CURDIR)/%')
ORIGIN     := $(if $(OPCUA_DIR),-Wl$(comma)-rpath$(comma)'$$ORIGIN/../lib/trapeze')
ORIGIN     += $(if $(filter build,$(OUT)),$(OPCUA_DIR:build/%=-Wl,-rpath,'$$ORIGIN/%'))
# $ORIGIN does not count in a program with file capabilities (setcap): absolute ones do. What is
# installed must not look into a folder of the one who built it, so it is linked on its own; the
# absolute path is there for setcap, $ORIGIN for what is staged or unpacked somewhere else
ORIGIN     += $(DEPS_RPATH)
INSTALLED  := $(if $(OPCUA_DIR),-Wl$(comma)-rpath$(comma)$(PREFIX)/lib/trapeze$(comma)-rpath$(comma)'$$ORIGIN/../lib/trapeze')
$(OUT)/trapeze: $(MAIN) $(ARCHIVE)
	$(call SHOW,link    $@)$(LINK) $(ORIGIN) -o $@ $^ $(LIBS)

$(OUT)/install/trapeze: $(MAIN) $(ARCHIVE) FORCE
	@mkdir -p $(@D)
	$(call SHOW,link    $@)$(LINK) $(INSTALLED) -o $@ $(filter-out FORCE,$^) $(LIBS)

$(PROGRAMS): $(OUT)/tests/%: $(OUT)/obj/tests/%.o $(HELP_LIB) $(ARCHIVE)
	@mkdir -p $(@D)
	$(call SHOW,link    $@)$(LINK) $(DEPS_RPATH) -o $@ $^ -lcmocka $(LIBS)

$(BENCHES): $(OUT)/bench/%: $(OUT)/obj/tools/bench/%.o $(HELP_LIB) $(ARCHIVE)
	@mkdir -p $(@D)
	$(call SHOW,link    $@)$(LINK) $(DEPS_RPATH) -o $@ $^ $(LIBS)

# drivers of other people's programs; one that is not installed is said and left out
PEER_mujoco  := -lmujoco
PEER_simbody := -isystem /usr/include/simbody -lSimTKsimbody -lSimTKmath -lSimTKcommon -lpthread
$(PEERS): $(OUT)/peers/%: tools/peers/%.cpp $(wildcard tools/peers/*.hpp tools/bench/*.h) Makefile
	@mkdir -p $(@D)
	$(call SHOW,compile $<)g++ -std=c++17 -O3 $(if $(MARCH),-march=$(MARCH)) -I. -o $@ $< \
	    $(PEER_$*) $(RPATH) 2> $@.log || \
	    { head -n 3 $@.log; echo "$* cannot be built here and is left out"; rm -f $@; }

$(FUZZERS): $(OUT)/tests/%: $(OUT)/obj/tests/%.o $(HELP_LIB) $(ARCHIVE)
	@mkdir -p $(@D)
	$(call SHOW,link    $@)$(LINK) -fsanitize=fuzzer $(DEPS_RPATH) -o $@ $^ -lcmocka $(LIBS)

-include $(shell find $(OUT)/obj -name '*.d' 2> /dev/null)

# ---- targets ------------------------------------------------------------------------

# each build is a make of its own, in parallel also where the user gave no -j
BUILD = +@$(MAKE) $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))
# run the scripts of a folder in order, all of them, and name those that did not end well; a
# folder that is empty is said, not passed over
SCRIPTS = @bad=; found=; for s in $(sort $(wildcard $1)); do found=1; echo "== $$s"; \
          OUT=$(OUT) $$s || bad="$$bad $$s"; done; \
          [ -n "$$found" ] || { echo "nothing to run: there is no $1" >&2; exit 1; }; \
          [ -z "$$bad" ] || { echo "not as it should be:$$bad" >&2; exit 1; }

.PHONY: all binaries FORCE
all: ## build build/trapeze
	$(BUILD) binaries

binaries: $(ARCHIVE) $(BINARY)

# at a terminal it gets a process group of its own: Ctrl-C then ends it, and make with 0
.PHONY: run
run: all ## run the default rig until Ctrl-C; RIG=file and ARGS=options change that
	@$(if $(shell [ -t 0 ] && echo tty),bash -mc,sh -c) \
	    'build/trapeze run --allow-degraded --insecure $(ARGS) $(RIG)'

.PHONY: test check
check: test
test: ## run all tests, warnings being errors; the last line is 'N passed, N failed'
	$(BUILD) OUT=$(TEST_OUT) WERROR=-Werror programs
	$(if $(filter $(FUZZES),$(TESTS)),$(BUILD) OUT=build/fuzz CC=clang SAN=fuzzer-no-link$(comma)address$(comma)undefined fuzzers)
	@TRAPEZE='$(abspath $(TEST_OUT))/trapeze' FUZZ_SECONDS=$(or $(FUZZ_SECONDS),10) \
	    tools/runtests $(TEST_OUT) $(TESTS)

.PHONY: programs fuzzers
programs: $(ARCHIVE) $(BINARY) $(PROGRAMS)
fuzzers: $(FUZZERS)

.PHONY: asan ubsan tsan
asan: SAN = address
asan: ## run the tests with the address and leak sanitizer
ubsan: SAN = undefined
ubsan: ## run the tests with the undefined-behaviour sanitizer
tsan: SAN = thread
tsan: ## run the tests with the thread sanitizer
asan ubsan tsan:
	$(BUILD) OUT=build/$@ SAN=$(SAN) programs
	@TRAPEZE='$(abspath build/$@)/trapeze' SANITIZER=$@ tools/runtests build/$@ $(filter-out $(FUZZES),$(TESTS))

.PHONY: fuzz
fuzz: ## fuzz each target for FUZZ_SECONDS (600)
	$(BUILD) OUT=build/fuzz CC=clang SAN=fuzzer-no-link$(comma)address$(comma)undefined fuzzers
	@FUZZ_SECONDS=$(or $(FUZZ_SECONDS),600) tools/runtests $(TEST_OUT) $(FUZZES)

.PHONY: rtcheck
rtcheck: ## check that rt/ calls, includes, names and keeps only what it may
	$(BUILD) binaries
	@tools/rtcheck $(OUT)

.PHONY: lint format
lint: ## clang-format and clang-tidy; notes about long files and functions
	@tools/shape; bad=0; tools/format --check $(ALL_CODE) || bad=1; \
	printf '%s\n' $(SOURCES) | xargs -P$(JOBS) -n1 sh -c \
	    'clang-tidy --quiet "$$0" -- $(TIDY_FLAGS) 2> /dev/null' || bad=1; exit $$bad
format: ## rewrite the sources as clang-format wants them
	@tools/format $(ALL_CODE)

.PHONY: bench campaign figures
bench: ## measure, about 20 minutes: tools/bench/*.sh
	$(BUILD) binaries $(BENCHES) $(PEERS)
	$(call SCRIPTS,tools/bench/*.sh)
campaign: ## the long runs: tools/campaign/*.sh
	$(BUILD) binaries $(BENCHES)
	$(call SCRIPTS,tools/campaign/*.sh)
figures: all ## draw the figures: tools/figures/*.sh
	$(call SCRIPTS,tools/figures/*.sh)

.PHONY: test-fresh test-preempt-rt
test-fresh: ## make run and make test on a new Debian in a folder; SUITE=bookworm or trixie
	@tools/test-fresh $(SUITE)
test-preempt-rt: all ## run the program on Debian's PREEMPT_RT kernel in qemu
	$(call SCRIPTS,tools/rtkernel/*.sh)

.PHONY: install uninstall
install: all ## install below PREFIX (/usr/local), staged in DESTDIR
	$(BUILD) $(OUT)/install/trapeze
	@tools/install install "$(PREFIX)" "$(DESTDIR)" "$(OPCUA_DIR)" "$(OUT)/install/trapeze" \
	    "$(OUT)/trapeze"
uninstall: ## remove what install put there
	@tools/install uninstall "$(PREFIX)" "$(DESTDIR)"

.PHONY: deb
deb: all ## build a Debian package of the program in build/deb
	@rm -rf "$(OUT)/deb"
	@umask 022 && $(MAKE) install PREFIX=/usr DESTDIR="$(abspath $(OUT))/deb/root" > /dev/null
	@tools/deb "$(OUT)/deb" "$(OPCUA_DIR)"

.PHONY: clean distclean help
clean: ## remove what the compiler made; set-up and fetched libraries stay
	@rm -rf build/obj build/trapeze build/*.a build/objects build/bench build/run build/deb build/install \
	    build/peers build/test build/asan build/ubsan build/tsan build/fuzz
distclean: ## remove build/ altogether
	@rm -rf build
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-16s %s\n", $$1, $$2 }' Makefile
