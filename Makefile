# Two commands do everything: `make run` serves the dashboard, `make test` passes the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501
WORKERS ?= 3

.PHONY: run test suite audit coverage bench lint style types lock pictures clean
run: export OPENBLAS_NUM_THREADS = 1
run: $(VENV)/.run
	$(BIN)/streamlit run app.py --server.address 127.0.0.1 --server.port $(PORT)

# Types are checked beside the tests: checking them alone keeps one core busy and leaves the other idle.
test: $(VENV)/.test style
	$(MAKE) --jobs=2 types suite

# One thread of linear algebra each, here as above: several with two of their own wait for each other.
# Modules are compiled once, not in each process that a test starts. A browser's test waits half of its time, so
# there are more workers than cores.
suite: export OPENBLAS_NUM_THREADS = 1
suite: export PYTHONDONTWRITEBYTECODE =
suite: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not long"

audit: $(VENV)/.test
	$(BIN)/python -m pytest -m long

# Which lines and branches the tests reach; apart from `test`, which tracing would slow down.
coverage: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) -m "not long and not browser" --cov --cov-report=term:skip-covered

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks

lint: style types

style: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.test
	$(BIN)/pyright

$(VENV)/.run: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	test -x $(BIN)/pip || $(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[all]"
	touch $@

$(VENV)/.test: $(VENV)/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[test,spark]"
	touch $@

# Resolve the ranges of pyproject.toml anew in an empty environment, pin and print what changed.
# Of these versions, `[pins]` takes those of all that `[all]` brings.
lock:
	rm -rf $(VENV)-lock
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet --disable-pip-version-check ".[all]"
	$(VENV)-lock/bin/python -m pip freeze --exclude mobility-privacy-explorer > $(VENV)-lock/all
	$(VENV)-lock/bin/python -m pip install --quiet --disable-pip-version-check ".[test,spark]"
	$(VENV)-lock/bin/python -m pip freeze --exclude mobility-privacy-explorer > $(VENV)-lock/pins
	diff --unified=0 constraints.txt $(VENV)-lock/pins || true
	cp $(VENV)-lock/pins constraints.txt
	awk -F== 'FNR == 1 { file++ } file == 1 { all[$$1]; next } \
		file == 2 { if ($$1 in all) pins = pins "  \"" $$0 "\",\n"; next } \
		/^pins = \[/ { print; printf "%s", pins; skip = 1; next } \
		skip && /^\]/ { skip = 0 } !skip' \
		$(VENV)-lock/all $(VENV)-lock/pins pyproject.toml > $(VENV)-lock/pyproject.toml
	cp $(VENV)-lock/pyproject.toml pyproject.toml
	rm -rf $(VENV)-lock build *.egg-info

# The pictures of README and docs, by Chromium.
pictures: $(VENV)/.test
	$(BIN)/python -m research.pictures

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis build *.egg-info
