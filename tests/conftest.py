"""What the tests share: the course that ships with the grader, and benches to grade on."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from grader import interrupts
from grader.assignment import Assignment
from grader.course import Course
from grader.errors import InterruptedGradingError
from grader.grading import Bench
from grader.protocol import Limits
from grader.runner import Deadlines
from grader.sandbox import SANDBOXES
from grader.sandbox.rules import ContainerRules, Rules
from grader.timing import TimingRules
from grader.watching import WatchingRules

ROOT = Path(__file__).parent.parent
FIRST_COURSE = ("blockMMM", "coalsProgrm", "coalsTransp", "optimProgram", "rgblkMMM")
"""Those whose kernels may all stand in one file, student_template/kernels.cl."""

ASSIGNMENTS = (
    *("blockMMM", "coalsProgrm", "coalsTransp", "jacobi", "loopNest", "nearestNeighbour", "optimProgram"),
    *("productLadder", "rectMMM", "reduction", "rgblkMMM", "transMMM", "vectorAdd"),
)

LIMITS = Limits(memory_bytes=4 * 1024**3, cpu_seconds=60, file_bytes=1024**3, processes=64)
RULES = Rules(limits=LIMITS, container=ContainerRules())

DEADLINES = Deadlines(start=30, build=30, first_launch=4, launch=3, transfer=20, simulation=30)
"""Shorter than the defaults where a test waits for them to pass."""


LONGEST_PARAMETER, LONGEST_ID = 30, 170
"""Characters of one parameter in the id of a test, and of a whole id: what one can read, and type after `pytest`."""


def pytest_make_parametrize_id(val: object) -> str | None:
    """A text is shown by its beginning, in one line: some tests take megabytes of it."""
    if not isinstance(val, str | bytes):
        return None
    text = " ".join(val.split()) if isinstance(val, str) else val.decode("latin-1")
    shown = ascii(text[: 2 * LONGEST_PARAMETER])[1:-1]
    return shown if len(shown) <= LONGEST_PARAMETER else f"{shown[: LONGEST_PARAMETER - 3]}..."


SPREAD = frozenset(
    {"test_grading.py", "test_hostile.py", "test_building.py", "test_commands_submission.py", "test_fuzz.py"}
)
"""Modules of many long tests that share little: any process takes the next one."""


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse an id that nobody can read; have the tests of a module in one process, where they share what it makes."""
    for item in items:
        if item.path.name not in SPREAD and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.name))
        if len(item.nodeid) > LONGEST_ID:
            raise pytest.UsageError(
                f"the id of a test has {len(item.nodeid)} characters, more than {LONGEST_ID}; give its parameters "
                f"short ids: {item.nodeid[:LONGEST_ID]}..."
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
def bench(locks: Path, tmp_path_factory) -> Iterator[Bench]:
    """A bench like that of `grader grade`, with shorter deadlines."""
    bench = Bench(
        sandbox_name="process",
        sandbox=SANDBOXES["process"](RULES),
        device=0,
        deadlines=DEADLINES,
        timing=TimingRules(),
        locks=locks,
        profiles=tmp_path_factory.mktemp("profiles"),
        watching=WatchingRules(),
    )
    with closing(bench.own):
        yield bench


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


@pytest.fixture(scope="session")
def product(course: Course) -> Assignment:
    """An assignment with a rounding tolerance."""
    return course.load("blockMMM")


@pytest.fixture(scope="session")
def ladder(tmp_path_factory):
    """The suite of suites.py."""
    from suites import NAME, suite_course  # noqa: PLC0415 - which needs this module

    return suite_course(tmp_path_factory.mktemp("ladder")).load(NAME)


@pytest.fixture(scope="session")
def climbed(ladder, bench):
    """Results of its submissions by their names, graded once for all tests."""
    from suites import SUBMISSIONS, graded  # noqa: PLC0415 - which needs this module

    return {name: graded(ladder, source(), bench) for name, source in SUBMISSIONS.items()}


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory) -> Path:
    """Stands in for the Python that runs workers, on a machine where the simulator is not installed."""
    worker = "from grader.worker import __main__, simulator; simulator.DRIVER = 'none'; __main__.main()"
    path = tmp_path_factory.mktemp("bare") / "python"
    station = f"import sys; sys.executable = {str(path)!r}; from grader.workforce.__main__ import main; main()"
    path.write_text(
        f"""#!/bin/sh
case "$*" in
*warden.py*) exec {sys.executable} "$@" ;;
*grader.workforce*) shift 3; exec {sys.executable} -P -c "{station}" "$@" ;;
*"-m grader.worker") exec {sys.executable} -I -c "{worker}" ;;
*) exec {sys.executable} "$@" ;;
esac
"""
    )
    path.chmod(0o755)
    return path


@pytest.fixture(scope="session")
def installed(request, tmp_path_factory):
    """The image of autograders.py. It takes a minute to make, so that it is made once for all modules."""
    from autograders import installation  # noqa: PLC0415 - which needs this module

    with installation(request.getfixturevalue("engine"), tmp_path_factory.mktemp("export")) as name:
        yield name


def wait_for(condition, seconds=20):
    """Whether it comes true: a signal is on its way for a moment, on a busy machine for a longer one."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def left_of(group):
    """Processes of a killed group that are still there after the moment that dying takes."""
    end = time.monotonic() + 5
    while processes_of(group) and time.monotonic() < end:
        time.sleep(0.02)
    return processes_of(group)


def processes_of(group):
    """Process ids of a process group; the dead that nobody has counted yet are left out."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(entry.name))
    return found
