# Every target makes its own virtual environment in .venv; Python 3.11 or newer is all it needs.
# ARGS goes to the program that a target runs: make test ARGS="tests/arena -x"

VENV := .venv
PY := $(VENV)/bin/python
PYTHONS := python3.13 python3.12 python3.11 python3 python
SUITABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))

.PHONY: help demo test test-all bench docs tutorials lint wheel engines browser clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:
	@echo "make demo      generate, train, compare and match, end to end"
	@echo "make test      the tests, without the slow ones"
	@echo "make test-all  lint, then every test"
	@echo "make bench     the benchmarks"
	@echo "make docs      the documentation as a site, in build/docs"
	@echo "make tutorials the tutorials as notebooks, opened in JupyterLab"
	@echo "make lint      style, types and the direction of imports"
	@echo "make wheel     the package, in dist/, tested in an environment of its own"
	@echo "make engines   programs that tests play against: GRhino, GNU Backgammon, Fairy-Stockfish,"
	@echo "               Stockfish, Toga II, GNU Chess (Debian, as root)"
	@echo "               and, built in build/engines, the checkers program 'samuel'"
	@echo "make browser   Chromium (Debian, as root) and playwright, for the tests of the board"
	@echo "make clean     remove .venv, caches and build products"

demo: $(VENV)/.runtime
	$(PY) examples/demo.py $(ARGS)

test: $(VENV)/.test
	$(PY) -m pytest -n 2 --dist worksteal $(ARGS)

test-all: lint
	$(PY) -m pytest -n 2 --dist worksteal -m "" $(ARGS)

bench: $(VENV)/.bench
	$(PY) -m benchmarks $(ARGS)

lint: $(VENV)/.dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	@mkdir -p build/types && ln -sfn ../.. build/types/samuel
	$(PY) -m mypy
	$(PY) -m mypy --platform win32 --cache-dir .mypy_cache/win32
	$(VENV)/bin/lint-imports

wheel: $(VENV)/.test
	@rm -rf dist
	$(PY) -m build --outdir dist
	SAMUEL_DIST=dist $(PY) -m pytest -m "" tests/test_wheel.py $(ARGS)

# The checkers program has this project's import name, and needs an environment of its own.
engines: build/engines/bin/samuel
	@PATH="$$PATH:/usr/games"; { command -v gtp-rhino && command -v gnubg && \
		command -v fairy-stockfish && command -v stockfish && command -v toga2 && \
		command -v gnuchess; } >/dev/null || { apt-get update -qq && \
		apt-get install -y -qq --no-install-recommends grhino gnubg fairy-stockfish \
		stockfish toga2 gnuchess; }

docs: $(VENV)/.docs
	@$(PY) -m sphinx -q -W --keep-going -d build/doctrees docs build/docs
	@echo "build/docs/index.html"

tutorials: $(VENV)/.tutorials
	$(VENV)/bin/jupyter lab docs/tutorials

# Tests that drive a browser are among the slow ones; their pictures lie in build/screenshots.
browser: $(VENV)/.browser
	@command -v chromium >/dev/null || { apt-get update -qq && \
		apt-get install -y -qq --no-install-recommends chromium; }

build/engines/bin/samuel: | $(PY)
	@$(PY) -m venv build/engines
	@build/engines/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
		samuel==0.1.9

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Each stamp marks one set of extras as installed; a newer pyproject.toml or constraints.txt
# installs it again. Bytecode of what is never imported would be a fifth of the size.
$(VENV)/.test: EXTRAS := [test]
$(VENV)/.dev: EXTRAS := [dev]
$(VENV)/.bench: EXTRAS := [bench]
$(VENV)/.browser: EXTRAS := [dev,browser]
$(VENV)/.docs: EXTRAS := [dev,docs]
$(VENV)/.tutorials: EXTRAS := [tutorials]
$(VENV)/.runtime $(VENV)/.test $(VENV)/.dev $(VENV)/.bench $(VENV)/.browser $(VENV)/.docs $(VENV)/.tutorials: pyproject.toml constraints.txt | $(PY)
	@echo "Installing samuel$(EXTRAS) into $(VENV)"
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-compile -e ".$(EXTRAS)" -c constraints.txt
	@touch $@

# A name on PATH may be a shim that does not run, so each candidate is tried.
$(PY):
	@for python in $(PYTHON) $(PYTHONS); do \
		if $$python -c '$(SUITABLE)' >/dev/null 2>&1; then \
			$$python -m venv --clear $(VENV) && exit 0; \
			rm -rf $(VENV); exit 1; \
		fi; \
	done; \
	echo "samuel needs Python 3.11 or newer with venv; found none (make PYTHON=/path/to/python)" >&2; \
	exit 1
