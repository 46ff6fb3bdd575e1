# Everything happens in environments below this folder: .venv, and .venv-3.X for `make test-all`.
# They need Python, pip and a C compiler; what else there is to have comes by pip.

PYTHON ?= python3
VENV ?= .venv
BENCH ?=
SURVEY ?=
PYTEST ?=
# What test-torch installs beside what tests need: large, and with torch from PyPI come CUDA's libraries.
TORCH ?= torch jax
# How many processes run tests; a file's tests stay in one.
JOBS ?= 2
# A test's process that has crashed is not replaced: pytest-xdist 3.8 waits for ever for the one that would take its place.
# Files come in the order of tests/conftest.py, the longest first, and not those of most tests.
BESIDE = -n $(JOBS) --dist loadfile --no-loadscope-reorder --max-worker-restart=0
SUITE ?= test
# What `make environment` installs: extras of the package.
EXTRAS ?= test
BIN := $(VENV)/bin
VERSIONS := 3.11 3.12 3.13 3.14 3.15
# What another CPython can break: calls, callbacks, values, the language of scripts, extension modules, imports. Packed
# functions that native code calls, it cannot.
CORE := tests/base $(filter-out %/test_packed.py,$(wildcard tests/conventions/test_*.py)) tests/types tests/signature/test_annotations.py tests/runtime/test_layout.py \
	tests/api/test_import.py $(addprefix tests/adapters/test_,errors.py golden.py leaks.py unbox.py unlock.py) \
	$(addprefix tests/values/test_,bytes.py list.py map.py pickle.py shape.py string.py tuple.py wrapper_objects.py) \
	$(addprefix tests/scripts/test_,calls.py dispatch.py displays.py messages.py natural.py numbers.py op_containers.py \
	op_library.py op_methods.py raised_objects.py refused.py regexes.py script.py statements.py traceback.py \
	unicode_errors.py vectors.py) tests/emission/test_extension.py
# A little of each part, for who has just changed something: nothing that compiles much, runs for long or needs another machine.
FAST := $(addprefix tests/base/test_,floors.py unbuilt.py) $(addprefix tests/signature/test_,annotations.py cdecl.py signature.py) \
	tests/ir tests/types/test_text.py tests/conventions/test_packed.py tests/runtime/test_layout.py \
	$(addprefix tests/adapters/test_,conversion.py errors.py golden.py unbox.py) $(addprefix tests/api/test_,api.py plain.py) \
	$(addprefix tests/values/test_,list.py map.py shape.py tuple.py) $(addprefix tests/link/test_,merge.py special_files.py) \
	$(addprefix tests/emission/test_,header.py stub.py) $(addprefix tests/bind/test_,declare.py expression.py) \
	$(addprefix tests/scripts/test_,numbers.py refused.py script.py statements.py traceback.py) \
	$(addprefix tests/tune/test_tune_,profile.py report.py statistics.py) tests/docs/test_recipes.py tests/docs/test_reference.py tests/cxx

# A change here means that the extension must be built again; Python files are used from where they are.
NATIVE := pyproject.toml $(shell find runtime_c -name '*.[ch]' -o -name 'CMakeLists.txt' -o -name '*.cmake' -o -name '*.in')
C_FILES = $(shell find $(wildcard runtime_c benchmarks examples tests) -name "*.[ch]" -o -name "*.cpp" -o -name "*.hpp")

# $(call extra,test): install what the package's extra of that name needs, without building the package once more.
list_extra = import importlib.metadata as m, sys; \
	print(*(r.partition(";")[0] for r in m.requires("jitffi") if f"extra == {sys.argv[1]!r}" in r.replace(chr(34), chr(39))))
extra = $(BIN)/pip install -q $$($(BIN)/python -c '$(list_extra)' $(1))

# $(call find_python,$$version): shell that prints the interpreter of that version, by its name, from pyenv or in ~/pythons.
define find_python
for found in python$(1) "$$(pyenv root 2>/dev/null)"/versions/$(1).*/bin/python3 ~/pythons/$(1).*/bin/python3; do \
	  if "$$found" -c 'import sys; sys.exit("t" in sys.abiflags or sys.argv[1] != "%d.%d" % sys.version_info[:2])' $(1) 2>/dev/null; \
	  then echo "$$found"; break; fi; done
endef

.DEFAULT_GOAL := help
.PHONY: help demo check environment test test-core test-torch test-valgrind test-all test-arm64 test-targets wheels test-install survey bench size bind-table docs lint format clean

help: ## show this text
	@echo "make demo, or one of:"
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-16s%s\n", $$1, $$2 }'
	@echo "PYTHON=python3.12 chooses the interpreter, VENV=.venv-3.12 the environment."

demo: $(VENV)/.installed ## install into .venv and take the tour
	$(BIN)/jitffi demo

check: $(VENV)/.test $(VENV)/.lint ## style, types, and fast tests of each part
	@$(MAKE) --no-print-directory lint
	$(BIN)/pytest -q $(BESIDE) $(PYTEST) $(FAST)

test: $(VENV)/.test ## run all tests, two at a time; PYTEST='-x -k cache' are options for pytest, JOBS=0 is one after the other
	$(BIN)/pytest $(BESIDE) $(PYTEST)

environment: ## install what EXTRAS='lint docs test wheels' need, and run nothing; one after the other, since pip works alone
	@for extra in $(EXTRAS); do $(MAKE) --no-print-directory $(VENV)/.$$extra || exit 1; done

test-core: $(VENV)/.test ## run the tests of what another CPython can break
	JITFFI_END=python JITFFI_SCRIPT_LEVEL=2 $(BIN)/pytest -q $(BESIDE) $(PYTEST) $(CORE)

test-torch: ## run the tests with torch and JAX, which are installed into .venv-torch; TORCH='torch==2.13.0+cpu' for others of them
	@$(MAKE) --no-print-directory VENV=.venv-torch .venv-torch/.test
	.venv-torch/bin/pip install -q $(TORCH)
	.venv-torch/bin/pytest -q $(PYTEST) tests/values/test_ndarray_torch.py

# Python, NumPy and LLVM leave memory behind when the process ends: what calls leave, other tests tell.
test-valgrind: $(VENV)/.test ## run random calls with arrays, and tests of pointers and structs, under valgrind: minutes; JITFFI_FUZZ_CASES=30 for more
	PYTHONMALLOC=malloc JITFFI_CACHE_DIR= JITFFI_FUZZ_CASES=$${JITFFI_FUZZ_CASES:-3} valgrind -q --error-exitcode=9 \
	  --smc-check=all-non-file --undef-value-errors=no --suppressions=tests/support/valgrind.supp \
	  $(BIN)/python -m pytest -q -p no:cacheprovider $(PYTEST) tests/fuzz/test_array_calls.py \
	  tests/api/test_pointers.py $(addprefix tests/api/test_struct_,class.py addresses.py hostile.py)

test-all: ## run all tests with every CPython from 3.11 to 3.15 that is found; VERSIONS='3.11 3.15' for some, SUITE=test-core for the core
	@failed= absent=; for version in $(VERSIONS); do \
	  python=$$($(call find_python,$$version)); \
	  if [ -z "$$python" ]; then absent="$$absent $$version"; continue; fi; \
	  echo "== CPython $$version: $$python"; \
	  $(MAKE) --no-print-directory $(SUITE) PYTHON="$$python" VENV=.venv-$$version || failed="$$failed $$version"; \
	done; \
	if [ -n "$$absent" ]; then echo "== not found, by name, from pyenv or in ~/pythons:$$absent"; fi; \
	if [ -n "$$failed" ]; then echo "== failed:$$failed"; exit 1; fi

wheels: $(VENV)/.wheels ## into dist: for each of those a wheel for x86-64 and one for aarch64, checked and tried, and an sdist
	@pythons= absent=; for version in $(VERSIONS); do \
	  python=$$($(call find_python,$$version)); \
	  if [ -n "$$python" ]; then pythons="$$pythons $$python"; else absent="$$absent $$version"; fi; \
	done; \
	if [ -n "$$absent" ]; then echo "== not found, by name, from pyenv or in ~/pythons:$$absent"; fi; \
	$(BIN)/python .ci/wheels.py --try $$pythons

test-arm64: $(VENV)/.wheels ## the wheel for aarch64 in CPython 3.14 under qemu: the tour, and tests of what depends on the machine
	@VENV=$(VENV) .ci/test-arm64 "$$($(call find_python,3.14))" $(PYTEST)

# Needs what tests of other machines need: cross compilers, qemu, Node, LLVM's tools; what is missing is skipped by name.
# Debian's packages are those that .ci/run installs, and those for armv7 and microcontrollers of docs/guide/ahead_of_time.md.
test-targets: $(VENV)/.test ## one program on every machine, emitted files of all conventions and targets, pages, microcontrollers, sanitizers
	$(BIN)/pip install -q wasmtime
	JITFFI_TARGETS=all $(BIN)/pytest -q -rs $(BESIDE) $(PYTEST) $(addprefix tests/deploy/test_,conformance.py targets.py foreign.py page.py) \
	  tests/runtime/test_runtime_cross.py tests/runtime/test_sanitized.py tests/runtime/test_size.py tests/emission/test_programs.py tests/emission/test_javascript.py \
	  tests/conventions/test_matrix.py

test-install: $(VENV)/.wheels ## build a wheel as `make wheels` does, but for optimising, take the tour where there is no compiler, and build C programs
	@set -e; where=$$(mktemp -d); trap 'rm -rf "$$where"' EXIT; \
	$(BIN)/python .ci/wheels.py --try --quick --arch $$(uname -m) --out "$$where" $(PYTHON)

survey: $(VENV)/.test ## every function of the standard library's modules as a script, beside CPython; SURVEY='textwrap --left' for some of them
	PYTHONPATH=tests/scripts:. $(BIN)/python -m survey_library $(SURVEY)

bench: $(VENV)/.bench ## measure, beside those who do the same; BENCH='--quick --only calls' are its options
	$(BIN)/python -m benchmarks $(BENCH)

size: $(VENV)/.installed ## the runtime's text, data and bss: of the package's libraries, and by part for x86-64 and microcontrollers
	@$(BIN)/python benchmarks/sizes.py

bind-table: $(VENV)/.installed ## count what is bound of well-known headers, into docs/bind.md
	$(BIN)/python docs/generators/bound_headers.py

docs: $(VENV)/.docs ## make a site of the documentation, in build/docs
	$(BIN)/sphinx-build -q -E -W --keep-going -b html -d build/doctrees docs build/docs
	$(BIN)/python docs/generators/check_site.py build/docs

lint: $(VENV)/.lint ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict jitffi
	$(BIN)/clang-format --dry-run -Werror $(C_FILES)

format: $(VENV)/.lint ## rewrite what the style checks would complain of
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(C_FILES)

clean: ## remove all that was made
	rm -rf build dist .venv .venv-* .pytest_cache .mypy_cache .ruff_cache .hypothesis jitffi/_core*.so
	find jitffi tests examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(NATIVE) | $(BIN)/python
	$(BIN)/pip install -q -e .
	touch $@

$(VENV)/.test $(VENV)/.lint $(VENV)/.bench $(VENV)/.docs: $(VENV)/.%: $(VENV)/.installed
	@$(call extra,$*)
	@# What it says that it needs, NumPy below 2 among it, it does not need for this.
	@if [ $* = bench ]; then $(BIN)/pip install -q --no-deps matxscript || echo "matxscript is left out"; fi
	touch $@

# Before the package is installed here, which would take a compiler.
list_wheels = import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["wheels"])
$(VENV)/.wheels: pyproject.toml | $(BIN)/python
	$(BIN)/pip install -q $$($(BIN)/python -c '$(list_wheels)')
	touch $@
