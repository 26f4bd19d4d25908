# Everything runs in .venv, which these rules make. `make PYTHON=/path/to/python3.12 demo` chooses another Python.

PYTHON ?= $(shell sh tools/find-python)
BIN := .venv/bin
PORT ?= 8000

# One right and some wrong submissions, an assignment each. They are our own, and need no container.
SAMPLES := coalsTransp/flat-tile-turned-on-load coalsProgrm/accum-starts-at-one optimProgram/course-style-lmem-alias \
           blockMMM/missing-column-guard rgblkMMM/course-all-five

# First tests that share the machine, then those that time kernels, which take turns.
TESTS := $(BIN)/pytest --dist loadgroup --no-loadscope-reorder

# Python keeps what it has compiled, also where the environment forbids that: each program of a hundred would do it again.
unexport PYTHONDONTWRITEBYTECODE

# NumPy's threads wait for work by computing, a tenth of a second in each program: tests have all processors busy as it is.
test test-all: export OPENBLAS_NUM_THREADS := 1

.PHONY: demo serve setup test test-all check observer images clean

demo: setup
	@ended=0; for sample in $(SAMPLES); do \
	    $(BIN)/grader grade tests/submissions/$$sample --assignment $${sample%%/*} --sandbox process --require-sanitizer; code=$$?; echo; \
	    [ $$code -le 1 ] || ended=$$code; \
	done; \
	[ $$ended -eq 0 ] || echo "A report above is not complete. It says why, and what to do."; exit $$ended

# A course in the browser, with due dates and with sign-in links for a student and an instructor. What is handed in runs
# with your rights.
# `make serve PORT=8001` chooses another port.
serve: .venv/service setup
	@$(BIN)/python tools/demo-course .demo-service/course
	@$(BIN)/grader serve --data .demo-service --course .demo-service/course --demo --sandbox process --port $(PORT)

# An OpenCL driver and the simulator, where the machine has none that works.
setup: .venv/grader
	@$(BIN)/grader setup

# What finds most mistakes in eight minutes: all that is quick, and of each class of tests at least one.
test: check setup images
	$(TESTS) -n 3 -m "not whole and not timed"
	$(TESTS) -n 2 -m "not whole and timed"

# Everything; some of it waits for containers and deadlines, so three at a time. A change to verdicts, the trust boundary or a sandbox must pass it before it lands.
test-all: check setup images
	$(TESTS) -n 3 -m "not timed"
	$(TESTS) -n 2 -m timed

check: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# Our plugin for the simulator, which is committed: needed only after a change in its folder observer/.
observer: .venv/grader
	@PYTHON="$(CURDIR)/$(BIN)/python" sh grader/worker/simulator/build-observer

# Both images, where a container engine answers; without one, the tests that need it say that they are skipped.
images:
	@if docker info >/dev/null 2>&1; then \
	    docker build --quiet --target worker --tag grader-worker . && docker build --quiet --target grader --tag grader .; \
	else echo "no image was built: no container engine answers (docs/operators.md); the sandbox docker will not be tested"; fi

.venv/grader: pyproject.toml constraints.txt
	@sh tools/find-python check "$(PYTHON)"
	@sh tools/make-venv "$(PYTHON)" .
	@touch $@

.venv/service: .venv/grader
	@sh tools/make-venv "$(PYTHON)" '.[service]'
	@touch $@

.venv/dev: .venv/grader
	@sh tools/make-venv "$(PYTHON)" '.[dev]'
	@touch $@

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
