"""hanging.py: who waits for a launch that does not answer, and for how long."""

from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from kernels import TRANSPOSITION, changed
from simulator import subject_of

from grader.execution.outcome import Crashed, TimedOut
from grader.grading.checks.correctness import trial_of
from grader.grading.checks.hanging import Launcher, Lookout
from grader.grading.checks.sanitizer import Endless, of_endless
from grader.results.result import Finding, Reason

SILENT = TimedOut(doing="running", seconds=1)
CRASHED = Crashed(signal=11, exit_code=None, words="")
RIGHT = {"B": None}
LOOP = Finding(
    reason=Reason.TIME_LIMIT,
    message="line 3: this loop was still running when the simulator stopped the kernel.",
    cause="Look.",
    places=(),
    times=1,
)
ENDLESS = Endless(sizes={"n": 1}, findings=(LOOP,))


@dataclass
class Straw:
    """A worker, its series and a lookout, who say what a test says and note what they are asked."""

    attempts: list
    runs: list = field(default_factory=list)
    sees: list = field(default_factory=list)
    small: bool = True
    first: bool = True
    asked: list = field(default_factory=list)

    @contextmanager
    def impatient(self):
        self.asked.append("impatient")
        yield

    def is_open_for(self, _):
        return not self.first

    def attempt(self, name, _):
        self.asked.append(f"attempt {name}")
        return self.attempts.pop(0)

    def run(self, name, _):
        self.asked.append(f"run {name}")
        return self.runs.pop(0)

    def covers(self, _):
        return self.small

    def begin(self, name):
        self.asked.append(f"begin {name}")

    def look(self, _):
        self.asked.append("look")
        return self.sees.pop(0)

    @property
    def sizes(self):
        return {}

    @property
    def arrays(self):
        return {}


def launched(straw, *names):
    """What comes of these cases, one after the other."""
    launcher = Launcher(straw, straw, straw)
    return [launcher.run(name, straw) for name in names]


def test_a_launch_that_answers_is_not_looked_at():
    """It is launched once."""
    straw = Straw([RIGHT])
    assert launched(straw, "a") == [RIGHT]
    assert straw.asked == ["impatient", "attempt a"]


def test_a_loop_that_the_simulator_sees_is_the_verdict():
    """Other cases get a moment each, since they may be right; nobody looks again."""
    straw = Straw([SILENT, RIGHT, SILENT], sees=[ENDLESS])
    assert launched(straw, "a", "b", "c") == [ENDLESS, RIGHT, SILENT]
    assert straw.asked.count("look") == 1
    assert "run" not in " ".join(straw.asked)


def test_what_ends_in_the_simulator_has_all_its_time():
    """A slow compiler, a busy machine: from then on, every case is waited for to its deadline. Its next session opens
    while the simulator works.
    """
    straw = Straw([SILENT], runs=[RIGHT, RIGHT], sees=[None])
    assert launched(straw, "a", "b") == [RIGHT, RIGHT]
    assert straw.asked == ["impatient", "attempt a", "begin a", "look", "run a", "run b"]


def test_a_large_case_has_all_its_time():
    """In the simulator, an honest one takes millions of steps, too."""
    straw = Straw([], runs=[SILENT], small=False)
    assert launched(straw, "a") == [SILENT]
    assert straw.asked == ["run a"]


@pytest.mark.parametrize(("first", "again"), [(True, []), (False, ["run a"])])
def test_a_failure_after_others_is_tried_as_the_first_of_a_session(first, again):
    """As without a lookout: runs before may have led to it."""
    straw = Straw([CRASHED], runs=[CRASHED], first=first)
    assert launched(straw, "a") == [CRASHED]
    assert straw.asked == ["impatient", "attempt a", *again]


# --- the simulator's word -----------------------------------------------------------------------


@pytest.fixture
def small(transposition):
    """A case of a few work-items."""
    return next(case for case in transposition.correctness.cases if case.name == "one element")


def looked(simulator, assignment, source, case):
    subject = subject_of(simulator, assignment, source)
    lookout = Lookout(subject=subject)
    assert lookout.covers(case.sizes)
    return lookout.look(trial_of(case, subject.built, subject.oracle))


def test_the_line_of_a_loop_is_found_on_the_data_of_the_case(simulator, transposition, small):
    """And the sanitizer's check says so, with the sizes, without another run."""
    source = changed(
        TRANSPOSITION, "    barrier(", "    for (uint i = 0; i < width; i += 0) tile[0][0] = 1;\n    barrier("
    )
    endless = looked(simulator, transposition, source, small)
    line = next(n for n, text in enumerate(source.splitlines(), start=1) if "i += 0" in text)
    assert endless.problem.reason is Reason.TIME_LIMIT
    assert endless.problem.message.startswith(
        f"line {line}: this loop was still running when the simulator stopped the kernel."
    )
    check = of_endless(transposition.sanitizer, endless).check
    assert check.message.startswith(f"at height 1, width 1, line {line}: this loop")
    assert (check.points, check.findings) == (0, endless.findings)


def test_a_kernel_that_ends_is_no_loop_and_neither_is_one_that_races(simulator, transposition, small):
    """Only steps without end are."""
    assert looked(simulator, transposition, TRANSPOSITION, small) is None
    assert looked(simulator, transposition, changed(TRANSPOSITION, "    barrier(", "    // barrier("), small) is None


def test_where_the_simulator_is_hidden_or_its_sizes_are_smaller_it_is_not_asked(simulator, transposition):
    """Students would learn what it sees; and there, honest kernels take long, too."""
    subject = subject_of(simulator, transposition, TRANSPOSITION)
    lookout = Lookout(subject=subject)
    assert not lookout.covers({"height": 1100, "width": 1290})
    hidden = transposition.model_copy(update={"sanitizer": transposition.sanitizer.model_copy(update={"hidden": True})})
    for other in (hidden, transposition.model_copy(update={"sanitizer": None})):
        assert not Lookout(subject=subject_of(simulator, other, TRANSPOSITION)).covers({"height": 1, "width": 1})
