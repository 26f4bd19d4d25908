"""What the tests share: the course that ships with the grader, and environments to grade on."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from project import ROOT
from worker_rules import DEADLINES, RULES

from grader.common import interrupts
from grader.common.errors import InterruptedGradingError
from grader.course.assignment import Assignment
from grader.course.catalogue import Course
from grader.execution.kernel_threads import no_kernel_threads
from grader.execution.sandbox import SANDBOXES
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.rules import SearchRules, TimingRules, WatchingRules
from grader.grading.timing import measurement

pytest_plugins = ("simulator", "engine", "postgresql", "autograders", "browser", "drafts", "drawings", "suites")
"""Modules of helpers/ that hold fixtures."""

LONGEST_PARAMETER, LONGEST_ID = 30, 170
"""Characters of one parameter in the id of a test, and of a whole id, its folders aside: what one can read and type."""


def pytest_make_parametrize_id(val: object) -> str | None:
    """A text is shown by its beginning, in one line: some tests take megabytes of it."""
    if not isinstance(val, str | bytes):
        return None
    text = " ".join(val.split()) if isinstance(val, str) else val.decode("latin-1")
    shown = ascii(text[: 2 * LONGEST_PARAMETER])[1:-1]
    return shown if len(shown) <= LONGEST_PARAMETER else f"{shown[: LONGEST_PARAMETER - 3]}..."


LONGEST = (
    *("test_export_gitlab.py", "test_export_gradescope.py", "test_benchmarks.py", "test_fuzz.py", "test_synthetic.py"),
    *("test_readme.py", "test_writing_assignments.py", "test_hidden_outcomes.py", "test_export_kit.py"),
    *("test_workforce.py", "test_rounds.py", "test_mutants.py", "test_grading.py", "test_hostile.py"),
)
"""Modules that take minutes, in the order in which they begin, before all others: begun last, one would run alone."""

SPREAD = frozenset({"test_grading.py", "test_hostile.py", "test_building.py", "test_commands_grade.py", "test_fuzz.py"})
"""Modules of many long tests that share little: any process takes the next one."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no module without a timed test where these alone are asked for: importing all takes ten seconds."""
    asks_for_timed = config.getoption("markexpr") in {"timed", "not whole and timed"}
    if asks_for_timed and collection_path.match("test_*.py") and "mark.timed" not in collection_path.read_text():
        return True
    return None


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse an id that nobody can read; have the tests of a module in one process, where they share what it makes;
    begin with what takes longest.
    """
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))
    for item in items:
        if item.path.name not in SPREAD and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.name))
        name = f"{item.path.name}::{item.nodeid.partition('::')[2]}"
        if len(name) > LONGEST_ID:
            raise pytest.UsageError(
                f"the id of a test has {len(name)} characters, more than {LONGEST_ID}; give its parameters "
                f"short ids: {name[:LONGEST_ID]}..."
            )


@pytest.fixture(scope="session", autouse=True)
def nobody_in_particular(tmp_path_factory) -> Iterator[None]:
    """A user with no settings, who has started nothing; what the tests start is noted for none."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        yield


@pytest.fixture(scope="session")
def course() -> Course:
    """The assignments of this repository."""
    return Course(assignments=ROOT / "assignments", reference=ROOT / "reference")


@pytest.fixture(scope="session")
def locks(tmp_path_factory) -> Path:
    """A folder of locks for this run of the tests: what is timed in one of its processes has the machine alone."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def environment(locks: Path, tmp_path_factory) -> Iterator[GradingEnvironment]:
    """An environment like that of `grader grade`, with shorter deadlines and without the search for lines."""
    environment = GradingEnvironment(
        sandbox_name="process",
        sandbox=SANDBOXES["process"](RULES),
        device=0,
        deadlines=DEADLINES,
        timing=TimingRules(),
        locks=locks,
        profiles=tmp_path_factory.mktemp("profiles"),
        watching=WatchingRules(),
        search=SearchRules(seconds=0),
    )
    with closing(environment.sandbox), closing(environment.own):
        yield environment


@pytest.fixture
def tell(monkeypatch) -> Iterator[Callable[[], None]]:
    """Interrupt this process, as Ctrl-C does the grader's."""
    monkeypatch.setattr(interrupts, "_told", interrupts._Told())
    before = signal.getsignal(signal.SIGUSR1)
    interrupts.interrupt_on([signal.SIGUSR1], lambda number: InterruptedGradingError(signal.Signals(number).name))
    yield lambda: os.kill(os.getpid(), signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)


@pytest.fixture(scope="session")
def transposition(course: Course) -> Assignment:
    """The simplest of the assignments."""
    return course.load("coalsTransp")


@pytest.fixture
def still_kernel(monkeypatch) -> None:
    """Nothing is seen of the operating system's own work: beside workers of straw, whose turns take microseconds, any
    of it is much.
    """
    monkeypatch.setattr(measurement, "kernel_threads", no_kernel_threads)


@pytest.fixture(scope="session")
def product(course: Course) -> Assignment:
    """An assignment with a rounding tolerance."""
    return course.load("blockMMM")


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory) -> Path:
    """Stands in for the Python that runs workers, on a machine where the simulator is not installed."""
    server = "from grader.worker import simulator; simulator.DRIVER = 'none'; from grader.forkserver import __main__"
    path = tmp_path_factory.mktemp("bare") / "python"
    station = f"import sys; sys.executable = {str(path)!r}; from grader.batch.workforce.__main__ import main; main()"
    path.write_text(
        f"""#!/bin/sh
case "$*" in
*grader.batch.workforce*) shift 3; exec {sys.executable} -P -c "{station}" "$@" ;;
*"-m grader.forkserver "*) shift 3; exec {sys.executable} -I -c "{server}; __main__.main()" "$@" ;;
*) exec {sys.executable} "$@" ;;
esac
"""
    )
    path.chmod(0o755)
    return path
