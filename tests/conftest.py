"""Fixtures and hooks for all tests: the course that ships with grader, environments to grade in, and the order in which
tests run.
"""

import gc
import importlib
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import commandline
import pytest
from project import ROOT
from worker_rules import RULES, TIMEOUTS

from grader.common import interrupts
from grader.common.errors import InterruptedGradingError
from grader.course.assignment import Assignment
from grader.course.catalogue import Course
from grader.execution.kernel_threads import no_kernel_threads
from grader.execution.pool import WorkerPool
from grader.execution.sandbox import SANDBOXES
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.rules import SearchRules, TimingRules, WatchingRules
from grader.grading.timing import measurement

pytest_plugins = (
    "simulator",
    "engine",
    "postgresql",
    "autograders",
    "browser",
    "drafts",
    "drawings",
    "suites",
)
"""Modules in helpers/ that define fixtures."""

LONGEST_PARAMETER, LONGEST_ID = 30, 170
"""Limits on the length of a parameter in a test's id, and of the whole id without its folders. Longer ids are hard to
read and to type.
"""


def pytest_make_parametrize_id(val: object) -> str | None:
    """Show the beginning of a string parameter on one line, because some tests take megabytes of text."""
    if not isinstance(val, str | bytes):
        return None
    text = " ".join(val.split()) if isinstance(val, str) else val.decode("latin-1")
    shown = ascii(text[: 2 * LONGEST_PARAMETER])[1:-1]
    return shown if len(shown) <= LONGEST_PARAMETER else f"{shown[: LONGEST_PARAMETER - 3]}..."


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """If only timed tests are selected, import only their modules. Importing all modules takes ten seconds."""
    return True if collection_path.match("test_*.py") and leave_out(collection_path, config) else None


def leave_out(module: Path, config: pytest.Config) -> bool:
    """True if only timed tests are selected and this module has none."""
    asks_for_timed = config.getoption("markexpr") in {"timed", "not whole and timed"}
    return asks_for_timed and "mark.timed" not in module.read_text(encoding="utf-8")


def pytest_collection(session: pytest.Session) -> None:
    """If several processes collect all tests, import their modules in another order in each of them. pytest compiles
    the asserts of each module and stores the result, so each process does only a part of this work. It takes half of
    the time of collecting. Garbage collections would look at everything again and again meanwhile.
    """
    gc.disable()
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if processes == 1 or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    number = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
    modules = [path for path in sorted(ROOT.glob("tests/**/test_*.py")) if not leave_out(path, session.config)]
    first = len(modules) * number // processes
    for path in modules[first:] + modules[:first]:
        sys.path.insert(0, str(path.parent))
        with suppress(BaseException):  # pytest imports it again and reports why this failed
            importlib.import_module(path.stem)
        sys.path.remove(str(path.parent))


def pytest_collection_finish() -> None:
    """Collect garbage again, but never look at the collected tests."""
    gc.freeze()
    gc.enable()


def turn(item: pytest.Item) -> int:
    """Return a sort key: 0 for tests that begin first. If a long module began last, it would run alone at the end.
    Spread tests come second, because they can fill any gap.
    """
    if item.get_closest_marker("long") is None:
        return 2
    return 0 if item.get_closest_marker("spread") is None else 1


def leave_out_similar(items: list[pytest.Item]) -> None:
    """Mark all parameters of each sampled test as `whole`, except the first and the last."""
    sampled = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled") is not None and item.get_closest_marker("whole") is None:
            sampled[item.nodeid.partition("[")[0]].append(item)
    for similar in sampled.values():
        for item in similar[1:-1]:
            item.add_marker(pytest.mark.whole)


@pytest.hookimpl(tryfirst=True)  # runs before xdist reads the groups, and before pytest selects tests by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse test ids that are too long to read. Run the tests of a module in one process, where they share fixtures,
    unless they are marked as spread. Begin with the longest modules.
    """
    leave_out_similar(items)
    items.sort(key=turn)
    for item in items:
        if item.get_closest_marker("spread") is None and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.name))
        name = f"{item.path.name}::{item.nodeid.partition('::')[2]}"
        if len(name) > LONGEST_ID:
            raise pytest.UsageError(
                f"the id of a test has {len(name)} characters, more than {LONGEST_ID}; give its parameters "
                f"short ids: {name[:LONGEST_ID]}..."
            )


@pytest.fixture(scope="session", autouse=True)
def nobody_in_particular(tmp_path_factory) -> Iterator[None]:
    """Simulate a user who has no settings and has started nothing, so that the tests' processes are not recorded for
    the real user.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        yield


@pytest.fixture(scope="session")
def course() -> Course:
    """The course with the assignments of this repository."""
    return Course(assignments=ROOT / "assignments", reference=ROOT / "reference")


@pytest.fixture(scope="session")
def locks(tmp_path_factory, pytestconfig) -> Path:
    """Folder of the lock files that give a timed test the machine for itself, also among several test processes.

    If no timed tests are selected, each process has its own folder. Otherwise, a grading would wait for exclusive use
    of the machine to measure a speed that no test looks at.
    """
    base = tmp_path_factory.getbasetemp()
    is_shared = "PYTEST_XDIST_WORKER" in os.environ and "not timed" not in pytestconfig.getoption("markexpr")
    return base.parent if is_shared else base


@pytest.fixture(scope="session", autouse=True)
def commands_use_the_locks(locks: Path) -> Iterator[None]:
    """Let the commands that tests run use the same locks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(commandline.OF_ALL_COMMANDS, "GRADER_LOCKS", str(locks))
        yield


@pytest.fixture(scope="session")
def environment(locks: Path, tmp_path_factory) -> Iterator[GradingEnvironment]:
    """Environment of `grader grade`, with shorter deadlines and without the search for the lines that cause wrong
    results.
    """
    environment = GradingEnvironment(
        sandbox_name="process",
        workers=WorkerPool(SANDBOXES["process"](RULES), 0, TIMEOUTS),
        timing=TimingRules(),
        locks=locks,
        profiles=tmp_path_factory.mktemp("profiles"),
        watching=WatchingRules(),
        search=SearchRules(seconds=0),
    )
    with closing(environment.workers.sandbox), closing(environment.workers):
        yield environment


@pytest.fixture
def tell(monkeypatch) -> Iterator[Callable[[], None]]:
    """Return a function that interrupts this process as Ctrl-C interrupts grader."""
    monkeypatch.setattr(interrupts, "_told", interrupts._Told())
    before = signal.getsignal(signal.SIGUSR1)
    interrupts.interrupt_on([signal.SIGUSR1], lambda number: InterruptedGradingError(signal.Signals(number).name))
    yield lambda: os.kill(os.getpid(), signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)


@pytest.fixture(scope="session")
def transposition(course: Course) -> Assignment:
    """The simplest assignment, a transposition."""
    return course.load("coalsTransp")


@pytest.fixture
def still_kernel(monkeypatch) -> None:
    """Hide the time of kernel threads. Fake workers take microseconds per iteration, so even a little of it would
    distort their times.
    """
    monkeypatch.setattr(measurement, "kernel_threads", no_kernel_threads)


@pytest.fixture(scope="session")
def product(course: Course) -> Assignment:
    """An assignment whose results are compared with a rounding tolerance."""
    return course.load("blockMMM")


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory) -> Path:
    """A replacement for the Python that runs workers. It behaves as on a machine without the simulator."""
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
