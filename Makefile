# Everything runs in .venv, which these rules make. `make PYTHON=/path/to/python3.12 demo` chooses another Python.

PYTHON ?= $(shell sh tools/find-python)
BIN := .venv/bin

# One right and some wrong submissions, an assignment each.
SAMPLES := coalsTransp/flat-tile-turned-on-load coalsProgrm/accum-starts-at-one optimProgram/course-style-lmem-alias \
           blockMMM/missing-column-guard rgblkMMM/course-all-five

.PHONY: demo test check simulator images clean

demo: .venv/grader simulator
	@for sample in $(SAMPLES); do \
	    $(BIN)/grader grade tests/submissions/$$sample --assignment $${sample%%/*}; code=$$?; echo; \
	    [ $$code -le 1 ] || exit $$code; \
	done

test: check simulator images
	$(BIN)/pytest -n 2 --dist loadgroup -m "not timed"
	$(BIN)/pytest -n 2 --dist loadgroup -m timed

check: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# Our plugin for the simulator Oclgrind; where that is not installed, what rests on it is skipped.
simulator: grader/worker/observer.so

grader/worker/observer.so: grader/worker/observer.cpp grader/worker/build-observer
	@sh grader/worker/build-observer || echo "without the simulator, sanitizer and memory checks are skipped"

# Both images, where a container engine answers; without one, the tests that need it say that they are skipped.
images:
	@if docker info >/dev/null 2>&1; then \
	    docker build --quiet --target worker --tag grader-worker . && docker build --quiet --target grader --tag grader .; \
	else echo "no container engine answers: the sandbox docker will not be tested"; fi

.venv/grader: pyproject.toml constraints.txt
	@sh tools/find-python check "$(PYTHON)"
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

.venv/dev: .venv/grader
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

clean:
	rm -rf grader/worker/observer.so .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
